//! A traversal that can be interrupted. Its state is a list of pairs of boxes still to visit.
//!
//! Called through [`ResumableWalk`] by queries with a budget.

use super::{
    Link, Slot, WIDTH,
    walk::{Job, Scratch, WidePair},
};
use crate::method::{
    Meter, OpenPair,
    hierarchy::{ResumableWalk, Walk},
    resumable::{self, Ranked, Visited},
};

/// Two boxes that may overlap, with an upper bound of the overlap in world units.
pub(super) type OpenSlots = Ranked<[Slot; 2]>;

impl WidePair<'_> {
    /// The children that may overlap the other box.
    fn open_below(&self, job: &Job) -> [Option<OpenSlots>; WIDTH] {
        // The axes are unit vectors to 1e-5; a vector in the world is up to 1.5e-6 shorter in the
        // frame.
        let unit = self.trees[job.opened].body_frame.scale * (1.0 + 4e-5);
        let (mut open, mut count) = ([None; WIDTH], 0);
        self.each_child(job, |slots, gaps| {
            let depth = gaps.iter().map(|gap| f64::from(-gap)).fold(f64::INFINITY, f64::min);
            let overlap = depth.max(0.0) * unit;
            (open[count], count) = (Some(Ranked { overlap, pair: slots }), count + 1);
        });
        open
    }
}

impl ResumableWalk for WidePair<'_> {
    type Scratch = Scratch;

    fn begin_open(&self, scratch: &mut Scratch) {
        self.reset(scratch);
        scratch.open.clear();
        if let Some(roots) = self.roots() {
            // The first node's only child is the root.
            scratch.counts.volume_tests += 1;
            let job = Job { pair: roots, link: Link::node(0), opened: 0, is_other_leaf: false };
            let roots = self.open_below(&job);
            scratch.open.extend(roots.into_iter().flatten());
        }
    }

    fn advance(
        &self,
        scratch: &mut Scratch,
        meter: &mut Meter,
        wants_all: bool,
        visit: &mut dyn FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        let Scratch { open, counts, .. } = scratch;
        resumable::advance(open, meter, wants_all, |meter, slots| {
            let Some(job) = self.job(slots) else {
                let faces = self.leaves(slots);
                let tests = (faces[0].len() * faces[1].len()) as u64;
                counts.face_tests += tests;
                meter.spend(tests);
                return Visited::Leaves { touch: visit(faces) };
            };
            counts.volume_tests += WIDTH as u64;
            counts.placed += 1;
            meter.spend(WIDTH as u64);
            Visited::Children(self.open_below(&job))
        })
    }

    fn left_open(&self, scratch: &Scratch) -> (usize, f64) {
        let overlaps = scratch.open.iter().map(|open| open.overlap);
        (scratch.open.len(), overlaps.fold(0.0, f64::max))
    }

    fn visit_open(&self, scratch: &Scratch, visit: &mut dyn FnMut(OpenPair<'_>)) {
        let [a, b] = self.trees;
        for Ranked { overlap, pair: [i, j] } in &scratch.open {
            let (faces_a, faces_b) = (a.faces_below(*i), b.faces_below(*j));
            visit(OpenPair { faces_a, faces_b, overlap: *overlap });
        }
    }
}
