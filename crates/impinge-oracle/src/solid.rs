//! The distance of a true solid and a triangle, by subdivision of the triangle.
//!
//! The distance of a point to each solid is a textbook formula in the half plane through the axis and the point. The
//! triangle is divided into ever smaller ones, the most promising first. Each has a lower bound:
//!
//! - The distance d to a convex solid is convex, so it lies above its tangent plane at the middle of a piece.
//! - For a torus, `g² = |P|² + R² − 2Rρ` is a convex term, which lies above its tangent plane, and a concave one, which lies
//!   above the plane through its values at the corners.
//!
//! In `f64`, so accurate to about 1e-14 of the sizes involved.

use std::{cmp::Ordering, collections::BinaryHeap};

type Vector = [f64; 3];

/// A solid about the z axis, with the origin in its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OracleSolid {
    /// The radius.
    Ball(f64),
    /// The radius, and the length of the segment.
    Capsule(f64, f64),
    /// The radius, and the height.
    Cylinder(f64, f64),
    /// The radii below and above, and the height.
    Cone(f64, f64, f64),
    /// The radii of the ring and of the tube.
    Torus(f64, f64),
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn mean(points: &[Vector]) -> Vector {
    [0, 1, 2].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64)
}

/// The point of a segment in the plane that is closest to a point.
fn closest_on_segment(from: [f64; 2], to: [f64; 2], point: [f64; 2]) -> [f64; 2] {
    let along = [to[0] - from[0], to[1] - from[1]];
    let whole = along[0] * along[0] + along[1] * along[1];
    let part = along[0] * (point[0] - from[0]) + along[1] * (point[1] - from[1]);
    let share = if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 };
    [from[0] + along[0] * share, from[1] + along[1] * share]
}

impl OracleSolid {
    /// The point of the solid closest to a point of the half plane: (distance from the axis, height).
    fn closest(&self, point: [f64; 2]) -> [f64; 2] {
        let toward = |center: [f64; 2], radius: f64| {
            let away = [point[0] - center[0], point[1] - center[1]];
            let length = away[0].hypot(away[1]);
            if length <= radius {
                return point;
            }
            [center[0] + away[0] * radius / length, center[1] + away[1] * radius / length]
        };
        match *self {
            Self::Ball(radius) => toward([0.0, 0.0], radius),
            Self::Capsule(radius, height) => {
                toward([0.0, point[1].clamp(-0.5 * height, 0.5 * height)], radius)
            }
            Self::Cylinder(radius, height) => {
                [point[0].min(radius), point[1].clamp(-0.5 * height, 0.5 * height)]
            }
            Self::Cone(below, above, height) => {
                let share = point[1] / height + 0.5;
                let is_level = (0.0..=1.0).contains(&share);
                if is_level && point[0] <= below + (above - below) * share {
                    return point;
                }
                let (low, high) = (-0.5 * height, 0.5 * height);
                let sides = [
                    closest_on_segment([0.0, low], [below, low], point),
                    closest_on_segment([below, low], [above, high], point),
                    closest_on_segment([above, high], [0.0, high], point),
                ];
                let distance = |at: &[f64; 2]| (at[0] - point[0]).hypot(at[1] - point[1]);
                let by_distance = |a: &[f64; 2], b: &[f64; 2]| distance(a).total_cmp(&distance(b));
                sides.into_iter().min_by(by_distance).unwrap_or(point)
            }
            Self::Torus(ring, tube) => toward([ring, 0.0], tube),
        }
    }

    /// The distance of a point; 0 inside.
    pub fn distance(&self, point: Vector) -> f64 {
        let at = [point[0].hypot(point[1]), point[2]];
        let closest = self.closest(at);
        (at[0] - closest[0]).hypot(at[1] - closest[1])
    }

