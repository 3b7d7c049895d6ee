//! Down two trees at once, to the leaves that may touch.

use super::{BvTree, Node};
use crate::volume::{BoundingVolume, Relative};
use std::ops::ControlFlow;

/// Where a walk begins.
pub(super) const ROOTS: [u32; 2] = [0, 0];

/// What a walk did, for the cost formula `T = N_v C_v + N_p C_p + N_u C_u` (Gottschalk 1996,
/// Klosowski 1998): the tests of each kind that it made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkCounts {
    /// N_v: pairs of volumes tested.
    pub volume_tests: u64,
    /// N_p: pairs of faces tested.
    pub face_tests: u64,
    /// N_u: volumes placed in the other frame.
    pub placed: u64,
}

impl WalkCounts {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            volume_tests: self.volume_tests + other.volume_tests,
            face_tests: self.face_tests + other.face_tests,
            placed: self.placed + other.placed,
        }
    }
}

/// Room for a walk, reused from query to query so that none allocates once warm.
#[derive(Debug)]
pub struct Scratch<V: BoundingVolume> {
    pub(super) stack: Vec<[u32; 2]>,
    pub(super) placed: Placed<V>,
    /// What the last walk did.
    pub counts: WalkCounts,
}

/// The nodes of the second tree in the frame of the first, each placed when it is first needed.
#[derive(Debug)]
pub(super) struct Placed<V: BoundingVolume> {
    volumes: Vec<Option<V::Placed>>,
    /// The nodes placed in this walk, to be forgotten before the next.
    known: Vec<u32>,
}

impl<V: BoundingVolume> Default for Scratch<V> {
    fn default() -> Self {
        let placed = Placed { volumes: Vec::new(), known: Vec::new() };
        Self { stack: Vec::new(), placed, counts: WalkCounts::default() }
    }
}

impl<V: BoundingVolume> Placed<V> {
    pub(super) fn reset(&mut self, count: usize) {
        for node in self.known.drain(..) {
            if let Some(volume) = self.volumes.get_mut(node as usize) {
                *volume = None;
            }
        }
        self.volumes.resize(count, None);
    }

    #[inline]
    pub(super) fn get(
        &mut self,
        index: u32,
        node: &Node<V>,
        placement: &V::Placement,
    ) -> V::Placed {
        *self.volumes[index as usize].get_or_insert_with(|| {
            self.known.push(index);
            node.volume.placed(placement)
        })
    }

    /// How many were placed in this walk.
    pub(super) fn count(&self) -> u64 {
        self.known.len() as u64
    }
}

impl<V: BoundingVolume> BvTree<V> {
    /// Visits every pair of leaves whose volumes overlap, as lists of faces, until told to stop.
    ///
    /// No pair of touching faces is passed over: a leaf pair is left out only where the volumes of
    /// the leaves, or of nodes above them, are proved apart.
    pub fn visit_leaf_pairs<B>(
        &self,
        other: &Self,
        relative: &Relative,
        scratch: &mut Scratch<V>,
        visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.visit_leaf_pairs_below(&[ROOTS], other, relative, scratch, visit)
    }

    /// The part of a walk below some pairs of nodes.
    pub(super) fn visit_leaf_pairs_below<B>(
        &self,
        starts: &[[u32; 2]],
        other: &Self,
        relative: &Relative,
        scratch: &mut Scratch<V>,
        mut visit: impl FnMut(&[u32], &[u32]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Scratch { stack, placed, counts } = scratch;
        *counts = WalkCounts::default();
        stack.clear();
        placed.reset(other.nodes.len());
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return ControlFlow::Continue(());
        }
        let placement = V::placement(relative);
        let mut result = ControlFlow::Continue(());
        stack.extend(starts.iter().rev());
        while let Some(pair) = stack.pop() {
            let [i, j] = pair;
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            counts.volume_tests += 1;
            if !a.volume.overlaps(&placed.get(j, b, &placement)) {
                continue;
            }
            match self.children(other, relative, pair) {
                Some([first, second]) => stack.extend([second, first]),
                None => {
                    counts.face_tests += u64::from(a.count) * u64::from(b.count);
                    result = visit(self.faces_of(a), other.faces_of(b));
                    if result.is_break() {
                        break;
                    }
                }
            }
        }
        counts.placed = placed.count();
        result
    }

    /// Pairs of nodes that cover all leaves that may touch, dealt out into parts of about equal work.
    pub(super) fn dealt_out(
        &self,
        other: &Self,
        relative: &Relative,
        parts: usize,
    ) -> Vec<Vec<[u32; 2]>> {
        // Enough for each part that a few dear ones among them do not matter.
        let enough = 32 * parts;
        let mut dealt = vec![Vec::new(); parts];
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return dealt;
        }
        let placement = V::placement(relative);
        let may_touch = |[i, j]: &[u32; 2]| {
            let placed = other.nodes[*j as usize].volume.placed(&placement);
            self.nodes[*i as usize].volume.overlaps(&placed)
        };
        let mut level = vec![ROOTS];
        while !level.is_empty() && level.len() < enough {
            let children = |pair: &[u32; 2]| self.children(other, relative, *pair);
            if !level.iter().any(|pair| children(pair).is_some()) {
                break;
            }
            let next = level.iter().filter(|pair| may_touch(pair)).flat_map(|pair| {
                // Two leaves stay as they are until the rest have come as far.
                let (first, second) = children(pair).map_or((*pair, None), |[p, q]| (p, Some(q)));
                [first].into_iter().chain(second)
            });
            level = next.collect();
        }
        for (i, pair) in level.into_iter().enumerate() {
            dealt[i % parts].push(pair);
        }
        dealt
    }

    /// What a pair of nodes is split into, in the order to look at them; nothing for two leaves.
    ///
    /// The larger volume is split: its children shed the most overlap.
    #[inline]
    pub(super) fn children(
        &self,
        other: &Self,
        relative: &Relative,
        [i, j]: [u32; 2],
    ) -> Option<[[u32; 2]; 2]> {
        let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
        let split_a = match (a.is_leaf(), b.is_leaf()) {
            (true, true) => return None,
            (false, true) => true,
            (true, false) => false,
            (false, false) => a.volume.size() >= b.volume.size() * relative.scale(),
        };
        Some(match split_a {
            true => [[a.first, j], [a.first + 1, j]],
            false => [[i, b.first], [i, b.first + 1]],
        })
    }
}
