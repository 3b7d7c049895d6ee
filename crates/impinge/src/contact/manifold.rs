//! At most four points that span a region, as the solvers of physics engines want them.

use super::{ContactRegions, measure::Measure};
use crate::{Pose, Shape};
use glam::DVec3;
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
        let Self { candidates, by_region, inside, joints, manifolds, .. } = self;
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
        select(candidates, normal, joints.tolerance(), manifolds);
    }
}

/// Selects at most four candidates: the deepest, the farthest from it, and those that add the largest areas, all seen along
/// the normal. Of equal ones the deeper, then the one with the least coordinates.
fn select(
    candidates: &[ManifoldPoint],
    normal: DVec3,
    tolerance: f64,
    selected: &mut Vec<ManifoldPoint>,
) {
    let across = |v: DVec3| v - normal * normal.dot(v);
    // The sign of the area of a triangle, seen along the normal, tells on which side of an edge a point is.
    let area = |p: DVec3, q: DVec3, r: DVec3| (q - p).cross(r - p).dot(normal) / 2.0;
    let best = |value: &dyn Fn(&ManifoldPoint) -> f64| {
        candidates.iter().map(|c| (value(c), c)).max_by(|(v, c), (w, d)| {
            v.total_cmp(w).then_with(|| c.depth.total_cmp(&d.depth)).then_with(|| order(d, c))
        })
    };
    let Some((_, first)) = best(&|c| c.depth) else { return };
    selected.push(*first);
    let p = first.point;
    let Some((away, second)) = best(&|c| across(c.point - p).length()) else { return };
    if away <= tolerance {
        return;
    }
    selected.push(*second);
    let q = second.point;
    let Some((size, third)) = best(&|c| area(p, q, c.point).abs()) else { return };
    if size <= tolerance * away {
        return;
    }
    selected.push(*third);
    let r = third.point;
    // Counter-clockwise; what a point adds is the largest triangle that it makes with an edge, outside of it.
    let (q, r) = if area(p, q, r) > 0.0 { (q, r) } else { (r, q) };
    let added = |c: &ManifoldPoint| {
        [(p, q), (q, r), (r, p)].map(|(s, t)| -area(s, t, c.point)).into_iter().fold(0.0, f64::max)
    };
    let Some((size, fourth)) = best(&added) else { return };
    if size > tolerance * away {
        selected.push(*fourth);
    }
}

fn order(p: &ManifoldPoint, q: &ManifoldPoint) -> Ordering {
    let [p, q] = [p, q].map(|point| point.point.to_array());
    p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(p[2].total_cmp(&q[2]))
}
