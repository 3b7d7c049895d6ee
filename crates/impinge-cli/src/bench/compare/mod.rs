//! `impinge bench`: impinge's methods beside other engines, on the same scenarios, in one run.

mod engine;
mod page;
mod peer;
mod pictures;
mod race;
mod report;
mod scenario;
mod verdict;

use super::contender::Contender;
use crate::{failure::Failure, output, progress::Progress};
use clap::value_parser;
use peer::{Folder, Limits, Peer, PeerScenario, Peers};
use report::{Report, Row, Summary};
use scenario::{Body, Plan, Steps};
use std::{fs, path::PathBuf, time::Duration};
use verdict::Truth;

/// Compare with other engines on this machine, in one run.
///
/// The scenarios are generated: bodies that tumble at several distances, spheres in spheres, a flight through
/// pipes and one over hills. Impinge's methods and every --peer run each scenario in turn. A peer is a
/// program that runs another engine. The time of a step is the minimum of up to three rounds. The report
/// compares all answers and names the engines with wrong answers. In impinge's repository, `cargo xtask
/// compare` adds the peer for parry3d.
///
/// Exit code 0: success, even if a peer gives wrong answers. 1: methods of impinge disagree. 2: a peer
/// failed; the report is still printed.
// `bench::Arguments`, which flattens this, has a clap group of the same name.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Run fewer and shorter scenarios: takes under a minute
    #[arg(long)]
    quick: bool,
    /// Run only scenarios whose names contain one of these texts
    #[arg(long = "scenario", value_name = "NAME,…", value_delimiter = ',')]
    scenarios: Vec<String>,
    /// Meshes that tumble, each next to a copy of itself, instead of the generated scenarios: files, or
    /// gen:NAME
    #[arg(long, value_name = "MESH", num_args = 1..)]
    meshes: Vec<String>,
    /// Distances at which the given meshes tumble
    #[arg(long, value_name = "D,…", value_delimiter = ',', default_value = "1,1.5,1.9")]
    distances: Vec<f64>,
    /// Steps of each tumble [default: 500, or 100 with --quick]
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Folder with a.obj, b.obj and poses.csv, instead of the generated scenarios
    #[arg(long = "dir", value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Methods of impinge (see `impinge methods`), or `all`; ratios refer to the first one
    #[arg(
        long = "method",
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "wide,obb,dop18,boxtree"
    )]
    methods: Vec<String>,
    /// Another engine: a program that is run as `COMMAND FOLDER --cap SECONDS --counts FOLDER`. {dir}, {cap}
    /// and {counts} in COMMAND are replaced by these values
    #[arg(long = "peer", value_name = "NAME=COMMAND {dir}")]
    peers: Vec<Peer>,
    /// Seconds that a peer may take per scenario
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    peer_timeout: Duration,
    /// Seconds that an engine may take per scenario and mode; a slower engine answers only every n-th pose
    /// [default: 1, or 0.1 with --quick]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    cap: Option<Duration>,
    /// Plot time over distance, time over size and bytes over size into this folder
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    /// Write the tables into this page, between the lines <!-- bench compare --> and <!-- end compare -->
    #[arg(long, value_name = "PAGE.md")]
    write: Option<PathBuf>,
    /// Print the result as one JSON line
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    match seconds {
        0.001..=86_400.0 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be from 0.001 to 86400".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let contenders = Contender::named(&arguments.methods)?;
    let plans = arguments.plans()?;
    let limits = Limits { cap: arguments.cap(), timeout: arguments.peer_timeout };
    let mut peers = Peers::new(&arguments.peers, limits)?;
    peers.reserve(engine::names(&contenders));
    // Check output paths before the run, which takes minutes.
    if let Some(path) = &arguments.write {
        page::check(path)?;
    }
    if let Some(path) = &arguments.plots {
        let cannot = |error| {
            Failure::input(format!("{}: cannot create the folder: {error}", path.display()))
        };
        fs::create_dir_all(path).map_err(cannot)?;
    }
    let mut report = Report::new(&contenders, arguments.cap());
    let each = race::RACE_STEPS + arguments.peers.len() as u64;
    let mut progress = Progress::new("comparing", each * plans.len() as u64);
    for plan in &plans {
        run_plan(plan, arguments, &contenders, &mut peers, &mut report, &mut progress)?;
    }
    drop(progress);
    report.failed.clone_from(&peers.failed);
    report.sum_up();
    if let Some(folder) = &arguments.plots {
        pictures::draw(&report, folder)?;
    }
    if let Some(path) = &arguments.write {
        page::write(path, &arguments.shown(), &report)?;
    }
    if output::wants_json(arguments.json) {
        output::json(&report)?;
    } else {
        output::text(&report.readable())?;
    }
    report.check()
}

