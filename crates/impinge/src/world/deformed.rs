//! The search of pairs of bodies that have deformed since what was prepared of them was last renewed: either that is
//! renewed now, or the pairs are searched by a face octree, which needs nothing prepared.
//!
//! Both give the same answer, so the choice is a matter of speed. A wide tree is refitted in time proportional to the
//! number of faces of the body, wherever they are, and then answers fast. A face octree looks at each face once, at a
//! fraction of that time, and takes longer for each face in an overlap region of two bodies. The times are estimated
//! from numbers of faces; no clock is asked.

use super::{body::Bodies, group::BodyGroup, pairs::Job};
use crate::{
    Method, Threads,
    method::face_octree::{self, RegionSample},
    query::Renewal,
};
use rayon::prelude::*;
use std::fmt;

/// How a step searches near pairs of bodies that have [deformed](super::World::set_vertices). Affects speed, never
/// contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeformedSearch {
    /// Whichever takes less time by an estimate from numbers of faces, for bodies that the default method prepared;
    /// otherwise as [`Refit`](Self::Refit).
    ///
    /// A face octree pays where few faces of bodies are near others. Bodies that have stopped to deform are refitted.
    #[default]
    Auto,
    /// What was prepared of the bodies is refitted or built anew, and the pairs are searched by the bodies' method.
    Refit,
    /// The pairs are searched together by a face octree, and nothing is refitted.
    ///
    /// As [`Refit`](Self::Refit) with [coherence](super::Coherence), which remembers pairs that are searched one by one,
    /// and for bodies whose method searches all bodies at once.
    FaceOctree,
}

/// Time to refit a wide tree, in nanoseconds a face.
///
/// This and the next numbers were measured on one thread (docs/benchmarks.md, "Bodies that deform"); only their ratios
/// matter.
const REFIT: u64 = 40;
/// The same for a body whose tree does not fit into the caches of a processor.
const REFIT_LARGE: u64 = 60;
/// The number of faces of such a body.
const LARGE: u64 = 10_000;
/// Time to place a face and to find out that it meets no overlap region.
const PLACE: u64 = 8;
/// Time to sort a face into cells, and to compare it with others.
const DIVIDE: u64 = 90;

/// Decides how pairs of bodies that have deformed are searched. Holds memory for it, reused from step to step.
pub(super) struct Deformed {
    pub(super) choice: DeformedSearch,
    /// Whether vertices of any body were moved so far.
    pub(super) is_needed: bool,
    /// The face octree.
    pub(super) cells: BodyGroup,
    sample: RegionSample,
    /// The indices of bodies whose vertices have moved since what was prepared of them was renewed.
    outdated: Vec<u32>,
    /// Of this step.
    pub(super) counts: DeformedCounts,
}

/// What was done about bodies that have deformed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DeformedCounts {
    pub(super) refitted: usize,
    pub(super) rebuilt: usize,
    /// The number of pairs searched by the face octree.
    pub(super) in_cells: usize,
}

impl Default for Deformed {
    fn default() -> Self {
        Self {
            choice: DeformedSearch::default(),
            is_needed: false,
            cells: BodyGroup::of_unprepared(face_octree::new_group_search()),
            sample: RegionSample::default(),
            outdated: Vec::new(),
            counts: DeformedCounts::default(),
        }
    }
}

impl Deformed {
    /// Decides about the pairs of a batch. Moves those to be searched by the face octree to its end, and returns how
    /// many others there are; renews what was prepared of the others' bodies. With `must_refit`, there are only others.
    pub(super) fn decide(
        &mut self,
        bodies: &Bodies,
        batch: &mut [Job],
        threads: Threads,
        must_refit: bool,
    ) -> usize {
        if !self.is_needed {
            return batch.len();
        }
        let is_outdated = |index: &u32| bodies.at(*index).is_some_and(|it| !it.shape.is_renewed());
        self.outdated.clear();
        self.outdated.extend(batch.iter().flat_map(|job| job.pair).filter(is_outdated));
        // A body is in many pairs.
        self.outdated.sort_unstable();
        self.outdated.dedup();
        if self.outdated.is_empty() {
            return batch.len();
        }
        let choice = if must_refit { DeformedSearch::Refit } else { self.choice };
        if choice == DeformedSearch::Auto {
            self.renew_resting(bodies, threads);
        }
        let is_in_cells = match choice {
            DeformedSearch::Refit => false,
            DeformedSearch::FaceOctree => true,
            DeformedSearch::Auto => self.prefers_cells(bodies, batch, threads),
        };
        if !is_in_cells {
            self.renew(bodies, threads);
            return batch.len();
        }
        let rest = self.move_outdated_last(batch);
        self.counts.in_cells += batch.len() - rest;
        rest
    }

