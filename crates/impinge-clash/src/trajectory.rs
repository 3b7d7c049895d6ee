//! Checks robots between the rows of a file of joint values, which are interpolated linearly.
//!
//! A link below several joints does not move about one axis. So a step from one row to the next is divided into pieces.
//! In a piece, the true path of a vertex and the [`Motion`] between the poses at both ends differ by at most an eighth of
//! the sum of their accelerations ([`Arcs`]). [`first_impact`] with this difference as margin proves that two parts are
//! clear. Where it does not, the piece is halved, and the difference falls to a quarter. Once it is below a quarter of the
//! touch band, the parts have come within the band, and checks at times close to that tell how.

use crate::{
    configurations::{robot_finder, row_values},
    error::Error,
    filter::Filter,
    options::CheckOptions,
    path::Doubt,
};
use impinge::{
    Bounds, Pair, Pose, Threads,
    clash::{Finder, Verdict},
    motion::{ImpactOptions, Motion, first_impact},
    query::Query,
};
use impinge_io::assembly::{Arcs, Assembly, Configurations, Motion as Joints};
use rayon::prelude::*;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Two parts that come into contact, or too close, between two rows. Parts are indices into [`Assembly::parts`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Approach {
    /// The first part.
    pub a: u32,
    /// The second part, which is larger.
    pub b: u32,
    /// The worst verdict of the checks after the contact. `None` if the parts come within the touch band, but no check
    /// says that they touch.
    pub verdict: Option<Verdict>,
    /// The share of the way to the next row at which the contact begins: not later than it does.
    pub fraction: f64,
    /// Why something worse than the verdict cannot be ruled out.
    pub doubt: Option<Doubt>,
}

/// A step from one row to the next with at least one contact that begins on the way.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CollidingStep {
    /// The number of the configuration at which the step begins, from 0.
    pub number: usize,
    /// The contacts, earliest first.
    pub approaches: Vec<Approach>,
    /// Whether one of them is not allowed.
    pub fails: bool,
}

/// The outcome of a check between the rows.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Between {
    /// The steps with contacts that begin on the way, in order.
    pub steps: Vec<CollidingStep>,
    /// The checked parts whose surfaces have holes wider than their touch band. Other parts may get inside of them and
    /// out again between two rows without a contact.
    pub open_parts: Vec<usize>,
}

/// Checks robots between each two rows, and returns the steps with contacts that begin on the way.
///
/// All other pairs that the options include are proven to keep their touch band and the clearance, if they keep them at
/// the rows: [`check_configurations`](crate::check_configurations) checks the rows themselves. It also finds parts that are
/// inside of others; without a contact in between, that does not change, unless one of the parts has
/// [holes](Between::open_parts). `proceed` is called now and then with the number of
/// steps that are done, and returns whether to continue.
///
/// # Errors
/// As for [`check_configurations`](crate::check_configurations).
pub fn check_between(
    assembly: &Assembly,
    configurations: &Configurations,
    options: &CheckOptions,
    proceed: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Between, Error> {
    check_between_with(
        &robot_finder(assembly, options)?,
        assembly,
        configurations,
        options,
        proceed,
    )
}

/// As [`check_between`], with meshes that [`robot_finder`] has prepared of the same assembly with the same options.
///
/// # Errors
/// As for [`check_between`].
pub fn check_between_with(
    finder: &Finder,
    assembly: &Assembly,
    configurations: &Configurations,
    options: &CheckOptions,
    proceed: &(dyn Fn(u64) -> bool + Sync),
) -> Result<Between, Error> {
    let (filter, _) = Filter::new(assembly, &options.pairs)?;
    let finder = finder.clone();
    let pairs = checked_pairs(assembly, &filter);
    let arcs = assembly.arcs();
    let search = Search { assembly, configurations, filter: &filter, options, arcs, finder, pairs };
    let (done, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let step = |worker: &mut Worker<'_>, number: usize| {
        if is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        let found = search.step(worker, number);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if !proceed(done) {
            is_stopped.store(true, Ordering::Relaxed);
        }
        found.transpose()
    };
    let numbers = 0..configurations.len().saturating_sub(1);
    let steps: Result<Vec<CollidingStep>, Error> = match options.threads {
        Threads::One => {
            let mut worker = Worker::new(&search);
            numbers.filter_map(|number| step(&mut worker, number)).collect()
        }
        Threads::Pool => {
            let worker = || Worker::new(&search);
            numbers.into_par_iter().map_init(worker, step).flatten().collect()
        }
    };
    match is_stopped.load(Ordering::Relaxed) {
        true => Err(Error::Stopped),
        false => Ok(Between { steps: steps?, open_parts: search.open_parts() }),
    }
}

/// The pairs with a part of a robot that are checked, and that can move relative to each other.
fn checked_pairs(assembly: &Assembly, filter: &Filter<'_>) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    let parts = &assembly.parts;
    for a in 0..parts.len() {
        for b in a + 1..parts.len() {
            let is_movable = match (parts[a].link, parts[b].link) {
                (None, None) => false,
                (Some(a), Some(b)) => assembly.is_movable(a, b),
                _ => true,
            };
            if is_movable && filter.excludes(a, b).is_none() {
                pairs.push([a, b]);
            }
        }
    }
    pairs
}

/// Pieces are halved at most this often.
const MAX_HALVINGS: u32 = 24;

/// Pieces with a larger departure, as a share of the smaller part's size, are halved without a search: too many faces are
/// so close to each other.
const LONGEST_DEPARTURE: f64 = 0.03;

/// Checks after a contact has begun, at equal distances.
const SAMPLES: u32 = 16;

/// Checks right after a contact has begun, each at half the distance of the one before.
const CLOSE_SAMPLES: i32 = 20;

struct Search<'s> {
    assembly: &'s Assembly,
    configurations: &'s Configurations,
    filter: &'s Filter<'s>,
    options: &'s CheckOptions,
    arcs: Arcs,
    /// The meshes, prepared. Each thread has its own clone.
    finder: Finder,
    pairs: Vec<[usize; 2]>,
}

