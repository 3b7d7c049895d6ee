//! Peers: other programs that run a scenario with their own engine.
//!
//! A peer receives a folder with `a.obj`, `b.obj` and `poses.csv`; `--cap SECONDS`, the time that it may take
//! in each mode; and `--counts FOLDER`, into which it writes `ENGINE-MODE.csv` with a line `step,count` for
//! each step. It fingerprints one line of JSON for each engine and mode, with the field names of `impinge query`.

use super::{
    engine::{EngineInfo, Mode},
    race::{Answers, Run, TimeStats},
    scenario::Scenario,
};
use crate::{failure::Failure, output, progress::Progress};
use impinge_io::DraftFolder;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    env, fs, io,
    path::{Path, PathBuf},
    process::{self, Child, Command, ExitStatus, Stdio},
    str::FromStr,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

/// A program with its arguments, and its name in messages.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) name: String,
    words: Vec<String>,
}

impl FromStr for Peer {
    type Err = String;

    /// `NAME=COMMAND ARGUMENTS…`, or the same without `NAME=`. Quotes keep words with spaces together.
    fn from_str(text: &str) -> Result<Self, String> {
        let named = text.split_once('=').filter(|(name, _)| {
            !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "/\\'\"".contains(c))
        });
        let (name, command) = match named {
            Some((name, command)) => (Some(name), command),
            None => (None, text),
        };
        let words = words(command)?;
        let program = words.first().filter(|word| !word.is_empty());
        let program = program.ok_or("the command is missing; expected NAME=COMMAND {dir}")?;
        let name = name.map_or_else(|| file_name(program), str::to_owned);
        Ok(Self { name, words })
    }
}

fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quotation mark is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

impl Peer {
    /// The command as others would type it, without its path on this machine.
    pub(super) fn shown(&self) -> String {
        let words = self.words.iter().enumerate();
        let words = words.map(|(i, word)| if i == 0 { file_name(word) } else { word.clone() });
        format!("--peer \"{}={}\"", self.name, words.collect::<Vec<_>>().join(" "))
    }

    fn command(&self, peer_scenario: &PeerScenario<'_>, limits: Limits) -> Command {
        let cap = limits.cap.as_secs_f64().to_string();
        let dir = peer_scenario.folder.scenario().to_string_lossy().into_owned();
        let counts = peer_scenario.folder.counts().to_string_lossy().into_owned();
        let mut words = self.words.clone();
        let mentions = |words: &[String], place: &str| words.iter().any(|w| w.contains(place));
        for (place, option) in
            [("{dir}", None), ("{cap}", Some("--cap")), ("{counts}", Some("--counts"))]
        {
            if !mentions(&self.words, place) {
                words.extend(option.map(str::to_owned));
                words.push(place.to_owned());
            }
        }
        let fill = |word: &String| {
            word.replace("{dir}", &dir).replace("{cap}", &cap).replace("{counts}", &counts)
        };
        let mut words = words.iter().map(fill);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
    }

    /// Runs the peer on a scenario, and reads its results. Returns a message if the peer fails.
    fn run(&self, peer_scenario: &PeerScenario<'_>, limits: Limits) -> Result<Vec<Run>, String> {
        // Output goes to files, not pipes: nothing has to be read while the peer runs, and a process that the
        // peer leaves behind cannot block us.
        let [stdout, stderr] =
            ["stdout", "stderr"].map(|name| peer_scenario.folder.0.temporary_path().join(name));
        let file = |path: &Path| fs::File::create(path).map_err(|error| error.to_string());
        peer_scenario.folder.clear_counts().map_err(|error| error.to_string())?;
        let mut command = self.command(peer_scenario, limits);
        command.stdin(Stdio::null()).stdout(file(&stdout)?).stderr(file(&stderr)?);
        let child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
        let status = Running(child).wait(limits.timeout, &[&stdout, &stderr])?;
        if !status.success() {
            let text = fs::read(&stderr).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let last = text.lines().rfind(|line| !line.trim().is_empty());
            let why = last.map(|line| format!(": {}", excerpt(line))).unwrap_or_default();
            return Err(format!("the program ended with {status}{why}"));
        }
        let text = fs::read(&stdout).map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter(|line| line.starts_with('{'));
        let runs: Vec<Run> =
            lines.map(|line| peer_scenario.read(line)).collect::<Result<_, String>>()?;
        if runs.is_empty() {
            let said = text.lines().find(|line| !line.trim().is_empty());
            let said = said.map_or("nothing".to_owned(), |line| format!("`{}`", excerpt(line)));
            return Err(format!("the program printed no JSON line; its first line: {said}"));
        }
        Ok(runs)
    }
}

