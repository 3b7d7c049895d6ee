//! At most four points that span a region, as the solvers of physics engines want them.

use super::{ContactRegions, measure::Measure};
use crate::{Pose, Shape};
use glam::{DVec2, DVec3};
use std::cmp::Ordering;

/// A point of a contact manifold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ManifoldPoint {
    /// The point half way between [`on_a`](Self::on_a) and [`on_b`](Self::on_b).
    pub point: DVec3,
    /// The point of `a`: deeper in `b` than the point of `b` by the depth, along the normal.
    pub on_a: DVec3,
    /// The point of `b`: `on_a` plus the normal times the depth.
    pub on_b: DVec3,
    /// The depth there, at least 0 and at most that of the region.
    pub depth: f64,
}

impl ManifoldPoint {
    /// A point of `a`, or of `b`, at this depth below the other surface.
    fn of(body: u8, at: DVec3, normal: DVec3, depth: f64) -> Self {
        let way = normal * depth;
        let (on_a, on_b) = if body == 0 { (at, at + way) } else { (at - way, at) };
        Self { point: on_a + way / 2.0, on_a, on_b, depth }
    }
}

impl ContactRegions {
    /// Adds the manifold of a region.
    pub(super) fn add_manifold(
        &mut self,
        bodies: [(&Shape, &Pose); 2],
        region: u32,
        measure: &Measure,
    ) {
        let Self { candidates, flat, by_region, inside, joints, manifolds, .. } = self;
        let &Measure { normal, point, depth, heights: [highest, lowest], .. } = measure;
        candidates.clear();
        let own = by_region.inside.of(region);
        candidates.extend(own.iter().map(|&vertex| {
            let vertex = &inside.vertices[vertex as usize];
            let at = vertex.place(bodies);
            let height = normal.dot(at - point);
            let below = if vertex.body == 0 { highest - height } else { height - lowest };
            ManifoldPoint::of(vertex.body, at, normal, below.clamp(0.0, depth))
        }));
        if own.is_empty() && depth > 0.0 {
            candidates.push(ManifoldPoint::of(0, point - normal * (depth / 2.0), normal, depth));
        }
        let ends = by_region.joints.of(region).iter();
        candidates.extend(
            ends.map(|&joint| ManifoldPoint::of(0, joints.points()[joint as usize], normal, 0.0)),
        );
        select(candidates, normal, joints.tolerance(), flat, manifolds);
    }
}

/// Selects at most four candidates: the deepest, the farthest from it, and those that add the largest areas, all seen along
/// the normal. Of equal ones the deeper, then the one with the least coordinates.
fn select(
    candidates: &[ManifoldPoint],
    normal: DVec3,
    tolerance: f64,
    flat: &mut Vec<DVec2>,
    selected: &mut Vec<ManifoldPoint>,
) {
    let Some(origin) = candidates.first() else { return };
    let (u, v) = normal.any_orthonormal_pair();
    flat.clear();
    flat.extend(candidates.iter().map(|candidate| {
        let arm = candidate.point - origin.point;
        DVec2::new(u.dot(arm), v.dot(arm))
    }));
    let flat = &flat[..];
    let area = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p) / 2.0;

    let (_, first) = best(candidates, |i| candidates[i].depth);
    selected.push(candidates[first]);
    let p = flat[first];
    let (away, second) = best(candidates, |i| flat[i].distance_squared(p));
    let away = away.sqrt();
    if away <= tolerance {
        return;
    }
    selected.push(candidates[second]);
    let q = flat[second];
    let (size, third) = best(candidates, |i| area(p, q, flat[i]).abs());
    if size <= tolerance * away {
        return;
    }
    selected.push(candidates[third]);
    let r = flat[third];
    // Counter-clockwise; what a point adds is the largest triangle that it makes with an edge, outside of it.
    let (q, r) = if area(p, q, r) > 0.0 { (q, r) } else { (r, q) };
    let (size, fourth) = best(candidates, |i| {
        let at = flat[i];
        -area(p, q, at).min(area(q, r, at)).min(area(r, p, at))
    });
    if size > tolerance * away {
        selected.push(candidates[fourth]);
    }
}

/// The largest value, and the number of the candidate that has it.
fn best(candidates: &[ManifoldPoint], value: impl Fn(usize) -> f64) -> (f64, usize) {
    let mut best = (value(0), 0);
    for i in 1..candidates.len() {
        let (at, (most, kept)) = (value(i), best);
        let is_better = at > most
            || at == most && {
                let (new, old) = (&candidates[i], &candidates[kept]);
                new.depth.total_cmp(&old.depth).then_with(|| order(old, new)) == Ordering::Greater
            };
        if is_better {
            best = (at, i);
        }
    }
    best
}

fn order(p: &ManifoldPoint, q: &ManifoldPoint) -> Ordering {
    let [p, q] = [p, q].map(|point| point.point.to_array());
    p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]))
}
