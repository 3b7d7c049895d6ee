//! Checks a path: parts of an assembly move along it, through the others.
//!
//! Between two rows of the path the moving parts turn as one body about an axis of constant direction with constant
//! angular velocity, while the [centroid](PathOptions::pivot) of their surfaces moves on a straight line: see
//! [`impinge::Motion`].
//!
//! | file | what it holds |
//! |---|---|
//! | `path/course.rs` | where the moving parts are during each step |
//! | `path/step.rs` | what happens between two parts during a step |
//! | `path/merge.rs` | phases of several steps become intervals |

mod course;
mod merge;
mod step;

use crate::{
    check::CheckWatch,
    error::Error,
    filter::{Filter, Hiding},
    options::CheckOptions,
    pattern::{Names, Pattern},
    verdicts,
};
use course::Course;
use impinge::{
    Bounds, Threads,
    broad::{BroadPhase, Detail, Packed, Proxies},
    clash::{self, Finder, Progress, Stage, Verdict},
    glam::DVec3,
};
use impinge_io::{PathRows, assembly::Assembly};
use merge::{Found, merge};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};
use step::{Known, Step, is_deep};

/// What moves along a path, and how.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PathOptions {
    /// The parts that move: sub-assemblies, files or parts, by name, path or pattern.
    pub moving: Vec<Pattern>,
    /// The point of the moving parts, in world coordinates as assembled, that moves on a straight line between two rows.
    /// By default the centroid of their surfaces.
    pub pivot: Option<DVec3>,
}

impl PathOptions {
    /// Returns options for parts that move.
    pub fn new(moving: Vec<Pattern>) -> Self {
        Self { moving, pivot: None }
    }
}

/// A place along a path: a row, and how far the parts are on their way to the next row.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PathPlace {
    /// The number of the row, from 0.
    pub row: usize,
    /// The share of the way to the next row, from 0 to 1.
    pub fraction: f64,
}

impl PathPlace {
    /// Returns the time, if the path has times.
    ///
    /// # Panics
    /// If the path has fewer rows.
    pub fn time(&self, rows: &PathRows) -> Option<f64> {
        let times = rows.times()?;
        let next = times.get(self.row + 1).unwrap_or(&times[self.row]);
        Some(times[self.row] * (1.0 - self.fraction) + next * self.fraction)
    }
}

/// Why it is not certain that parts do no worse than what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Doubt {
    /// The parts are in contact while they turn or slide farther than the touch band between two checks.
    Samples,
    /// A surface has holes: a part may get inside without contact.
    Gaps,
    /// The parts come within the widest touch band, but no check says that they touch.
    Near,
}

impl Doubt {
    /// Returns the name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Gaps => "gaps",
            Self::Near => "near",
        }
    }
}

/// An interval of a path during which two parts are in contact, one is inside the other, or they are too close.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PathClash {
    /// The part that moves: an index into [`Assembly::parts`].
    pub moving: usize,
    /// The part that rests.
    pub other: usize,
    /// The worst verdict of the interval. `None` if nothing was found, but [doubt](Self::doubt) remains.
    #[serde(with = "verdicts::optional")]
    pub verdict: Option<Verdict>,
    /// Where the interval begins. The parts are clear of each other before.
    pub from: PathPlace,
    /// Where it ends.
    pub until: PathPlace,
    /// Where the parts first reach deeper into each other than the touch band; if they do not, where the worst verdict
    /// was first found; for [`Verdict::Clearance`], where they are closest.
    pub at: PathPlace,
    /// A point of the contact there.
    pub point: DVec3,
    /// The least distance of the surfaces that was found: 0 unless the verdict is [`Verdict::Clearance`].
    pub distance: f64,
    /// A lower bound of the distance in the whole interval.
    pub distance_at_least: f64,
    /// Why something worse than the verdict cannot be ruled out. `None` if it is ruled out, and for verdicts that no
    /// further check could make milder.
    pub doubt: Option<Doubt>,
    /// The steps, by the numbers of their first rows from 0, for which it cannot be ruled out.
    pub doubtful_steps: Vec<usize>,
    /// Whether the clash counts as a failure.
    pub fails: bool,
}

