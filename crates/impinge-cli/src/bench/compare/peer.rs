//! Other programs that speak the scenario format.
//!
//! A program is given a folder with `a.obj`, `b.obj` and `poses.csv`, `--cap SECONDS`, the time it
//! may take in each mode, and `--counts FOLDER`, into which it writes `ENGINE-MODE.csv` with a line
//! `step,count` for each step. It prints a line of JSON for each engine and mode, with the names that
//! `impinge query` uses.

use super::{
    engine::{Facts, Mode},
    race::{Answers, Run, Spread},
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

/// A program and its arguments, and what messages call it.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) name: String,
    words: Vec<String>,
}

impl FromStr for Peer {
    type Err = String;

    /// `NAME=COMMAND ARGUMENTS…`, or without the name. Quotes keep words with spaces together.
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
        let program = program.ok_or("there is no command; try NAME=COMMAND {dir}")?;
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
        return Err("a quote is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

impl Peer {
    /// The command as others would type it: where it is on this machine helps nobody.
    pub(super) fn shown(&self) -> String {
        let words = self.words.iter().enumerate();
        let words = words.map(|(i, word)| if i == 0 { file_name(word) } else { word.clone() });
        format!("--peer \"{}={}\"", self.name, words.collect::<Vec<_>>().join(" "))
    }

    fn command(&self, visited: &Visited<'_>, limits: Limits) -> Command {
        let cap = limits.cap.as_secs_f64().to_string();
        let dir = visited.folder.scenario().to_string_lossy().into_owned();
        let counts = visited.folder.counts().to_string_lossy().into_owned();
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

    /// Runs it on a scenario and reads what it says; or tells what is wrong with it.
    fn run(&self, visited: &Visited<'_>, limits: Limits) -> Result<Vec<Run>, String> {
        // Into files, not pipes: nothing has to be read while it runs, and a process that it has
        // left behind can hold nothing up.
        let [stdout, stderr] =
            ["stdout", "stderr"].map(|name| visited.folder.0.temporary_path().join(name));
        let file = |path: &Path| fs::File::create(path).map_err(|error| error.to_string());
        visited.folder.clear_counts().map_err(|error| error.to_string())?;
        let mut command = self.command(visited, limits);
        command.stdin(Stdio::null()).stdout(file(&stdout)?).stderr(file(&stderr)?);
        let child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
        let status = Running(child).wait(limits.timeout, &[&stdout, &stderr])?;
        if !status.success() {
            let text = fs::read(&stderr).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let last = text.lines().rfind(|line| !line.trim().is_empty());
            let why = last.map(|line| format!(": {}", excerpt(line))).unwrap_or_default();
            return Err(format!("it ended with {status}{why}"));
        }
        let text = fs::read(&stdout).map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().filter(|line| line.starts_with('{'));
        let runs: Vec<Run> = lines.map(|line| visited.read(line)).collect::<Result<_, String>>()?;
        if runs.is_empty() {
            let said = text.lines().find(|line| !line.trim().is_empty());
            let said = said.map_or("nothing".to_owned(), |line| format!("`{}`", excerpt(line)));
            return Err(format!("it printed no line of JSON, but {said}"));
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

/// More than this no program has to say.
const MOST_OUTPUT: u64 = 16 << 20;

/// A process that does not outlive its use.
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
                return Err(format!("it was stopped after {seconds} s (see --peer-timeout)"));
            }
            let length = |path: &&Path| fs::metadata(path).map_or(0, |it| it.len());
            if outputs.iter().any(|path| length(path) > MOST_OUTPUT) {
                return Err("it was stopped, for it printed more than 16 MB".to_owned());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Of a process that has ended both say no more than that.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// What an engine may take in each mode.
    pub(super) cap: Duration,
    /// What a program may take on a scenario.
    pub(super) timeout: Duration,
}

/// Programs on their way through the scenarios. One that fails is left out from there on.
pub(super) struct Peers {
    peers: Vec<Peer>,
    limits: Limits,
    /// How many have run on this scenario, and who is the first there.
    done: usize,
    first: usize,
    /// Who was the first to call an engine so.
    owners: BTreeMap<String, String>,
    pub(super) failed: Vec<Failed>,
}

/// A program that failed.
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
                return Err(Failure::input(format!("two peers are called `{}`", peer.name)));
            }
        }
        Ok(Self {
            peers: peers.to_vec(),
            limits,
            done: 0,
            // So that the first scenario begins with the first.
            first: peers.len().saturating_sub(1),
            owners: BTreeMap::new(),
            failed: Vec::new(),
        })
    }

    /// Says that engines of these names run already, in this process.
    pub(super) fn reserve(&mut self, engines: impl Iterator<Item = String>) {
        self.owners.extend(engines.map(|engine| (engine, String::new())));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.peers.is_empty()
    }

    /// Begins another scenario, with another program first.
    pub(super) fn next_scenario(&mut self) {
        self.done = 0;
        self.first += 1;
    }

    /// Runs those that are due by the end of this slot, out of so many on a scenario.
    pub(super) fn run_some(
        &mut self,
        slot: usize,
        slots: usize,
        visited: &Visited<'_>,
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
                match peer.run(visited, self.limits) {
                    Ok(found) => {
                        let name = &peer.name;
                        runs.extend(found.into_iter().map(|mut run| {
                            let owner = self.owners.entry(run.facts.engine.clone());
                            if owner.or_insert_with(|| name.clone()) != name {
                                run.facts.engine = format!("{name}:{}", run.facts.engine);
                            }
                            run
                        }));
                    }
                    Err(message) => self.failed.push(Failed {
                        peer: peer.name.clone(),
                        scenario: visited.name.to_owned(),
                        message,
                    }),
                }
            }
            progress.advance();
        }
        runs
    }
}

