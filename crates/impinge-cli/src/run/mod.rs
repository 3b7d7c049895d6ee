//! `impinge run`: a world of moving bodies, cycle by cycle.
//!
//! The crate `impinge-scene` builds and runs scenes; this module reads the arguments, prints and plots.
//!
//! | file | what it holds |
//! |---|---|
//! | `report.rs` | the printed summary and the plots |
//! | `page.rs` | the HTML page of a scene |
//! | `files.rs` | output files: all of them are written, or none |
//! | `flights.rs` | tests of the scenes with bodies in free flight |

mod files;
#[cfg(test)]
mod flights;
mod page;
mod report;
mod thinned;

use crate::{
    cells::CellArguments,
    failure::Failure,
    grids::Grids,
    interrupt::Interrupt,
    output,
    outputs::Outputs,
    progress::{self, Progress},
    source,
    threads::{self, MAX_THREADS},
    trees::one_of,
};
use clap::{
    builder::{PossibleValuesParser, TypedValueParser},
    value_parser,
};
use files::{Columns, Files, Format};
use impinge::{Distribution, Mesh, Method, Pose, world::StepStats};
use impinge_io::GridOptions;
use impinge_scene::{
    Broad, Builder, CoherenceKind, DeformedKind, Overrides, Paper, Row, Run, Scene, SourceError,
    Sources,
};
use report::Report;
use std::{
    io::{self, Write},
    ops::ControlFlow,
    path::PathBuf,
};

/// Move bodies cycle by cycle: find which bodies touch, and measure each cycle.
///
/// A scene file lists the bodies, where they stand and how they move. The experiments of the papers are scene
/// files too.
#[derive(Debug, clap::Args)]
#[command(
    before_help = "\
Examples:
  impinge run scenes/003-table-1.toml
  impinge run scenes/003-table-1.toml --swept
  impinge run scenes/003-figure-13.toml --plot figure.svg -o cycles.csv
  impinge run scenes/004-pipes.toml --page pipes.html
  impinge run scenes/bullet.toml --continuous
  impinge run scenes/000-figure-4.2.toml --distribution producer --threads 4 --pin
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

Output: a table on a terminal. With --json, or if the output is not a terminal, one JSON
line for each cycle (unless -o names a file for them) and one for each run. With --continuous
there is also one for each impact, before that of its cycle. docs/output.md describes the
fields."
)]
pub(crate) struct Arguments {
    /// Scene: a TOML file
    #[arg(value_name = "SCENE.toml")]
    scene: PathBuf,
    /// Write one row for each cycle, as .csv or .jsonl
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write all pairs of touching faces as CSV rows run,cycle,body_a,body_b,face_a,face_b
    #[arg(long, value_name = "OUT.csv")]
    contacts: Option<PathBuf>,
    /// Write all contact regions as CSV rows: run,cycle,body_a,body_b,region,contacts, point, normal, depth, area, radius
    /// and length of the intersection curve
    #[arg(long, value_name = "OUT.csv")]
    regions: Option<PathBuf>,
    /// Write the pose of each body at each cycle as CSV rows of run,cycle,body and 12 numbers
    #[arg(long, value_name = "OUT.csv")]
    write_poses: Option<PathBuf>,
    /// Write the pose of one body at each cycle of the first run, as a pose file that `query --poses` and `generate
    /// scenario --poses` read
    #[arg(long, value_name = "BODY=OUT.csv", value_parser = PathOutput::parse)]
    write_path: Option<PathOutput>,
    /// Also find the impacts between cycles: when and where bodies touch on their way from each cycle to the next. None
    /// is missed, however fast the bodies are
    #[arg(long)]
    continuous: bool,
    /// Write all impacts between cycles as CSV rows: run,cycle,time,body_a,body_b, faces, distance, points and normal
    #[arg(long, value_name = "OUT.csv")]
    impacts: Option<PathBuf>,
    /// Plot the time of each cycle, and mark impacts
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
    /// Write a page with the figures of the paper beside those of the runs, and plots over all cycles. Implies
    /// --stats
    #[arg(long, value_name = "OUT.html")]
    page: Option<PathBuf>,
    /// Number of cycles; replaces the scene's
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    cycles: Option<u64>,
    /// Broad phase, which finds bodies near each other; replaces the scene's. packed (the default), tree, sweep,
    /// directionsK and hull-directionsK (sweep along the K/2 directions of a K-DOP: 6, 8, 12, 14, 18, 20, 26), or
    /// every pair of bodies by all-pairs, boxes or spheres; none searches every pair
    #[arg(long, value_name = "NAME", value_parser = broad_parser(), hide_possible_values = true)]
    broad: Option<Broad>,
    /// Method that finds touching faces (see `impinge methods`); replaces the scene's
    #[arg(long, value_name = "NAME")]
    method: Option<Method>,
    /// What to remember of near bodies from cycle to cycle; replaces the scene's. Contacts do not depend on it
    #[arg(long, value_name = "WHAT")]
    coherence: Option<Coherence>,
    /// How to search bodies that have deformed; replaces the scene's. Contacts do not depend on it
    #[arg(long, value_name = "HOW")]
    deformed: Option<Deformed>,
    /// Threads to use; 0 for one per core. Replaces the number of the scene; a scene without one uses 0
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(..=MAX_THREADS))]
    threads: Option<u16>,
    /// How to distribute the tests of face pairs among the threads, for face-octree; replaces the scene's. Rows and
    /// summaries also have the time of each step of the search, and the work of the busiest thread. Contacts do not
    /// depend on it
    #[arg(long, value_name = "HOW", value_parser = one_of(Distribution::NAMES))]
    distribution: Option<Distribution>,
    /// Bind each thread to a core
    #[arg(long)]
    pin: bool,
    #[command(flatten)]
    cells: CellArguments,
    #[command(flatten)]
    grids: Grids,
    /// Also find the faces whose swept spaces meet between each cycle and the next, so that no contact between
    /// cycles is missed
    #[arg(long)]
    swept: bool,
    /// Write the pairs of faces whose swept spaces meet, with the columns of --contacts; cycle is the one after.
    /// Implies --swept
    #[arg(long, value_name = "OUT.csv")]
    write_swept: Option<PathBuf>,
    /// Add box tests, face tests, time per box test, impulses and energies to every row and summary
    #[arg(long)]
    stats: bool,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

