//! `impinge run`: a world of moving bodies, cycle by cycle.
//!
//! | file | what it holds |
//! |---|---|
//! | `scene.rs` | what a scene file says |
//! | `place.rs`, `values.rs` | its text, its values, and where in it something is wrong |
//! | `stage.rs`, `copies.rs` | from there to a world with bodies in it |
//! | `motion.rs` | how bodies move |
//! | `response.rs` | what they do when they hit something |
//! | `report.rs`, `files.rs` | rows, summaries, pictures, files |

mod copies;
mod files;
mod motion;
mod place;
mod report;
mod response;
mod scene;
mod stage;
mod values;

use crate::{
    failure::Failure,
    interrupt::Interrupt,
    output,
    progress::{self, Progress},
    query,
};
use clap::value_parser;
use files::Files;
use impinge::{
    Method, Threads, World,
    broad::{BroadPhase, Detail, Packed, Proxies},
    world::{Step, StepStats},
};
use place::Text;
use rayon::ThreadPool;
use report::{Format, Row, Summary};
use scene::{Broad, Scene};
use stage::{Builder, Overrides, Stage};
use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// A world of moving bodies, cycle by cycle: which of them touch, and how long does it take?
///
/// A scene file says which bodies there are, where they stand and how they move; the papers'
/// experiments are such files.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge run scenes/003-table-1.toml
  impinge run scenes/003-figure-13.toml --plot figure.svg -o cycles.csv
  impinge run scene.toml --broad sweep --threads 1 --cycles 100 --json",
    after_help = "\
A scene (docs/scenes.md describes every key):
  cycles = 200
  [[body]]
  mesh = \"gen:sphere,faces=168\"
  at = [-4.0, 0.0, 0.0]
  steady = { by = [0.03, 0.0, 0.0], turn = [0.0, 0.0, 1.0] }
  [[body]]
  mesh = \"part.stl\"
  fixed = true

Output: with --json, or where the output is not a terminal, a JSON line for each cycle (unless -o
names a file for them) and one for each run: docs/output.md describes the fields."
)]
pub(crate) struct Arguments {
    /// The scene: a TOML file
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// Write a row for each cycle, as .csv or .jsonl
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write all touching faces as rows of run,cycle,body_a,body_b,face_a,face_b
    #[arg(long, value_name = "OUT.csv")]
    contacts: Option<PathBuf>,
    /// Write where each body is at each cycle: run,cycle,body and 12 numbers
    #[arg(long, value_name = "OUT.csv")]
    poses: Option<PathBuf>,
    /// Draw the time of each cycle
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// Run so many cycles, whatever the scene says
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    cycles: Option<u64>,
    /// Find near bodies this way, whatever the scene says
    #[arg(long, value_name = "NAME")]
    broad: Option<Broad>,
    /// Find touching faces by this method (see `impinge methods`), whatever the scene says
    #[arg(long, value_name = "NAME")]
    method: Option<Method>,
    /// Threads to use, whatever the scene says; 0 for one per core
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(..=query::MAX_THREADS))]
    threads: Option<u16>,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Two outputs in one file would leave only one of them, and any of them in the scene's nothing of it.
    fn check_files(&self) -> Result<(), Failure> {
        let files = [Some(&self.scene), self.output.as_ref(), self.contacts.as_ref()];
        let files = files.into_iter().chain([self.poses.as_ref(), self.plot.as_ref()]).flatten();
        let files: Vec<_> = files.collect();
        match files.iter().enumerate().find(|(i, file)| files[..*i].contains(file)) {
            Some((_, file)) if file.as_path() != Path::new("/dev/null") => Err(Failure::input(
                format!("{}: is named twice; give each output a file of its own", file.display()),
            )),
            _ => Ok(()),
        }
    }
}

/// Contacts of a cycle take memory, and this is about half a gigabyte of them.
const CONTACT_LIMIT: u64 = 50_000_000;
/// Pairs of bodies that a broad phase may be asked to remember.
const PAIR_LIMIT: u64 = 100_000_000;
/// Pairs of boxes that are compared in a second, about.
const PAIRS_A_SECOND: f64 = 5e8;

