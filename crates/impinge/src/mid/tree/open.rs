//! A search that can be interrupted: what it has left open is a list of node pairs.

use super::{BvTree, Scratch, TreePair};
use crate::{
    mid::{
        OpenPair,
        timed::{self, Look, Meter, Ranked},
    },
    volume::BoundingVolume,
};

impl<V: BoundingVolume> TreePair<'_, V> {
    /// Makes room for a search and leaves the roots open, unless they are apart.
    pub(super) fn begin_open(&self, scratch: &mut Scratch<V>) {
        self.begin(scratch);
        let roots = self.roots().and_then(|roots| self.opened(scratch, roots));
        scratch.open.clear();
        scratch.open.extend(roots);
    }

    fn opened(&self, scratch: &mut Scratch<V>, pair: [u32; 2]) -> Option<Ranked<[u32; 2]>> {
        let [i, j] = pair;
        let (a, b) = (&self.a.nodes[i as usize], &self.b.nodes[j as usize]);
        scratch.counts.volume_tests += 1;
        let placed = scratch.placed.get(j, b, &self.placement);
        let overlaps = a.volume.overlaps(&placed);
        overlaps.then(|| Ranked { overlap: a.volume.depth_above(&placed), pair })
    }

    /// Looks into open pairs until none are left, which is returned, or the meter has run out.
    pub(super) fn advance(
        &self,
        scratch: &mut Scratch<V>,
        meter: &mut Meter,
        wants_all: bool,
        mut visit: impl FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        let mut open = std::mem::take(&mut scratch.open);
        let is_over = timed::advance(&mut open, meter, wants_all, |meter, pair| {
            let Some(children) = self.children(pair) else {
                let [i, j] = pair;
                let (a, b) = (&self.a.nodes[i as usize], &self.b.nodes[j as usize]);
                let tests = u64::from(a.count) * u64::from(b.count);
                scratch.counts.face_tests += tests;
                meter.tests += tests;
                return Look::Leaves { touch: visit([self.a.faces_of(a), self.b.faces_of(b)]) };
            };
            meter.tests += 2;
            Look::Children(children.map(|pair| self.opened(scratch, pair)))
        });
        scratch.open = open;
        scratch.counts.placed = scratch.placed.count();
        is_over
    }
}

impl<V: BoundingVolume> BvTree<V> {
    /// How long a unit of overlap is in the world: a way there is up to 1.5e-6 shorter in the frame.
    fn overlap_unit(&self) -> f64 {
        self.frame.unit() * (1.0 + 4e-6)
    }

    /// How many pairs are open, and the largest overlap.
    pub(super) fn left_open(&self, scratch: &Scratch<V>) -> (usize, f64) {
        let overlaps = scratch.open.iter().map(|open| open.overlap);
        (scratch.open.len(), overlaps.fold(0.0, f64::max) * self.overlap_unit())
    }

    /// Visits what is open, in terms of a caller, who knows no nodes.
    pub(super) fn visit_open(
        &self,
        other: &Self,
        scratch: &Scratch<V>,
        visit: &mut dyn FnMut(OpenPair<'_>),
    ) {
        for Ranked { overlap, pair: [i, j] } in &scratch.open {
            let (faces_a, faces_b) = (self.faces_below(*i), other.faces_below(*j));
            visit(OpenPair { faces_a, faces_b, overlap: overlap * self.overlap_unit() });
        }
    }
}