/// The memory of one thread.
struct Worker<'s> {
    joints: Joints<'s>,
    finder: Finder,
    /// Queries of the pairs that came close to each other.
    pairs: HashMap<[usize; 2], Pair>,
    /// The joint values at the two rows, and in between.
    ends: [Vec<f64>; 2],
    values: Vec<f64>,
}

impl<'s> Worker<'s> {
    fn new(search: &Search<'s>) -> Self {
        let values: Vec<f64> = search.assembly.joints.iter().map(|joint| joint.value).collect();
        let ends = [values.clone(), values.clone()];
        let (joints, finder) = (search.assembly.motion(), search.finder.clone());
        Self { joints, finder, pairs: HashMap::new(), ends, values }
    }

    /// Whether two parts are within a distance of each other.
    fn are_within(&mut self, [a, b]: [usize; 2], poses: [&Pose; 2], distance: f64) -> bool {
        let Self { pairs, finder, .. } = self;
        let pair = match pairs.entry([a, b]) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => match Pair::new(finder.shape(a), finder.shape(b)) {
                Ok(pair) => new.insert(pair),
                // All shapes of a finder have the same method.
                Err(_) => return true,
            },
        };
        let query = pair.at(poses[0], poses[1]).within(distance);
        query.map_or(true, Query::intersects)
    }

    /// The poses of all parts at a share of the step.
    fn poses(&mut self, share: f64) -> Result<Vec<Pose>, impinge_io::assembly::OutOfRange> {
        let [from, to] = &self.ends;
        for (value, (from, to)) in self.values.iter_mut().zip(from.iter().zip(to)) {
            *value = match share {
                share if share <= 0.0 => *from,
                share if share >= 1.0 => *to,
                share => from * (1.0 - share) + to * share,
            };
        }
        Ok(self.joints.poses(&self.values)?.to_vec())
    }
}

/// A pair that has come into contact.
#[derive(Clone, Copy, Debug)]
struct Contact {
    pair: [usize; 2],
    fraction: f64,
}

/// A piece of a step: two shares of it, with the poses there.
struct Piece<'p> {
    times: [f64; 2],
    poses: [&'p [Pose]; 2],
    halvings: u32,
}

/// A part during a piece.
struct PartPiece {
    bounds: Bounds,
    /// The diagonal of the box of its mesh.
    size: f64,
    /// `None` if the poses differ by half a turn or more.
    motion: Option<Motion>,
    /// How far vertices depart from the motion.
    departure: f64,
}