    /// Sorts the pairs of a batch: first those without an outdated body, then the others. Returns how many there are of
    /// the former.
    fn move_outdated_last(&self, batch: &mut [Job]) -> usize {
        let is_outdated =
            |job: &Job| job.pair.iter().any(|index| self.outdated.binary_search(index).is_ok());
        batch.sort_unstable_by_key(|job| (is_outdated(job), job.pair));
        batch.partition_point(|job| !is_outdated(job))
    }

    /// Whether the face octree takes less time than to renew what was prepared of the outdated bodies.
    fn prefers_cells(&mut self, bodies: &Bodies, batch: &mut [Job], threads: Threads) -> bool {
        let shapes = || self.outdated.iter().filter_map(|&index| Some(&bodies.at(index)?.shape));
        if shapes().any(|shape| shape.method() != Method::default()) {
            return false;
        }
        // The face octree uses one thread.
        let thread_count = match threads {
            Threads::One => 1,
            Threads::Pool => rayon::current_num_threads() as u64,
        };
        let faces = shapes().map(|shape| shape.mesh().faces().len() as u64);
        let refit = faces.map(|n| n * if n < LARGE { REFIT } else { REFIT_LARGE }).sum::<u64>();
        let refit = refit / thread_count;
        let rest = self.move_outdated_last(batch);
        self.cells.take_pairs(batch[rest..].iter().map(|job| job.pair));
        let Self { cells, sample, .. } = self;
        cells.with_group(bodies, |group| {
            let members = (0..group.len()).filter_map(|number| group.body(number));
            let placing = PLACE * members.map(|it| it.mesh().faces().len() as u64).sum::<u64>();
            // The sample takes time, too, so it comes last.
            placing < refit && placing + DIVIDE * sample.faces_in_regions(group) < refit
        })
    }

    /// Renews what was prepared of bodies that have not deformed since the last step: that pays over the next steps.
    fn renew_resting(&mut self, bodies: &Bodies, threads: Threads) {
        let is_deforming = |index: u32| bodies.at(index).is_some_and(|body| body.is_deforming);
        let Self { outdated, counts, .. } = self;
        outdated.retain(|&index| {
            if !is_deforming(index) {
                counts.renew(bodies, index, threads);
            }
            is_deforming(index)
        });
    }

    /// Renews what was prepared of all bodies that have deformed.
    pub(super) fn renew_all(&mut self, bodies: &Bodies, threads: Threads) {
        self.outdated.clear();
        if self.is_needed {
            self.outdated.extend(bodies.iter().map(|(id, _)| id.index()));
            self.renew(bodies, threads);
        }
    }

    /// Renews what was prepared of all outdated bodies.
    fn renew(&mut self, bodies: &Bodies, threads: Threads) {
        let Self { outdated, counts, .. } = self;
        let counted = |mut counts: DeformedCounts, &index: &u32| {
            counts.renew(bodies, index, threads);
            counts
        };
        let new = DeformedCounts::default();
        let renewed = match threads {
            Threads::One => outdated.iter().fold(new, counted),
            Threads::Pool => outdated
                .par_iter()
                .fold(DeformedCounts::default, counted)
                .reduce(DeformedCounts::default, DeformedCounts::plus),
        };
        *counts = counts.plus(renewed);
    }
}

impl fmt::Debug for Deformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deformed").field("choice", &self.choice).finish_non_exhaustive()
    }
}

impl DeformedCounts {
    /// Renews what was prepared of a body, if its vertices have moved since.
    pub(super) fn renew(&mut self, bodies: &Bodies, index: u32, threads: Threads) {
        match bodies.at(index).and_then(|body| body.shape.renew(threads)) {
            Some(Renewal::Refitted) => self.refitted += 1,
            Some(Renewal::Rebuilt) => self.rebuilt += 1,
            None => {}
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            refitted: self.refitted + other.refitted,
            rebuilt: self.rebuilt + other.rebuilt,
            in_cells: self.in_cells + other.in_cells,
        }
    }
}