/// The path of a body, and the file that it is written to.
#[derive(Clone, Debug)]
struct PathOutput {
    body: String,
    file: PathBuf,
}

impl PathOutput {
    fn parse(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((body, file)) if !body.is_empty() && !file.is_empty() => {
                Ok(Self { body: body.to_owned(), file: file.into() })
            }
            _ => Err("give a body and a file: BODY=OUT.csv".to_owned()),
        }
    }

    /// Returns the number of the body in a run.
    fn number(&self, run: &Run) -> Result<usize, Failure> {
        let Self { body, file } = self;
        run.body_named(body).ok_or_else(|| {
            let file = file.display();
            Failure::input(format!("--write-path {body}={file}: the scene has no body {body}"))
        })
    }
}

/// What is remembered from cycle to cycle, by name.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Coherence {
    /// Nothing
    None,
    /// Which pairs of bodies are apart, and how far: they are skipped until they could touch
    Skips,
    /// Where the search of a pair ended, for methods that can start from there
    Fronts,
    /// Both
    All,
}

impl From<Coherence> for CoherenceKind {
    fn from(coherence: Coherence) -> Self {
        match coherence {
            Coherence::None => Self::None,
            Coherence::Skips => Self::Skips,
            Coherence::Fronts => Self::Fronts,
            Coherence::All => Self::All,
        }
    }
}

/// How bodies that have deformed are searched, by name.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Deformed {
    /// By whichever of the two others takes less time by an estimate from numbers of faces
    Auto,
    /// What was prepared of them is refitted or built anew
    Refit,
    /// By a face octree, which needs nothing prepared
    FaceOctree,
}

impl From<Deformed> for DeformedKind {
    fn from(deformed: Deformed) -> Self {
        match deformed {
            Deformed::Auto => Self::Auto,
            Deformed::Refit => Self::Refit,
            Deformed::FaceOctree => Self::FaceOctree,
        }
    }
}

fn broad_parser() -> impl TypedValueParser<Value = Broad> {
    // Without a number: the most directions.
    let short = ["directions", "hull-directions"];
    PossibleValuesParser::new(Broad::NAMES.iter().map(|&(name, _)| name).chain(short))
        .try_map(|name| name.parse::<Broad>())
}