fn run_plan(
    plan: &Plan,
    arguments: &Arguments,
    contenders: &[Contender],
    peers: &mut Peers,
    report: &mut Report,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let name = plan.name();
    let scenario = plan.make(arguments.steps())?;
    let folder = Folder::new()?;
    if !peers.is_empty() {
        scenario.write(&folder.scenario())?;
    }
    let about = |failure: Failure| failure.about(&name);
    let mut engines = engine::all(&scenario, contenders).map_err(about)?;
    let Some(reference) = engines.first_mut() else {
        return Err(Failure::input("no method to compare; name one with --method"));
    };
    let truth = Truth::new(&scenario, reference.as_mut());
    let peer_scenario = PeerScenario { name: &name, scenario: &scenario, folder: &folder };
    peers.next_scenario();
    let runs =
        race::race(&scenario, &mut engines, peers, &peer_scenario, arguments.cap(), progress);
    if let Some(defect) = truth.defect(&scenario, &runs) {
        report.defects.push(format!("{name}: {defect}"));
    }
    report.scenarios.push(Summary::new(plan, &scenario, &truth));
    report.rows.extend(runs.into_iter().map(|run| Row::new(&name, truth.judge(&run), run)));
    Ok(())
}

impl Arguments {
    fn plans(&self) -> Result<Vec<Plan>, Failure> {
        let mut plans = Vec::new();
        for (i, source) in self.meshes.iter().enumerate() {
            if self.meshes[..i].contains(source) {
                return Err(Failure::input(format!("--meshes: {source} is given twice")));
            }
            let body = Body::given(source)?;
            let tumble = |&distance| Plan::Tumble { body: body.clone(), distance };
            plans.extend(self.distances.iter().map(tumble));
        }
        plans.extend(self.folders.iter().cloned().map(Plan::Folder));
        if plans.is_empty() {
            plans = scenario::default_plans(self.quick);
        }
        let names: Vec<String> = plans.iter().map(Plan::name).collect();
        if let Some(i) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(Failure::input(format!("two scenarios have the same name `{}`", names[i])));
        }
        for wanted in &self.scenarios {
            if !names.iter().any(|name| name.contains(wanted)) {
                let names = names.join(", ");
                return Err(Failure::input(format!(
                    "--scenario: no name contains `{wanted}`; the scenarios are {names}"
                )));
            }
        }
        let is_wanted = |plan: &Plan| {
            let name = plan.name();
            self.scenarios.is_empty() || self.scenarios.iter().any(|it| name.contains(it))
        };
        plans.retain(is_wanted);
        Ok(plans)
    }

    fn steps(&self) -> Steps {
        let steps = if self.quick { Steps::QUICK } else { Steps::FULL };
        Steps { tumble: self.steps.unwrap_or(steps.tumble), ..steps }
    }

    fn cap(&self) -> Duration {
        self.cap.unwrap_or(Duration::from_millis(if self.quick { 100 } else { 1000 }))
    }

    /// The command line, without local paths, so that anyone can repeat it.
    fn shown(&self) -> String {
        let mut words = vec!["impinge bench".to_owned()];
        if self.quick {
            words.push("--quick".to_owned());
        }
        for name in &self.scenarios {
            words.push(format!("--scenario {name}"));
        }
        let file = |path: &str| match path.rsplit(['/', '\\']).next() {
            Some(name) if !path.starts_with("gen:") => name.to_owned(),
            _ => path.to_owned(),
        };
        if !self.meshes.is_empty() {
            let meshes: Vec<String> = self.meshes.iter().map(|mesh| file(mesh)).collect();
            words.push(format!("--meshes {}", meshes.join(" ")));
            let distances: Vec<String> = self.distances.iter().map(f64::to_string).collect();
            words.push(format!("--distances {}", distances.join(",")));
        }
        for folder in &self.folders {
            words.push(format!("--dir {}", file(&folder.to_string_lossy())));
        }
        if let Some(steps) = self.steps {
            words.push(format!("--steps {steps}"));
        }
        words.push(format!("--method {}", self.methods.join(",")));
        if let Some(cap) = self.cap {
            words.push(format!("--cap {}", cap.as_secs_f64()));
        }
        words.extend(self.peers.iter().map(Peer::shown));
        words.join(" ")
    }
}