fn excerpt(line: &str) -> String {
    let line = output::plain(line.trim());
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// A peer that fingerprints more than this is stopped.
const MAX_OUTPUT: u64 = 16 << 20;

/// A process that is killed when this is dropped.
struct Running(Child);

impl Running {
    fn wait(mut self, timeout: Duration, outputs: &[&Path]) -> Result<ExitStatus, String> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().map_err(|error| error.to_string())? {
                return Ok(status);
            }
            if start.elapsed() > timeout {
                let seconds = timeout.as_secs_f64();
                return Err(format!(
                    "stopped after {seconds} s (raise --peer-timeout to allow more)"
                ));
            }
            let length = |path: &&Path| fs::metadata(path).map_or(0, |it| it.len());
            if outputs.iter().any(|path| length(path) > MAX_OUTPUT) {
                return Err("stopped because it printed more than 16 MB".to_owned());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Errors only mean that the process has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Time for an engine in each mode.
    pub(super) cap: Duration,
    /// Time for a peer on each scenario.
    pub(super) timeout: Duration,
}

/// All peers of a comparison. A peer that fails is not run again.
pub(super) struct Peers {
    peers: Vec<Peer>,
    limits: Limits,
    /// Number of peers that have run on this scenario, and the index of the peer that runs first.
    done: usize,
    first: usize,
    /// The peer that first used each engine name.
    owners: BTreeMap<String, String>,
    pub(super) failed: Vec<Failed>,
}

/// A peer that failed.
#[derive(Clone, Debug, serde::Serialize)]
pub(super) struct Failed {
    pub(super) peer: String,
    pub(super) scenario: String,
    pub(super) message: String,
}

impl Peers {
    pub(super) fn new(peers: &[Peer], limits: Limits) -> Result<Self, Failure> {
        for (i, peer) in peers.iter().enumerate() {
            if peers[..i].iter().any(|other| other.name == peer.name) {
                return Err(Failure::input(format!(
                    "--peer: two peers have the name `{}`",
                    peer.name
                )));
            }
        }
        Ok(Self {
            peers: peers.to_vec(),
            limits,
            done: 0,
            // The first `next_scenario` advances this to 0.
            first: peers.len().saturating_sub(1),
            owners: BTreeMap::new(),
            failed: Vec::new(),
        })
    }

    /// Reserves the names of engines that run in this process.
    pub(super) fn reserve(&mut self, engines: impl Iterator<Item = String>) {
        self.owners.extend(engines.map(|engine| (engine, String::new())));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.peers.is_empty()
    }

    /// Begins the next scenario, with the next peer first.
    pub(super) fn next_scenario(&mut self) {
        self.done = 0;
        self.first += 1;
    }

    /// Runs the peers that are due by the end of slot `slot` out of `slots`.
    pub(super) fn run_some(
        &mut self,
        slot: usize,
        slots: usize,
        peer_scenario: &PeerScenario<'_>,
        progress: &mut Progress,
    ) -> Vec<Run> {
        let due = self.peers.len() * slot / slots;
        let mut runs: Vec<Run> = Vec::new();
        while self.done < due {
            let number = (self.first + self.done) % self.peers.len();
            self.done += 1;
            let peer = &self.peers[number];
            let is_out = self.failed.iter().any(|failed| failed.peer == peer.name);
            if !is_out {
                match peer.run(peer_scenario, self.limits) {
                    Ok(found) => {
                        let name = &peer.name;
                        runs.extend(found.into_iter().map(|mut run| {
                            let owner = self.owners.entry(run.info.engine.clone());
                            if owner.or_insert_with(|| name.clone()) != name {
                                run.info.engine = format!("{name}:{}", run.info.engine);
                            }
                            run
                        }));
                    }
                    Err(message) => self.failed.push(Failed {
                        peer: peer.name.clone(),
                        scenario: peer_scenario.name.to_owned(),
                        message,
                    }),
                }
            }
            progress.advance();
        }
        runs
    }
}

/// A scenario as peers receive it.
pub(super) struct PeerScenario<'s> {
    pub(super) name: &'s str,
    pub(super) scenario: &'s Scenario,
    pub(super) folder: &'s Folder,
}

/// One line of a peer's output.
#[derive(Deserialize)]
struct Line {
    engine: String,
    version: Option<String>,
    mode: Mode,
    tris_a: Option<usize>,
    tris_b: Option<usize>,
    steps: usize,
    stride: Option<usize>,
    rounds: Option<usize>,
    build_ms: Option<f64>,
    bytes: Option<u64>,
    mean_us: f64,
    p50_us: f64,
    p99_us: f64,
    max_us: f64,
    colliding_steps: u64,
    pairs: Option<u64>,
}

/// Steps in order, and the number of pairs at each.
struct Counted {
    steps: Vec<usize>,
    counts: Vec<u64>,
}

impl PeerScenario<'_> {
    fn read(&self, line: &str) -> Result<Run, String> {
        let said: Line = serde_json::from_str(line)
            .map_err(|error| format!("{error} in the output line `{}`", excerpt(line)))?;
        let poses = self.scenario.poses.len();
        let stride = said.stride.unwrap_or(1);
        let wrong = |what: String| Err(format!("{what} in the output line `{}`", excerpt(line)));
        let is_word = |c: char| c.is_alphanumeric() || "-_.:+".contains(c);
        if said.engine.is_empty() || !said.engine.chars().all(is_word) {
            return wrong(
                "the engine name is empty or has other characters than letters, digits and -_.:+"
                    .to_owned(),
            );
        }
        for (mesh, said) in [(&self.scenario.a, said.tris_a), (&self.scenario.b, said.tris_b)] {
            let faces = mesh.faces().len();
            if let Some(said) = said.filter(|said| *said != faces) {
                return wrong(format!("{said} triangles instead of {faces}"));
            }
        }
        if said.steps == 0 || stride == 0 || (said.steps - 1).saturating_mul(stride) >= poses {
            return wrong(format!("a number of steps that does not fit the {poses} poses"));
        }
        let times = [said.mean_us, said.p50_us, said.p99_us, said.max_us];
        if !times.iter().all(|time| time.is_finite() && *time >= 0.0) || said.mean_us == 0.0 {
            return wrong("a time that is negative, zero or not finite".to_owned());
        }
        let (steps, answers) = match self.counts(&said)? {
            Some(Counted { steps, counts }) => {
                let fingerprints = vec![None; counts.len()];
                (steps, Answers::Each { counts, fingerprints })
            }
            None => {
                let steps = (0..said.steps).map(|k| k * stride).collect();
                let sums =
                    Answers::Sums { colliding_steps: said.colliding_steps, pairs: said.pairs };
                (steps, sums)
            }
        };
        Ok(Run {
            info: EngineInfo {
                engine: said.engine,
                version: said.version.unwrap_or_default(),
                is_impinge: false,
                build_ms: said.build_ms,
                bytes: said.bytes,
            },
            mode: said.mode,
            steps,
            stride,
            rounds: said.rounds.unwrap_or(1),
            times: TimeStats { mean: times[0], p50: times[1], p99: times[2], max: times[3] },
            each: Vec::new(),
            answers,
        })
    }

    /// Returns the steps and their counts, if the peer wrote them.
    fn counts(&self, said: &Line) -> Result<Option<Counted>, String> {
        let name = format!("{}-{}.csv", said.engine, said.mode.name());
        let Ok(text) = fs::read_to_string(self.folder.counts().join(&name)) else {
            return Ok(None);
        };
        let (mut steps, mut counts) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let fields = line.split_once(',');
            let fields = fields
                .and_then(|(step, count)| Some((step.parse().ok()?, count.trim().parse().ok()?)));
            let (step, count): (usize, u64) = fields.ok_or_else(|| {
                format!("{name}: `{}` is not of the form step,count", excerpt(line))
            })?;
            let is_next = steps.last().is_none_or(|last| *last < step);
            if !is_next || step >= self.scenario.poses.len() {
                return Err(format!(
                    "{name}: step {step} is out of order, or beyond the last pose"
                ));
            }
            steps.push(step);
            counts.push(count);
        }
        match steps.len() == said.steps {
            true => Ok(Some(Counted { steps, counts })),
            false => Err(format!(
                "{name} has {} steps, but the peer reported {}",
                steps.len(),
                said.steps
            )),
        }
    }
}

