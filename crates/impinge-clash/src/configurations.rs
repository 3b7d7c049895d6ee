//! Checks many configurations of robots: the files are read and the meshes prepared once.

use crate::{error::Error, filter::Filter, options::CheckOptions};
use impinge::{
    Threads,
    clash::{self, Finder, Verdict},
};
use impinge_io::assembly::{Assembly, Configurations, Motion};
use rayon::prelude::*;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Two parts that clash in a configuration. Parts are indices into [`Assembly::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collision {
    /// The first part.
    pub a: u32,
    /// The second part, which is larger.
    pub b: u32,
    /// How the parts relate to each other.
    pub verdict: Verdict,
}

/// A configuration with at least one clash.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollidingConfiguration {
    /// The number of the configuration in the file, from 0.
    pub number: usize,
    /// The clashes, worst first.
    pub collisions: Vec<Collision>,
    /// Whether one of the clashes is not allowed.
    pub fails: bool,
}

/// Checks every configuration, and returns those with clashes, in the order of the file.
///
/// The options say which pairs are checked and which verdicts are listed, as for [`check`](crate::check). Pairs of
/// parts that belong to no robot are not checked, because they are the same in every configuration. `proceed` is
/// called now and then with the number of configurations that are done, and returns whether to continue.
///
/// # Errors
/// As for [`check`](crate::check); and if a configuration places a part beyond the range of numbers.
pub fn check_configurations(
    assembly: &Assembly,
    configurations: &Configurations,
    options: &CheckOptions,
    proceed: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Vec<CollidingConfiguration>, Error> {
    check_configurations_with(
        &robot_finder(assembly, options)?,
        assembly,
        configurations,
        options,
        proceed,
    )
}

/// Prepares the meshes of an assembly for [`check_configurations_with`] and
/// [`check_between_with`](crate::check_between_with), to be used for many calls with the same options.
///
/// # Errors
/// If the touch band or the clearance is not valid.
pub fn robot_finder(assembly: &Assembly, options: &CheckOptions) -> Result<Finder, Error> {
    Ok(Finder::new(assembly.clash_parts(), &options.quick_search()?))
}

/// As [`check_configurations`], with meshes that [`robot_finder`] has prepared of the same assembly with the same options.
///
/// # Errors
/// As for [`check_configurations`].
pub fn check_configurations_with(
    finder: &Finder,
    assembly: &Assembly,
    configurations: &Configurations,
    options: &CheckOptions,
    proceed: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Vec<CollidingConfiguration>, Error> {
    let (filter, _) = Filter::new(assembly, &options.pairs)?;
    let finder = finder.clone();
    let checker = Checker { assembly, configurations, filter: &filter, options, finder };
    let (done, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let check = |worker: &mut Worker<'_>, number: usize| {
        let found = checker.check(worker, number);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(16) && !proceed(done) {
            is_stopped.store(true, Ordering::Relaxed);
        }
        found.transpose()
    };
    // A worker has a list of all parts, so there are only as many workers as threads.
    let workers: Mutex<Vec<Worker<'_>>> = Mutex::default();
    let check_some = |first: usize| -> Result<Vec<CollidingConfiguration>, Error> {
        let idle = || workers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut worker = idle().pop().unwrap_or_else(|| Worker::new(&checker));
        let numbers = first..configurations.len().min(first + PER_TASK);
        let is_wanted = |_: &usize| !is_stopped.load(Ordering::Relaxed);
        let found = numbers.take_while(is_wanted).filter_map(|number| check(&mut worker, number));
        let found = found.collect();
        idle().push(worker);
        found
    };
    let tasks = configurations.len().div_ceil(PER_TASK);
    let found: Result<Vec<_>, Error> = match options.threads {
        Threads::One => (0..tasks).map(|task| check_some(task * PER_TASK)).collect(),
        Threads::Pool => {
            (0..tasks).into_par_iter().map(|task| check_some(task * PER_TASK)).collect()
        }
    };
    match is_stopped.load(Ordering::Relaxed) {
        true => Err(Error::Stopped),
        false => found.map(|found| found.into_iter().flatten().collect()),
    }
}

/// Configurations that a thread checks before it takes others.
const PER_TASK: usize = 32;

struct Checker<'c> {
    assembly: &'c Assembly,
    configurations: &'c Configurations,
    filter: &'c Filter<'c>,
    options: &'c CheckOptions,
    /// The meshes, prepared. Each thread has its own clone.
    finder: Finder,
}

impl Checker<'_> {
    /// Returns the clashes of a configuration, if it has any.
    fn check(
        &self,
        worker: &mut Worker<'_>,
        number: usize,
    ) -> Result<Option<CollidingConfiguration>, Error> {
        let configurations = self.configurations;
        row_values(configurations, number, &mut worker.values);
        let poses = worker
            .motion
            .poses(&worker.values)
            .map_err(|error| Error::Configuration { line: configurations.line(number), error })?;
        for &part in &worker.moving {
            worker.finder.place(part, poses[part]);
        }
        let mut collisions = self.check_configuration(&mut worker.finder);
        if collisions.is_empty() {
            return Ok(None);
        }
        collisions.sort_by_key(|collision| (collision.verdict, collision.a, collision.b));
        let allowed = self.options.listing.allowed;
        let fails = collisions.iter().any(|collision| !allowed.verdicts.has(collision.verdict));
        Ok(Some(CollidingConfiguration { number, collisions, fails }))
    }

    /// Returns the clashes of parts in their poses.
    fn check_configuration(&self, finder: &mut Finder) -> Vec<Collision> {
        let watcher = Watcher { assembly: self.assembly, filter: self.filter };
        let report = finder.find_watched(&watcher);
        let clashes = report.map(|report| report.clashes).unwrap_or_default();
        clashes
            .iter()
            .filter(|clash| self.filter.hides(clash.a, clash.b, clash.verdict).is_none())
            .map(|clash| Collision { a: clash.a as u32, b: clash.b as u32, verdict: clash.verdict })
            .collect()
    }
}

/// Sets the values of the joints that have a column to those of a configuration.
pub(crate) fn row_values(configurations: &Configurations, number: usize, values: &mut [f64]) {
    for (&joint, &value) in configurations.joints().iter().zip(configurations.values(number)) {
        values[joint as usize] = value;
    }
}

/// The memory of one thread.
struct Worker<'c> {
    motion: Motion<'c>,
    /// The value of every joint.
    values: Vec<f64>,
    /// The parts that belong to robots.
    moving: Vec<usize>,
    finder: Finder,
}

impl<'c> Worker<'c> {
    fn new(checker: &Checker<'c>) -> Self {
        let assembly = checker.assembly;
        Self {
            motion: assembly.motion(),
            values: assembly.joints.iter().map(|joint| joint.value).collect(),
            moving: (0..assembly.parts.len())
                .filter(|&part| assembly.parts[part].link.is_some())
                .collect(),
            finder: checker.finder.clone(),
        }
    }
}

struct Watcher<'w> {
    assembly: &'w Assembly,
    filter: &'w Filter<'w>,
}

impl clash::Watch for Watcher<'_> {
    fn includes(&self, a: usize, b: usize) -> bool {
        let is_fixed = |part: usize| self.assembly.parts[part].link.is_none();
        !(is_fixed(a) && is_fixed(b)) && self.filter.excludes(a, b).is_none()
    }
}