pub(crate) fn run(arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Failure> {
    let text = Text::load(&arguments.scene)?;
    let scene: Scene = text.parse()?;
    if *scene.cycles.get_ref() == 0 {
        let message = "`cycles`: 0; a run has at least 1, which is the bodies as they stand";
        return Err(text.fault(&scene.cycles.span(), message));
    }
    arguments.check_files()?;
    // Told now, not when the run is over and there is nowhere to draw it.
    if let Some(path) = &arguments.plot {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if path.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
            let message = format!("{}: cannot be written: no such folder", path.display());
            return Err(Failure::input(message));
        }
    }
    let format = arguments.output.as_deref().map(Format::of).transpose()?;
    let overrides =
        Overrides { broad: arguments.broad, method: arguments.method, threads: arguments.threads };
    let mut builder = Builder::new(&text, &scene, overrides);
    let show = Show {
        arguments,
        text: &text,
        scene: &scene,
        is_json: output::wants_json(arguments.json),
        interrupt,
    };
    // What is wrong with any run is said before the first begins.
    let runs: Vec<_> = match &scene.run[..] {
        [] => vec![None],
        runs => runs.iter().map(|run| Some(run.get_ref())).collect(),
    };
    let mut first = Some(builder.stage(runs[0])?);
    for run in &runs[1..] {
        builder.stage(*run)?;
    }
    let paths =
        [arguments.output.as_deref(), arguments.contacts.as_deref(), arguments.poses.as_deref()];
    let summaries = interrupt.during(|| {
        Files::with(paths, |mut files| {
            files.begin(format)?;
            let mut summaries = Vec::new();
            for run in &runs {
                let stage = match first.take() {
                    Some(stage) => stage,
                    None => builder.stage(*run)?,
                };
                summaries.push(show.run(stage, &mut files)?);
            }
            Ok(summaries)
        })
    })?;
    if let Some(path) = &arguments.plot {
        let title = scene.title.clone().unwrap_or_else(|| text.stem());
        report::plot(path, &title, scene.against, &summaries)?;
    }
    Ok(())
}

/// Why a step did not come to its end.
enum Stop {
    Interrupted,
    TooManyContacts(usize),
}

/// What all runs of a scene share.
struct Show<'s> {
    arguments: &'s Arguments,
    text: &'s Text,
    scene: &'s Scene,
    is_json: bool,
    interrupt: &'s Interrupt,
}

impl Show<'_> {
    /// All cycles of a run, and what is printed of it.
    fn run(&self, stage: Stage, files: &mut Files<'_>) -> Result<Summary, Failure> {
        let summary = self.cycles(stage, files)?;
        match self.is_json {
            true => output::json(&summary)?,
            false => output::text(&summary.readable())?,
        }
        Ok(summary)
    }

    fn cycles(&self, mut stage: Stage, files: &mut Files<'_>) -> Result<Summary, Failure> {
        let count = self.arguments.cycles.unwrap_or(*self.scene.cycles.get_ref());
        self.check_pairs(&stage)?;
        let pool = query::pool(stage.threads)?;
        if pool.is_some() {
            stage.world.set_threads(Threads::Pool);
        }
        let mut summary = Summary::new(self.text.path(), &stage, response::energy(&stage.movers));
        let mut live = Live::new(&stage, count);
        // Lines of JSON, unless they go to a file.
        let prints = self.is_json && self.arguments.output.is_none();
        let mut out = io::BufWriter::new(io::stdout());
        let mut is_stopped = false;
        for cycle in 0..count {
            if cycle > 0 {
                advance(&mut stage, cycle)?;
            }
            let Stage { world, movers, dynamics, name, names, .. } = &mut stage;
            let limit = self.scene.contact_limit.as_ref();
            let limit = limit.map_or(CONTACT_LIMIT, |limit| *limit.get_ref());
            let watch = |stats: &StepStats| self.look(stats, limit, cycle, &mut live);
            let step = match step(world, pool.as_ref(), watch) {
                ControlFlow::Continue(step) => step,
                ControlFlow::Break(stop) => return Err(self.stopped(&stop, cycle, count)),
            };
            let row = Row::new(name, cycle, &step);
            if prints {
                Format::Json.write(&mut out, &row)?;
            }
            files.cycle(&row, &step, movers, names)?;
            summary.add(&row);
            live.cycle_done(&row);
            dynamics.respond(movers, &step);
            if self.interrupt.is_asked() {
                out.flush()?;
                return Err(self.stopped(&Stop::Interrupted, cycle + 1, count));
            }
            if self.scene.stop_at_contact && row.contacts > 0 {
                is_stopped = true;
                break;
            }
        }
        out.flush()?;
        summary.finish(is_stopped, response::energy(&stage.movers));
        Ok(summary)
    }

    /// Looks after a step that takes long.
    fn look(
        &self,
        stats: &StepStats,
        limit: u64,
        cycle: u64,
        live: &mut Live,
    ) -> ControlFlow<Stop> {
        live.within(cycle, stats);
        if self.interrupt.is_asked() {
            ControlFlow::Break(Stop::Interrupted)
        } else if stats.contacts as u64 > limit {
            ControlFlow::Break(Stop::TooManyContacts(stats.tested))
        } else {
            ControlFlow::Continue(())
        }
    }

    fn stopped(&self, stop: &Stop, cycle: u64, count: u64) -> Failure {
        match stop {
            Stop::Interrupted => Failure::Interrupted(format!(
                "interrupted after {cycle} of {count} cycles; no file was written"
            )),
            Stop::TooManyContacts(pairs) => {
                let limit = self.scene.contact_limit.as_ref();
                let (at, limit) = match limit {
                    Some(limit) => (limit.span(), *limit.get_ref()),
                    None => (0..0, CONTACT_LIMIT),
                };
                let message = format!(
                    "cycle {cycle}: over {limit} contacts among the first {pairs} pairs of bodies; \
                     place the bodies further apart, or raise `contact_limit` if there is memory \
                     for them (8 bytes each)"
                );
                self.text.fault(&at, message)
            }
        }
    }

    /// Refuses what a broad phase would need more memory for than there is.
    fn check_pairs(&self, stage: &Stage) -> Result<(), Failure> {
        let count = stage.bodies.len() as u64;
        if !stage.broad.keeps_pairs() || count * (count - 1) / 2 <= PAIR_LIMIT {
            return Ok(());
        }
        let mut proxies = Proxies::new(Detail::Boxes);
        let mut packed = Packed::new();
        for (proxy, mover) in (0..).zip(&stage.movers) {
            proxies.set(proxy, mover.bounds(), true);
            packed.insert(&proxies, proxy);
        }
        let mut found = 0;
        let mut visit = |_| {
            found += 1;
            if found > PAIR_LIMIT { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let counting = || packed.pairs(&proxies, Threads::One, &mut visit);
        match progress::waiting("counting pairs of bodies", counting) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(self.text.fault(
                &(0..0),
                format!(
                    "`broad`: sweep and directions keep all pairs of near bodies, which are over \
                     {PAIR_LIMIT} here; take packed or tree"
                ),
            )),
        }
    }
}

