//! Whether two surfaces cross that enclose nothing.
//!
//! Seen along a piece of the curve, each face that has it is a ray or two: one for each side of the
//! curve to which it reaches. The surfaces cross if the rays of the one lie in more than one of the
//! sectors that the rays of the other leave.

use super::{
    common::{Kind, Piece},
    placed::Placed,
};
use crate::FacePair;
use glam::DVec3;
use std::collections::HashMap;

/// A face as seen along a piece of the curve: in which direction, and how far.
#[derive(Clone, Copy, Debug)]
struct Ray {
    angle: f64,
    reach: f64,
}

/// Whether the surfaces cross anywhere, deeper than the touch band.
pub(super) fn cross(
    (a, b): (Placed<'_>, Placed<'_>),
    faces: &[FacePair],
    pieces: &[Piece],
    touch: f64,
) -> bool {
    // Where the curve runs along an edge, several pairs of faces have the same piece.
    let mut same: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
    for (number, piece) in pieces.iter().enumerate() {
        if let Kind::Segment(_, [i, j]) = piece.kind {
            same.entry([i.min(j), i.max(j)]).or_default().push(number);
        }
    }
    same.values().any(|numbers| {
        let Kind::Segment(ends, _) = pieces[numbers[0]].kind else { return false };
        let rays = |part: Placed<'_>, face_of: fn(&FacePair) -> u32| {
            let mut own: Vec<u32> = numbers.iter().map(|&n| face_of(&faces[n])).collect();
            own.sort_unstable();
            own.dedup();
            own.iter().flat_map(|&face| rays_of(part, face, ends, touch)).collect::<Vec<Ray>>()
        };
        are_interleaved(&rays(a, |pair| pair.a), rays(b, |pair| pair.b), touch)
    })
}

/// The rays of a face that reach farther than the touch band.
fn rays_of(
    part: Placed<'_>,
    face: u32,
    [from, to]: [DVec3; 2],
    touch: f64,
) -> impl Iterator<Item = Ray> {
    let triangle = part.triangle(face);
    let along = (to - from).normalize_or_zero();
    let (first, second) = along.any_orthonormal_pair();
    let normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
    let across = normal.cross(along).normalize_or_zero();
    [across, -across].into_iter().filter_map(move |way| {
        let reaches = triangle.iter().map(|&corner| way.dot(corner - from));
        let reach = reaches.fold(0.0, f64::max);
        let angle = way.dot(second).atan2(way.dot(first));
        (reach > touch).then_some(Ray { angle, reach })
    })
}

/// Whether rays lie in more than one of the sectors that others leave.
fn are_interleaved(rays: &[Ray], mut others: Vec<Ray>, touch: f64) -> bool {
    others.sort_unstable_by(|p, q| p.angle.total_cmp(&q.angle));
    let mut sectors = rays.iter().filter_map(|ray| {
        // What lies in the other's face, but for the touch band, is on no side of it.
        let is_along = others.iter().any(|other| {
            let (sine, cosine) = (ray.angle - other.angle).sin_cos();
            cosine > 0.0 && sine.abs() * ray.reach.min(other.reach) <= touch.max(1e-12 * ray.reach)
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
        let cross = |a: &[f64], b: &[f64]| are_interleaved(&rays(a), rays(b), 1e-9);
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
