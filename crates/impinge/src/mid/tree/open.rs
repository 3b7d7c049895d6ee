//! A search that can be interrupted: what it has left open is a list of node pairs.

use super::{BvTree, Node, Scratch, TreePair};
use crate::{
    mid::{
        OpenPair,
        timed::{Meter, Phase},
    },
    volume::BoundingVolume,
};
use std::{cmp::Ordering, collections::BinaryHeap};

/// Two nodes whose volumes were found to overlap, and have not been looked into.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenNodes {
    /// At most how far one of them has to be moved, in the frame of the first tree.
    overlap: f64,
    nodes: [u32; 2],
}

impl Ord for OpenNodes {
    fn cmp(&self, other: &Self) -> Ordering {
        self.overlap.total_cmp(&other.overlap).then_with(|| self.nodes.cmp(&other.nodes))
    }
}

impl PartialOrd for OpenNodes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for OpenNodes {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for OpenNodes {}

impl<V: BoundingVolume> TreePair<'_, V> {
    /// Makes room for a search and leaves the roots open, unless they are apart.
    pub(super) fn begin_open(&self, scratch: &mut Scratch<V>) {
        self.begin(scratch);
        let roots = self.roots().and_then(|roots| self.opened(scratch, roots));
        scratch.open.clear();
        scratch.open.extend(roots);
    }

    fn opened(&self, scratch: &mut Scratch<V>, nodes: [u32; 2]) -> Option<OpenNodes> {
        let [i, j] = nodes;
        let (a, b) = (&self.a.nodes[i as usize], &self.b.nodes[j as usize]);
        scratch.counts.volume_tests += 1;
        let placed = scratch.placed.get(j, b, &self.placement);
        let overlaps = a.volume.overlaps(&placed);
        overlaps.then(|| OpenNodes { overlap: a.volume.depth_above(&placed), nodes })
    }

    /// Looks into open pairs until none are left, which is returned, or the meter has run out. Goes down where the
    /// overlap is largest for the first half of it, and to whatever overlaps most for the second.
    ///
    /// `visit` returns whether it has found something: then going down is all that matters, and
    /// unless all is wanted, the search ends.
    pub(super) fn advance(
        &self,
        scratch: &mut Scratch<V>,
        meter: &mut Meter,
        wants_all: bool,
        mut visit: impl FnMut([&[u32]; 2]) -> bool,
    ) -> bool {
        let mut open = std::mem::take(&mut scratch.open);
        let mut has_found = false;
        // The list as a heap, and back, without a copy.
        let (mut heap, mut is_heap) = (BinaryHeap::new(), false);
        while !has_found || wants_all {
            let next = match meter.phase() {
                Phase::Over => break,
                Phase::SecondHalf if !has_found => {
                    if !is_heap {
                        (heap, is_heap) = (BinaryHeap::from(std::mem::take(&mut open)), true);
                    }
                    heap.pop()
                }
                _ => {
                    if is_heap {
                        (open, is_heap) = (std::mem::take(&mut heap).into_vec(), false);
                    }
                    open.pop()
                }
            };
            let Some(OpenNodes { nodes, .. }) = next else { break };
            let before = scratch.counts;
            match self.children(nodes) {
                None => {
                    let [a, b] = self.nodes(nodes);
                    scratch.counts.face_tests += u64::from(a.count) * u64::from(b.count);
                    has_found |= visit([self.a.faces_of(a), self.b.faces_of(b)]);
                }
                Some(children) => {
                    let mut found = children.map(|nodes| self.opened(scratch, nodes));
                    // The one that overlaps more comes last, and so is looked into first.
                    found.sort_unstable();
                    let found = found.into_iter().flatten();
                    if is_heap { heap.extend(found) } else { open.extend(found) }
                }
            }
            let counts = &mut scratch.counts;
            counts.placed = scratch.placed.count();
            meter.tests += counts.volume_tests - before.volume_tests;
            meter.tests += counts.face_tests - before.face_tests;
        }
        if is_heap {
            open = heap.into_vec();
        }
        let is_over = open.is_empty();
        scratch.open = open;
        is_over
    }

    fn nodes(&self, [i, j]: [u32; 2]) -> [&Node<V>; 2] {
        [&self.a.nodes[i as usize], &self.b.nodes[j as usize]]
    }
}

impl<V: BoundingVolume> BvTree<V> {
    /// Visits what is open, in terms of a caller, who knows no nodes.
    pub(super) fn visit_open(
        &self,
        other: &Self,
        scratch: &Scratch<V>,
        visit: &mut dyn FnMut(OpenPair<'_>),
    ) {
        // A way in the world is up to 1.5e-6 shorter in the frame.
        let unit = self.frame.unit() * (1.0 + 4e-6);
        for OpenNodes { overlap, nodes: [i, j] } in &scratch.open {
            let (faces_a, faces_b) = (self.faces_below(*i), other.faces_below(*j));
            visit(OpenPair { faces_a, faces_b, overlap: overlap * unit });
        }
    }
}