/// One step, on the threads that there are.
fn step<'w>(
    world: &'w mut World,
    pool: Option<&ThreadPool>,
    watch: impl FnMut(&StepStats) -> ControlFlow<Stop> + Send,
) -> ControlFlow<Stop, Step<'w>> {
    match pool {
        None => world.step_watched(watch),
        Some(pool) => pool.install(|| world.step_watched(watch)),
    }
}

/// Moves all bodies to where they are at a cycle.
fn advance(stage: &mut Stage, cycle: u64) -> Result<(), Failure> {
    let Stage { world, bodies, movers, names, dynamics, .. } = stage;
    for (number, (mover, &id)) in movers.iter_mut().zip(bodies.iter()).enumerate() {
        if mover.is_moving() {
            let about = |error: &dyn std::fmt::Display| {
                Failure::input(format!("cycle {cycle}: body {}: {error}", names.of(number)))
            };
            mover.advance(cycle, dynamics).map_err(|error| about(&error))?;
            world.set_pose(id, mover.pose).map_err(|error| about(&error))?;
        }
    }
    Ok(())
}

/// The live line: a bar over all cycles, and what goes on in the one at hand.
struct Live {
    progress: Progress,
    name: String,
    note: String,
}

impl Live {
    fn new(stage: &Stage, cycles: u64) -> Self {
        let count = stage.bodies.len() as f64;
        let pairs = count * (count - 1.0) / 2.0;
        let seconds = pairs / PAIRS_A_SECOND;
        let note = match stage.broad.is_quadratic() && seconds > 1.0 {
            true => format!(", {pairs:.1e} pairs of boxes a cycle, about {seconds:.0} s"),
            false => String::new(),
        };
        let name = stage.name.clone();
        Self { progress: Progress::new(&format!("{name}{note}"), cycles), name, note }
    }

    fn within(&mut self, cycle: u64, stats: &StepStats) {
        let StepStats { near, contacts, .. } = stats;
        let Self { name, note, .. } = self;
        let line = format!("{name}{note}, cycle {cycle}: {near} pairs, {contacts} contacts so far");
        self.progress.say(line);
    }

    fn cycle_done(&mut self, row: &Row<'_>) {
        if self.progress.is_shown() {
            let Self { name, note, .. } = self;
            let line = format!("{name}{note}: {} contacts at cycle {}", row.contacts, row.cycle);
            self.progress.say(line);
        }
        self.progress.advance();
    }
}