impl Arguments {
    /// The options that replace values of the scene.
    fn overrides(&self) -> Result<Overrides, Failure> {
        let mut overrides = Overrides::default();
        overrides.cycles = self.cycles;
        overrides.broad = self.broad;
        overrides.coherence = self.coherence.map(Coherence::into);
        overrides.deformed = self.deformed.map(Deformed::into);
        overrides.method = self.method;
        overrides.threads = self.threads;
        overrides.continuous = self.continuous;
        overrides.stats = self.wants_stats();
        overrides.swept = self.swept || self.write_swept.is_some();
        (overrides.face_octree, overrides.octree, overrides.separation) =
            self.cells.choices(self.method.as_slice())?;
        overrides.face_octree.distribution = self.distribution;
        Ok(overrides)
    }

    fn wants_stats(&self) -> bool {
        self.stats || self.page.is_some()
    }

    /// The output files.
    fn outputs(&self) -> Outputs<'_> {
        Outputs::new([
            ("--output", self.output.as_deref()),
            ("--contacts", self.contacts.as_deref()),
            ("--regions", self.regions.as_deref()),
            ("--write-poses", self.write_poses.as_deref()),
            ("--write-path", self.write_path.as_ref().map(|path| path.file.as_path())),
            ("--write-swept", self.write_swept.as_deref()),
            ("--impacts", self.impacts.as_deref()),
            ("--plot", self.plot.as_deref()),
            ("--page", self.page.as_deref()),
        ])
    }
}

/// Approximate number of box pairs compared per second.
const PAIRS_PER_SECOND: f64 = 5e8;

pub(crate) fn run(arguments: &Arguments, interrupt: &Interrupt) -> Result<(), Failure> {
    let outputs = arguments.outputs();
    outputs.check([arguments.scene.as_path()])?;
    let scene = Scene::load(&arguments.scene)?;
    let format = arguments.output.as_deref().map(Format::of).transpose()?;
    let is_continuous = arguments.continuous || scene.is_continuous();
    if arguments.impacts.is_some() && !is_continuous {
        let message = "--impacts: impacts between cycles need --continuous, or `continuous = true` in the scene";
        return Err(Failure::input(message));
    }
    let sources = FilesAndGenerators { grids: arguments.grids.options() };
    let mut builder = Builder::new(&scene, arguments.overrides()?, &sources);
    let show = Show {
        is_json: output::wants_json(arguments.json),
        // JSON lines, unless they go to a file.
        prints_rows: output::wants_json(arguments.json) && arguments.output.is_none(),
        has_page: arguments.page.is_some(),
        is_pinned: arguments.pin,
        paper: scene.paper(),
        interrupt,
    };
    // Errors of any run are reported before the first run begins.
    let mut first = Some(outputs.reading(|| {
        let first = builder.run(0)?;
        for number in 1..scene.run_count() {
            builder.run(number)?;
        }
        Ok(first)
    })?);
    let path = match (&arguments.write_path, &first) {
        (Some(path), Some(run)) => Some((path.number(run)?, path.file.as_path())),
        _ => None,
    };
    let Arguments { output, contacts, regions, write_poses, write_swept, impacts, .. } = arguments;
    let Arguments { plot, page, .. } = arguments;
    let paths =
        [output, contacts, regions, write_poses, write_swept, impacts].map(Option::as_deref);
    let columns = Columns {
        impacts: is_continuous,
        stats: arguments.wants_stats(),
        swept: first.as_ref().is_some_and(Run::is_swept),
        steps: first.as_ref().is_some_and(|run| run.summary().steps.is_some()),
    };
    interrupt.during(|| {
        let mut files = Files::create(paths, path, format, columns)?;
        let mut reports = Vec::new();
        for number in 0..scene.run_count() {
            let run = match first.take() {
                Some(run) => run,
                None => builder.run(number)?,
            };
            reports.push(show.run(run, &mut files)?);
            files.end_path();
        }
        let mut drawn = Vec::new();
        if let Some(path) = plot {
            drawn.push(report::plot(path, &scene.title(), scene.plot_axis(), &reports)?);
        }
        if let Some(path) = page {
            drawn.push(page::draft(path, &scene, &reports)?);
        }
        files.commit(drawn)
    })
}

