//! The nearest-pair traversal of two wide trees: branch and bound, the closest pair of boxes first.
//!
//! Called through [`NearestWalk`] by distance queries; relies on the gaps of `boxes.rs`.

use super::{
    Link, Slot, WIDTH,
    walk::{Scratch, WidePair},
};
use crate::method::{
    NearestFaces, WalkCounts,
    hierarchy::{NearestWalk, Walk},
};

/// Pairs of boxes still to visit, each with a lower bound of its distance in the world.
pub(super) type NearStack = Vec<(f64, [Slot; 2])>;

impl NearestWalk for WidePair<'_> {
    type Scratch = Scratch;

    fn walk_nearest(
        &self,
        scratch: &mut Scratch,
        nearest: &mut NearestFaces,
        visit: &mut dyn FnMut(&mut NearestFaces, [&[u32]; 2]),
    ) {
        let Scratch { near: stack, counts, .. } = scratch;
        *counts = WalkCounts::default();
        stack.clear();
        stack.extend(self.roots().map(|roots| (0.0, roots)));
        while let Some((at_least, pair)) = stack.pop() {
            if nearest.can_skip(at_least) {
                continue;
            }
            let Some(job) = self.job(pair) else {
                let faces = self.leaves(pair);
                counts.face_tests += (faces[0].len() * faces[1].len()) as u64;
                visit(nearest, faces);
                continue;
            };
            counts.volume_tests += WIDTH as u64;
            counts.placed += 1;
            let gaps = self.gaps_of(&job);
            // Let g be the vector in the world between a point of one body and a point of the
            // other. In this frame it is R⁻¹g / scale, up to the slack that the placed box
            // contains, and R⁻¹ lengthens no vector by more than 1.5e-6. A box's axes lengthen none
            // by more than 1e-5, and the gaps along them add up like the sides of a box.
            let unit = self.trees[job.opened].body_frame.scale * (1.0 - 4e-5);
            let begin = stack.len();
            for (lane, link_below) in (0..).zip(&self.opened(&job).links) {
                if *link_below == Link::NONE {
                    break;
                }
                let gap = |k: usize| f64::from(gaps[k][lane as usize].max(0.0));
                let along = |k: usize| gap(k).hypot(gap(k + 1)).hypot(gap(k + 2));
                let bound = along(0).max(along(3)) * unit;
                let bound = if bound.is_finite() { bound } else { 0.0 };
                stack.push((bound, job.with_child(lane)));
            }
            // The closest pair goes last, so it is visited first: it is likely to prune the others.
            stack[begin..].sort_unstable_by(|p, q| q.0.total_cmp(&p.0));
        }
    }
}