    /// A lower bound of the distance of a triangle.
    fn lower_bound(&self, corners: &[Vector; 3]) -> f64 {
        let middle = mean(corners);
        let from_axis = |p: Vector| p[0].hypot(p[1]);
        if let Self::Torus(ring, tube) = *self {
            let least = corners.map(|p| {
                let tangent = dot(middle, middle) + 2.0 * dot(middle, minus(p, middle));
                tangent + ring * ring - 2.0 * ring * from_axis(p)
            });
            let least = least.into_iter().fold(f64::INFINITY, f64::min);
            return (least.max(0.0).sqrt() - tube).max(0.0);
        }
        let at = [from_axis(middle), middle[2]];
        let closest = self.closest(at);
        let distance = (at[0] - closest[0]).hypot(at[1] - closest[1]);
        if distance == 0.0 {
            return 0.0;
        }
        let outward = (at[0] - closest[0]) / distance;
        let sideways = if at[0] > 0.0 { outward / at[0] } else { 0.0 };
        let gradient =
            [middle[0] * sideways, middle[1] * sideways, (at[1] - closest[1]) / distance];
        let least = corners.map(|p| dot(gradient, minus(p, middle)));
        (distance + least.into_iter().fold(f64::INFINITY, f64::min)).max(0.0)
    }

    /// Bounds of the distance of a triangle, in the solid's own coordinates. They differ by at most `accuracy`, unless that
    /// takes too many pieces.
    pub fn triangle_distance(&self, triangle: &[Vector; 3], accuracy: f64) -> [f64; 2] {
        /// So many pieces take about a tenth of a second.
        const MOST_PIECES: usize = 300_000;
        let mut upper = triangle.iter().map(|&p| self.distance(p)).fold(f64::INFINITY, f64::min);
        let mut pieces = BinaryHeap::new();
        pieces.push(Piece { lower: self.lower_bound(triangle), corners: *triangle });
        for _ in 0..MOST_PIECES {
            let Some(&Piece { lower, corners }) = pieces.peek() else { break };
            if upper - lower <= accuracy {
                return [lower.min(upper), upper];
            }
            pieces.pop();
            upper = upper.min(self.distance(mean(&corners)));
            let edge = |i: usize| minus(corners[(i + 1) % 3], corners[i]);
            let length = |i: usize| dot(edge(i), edge(i));
            let longest = (1..3).fold(0, |best, i| if length(i) > length(best) { i } else { best });
            let [a, b, c] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);
            let middle = mean(&[a, b]);
            upper = upper.min(self.distance(middle));
            for corners in [[a, middle, c], [middle, b, c]] {
                pieces.push(Piece { lower: self.lower_bound(&corners).max(lower), corners });
            }
        }
        [pieces.peek().map_or(upper, |piece| piece.lower).min(upper), upper]
    }
}

/// A part of a triangle, and a lower bound of its distance. The one with the least bound is the greatest.
struct Piece {
    lower: f64,
    corners: [Vector; 3],
}

impl Ord for Piece {
    fn cmp(&self, other: &Self) -> Ordering {
        other.lower.total_cmp(&self.lower)
    }
}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Piece {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_known_triangles() {
        let plate = |z: f64| [[-9.0, -9.0, z], [9.0, -9.0, z], [0.0, 9.0, z]];
        let close = |solid: OracleSolid, z: f64, expected: f64| {
            let [lower, upper] = solid.triangle_distance(&plate(z), 1e-7);
            assert!(lower <= expected && expected <= upper, "{solid:?}: {lower} to {upper}");
            assert!(upper - lower <= 1e-7, "{solid:?}");
        };
        close(OracleSolid::Ball(1.0), 3.0, 2.0);
        close(OracleSolid::Capsule(1.0, 2.0), 3.0, 1.0);
        close(OracleSolid::Cylinder(1.0, 2.0), -3.0, 2.0);
        close(OracleSolid::Cone(1.0, 0.0, 2.0), 3.0, 2.0);
        close(OracleSolid::Torus(2.0, 0.5), 1.0, 0.5);
        close(OracleSolid::Torus(2.0, 0.5), 0.2, 0.0);
        let needle = [[0.0, 0.0, -9.0], [0.0, 0.0, 9.0], [0.1, 0.0, 0.0]];
        let [lower, upper] = OracleSolid::Torus(2.0, 0.5).triangle_distance(&needle, 1e-9);
        assert!((lower - 1.4).abs() < 1e-8 && (upper - 1.4).abs() < 1e-8, "{lower} to {upper}");
    }
}
