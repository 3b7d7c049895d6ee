//! Meshes that approximate solids, for pictures and for files.

use super::{RevolvedHull, profile::outline};
use crate::{Mesh, MeshError};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// The number of equal parts of a circle of a radius, or of an arc of it, such that no chord is farther from it than a
/// tolerance; at least one for each third of a circle.
fn parts(radius: f64, angle: f64, tolerance: f64) -> usize {
    let half = (1.0 - (tolerance / radius).clamp(0.0, 0.5)).acos();
    // NaN for a radius of 0.
    if half > 0.0 { (0.5 * angle / half).ceil().max(1.0) as usize } else { 1 }
}

/// The outline of a convex solid as points (distance from the axis, height), from the upper end of the axis to the lower.
pub(super) fn outline_of_hull(hull: &RevolvedHull, tolerance: f64) -> Vec<[f64; 2]> {
    let arcs = outline(hull);
    let mut points: Vec<[f64; 2]> = Vec::new();
    let [Some(first), Some(last)] = [arcs.first(), arcs.last()] else { return points };
    points.push([0.0, first.point(0.0)[1]]);
    for arc in &arcs {
        let [from, to] = arc.angles;
        let count = parts(arc.disc.rounding, to - from, tolerance);
        let angles = (0..=count).map(|i| from + (to - from) * i as f64 / count as f64);
        points.extend(angles.map(|angle| arc.point(angle)));
    }
    points.push([0.0, last.point(PI)[1]]);
    points.dedup();
    points
}

/// The outline of a torus: a closed one with its first point repeated at the end or, for a torus without a hole, one from
/// the upper end of the axis to the lower.
pub(super) fn outline_of_torus([ring, tube]: [f64; 2], tolerance: f64) -> Vec<[f64; 2]> {
    let is_closed = tube <= ring;
    // Angles from the outward direction, upward positive.
    let last = if is_closed { PI } else { (-ring / tube).acos() };
    let count = parts(tube, 2.0 * last, tolerance).max(3);
    let angles = (0..=count).map(|i| last - 2.0 * last * i as f64 / count as f64);
    let mut points: Vec<[f64; 2]> =
        angles.map(|a| [(ring + tube * a.cos()).max(0.0), tube * a.sin()]).collect();
    let (first, end) = (points[0], points.len() - 1);
    if is_closed {
        points[end] = first;
    } else {
        (points[0][0], points[end][0]) = (0.0, 0.0);
    }
    points
}

/// The mesh of an outline turned about the z axis. Faces look outward if the outline runs downward on its outer side.
pub(super) fn revolved(outline: &[[f64; 2]], tolerance: f64) -> Result<Mesh, MeshError> {
    let largest = outline.iter().map(|&[radius, _]| radius).fold(0.0, f64::max);
    let count = parts(largest, TAU, tolerance).max(3);
    let is_closed = outline.len() > 1 && outline.first() == outline.last();
    let mut positions = Vec::new();
    // The vertices of each point of the outline: a circle, or one on the axis.
    let circles: Vec<Vec<u32>> = outline[..outline.len() - usize::from(is_closed)]
        .iter()
        .map(|&[radius, height]| {
            let first = positions.len() as u32;
            if radius == 0.0 {
                positions.push(DVec3::new(0.0, 0.0, height));
                return vec![first; count];
            }
            let angles = (0..count).map(|i| TAU * i as f64 / count as f64);
            positions
                .extend(angles.map(|a| DVec3::new(radius * a.cos(), radius * a.sin(), height)));
            (first..first + count as u32).collect()
        })
        .collect();
    let mut faces = Vec::new();
    for i in 0..outline.len().saturating_sub(1) {
        let (upper, lower) = (&circles[i], &circles[(i + 1) % circles.len()]);
        for k in 0..count {
            let next = (k + 1) % count;
            let quad = [upper[k], lower[k], lower[next], upper[next]];
            for face in [[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]] {
                if face[0] != face[1] && face[1] != face[2] && face[2] != face[0] {
                    faces.push(face);
                }
            }
        }
    }
    Mesh::new(positions, faces)
}