impl Search<'_> {
    /// The parts of the checked pairs whose surfaces have holes.
    fn open_parts(&self) -> Vec<usize> {
        let mut parts: Vec<usize> = self.pairs.iter().flatten().copied().collect();
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|&part| self.finder.has_gaps(part));
        parts
    }

    /// Returns the contacts that begin between two rows, if there are any.
    fn step(&self, worker: &mut Worker<'_>, number: usize) -> Result<Option<CollidingStep>, Error> {
        for (end, row) in [number, number + 1].into_iter().enumerate() {
            row_values(self.configurations, row, &mut worker.ends[end]);
            worker.joints.follow(&mut worker.ends[end]);
        }
        let line = self.configurations.line(number);
        let located = |error| Error::Configuration { line, error };
        let ends = [worker.poses(0.0).map_err(located)?, worker.poses(1.0).map_err(located)?];
        let [from, to] = worker.ends.clone();
        let parts = 0..self.assembly.parts.len();
        let accelerations: Vec<Option<f64>> = parts
            .map(|part| {
                let moves = self.arcs.moves(part, &from, &to);
                moves.then(|| self.arcs.acceleration(part, &from, &to))
            })
            .collect();
        let moves = |pair: &&[usize; 2]| pair.iter().any(|&part| accelerations[part].is_some());
        let pairs: Vec<[usize; 2]> = self.pairs.iter().filter(moves).copied().collect();

        let mut contacts = Vec::new();
        let mut search = |clearance: f64, pairs: &[[usize; 2]], contacts: &mut Vec<Contact>| {
            let piece = Piece { times: [0.0, 1.0], poses: [&ends[0], &ends[1]], halvings: 0 };
            let depth = StepSearch { search: self, accelerations: &accelerations, clearance };
            depth.search(worker, &piece, pairs, contacts)
        };
        search(0.0, &pairs, &mut contacts).map_err(located)?;
        if self.options.clearance > 0.0 {
            let mut too_close = Vec::new();
            let touches = |pair: &[usize; 2]| contacts.iter().any(|contact| contact.pair == *pair);
            let others: Vec<_> = pairs.into_iter().filter(|pair| !touches(pair)).collect();
            search(self.options.clearance, &others, &mut too_close).map_err(located)?;
            contacts.extend(too_close);
        }
        let mut approaches = Vec::new();
        for contact in &contacts {
            approaches.extend(self.judge(worker, contact).map_err(located)?);
        }
        approaches.sort_by(|p: &Approach, q| {
            p.fraction.total_cmp(&q.fraction).then((p.a, p.b).cmp(&(q.a, q.b)))
        });
        if approaches.is_empty() {
            return Ok(None);
        }
        let allowed = self.options.listing.allowed.verdicts;
        let fails = |approach: &Approach| approach.verdict.is_some_and(|v| !allowed.has(v));
        Ok(Some(CollidingStep { number, fails: approaches.iter().any(fails), approaches }))
    }

    /// Returns the verdict on a contact. `None` if rules hide it, or if the parts overlap at the start already.
    fn judge(
        &self,
        worker: &mut Worker<'_>,
        contact: &Contact,
    ) -> Result<Option<Approach>, impinge_io::assembly::OutOfRange> {
        let &Contact { pair: [a, b], fraction } = contact;
        let rest = 1.0 - fraction;
        let close = (1..=CLOSE_SAMPLES).map(|k| fraction + rest * 0.5_f64.powi(k));
        let even = (0..=SAMPLES).map(|k| fraction + rest * f64::from(k) / f64::from(SAMPLES));
        let mut worst: Option<Verdict> = None;
        let is_deep = |verdict: Verdict| verdict <= Verdict::Penetrating;
        for time in even.chain(close) {
            let poses = worker.poses(time)?;
            worker.finder.place(a, poses[a]);
            worker.finder.place(b, poses[b]);
            let verdict = worker.finder.check(a, b).map(|clash| clash.verdict);
            if time == 0.0 && verdict.is_some_and(is_deep) {
                return Ok(None);
            }
            worst = worst.into_iter().chain(verdict).min_by_key(severity);
            if worst.is_some_and(is_deep) {
                break;
            }
        }
        if worst.is_some_and(|verdict| self.filter.hides(a, b, verdict).is_some()) {
            return Ok(None);
        }
        let doubt = match worst {
            None => Some(Doubt::Near),
            Some(Verdict::Touching) => Some(Doubt::Samples),
            Some(_) => None,
        };
        Ok(Some(Approach { a: a as u32, b: b as u32, verdict: worst, fraction, doubt }))
    }
}

/// Worst first. Parts that touch have also been too close.
fn severity(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Clearance => u8::MAX,
        verdict => *verdict as u8,
    }
}

/// The search for contacts of one step.
struct StepSearch<'s> {
    search: &'s Search<'s>,
    /// Bounds on the accelerations of the parts that move.
    accelerations: &'s [Option<f64>],
    clearance: f64,
}