/// Loads meshes and poses from files or makes them from `gen:` names, with a progress bar for slow work.
struct FilesAndGenerators {
    grids: GridOptions,
}

impl Sources for FilesAndGenerators {
    fn mesh(&self, name: &str) -> Result<Mesh, SourceError> {
        Ok(source::mesh_with(name, &self.grids).map_err(Failure::into_message)?)
    }

    fn poses(&self, name: &str) -> Result<Vec<Pose>, SourceError> {
        Ok(source::poses(name).map_err(Failure::into_message)?)
    }

    fn during(&self, label: &str, work: &mut dyn FnMut()) {
        progress::with_spinner(label, work);
    }
}

/// How the runs of a scene are shown.
struct Show<'s> {
    is_json: bool,
    prints_rows: bool,
    has_page: bool,
    /// Whether threads are bound to cores.
    is_pinned: bool,
    paper: Option<&'s Paper>,
    interrupt: &'s Interrupt,
}

impl Show<'_> {
    /// Runs all cycles and prints the summary.
    fn run(&self, mut run: Run, files: &mut Files) -> Result<Report, Failure> {
        let pool = match self.is_pinned {
            true => Some(threads::pinned_pool(run.threads())?),
            false => threads::pool(run.threads())?,
        };
        let report = match pool {
            None => self.cycles(&mut run, files)?,
            // Entering the pool takes longer than many cycles, so it is done once.
            Some(pool) => pool.install(|| self.cycles(&mut run, files))?,
        };
        match self.is_json {
            true => output::json(&report.summary)?,
            false => output::text(&report.readable(self.paper))?,
        }
        Ok(report)
    }

    fn cycles(&self, run: &mut Run, files: &mut Files) -> Result<Report, Failure> {
        let count = run.cycle_count();
        let mut live = Live::new(run);
        let mut track = report::CycleTimes::default();
        let (mut course, center) = (page::Course::default(), run.center());
        let mut out = io::BufWriter::new(io::stdout());
        for done in 0.. {
            let cycle = run.next_cycle(|stats: &StepStats| {
                live.within(done, stats);
                match self.interrupt.is_requested() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            let cycle = cycle.map_err(|error| match error {
                impinge_scene::Error::Stopped => interrupted(done, count),
                error => error.into(),
            });
            let Some(cycle) = cycle? else { break };
            if self.prints_rows {
                Format::Json.write(&mut out, &cycle)?;
            }
            files.cycle(&cycle)?;
            track.add(&cycle);
            if self.has_page {
                course.add(&cycle, center);
            }
            live.cycle_done(cycle.row());
            if self.interrupt.is_requested() {
                out.flush()?;
                return Err(interrupted(done + 1, count));
            }
        }
        out.flush()?;
        Ok(Report { summary: run.summary(), track, course })
    }
}

fn interrupted(cycle: u64, count: u64) -> Failure {
    Failure::Interrupted(format!(
        "interrupted after {cycle} of {count} cycles; no file was written"
    ))
}

/// The progress bar over all cycles, with the counts of the current one.
struct Live {
    progress: Progress,
    name: String,
    note: String,
}

impl Live {
    fn new(run: &Run) -> Self {
        let count = run.body_count() as f64;
        let pairs = count * (count - 1.0) / 2.0;
        let seconds = pairs / PAIRS_PER_SECOND;
        let note = match run.broad().is_quadratic() && seconds > 1.0 {
            true => format!(", {pairs:.1e} pairs of boxes per cycle, about {seconds:.0} s"),
            false => String::new(),
        };
        let name = run.name().to_owned();
        let progress = Progress::new(&format!("{name}{note}"), run.cycle_count());
        Self { progress, name, note }
    }

    fn within(&mut self, cycle: u64, stats: &StepStats) {
        let StepStats { near, contacts, .. } = stats;
        let Self { name, note, .. } = self;
        let line = format!("{name}{note}, cycle {cycle}: {near} pairs, {contacts} contacts so far");
        self.progress.set_message(&line);
    }

    fn cycle_done(&mut self, row: &Row<'_>) {
        if self.progress.is_shown() {
            let Self { name, note, .. } = self;
            let line = format!("{name}{note}: {} contacts at cycle {}", row.contacts, row.cycle);
            self.progress.set_message(&line);
        }
        self.progress.advance();
    }
}
