//! The deepest point of the space inside two solids.
//!
//! A point inside both solids is worth the sum of its distances to the two surfaces (`depth.rs`). That sum changes by
//! at most twice the distance between two points, so a cell around a point cannot hold a much better one. Cells are
//! halved, the most promising first, until none can be better or a number of points was measured. Then the best point
//! is moved as long as that helps.

use super::{
    band::Band,
    depth::{DepthProbe, Reach},
    placed::Placed,
};
use crate::Bounds;
use glam::DVec3;
use std::{cmp::Ordering, collections::BinaryHeap};

/// Points that are measured at most.
const MAX_POINTS: usize = 160;
/// Steps when the best point is moved, and the number of times the step is halved.
const MAX_MOVES: usize = 48;
/// The search ends when no cell can be better than the best point by more than this share.
const CLOSE: f64 = 1e-3;

/// A box, the sum at its centre, and a bound of the sum at all its points.
struct Cell {
    center: DVec3,
    half: DVec3,
    bound: f64,
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound)
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

/// Looks for points inside both parts that are deeper than what is known. `most` is a length that no depth exceeds.
pub(super) fn deepen(
    probe: &mut DepthProbe,
    parts @ (a, b): (Placed<'_>, Placed<'_>),
    region: &Bounds,
    band: Band,
    most: f64,
    reach: &mut Reach,
) {
    if region.is_empty() || !a.solid().is_solid || !b.solid().is_solid {
        return;
    }
    let mut points = 0;
    let mut cells = BinaryHeap::new();
    let mut inside: Option<(DVec3, f64)> = None;
    let mut measure = |center: DVec3, half: DVec3, reach: &mut Reach, points: &mut usize| {
        *points += 1;
        let [in_a, in_b] = probe.signed_distances(parts, center, band, reach);
        let radius = half.length();
        if in_a > 0.0 && in_b > 0.0 && inside.is_none_or(|(_, best)| in_a + in_b > best) {
            inside = Some((center, in_a + in_b));
        }
        let can_be_inside = in_a + radius > 0.0 && in_b + radius > 0.0;
        can_be_inside.then_some(Cell { center, half, bound: in_a + in_b + 2.0 * radius })
    };
    let (center, half) = (region.center(), region.size() * 0.5);
    cells.extend(measure(center, half, reach, &mut points));
    while let Some(cell) = cells.pop() {
        let enough = reach.depth * (1.0 + CLOSE);
        if cell.bound <= enough || reach.depth >= most * (1.0 - 1e-9) || points >= MAX_POINTS {
            break;
        }
        // Halve the longest side.
        let longest = cell.half.max_element();
        let axis = (0..3).find(|&axis| cell.half[axis] == longest).unwrap_or(0);
        let mut half = cell.half;
        half[axis] *= 0.5;
        for side in [-1.0, 1.0] {
            let mut center = cell.center;
            center[axis] += side * half[axis];
            cells.extend(measure(center, half, reach, &mut points));
        }
    }
    // Move the best point.
    let Some((mut point, mut best)) = inside else { return };
    let mut step = 0.5 * best;
    for _ in 0..MAX_MOVES {
        if step < 1e-4 * best || reach.depth >= most * (1.0 - 1e-9) {
            break;
        }
        let mut has_moved = false;
        for way in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z] {
            let next = point + way * step;
            let [in_a, in_b] = probe.signed_distances(parts, next, band, reach);
            if in_a > 0.0 && in_b > 0.0 && in_a + in_b > best {
                (point, best, has_moved) = (next, in_a + in_b, true);
                break;
            }
        }
        if !has_moved {
            step *= 0.5;
        }
    }
}