/// The outcome of a check along a path.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PathOutcome {
    /// The parts that move.
    pub moving: Vec<usize>,
    /// The point of the moving parts, in world coordinates as assembled, that moves on a straight line between two rows.
    pub pivot: DVec3,
    /// What was found, worst verdict first, then by place.
    pub clashes: Vec<PathClash>,
    /// Pairs of parts whose boxes meet along the path.
    pub pairs_checked: u64,
    /// Clashes that are not listed because of rules for their verdict, or because of [`Pairs::only`](crate::Pairs::only).
    pub hidden: u64,
    /// Clashes with a [doubt](PathClash::doubt), including hidden ones.
    pub doubtful: u64,
    /// The widest touch band of the pairs that were checked.
    pub touch: f64,
}

impl PathOutcome {
    /// Returns the number of clashes that are not allowed.
    pub fn failures(&self) -> usize {
        self.clashes.iter().filter(|clash| clash.fails).count()
    }

    /// Returns the number of clashes with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.clashes.iter().filter(|clash| clash.verdict == Some(verdict)).count()
    }
}

/// Checks the parts that move along a path against all others.
///
/// Every verdict is that of [`impinge::clash`], without fits. Outside of the listed intervals, parts are proven to be
/// farther apart than their touch band and the clearance. In an interval with the verdict touching and without
/// [doubt](PathClash::doubt), the parts are proven to reach no deeper into each other than twice the touch band.
///
/// ```
/// use impinge::{Pose, clash::Verdict, generate, glam::DVec3};
/// use impinge_clash::{CheckOptions, PathOptions, Pattern, check_path};
/// use impinge_io::{PathRows, assembly::{Assembly, AssemblyPart}};
///
/// let mut assembly = Assembly::default();
/// for (name, size, z) in [("plate", DVec3::new(9.0, 9.0, 0.1), 0.0), ("block", DVec3::ONE, 2.0)] {
///     let pose = Pose::from_translation(DVec3::Z * z)?;
///     assembly.parts.push(AssemblyPart::new(name, assembly.meshes.len(), pose));
///     assembly.meshes.push(generate::cuboid(size)?.into());
/// }
/// // The block is on the other side of the plate in the next row.
/// let rows = b"1,0,0,0, 0,1,0,0, 0,0,1,0\n1,0,0,0, 0,1,0,0, 0,0,1,-4\n";
/// let rows = PathRows::read(rows, "path.csv".as_ref())?;
/// let moving = PathOptions::new(vec![Pattern::new("block")]);
/// let outcome = check_path(&assembly, &rows, &moving, &CheckOptions::default(), &())?;
/// assert_eq!(outcome.clashes[0].verdict, Some(Verdict::Penetrating));
/// // It meets the plate after 1.45 of 4, up to the touch band of the two parts.
/// assert!((outcome.clashes[0].from.fraction - 1.45 / 4.0).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`check`](crate::check); if no part moves, or all do; and if the path leads beyond the range of numbers.
pub fn check_path(
    assembly: &Assembly,
    rows: &PathRows,
    path: &PathOptions,
    options: &CheckOptions,
    watch: &impl CheckWatch,
) -> Result<PathOutcome, Error> {
    let moving = moving_parts(assembly, path)?;
    let (filter, unmatched) = Filter::new(assembly, &options.pairs)?;
    if !unmatched.is_empty() {
        watch.idle_rules(&unmatched);
    }
    // The distance to other parts is measured along the path instead.
    let search_options = options.quick_search()?.clearance(0.0)?.threads(options.threads);
    let finder = Finder::prepare(assembly.clash_parts(), &search_options, &Stages(watch));
    let finder = finder.ok_or(Error::Stopped)?;
    let course = Course::new(assembly, &finder, rows, &moving, path.pivot)?;
    let search = Search { filter: &filter, finder: &finder, course: &course, options };
    let tasks = search.tasks();
    let found = search.run(&tasks, watch)?;

    let mut outcome = PathOutcome { moving, pivot: course.pivot(), ..PathOutcome::default() };
    outcome.pairs_checked = tasks.chunk_by(|p, q| p.pair() == q.pair()).count() as u64;
    let band = |task: &Task| finder.widest_band(task.moving, task.other);
    outcome.touch = tasks.iter().map(band).fold(0.0, f64::max);
    for mut clash in merge(&found) {
        outcome.doubtful += u64::from(clash.doubt.is_some());
        let (a, b) = (clash.moving.min(clash.other), clash.moving.max(clash.other));
        let hiding: Option<Hiding> = clash.verdict.and_then(|verdict| filter.hides(a, b, verdict));
        if hiding.is_some() {
            outcome.hidden += 1;
            continue;
        }
        let is_allowed = |verdict: Verdict| options.listing.allowed.verdicts.has(verdict);
        clash.fails = clash.verdict.is_some_and(|verdict| !is_allowed(verdict));
        outcome.clashes.push(clash);
    }
    outcome.clashes.sort_by(|p, q| {
        let severity = |clash: &PathClash| clash.verdict.map_or(u8::MAX, |verdict| verdict as u8);
        let place = |clash: &PathClash| clash.from.row as f64 + clash.from.fraction;
        (severity(p).cmp(&severity(q)))
            .then(place(p).total_cmp(&place(q)))
            .then((p.moving, p.other).cmp(&(q.moving, q.other)))
    });
    Ok(outcome)
}