/// A temporary folder that is removed on drop.
pub(super) struct Folder(DraftFolder);

impl Folder {
    pub(super) fn new() -> Result<Self, Failure> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("impinge-bench-{}-{number}", process::id()));
        // The folder is never renamed, so it is removed at the end, even if the program is interrupted.
        let folder = Self(DraftFolder::create(&path)?);
        let cannot = |error| {
            Failure::input(format!("{}: cannot create the folder: {error}", path.display()))
        };
        fs::create_dir(folder.scenario()).map_err(cannot)?;
        fs::create_dir(folder.counts()).map_err(cannot)?;
        Ok(folder)
    }

    pub(super) fn scenario(&self) -> PathBuf {
        self.0.temporary_path().join("scenario")
    }

    fn counts(&self) -> PathBuf {
        self.0.temporary_path().join("counts")
    }

    /// Removes the counts of the previous peer.
    fn clear_counts(&self) -> io::Result<()> {
        fs::remove_dir_all(self.counts())?;
        fs::create_dir(self.counts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_words_and_a_name() {
        let peer: Peer = "fcl=bin/fcl {dir} --only 'a b'".parse().unwrap();
        assert_eq!((&*peer.name, &*peer.words[3]), ("fcl", "a b"));
        assert_eq!(peer.words.len(), 4);
        let peer: Peer = "/opt/x/ode_peer --key=7".parse().unwrap();
        assert_eq!((&*peer.name, peer.words.len()), ("ode_peer", 2));
        assert_eq!(peer.shown(), "--peer \"ode_peer=ode_peer --key=7\"");
        for text in ["", "fcl=", "a 'b", "x=\"\""] {
            assert!(text.parse::<Peer>().is_err(), "{text}");
        }
    }
}
