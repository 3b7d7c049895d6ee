//! Whether two surfaces cross that enclose nothing.
//!
//! Seen along a piece of the curve, each face there is a ray or two: one for each side of the curve to
//! which it reaches. The surfaces cross if the rays of the one lie in more than one of the sectors that the
//! rays of the other leave. The faces there are all that are within the touch band of the middle of the
//! piece: where the curve runs along an edge, rounding leaves it to chance which of the faces at the edge
//! touch the other part.

use super::{
    common::{Kind, Piece},
    placed::Placed,
};
use crate::{method::PointScratch, narrow::Triangle};
use glam::DVec3;

/// A face as seen along a piece of the curve: in which direction, and how far.
#[derive(Clone, Copy, Debug)]
struct Ray {
    angle: f64,
    reach: f64,
}

/// Looks where surfaces cross.
#[derive(Debug, Default)]
pub(super) struct Crossing {
    stack: PointScratch,
    rays: [Vec<Ray>; 2],
}

impl Crossing {
    /// How far two surfaces cross: the largest distance such that each of them reaches that far to both sides of the
    /// other, along some piece that they have in common; 0 if they do not cross.
    ///
    /// `near` is how far rounding moves points. It does not depend on the touch band, so that a wider band never
    /// makes a crossing of what a narrower band calls touching. A face that stays within the touch band `band` of a face
    /// of the other surface is on no side of it.
    pub(super) fn reach(
        &mut self,
        (a, b): (Placed<'_>, Placed<'_>),
        pieces: &[Piece],
        near: f64,
        band: f64,
    ) -> f64 {
        let Self { stack, rays } = self;
        let mut longest: Vec<&Piece> =
            pieces.iter().filter(|piece| matches!(piece.kind, Kind::Segment(..))).collect();
        longest.sort_by(|p, q| q.length().total_cmp(&p.length()));
        longest.truncate(MAX_PIECES);
        let reaches = longest.into_iter().map(|piece| {
            let Kind::Segment([from, to], _) = piece.kind else { return 0.0 };
            let along = (to - from).normalize_or_zero();
            for (part, rays) in [a, b].into_iter().zip(rays.iter_mut()) {
                rays.clear();
                let (shape, pose) = part.body();
                shape.faces_roughly_within(pose, piece.middle, near, stack, |face| {
                    rays.extend(rays_of(&part.triangle(face), piece.middle, along, near));
                });
            }
            let [of_a, of_b] = rays;
            interleaved_reach(of_a, of_b, near.max(band))
        });
        reaches.fold(0.0, f64::max)
    }
}

/// Pieces of the curve that are looked at, longest first.
const MAX_PIECES: usize = 4096;

/// The rays of a face that reach farther than the touch band, in the plane across the curve.
fn rays_of(
    triangle: &Triangle,
    at: DVec3,
    along: DVec3,
    near: f64,
) -> impl Iterator<Item = Ray> + use<> {
    let (first, second) = along.any_orthonormal_pair();
    let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
    let across = normal.cross(along).normalize_or_zero();
    // Where the face's edges, or corners close to it, meet that plane: the farthest to either side.
    let height = triangle.map(|corner| along.dot(corner - at));
    let mut reach = [0.0f64; 2];
    let mut add = |point: DVec3| {
        let far = across.dot(point - at);
        reach = [reach[0].max(far), reach[1].max(-far)];
    };
    for i in 0..3 {
        let j = (i + 1) % 3;
        if height[i].abs() <= near {
            add(triangle[i]);
        }
        if (height[i] > 0.0) != (height[j] > 0.0) {
            add(triangle[i] + (triangle[j] - triangle[i]) * (height[i] / (height[i] - height[j])));
        }
    }
    let rays = [(across, reach[0]), (-across, reach[1])];
    rays.into_iter().filter(move |&(_, reach)| reach > near).map(move |(way, reach)| {
        let angle = way.dot(second).atan2(way.dot(first));
        Ray { angle, reach }
    })
}

/// How far rays reach that lie in different sectors of the others: the largest distance for which the rays of both
/// surfaces that reach farther are still interleaved. 0 if no rays are.
fn interleaved_reach(rays: &[Ray], others: &mut [Ray], band: f64) -> f64 {
    if !are_interleaved(rays, others, band) {
        return 0.0;
    }
    let mut reaches: Vec<f64> = rays.iter().chain(&*others).map(|ray| ray.reach).collect();
    reaches.sort_by(f64::total_cmp);
    // The reaches are few; the last one with which they are still interleaved is looked for.
    let longer = |rays: &[Ray], than: f64| -> Vec<Ray> {
        rays.iter().copied().filter(|ray| ray.reach >= than).collect()
    };
    let last = reaches.partition_point(|&reach| {
        are_interleaved(&longer(rays, reach), &mut longer(others, reach), band)
    });
    reaches[last.max(1) - 1]
}

/// Whether rays lie in more than one of the sectors that others leave.
fn are_interleaved(rays: &[Ray], others: &mut [Ray], band: f64) -> bool {
    others.sort_unstable_by(|p, q| p.angle.total_cmp(&q.angle));
    let mut sectors = rays.iter().filter_map(|ray| {
        // What lies in the other's face, but for the touch band, is on no side of it.
        let is_along = others.iter().any(|other| {
            let (sine, cosine) = (ray.angle - other.angle).sin_cos();
            cosine > 0.0 && sine.abs() * ray.reach.min(other.reach) <= band.max(1e-12 * ray.reach)
        });
        let sector = others.partition_point(|other| other.angle < ray.angle) % others.len().max(1);
        (!is_along).then_some(sector)
    });
    let Some(first) = sectors.next() else { return false };
    sectors.any(|sector| sector != first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rays(angles: &[f64]) -> Vec<Ray> {
        angles.iter().map(|&angle| Ray { angle, reach: 1.0 }).collect()
    }

    #[test]
    fn rays_cross_if_they_are_interleaved() {
        let cross = |a: &[f64], b: &[f64]| are_interleaved(&rays(a), &mut rays(b), 1e-9);
        assert!(cross(&[0.0, 3.0], &[1.5, -1.5]));
        assert!(!cross(&[0.0, 3.0], &[1.0, 2.0]), "a ridge in a valley");
        assert!(!cross(&[1.0, 2.0], &[0.0, 3.0]), "a valley around a ridge");
        assert!(!cross(&[0.0, 3.0], &[1.5]), "the border of a sheet on another");
        assert!(!cross(&[1.5], &[0.0, 3.0]), "a sheet on the border of another");
        assert!(!cross(&[0.0, 3.0], &[0.0, 3.0]), "one sheet in another");
        assert!(!cross(&[3.1, -3.1], &[0.0, 1.0]), "on both sides of where angles begin");
        assert!(cross(&[3.1, 0.5], &[0.0, 1.0]));
        assert!(!cross(&[], &[0.0, 1.0]) && !cross(&[0.0, 1.0], &[]));
    }
}
