//! The faces that were closest to a point, kept for when it has moved a little.
//!
//! A face lies behind the plane through its closest point p that is perpendicular to the way from p to the point: it is
//! convex. So after the point has moved by m, the face is at least as far as that plane: its distance before, and the part of m
//! along the plane's normal. Of a dozen faces, these bounds leave one or two to be measured.

use super::depth::Solid;
use crate::narrow::{Triangle, distance_between, nearest_point};
use glam::DVec3;

/// How many faces are kept.
const KEPT: usize = 12;

/// The faces that were closest to a point when they were searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// Where the point was.
    from: DVec3,
    /// All faces that were closer are kept.
    reach: f64,
    /// How much farther than the closest face that is.
    margin: f64,
    count: u32,
    faces: [u32; KEPT],
    /// How far the faces were; negative infinity if they were so close that the direction is not known.
    gaps: [f32; KEPT],
    /// Unit vectors from the faces to the point, by coordinate.
    directions: [[f32; KEPT]; 3],
}

impl Near {
    /// No faces.
    pub(super) const NONE: Self = Self {
        from: DVec3::ZERO,
        reach: f64::NEG_INFINITY,
        margin: f64::INFINITY,
        count: 0,
        faces: [0; KEPT],
        gaps: [f32::NEG_INFINITY; KEPT],
        directions: [[0.0; KEPT]; 3],
    };

    /// Returns the distance of a point from the surface, and whether that is proven. If not, then it is an upper bound.
    ///
    /// `slack` is more than a distance is off by rounding.
    pub(super) fn distance(&self, at: DVec3, slack: f64, solid: &Solid<'_>) -> (f64, bool) {
        let moved = at - self.from;
        let way = moved.length();
        let bounds = self.bounds(moved, way);
        let mesh = solid.shape.mesh();
        let count = self.count as usize;
        if count == 0 {
            return (f64::INFINITY, false);
        }
        // The one that is likely to be closest leaves few others.
        let first =
            (1..count).fold(0, |first, i| if bounds[i] < bounds[first] { i } else { first });
        let mut best = distance_to(&mesh.triangle(self.faces[first]), at);
        for lane in (0..count).filter(|&lane| lane != first) {
            if f64::from(bounds[lane]) <= best + slack {
                best = best.min(distance_to(&mesh.triangle(self.faces[lane]), at));
            }
        }
        (best, best + slack <= self.reach - way)
    }

    /// Lower bounds of the distances of the faces from a point that has moved.
    fn bounds(&self, moved: DVec3, way: f64) -> [f32; KEPT] {
        let [x, y, z] = moved.as_vec3().to_array();
        // Directions and distances are in single precision, each off by less than 1e-7.
        let error = 1e-6 * way as f32;
        let mut bounds = [0.0; KEPT];
        for (lane, bound) in bounds.iter_mut().enumerate() {
            let [u, v, w] = [0, 1, 2].map(|axis| self.directions[axis][lane]);
            *bound = self.gaps[lane] * (1.0 - 1e-6) + (u * x + v * y + w * z) - error;
        }
        bounds
    }

    /// Searches the faces that are closest to a point, up to `margin` farther than the closest. Returns them and the least
    /// distance, which is at most `known`.
    pub(super) fn search(
        at: DVec3,
        known: f64,
        margin: f64,
        slack: f64,
        solid: &mut Solid<'_>,
    ) -> (Self, f64) {
        let mut faces = [0; KEPT];
        let mut closest = [(f64::INFINITY, DVec3::ZERO); KEPT];
        let mut count = 0;
        // All faces that are closer than this are visited, and kept.
        let mut reach = known + margin;
        solid.shape.visit_within(at, reach, solid.scratch, |face, triangle| {
            let nearest = nearest_point(triangle, at);
            let distance = distance_between(nearest, at);
            if distance > reach {
                return reach;
            }
            if count == KEPT {
                // The farthest has to go, and all that are as far.
                let (farthest, _) = closest[KEPT - 1];
                reach = reach.min(farthest.max(distance));
                if distance >= farthest {
                    return reach;
                }
                count -= 1;
            }
            let place = closest[..count].partition_point(|&(kept, _)| kept <= distance);
            closest.copy_within(place..count, place + 1);
            faces.copy_within(place..count, place + 1);
            (closest[place], faces[place]) = ((distance, nearest), face);
            count += 1;
            reach = reach.min(closest[0].0 + margin);
            reach
        });
        let best = closest[0].0;
        let mut near = Self {
            from: at,
            reach,
            margin: reach - best,
            count: count as u32,
            faces,
            ..Self::NONE
        };
        for (lane, &(distance, nearest)) in closest[..count].iter().enumerate() {
            // The direction is off by about what rounding moves the nearest point, divided by the distance.
            if distance > 1e3 * slack && distance < 1e30 {
                let direction = ((at - nearest) / distance).as_vec3().to_array();
                near.gaps[lane] = distance as f32;
                (0..3).for_each(|axis| near.directions[axis][lane] = direction[axis]);
            }
        }
        (near, best)
    }

    /// Returns how much farther than the closest face others may be to be kept by the next search: no more than what filled
    /// the list last time, if it was filled.
    pub(super) fn next_margin(&self, wanted: f64) -> f64 {
        match self.count as usize {
            KEPT => wanted.min(1.25 * self.margin),
            _ => wanted,
        }
    }

    /// Whether no face lies between two points, by proof: all faces that could are kept, and have both points on the same
    /// side of their planes.
    pub(super) fn none_between(&self, p: DVec3, q: DVec3, slack: f64, solid: &Solid<'_>) -> bool {
        let span = self.from.distance(p).max(self.from.distance(q)) + slack;
        if self.reach.is_nan() || self.reach <= span {
            return false;
        }
        let mesh = solid.shape.mesh();
        (0..self.count as usize)
            .filter(|&lane| f64::from(self.gaps[lane]) * (1.0 - 1e-6) <= span)
            .all(|lane| {
                let [a, b, c] = mesh.triangle(self.faces[lane]);
                let (ab, ac) = (b - a, c - a);
                let normal = ab.cross(ac);
                let [above_p, above_q] = [p, q].map(|point| normal.dot(point - a));
                // The slack is 1e-10 of all coordinates. Products and sums take a dozen roundings of 1e-16.
                let error = 1e-2 * slack * ab.length() * ac.length();
                above_p * above_q > 0.0 && above_p.abs().min(above_q.abs()) > error
            })
    }
}

/// The distance of a point from a triangle, up to rounding.
fn distance_to(triangle: &Triangle, point: DVec3) -> f64 {
    distance_between(nearest_point(triangle, point), point)
}