/// The parts that the options name, sorted.
fn moving_parts(assembly: &Assembly, path: &PathOptions) -> Result<Vec<usize>, Error> {
    let names = Names::new(assembly);
    let mut moving: Vec<usize> = Vec::new();
    for pattern in &path.moving {
        let parts = names.group(pattern);
        if parts.is_empty() {
            return Err(Error::NothingMoves(pattern.clone()));
        }
        moving.extend(parts.into_iter().map(|part| part as usize));
    }
    moving.sort_unstable();
    moving.dedup();
    match moving.len() {
        count if count == assembly.parts.len() => Err(Error::EverythingMoves),
        _ => Ok(moving),
    }
}

/// Tells a watcher about the stages of the library's search.
struct Stages<'w, W>(&'w W);

impl<W: CheckWatch> clash::Watch for Stages<'_, W> {
    fn proceed(&self, progress: Progress) -> bool {
        self.0.proceed(progress)
    }
}

/// Steps of a path that one task covers: they share what is known about parts that are inside of others.
const STEPS_PER_TASK: usize = 32;

/// Two parts during some steps.
#[derive(Clone, Copy, Debug)]
struct Task {
    moving: usize,
    other: usize,
    /// The number of the moving part among all that move.
    number: usize,
    first_step: usize,
}

impl Task {
    fn pair(&self) -> [usize; 2] {
        [self.moving, self.other]
    }
}

struct Search<'s> {
    filter: &'s Filter<'s>,
    finder: &'s Finder,
    course: &'s Course<'s>,
    options: &'s CheckOptions,
}