impl StepSearch<'_> {
    /// Adds the first contact of each pair during a piece.
    fn search(
        &self,
        worker: &mut Worker<'_>,
        piece: &Piece<'_>,
        pairs: &[[usize; 2]],
        contacts: &mut Vec<Contact>,
    ) -> Result<(), impinge_io::assembly::OutOfRange> {
        let mut parts: Vec<Option<PartPiece>> = Vec::new();
        parts.resize_with(self.accelerations.len(), || None);
        let [from, to] = piece.times;
        let mut open = Vec::new();
        for &pair in pairs {
            let [a, b] = pair.map(|part| {
                parts[part].get_or_insert_with(|| self.part(piece, part));
                part
            });
            let (Some(first), Some(second)) = (&parts[a], &parts[b]) else { continue };
            let near = self.search.finder.widest_band(a, b).max(self.clearance);
            let departure = first.departure + second.departure;
            let margin = (near + departure) * (1.0 + 1e-9);
            if !first.bounds.grown(near).overlaps(&second.bounds) {
                continue;
            }
            let size = first.size.min(second.size);
            let is_short = departure <= LONGEST_DEPARTURE * size;
            let impact = match (&first.motion, &second.motion) {
                (Some(motion_a), Some(motion_b)) if is_short => {
                    let motions = [motion_a, motion_b];
                    match self.first_within(worker, pair, motions, margin) {
                        None => continue,
                        Some(time) => time,
                    }
                }
                _ => 0.0,
            };
            let is_motion = first.motion.is_some() && second.motion.is_some();
            let is_accurate = is_motion && is_short && departure <= (0.25 * near).max(1e-9 * size);
            match is_accurate || piece.halvings >= MAX_HALVINGS {
                true => contacts.push(Contact { pair, fraction: from + (to - from) * impact }),
                false => open.push(pair),
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        let middle = 0.5 * (from + to);
        let poses = worker.poses(middle)?;
        let halves = [
            ([from, middle], [piece.poses[0], &poses[..]]),
            ([middle, to], [&poses[..], piece.poses[1]]),
        ];
        for (times, poses) in halves {
            let half = Piece { times, poses, halvings: piece.halvings + 1 };
            self.search(worker, &half, &open, contacts)?;
            open.retain(|pair| contacts.iter().all(|contact| contact.pair != *pair));
        }
        Ok(())
    }

    /// The time of the piece from which on two parts may be within a margin of each other. `None` if they never are.
    fn first_within(
        &self,
        worker: &mut Worker<'_>,
        pair: [usize; 2],
        motions: [&Motion; 2],
        margin: f64,
    ) -> Option<f64> {
        // Most pairs that cannot be proven to be clear are too close at the start already.
        if worker.are_within(pair, motions.map(Motion::start), margin) {
            return Some(0.0);
        }
        let [a, b] = [0, 1].map(|n| (self.search.finder.shape(pair[n]), motions[n]));
        let options = ImpactOptions::default().margin(margin);
        let options = options.and_then(|options| options.tolerance(1e-3 * margin));
        match options.map(|options| first_impact(a, b, &options)) {
            Ok(Ok(impact)) => impact.map(|impact| impact.time),
            // Margins are finite, and all shapes of a finder have the same method.
            _ => Some(0.0),
        }
    }

    /// A part during a piece.
    fn part(&self, piece: &Piece<'_>, part: usize) -> PartPiece {
        let shape = self.search.finder.shape(part);
        let [start, end] = piece.poses.map(|poses| poses[part]);
        let mut bounds = shape.placed_bounds(&start);
        let middle = shape.mesh().bounds();
        let size = middle.size().length();
        let Some(acceleration) = self.accelerations[part] else {
            return PartPiece { bounds, size, motion: Some(Motion::still(start)), departure: 0.0 };
        };
        bounds.merge(&shape.placed_bounds(&end));
        let length = piece.times[1] - piece.times[0];
        let sagitta = 0.125 * length * length * acceleration;
        // Turning about the middle of the part keeps the motion's own acceleration small.
        let radius = 0.5 * size * (1.0 + 1e-5);
        let motion = Motion::between(start, end).and_then(|motion| motion.about(middle.center()));
        let turn = motion.as_ref().map_or(0.0, |motion| motion.turn().length() + 1e-5);
        let departure = sagitta + 0.125 * turn * turn * radius * (1.0 + 1e-4);
        let bounds = if bounds.is_empty() { bounds } else { bounds.grown(sagitta) };
        PartPiece { bounds, size, motion: motion.ok(), departure }
    }
}
