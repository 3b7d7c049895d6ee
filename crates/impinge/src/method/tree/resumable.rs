//! A traversal that can be interrupted. Its state is a list of node pairs still to visit.
//!
//! Called through [`ResumableWalk`] by queries with a budget.

use super::{Scratch, TreePair};
use crate::{
    method::{
        Meter, OpenPair,
        hierarchy::{ResumableWalk, Walk},
        resumable::{self, Ranked, Visited},
    },
    volume::BoundingVolume,
};

impl<V: BoundingVolume> TreePair<'_, V> {
    /// Tests a pair of nodes. Returns it with its overlap if the volumes overlap.
    fn opened(&self, scratch: &mut Scratch<V>, pair: [u32; 2]) -> Option<Ranked<[u32; 2]>> {
        let [i, j] = pair;
        let volume = &self.a.nodes[i as usize].volume;
        scratch.counts.volume_tests += 1;
        let placed = scratch.placed.get(j, self);
        let overlaps = volume.overlaps(&placed);
        overlaps.then(|| Ranked { overlap: volume.depth_above(&placed), pair })
    }

    /// The length of a unit of overlap in the world: a vector there is up to 1.5e-6 shorter in the
    /// frame.
    fn overlap_unit(&self) -> f64 {
        self.a.frame.unit() * (1.0 + 4e-6)
    }
}

impl<V: BoundingVolume> ResumableWalk for TreePair<'_, V> {
    type Scratch = Scratch<V>;

    fn begin_open(&self, scratch: &mut Scratch<V>) {
        self.reset(scratch);
        let roots = self.roots().and_then(|roots| self.opened(scratch, roots));
        scratch.open.clear();
        scratch.open.extend(roots);
    }

    fn advance(
        &self,
        scratch: &mut Scratch<V>,
        meter: &mut Meter,
        wants_all: bool,
        visit: &mut dyn FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        let mut open = std::mem::take(&mut scratch.open);
        let is_over = resumable::advance(&mut open, meter, wants_all, |meter, pair| {
            let Some(children) = self.children(pair) else {
                let [i, j] = pair;
                let (a, b) = (&self.a.nodes[i as usize], &self.b.nodes[j as usize]);
                let tests = u64::from(a.count) * u64::from(b.count);
                scratch.counts.face_tests += tests;
                meter.spend(tests);
                return Visited::Leaves { touch: visit([self.a.faces_of(a), self.b.faces_of(b)]) };
            };
            meter.spend(2);
            Visited::Children(children.map(|pair| self.opened(scratch, pair)))
        });
        scratch.open = open;
        scratch.counts.placed = scratch.placed.count();
        is_over
    }

    fn left_open(&self, scratch: &Scratch<V>) -> (usize, f64) {
        let overlaps = scratch.open.iter().map(|open| open.overlap);
        (scratch.open.len(), overlaps.fold(0.0, f64::max) * self.overlap_unit())
    }

    fn visit_open(&self, scratch: &Scratch<V>, visit: &mut dyn FnMut(OpenPair<'_>)) {
        for Ranked { overlap, pair: [i, j] } in &scratch.open {
            let (faces_a, faces_b) = (self.a.faces_below(*i), self.b.faces_below(*j));
            visit(OpenPair { faces_a, faces_b, overlap: overlap * self.overlap_unit() });
        }
    }
}