impl Search<'_> {
    /// How close boxes must come for a check.
    fn reach(&self, moving: usize, other: usize) -> f64 {
        let near = self.finder.widest_band(moving, other).max(self.options.clearance);
        near * (1.0 + 1e-6)
    }

    /// The share of a part in [`reach`](Self::reach). The touch band of two parts is at most the sum of the bands that
    /// each of them would have with its copy: both terms of the band, rounding and deviation, are at most twice the larger
    /// share of the two parts, and limited by their sizes.
    fn own_reach(&self, part: usize) -> f64 {
        (self.finder.widest_band(part, part) + self.options.clearance) * (1.0 + 1e-5)
    }

    fn bounds_of(&self, part: usize) -> Bounds {
        self.finder.shape(part).placed_bounds(&self.finder.parts()[part].pose)
    }

    /// The pairs whose boxes meet in some step, in order.
    fn tasks(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        let (mut proxies, mut resting) = (Proxies::new(Detail::Boxes), Packed::new());
        let mut is_moving = vec![false; self.finder.parts().len()];
        let moving = || (0..self.course.moving_count()).map(|number| self.course.part(number));
        moving().for_each(|part| is_moving[part] = true);
        for part in (0..is_moving.len()).filter(|&part| !is_moving[part]) {
            let bounds = self.bounds_of(part);
            if !bounds.is_empty() {
                proxies.set(part as u32, bounds.grown(self.own_reach(part)), false);
                resting.insert(&proxies, part as u32);
            }
        }
        let mut near = Vec::new();
        for (number, moving) in moving().enumerate() {
            let steps = 0..self.course.step_count();
            let blocks: Vec<Bounds> = (steps.clone().step_by(STEPS_PER_TASK))
                .map(|first| {
                    let block = first..steps.end.min(first + STEPS_PER_TASK);
                    united(block.map(|step| self.course.bounds(number, step)))
                })
                .collect();
            let whole = united(blocks.iter().copied());
            if whole.is_empty() {
                continue;
            }
            near.clear();
            let all = whole.grown(self.own_reach(moving));
            let _ = resting.overlapping(&proxies, &all, &mut |part| {
                near.push(part as usize);
                ControlFlow::Continue(())
            });
            near.sort_unstable();
            for &other in &near {
                let (a, b) = (moving.min(other), moving.max(other));
                let grown = self.bounds_of(other).grown(self.reach(moving, other));
                if !grown.overlaps(&whole) || self.filter.excludes(a, b).is_some() {
                    continue;
                }
                let near = blocks.iter().enumerate().filter(|(_, block)| grown.overlaps(block));
                tasks.extend(near.map(|(block, _)| {
                    let first_step = block * STEPS_PER_TASK;
                    Task { moving, other, number, first_step }
                }));
            }
        }
        tasks
    }

    /// Does all tasks. Returns what was found, in order.
    fn run(&self, tasks: &[Task], watch: &impl CheckWatch) -> Result<Vec<Found>, Error> {
        let (done, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        // A finder that a task has used serves the next one. A clone for each of many tasks would take longer than the
        // tasks.
        let finders: Mutex<Vec<Finder>> = Mutex::default();
        let idle = || finders.lock().unwrap_or_else(PoisonError::into_inner);
        let run = |task: &Task| {
            if is_stopped.load(Ordering::Relaxed) {
                return Vec::new();
            }
            let used = idle().pop();
            let mut finder = used.unwrap_or_else(|| self.finder.clone());
            let found = self.search(&mut finder, task, &is_stopped);
            idle().push(finder);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if !watch.proceed(Progress::new(Stage::Pairs, done, tasks.len() as u64)) {
                is_stopped.store(true, Ordering::Relaxed);
            }
            found
        };
        let found: Vec<Vec<Found>> = match self.options.threads {
            Threads::One => tasks.iter().map(run).collect(),
            Threads::Pool => tasks.par_iter().map(run).collect(),
        };
        match is_stopped.load(Ordering::Relaxed) {
            true => Err(Error::Stopped),
            false => Ok(found.into_iter().flatten().collect()),
        }
    }

    fn search(&self, finder: &mut Finder, task: &Task, is_stopped: &AtomicBool) -> Vec<Found> {
        let &Task { moving, other, number, first_step } = task;
        let grown = self.bounds_of(other).grown(self.reach(moving, other));
        let mut found = Vec::new();
        let mut known: Known = None;
        for step in (first_step..self.course.step_count()).take(STEPS_PER_TASK) {
            if is_stopped.load(Ordering::Relaxed) {
                break;
            }
            if !grown.overlaps(&self.course.bounds(number, step)) {
                known = None;
                continue;
            }
            // Of the finder in which nothing was moved, so that the band does not depend on earlier tasks.
            let band = self.finder.widest_band(moving, other);
            let motion = self.course.motion(number, step);
            let phases = Step {
                finder,
                moving,
                other,
                motion: &motion,
                speed: self.course.speed(number, &motion),
                band,
                clearance: self.options.clearance,
            }
            .phases(&mut known);
            found.extend(phases.into_iter().map(|phase| Found { moving, other, step, phase }));
        }
        found
    }
}

fn united(boxes: impl Iterator<Item = Bounds>) -> Bounds {
    boxes.fold(Bounds::EMPTY, |mut all, bounds| {
        all.merge(&bounds);
        all
    })
}