/// A scenario as programs see it.
pub(super) struct Visited<'s> {
    pub(super) name: &'s str,
    pub(super) scenario: &'s Scenario,
    pub(super) folder: &'s Folder,
}

/// A line of a program.
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

/// Steps in order, and what was counted at each.
struct Counted {
    steps: Vec<usize>,
    counts: Vec<u64>,
}

impl Visited<'_> {
    fn read(&self, line: &str) -> Result<Run, String> {
        let said: Line = serde_json::from_str(line)
            .map_err(|error| format!("{error} in what it printed: `{}`", excerpt(line)))?;
        let poses = self.scenario.poses.len();
        let stride = said.stride.unwrap_or(1);
        let wrong = |what: String| Err(format!("{what} in what it printed: `{}`", excerpt(line)));
        let is_word = |c: char| c.is_alphanumeric() || "-_.:+".contains(c);
        if said.engine.is_empty() || !said.engine.chars().all(is_word) {
            return wrong("the name of the engine is no word".to_owned());
        }
        for (mesh, said) in [(&self.scenario.a, said.tris_a), (&self.scenario.b, said.tris_b)] {
            let faces = mesh.faces().len();
            if let Some(said) = said.filter(|said| *said != faces) {
                return wrong(format!("{said} triangles, where the mesh has {faces},"));
            }
        }
        if said.steps == 0 || stride == 0 || (said.steps - 1).saturating_mul(stride) >= poses {
            return wrong(format!("more or fewer steps than {poses} poses have"));
        }
        let times = [said.mean_us, said.p50_us, said.p99_us, said.max_us];
        if !times.iter().all(|time| time.is_finite() && *time >= 0.0) || said.mean_us == 0.0 {
            return wrong("a time that is none".to_owned());
        }
        let (steps, answers) = match self.counts(&said)? {
            Some(Counted { steps, counts }) => {
                let prints = vec![None; counts.len()];
                (steps, Answers::Each { counts, prints })
            }
            None => {
                let steps = (0..said.steps).map(|k| k * stride).collect();
                let sums =
                    Answers::Sums { colliding_steps: said.colliding_steps, pairs: said.pairs };
                (steps, sums)
            }
        };
        Ok(Run {
            facts: Facts {
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
            times: Spread { mean: times[0], p50: times[1], p99: times[2], max: times[3] },
            each: Vec::new(),
            answers,
        })
    }

    /// The steps and their counts, if the program wrote any.
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
            let (step, count): (usize, u64) =
                fields.ok_or_else(|| format!("{name}: `{}` is no step,count", excerpt(line)))?;
            let is_next = steps.last().is_none_or(|last| *last < step);
            if !is_next || step >= self.scenario.poses.len() {
                return Err(format!("{name}: step {step} is out of order, or of the scenario"));
            }
            steps.push(step);
            counts.push(count);
        }
        match steps.len() == said.steps {
            true => Ok(Some(Counted { steps, counts })),
            false => Err(format!("{name} has {} steps, but it ran {}", steps.len(), said.steps)),
        }
    }
}

/// A temporary folder, removed with all that is in it when it is no longer used.
pub(super) struct Folder(DraftFolder);

impl Folder {
    pub(super) fn new() -> Result<Self, Failure> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("impinge-bench-{}-{number}", process::id()));
        // It never takes its name, so that it is removed at the end, and also if the program is interrupted.
        let folder = Self(DraftFolder::create(&path)?);
        let cannot = |error| Failure::input(format!("{}: cannot be made: {error}", path.display()));
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

    /// What another program has counted is none of the next one's.
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
