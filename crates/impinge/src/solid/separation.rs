//! The distance of a swept solid and a triangle, with proven bounds.
//!
//! [`gjk`](super::gjk) searches the true solid: it needs nothing of a convex solid but the furthest point along a direction.
//!
//! # Errors
//! The corners of the triangle are taken relative to the solid's origin, which rounds each coordinate once. All else is a
//! few dozen operations on numbers no larger than the sum of the two bodies' reaches. [`ROUNDINGS`] times the rounding of
//! that sum covers them. A gap along a direction counts only if it exceeds the error, so a solid and a triangle that
//! touch are never taken for separate. Those that are closer than [`ERROR`] of their reach may count as touching.

use super::{
    SweptSolid,
    gjk::{Goal, gap},
};
use crate::narrow::Triangle;
use glam::DVec3;

/// A bound of the rounding errors of a gap, relative to the reach of the two bodies, in units of 2⁻⁵².
const ROUNDINGS: f64 = 64.0;

/// A solid and a triangle that are farther apart than this, relative to the reach of both as seen from the solid's origin,
/// are never taken for touching.
pub const ERROR: f64 = 1e-8;

/// The most steps of a move back.
const MOST_STEPS: usize = 256;

/// How far a solid and a triangle are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Separation {
    /// The distance is at least this.
    pub lower: f64,
    /// The distance is at most this; 0 if the two touch.
    pub upper: f64,
    /// A point of the solid, `upper` away from the triangle.
    pub on_solid: DVec3,
    /// A point of the triangle, `upper` away from the solid.
    pub on_triangle: DVec3,
    /// A unit vector from the solid towards the triangle, along which the gap is at least `lower`; zero if the two touch.
    pub direction: DVec3,
}

impl SweptSolid {
    /// Whether the solid and a triangle share a point. If they do, the answer is yes. If they are farther apart than
    /// [`ERROR`] of their reach, the answer is no.
    #[inline]
    pub fn touches(&self, triangle: &Triangle) -> bool {
        let corners = triangle.map(|corner| corner - self.origin());
        let error = self.error(&corners);
        // Most triangles are beside the solid as seen along their own plane.
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let length = normal.length();
        if length > 0.0 {
            let normal = normal / length;
            let [least, most] = extents(&corners, normal);
            if least > self.extent_from_origin(normal) + error
                || -most > self.extent_from_origin(-normal) + error
            {
                return false;
            }
        }
        self.search(&corners, error, Goal::Decide).upper <= 0.0
    }

    /// The distance of the solid and a triangle.
    pub fn distance(&self, triangle: &Triangle) -> Separation {
        let corners = triangle.map(|corner| corner - self.origin());
        self.search(&corners, self.error(&corners), Goal::Measure)
    }

    /// The distance of the solid and a point.
    pub fn distance_to_point(&self, point: DVec3) -> Separation {
        self.distance(&[point; 3])
    }

    /// Whether a point is within a distance of the solid, to within the error of [`touches`](Self::touches).
    pub fn is_within(&self, point: DVec3, distance: f64) -> bool {
        !self.is_surely_beyond(point, distance)
            && (self.is_surely_inside(point)
                || self.enlarged(self.margin() + distance).touches(&[point; 3]))
    }

    /// Whether a point is seen to be inside the solid at a glance. `false` proves nothing.
    pub fn is_surely_inside(&self, point: DVec3) -> bool {
        let [radius, height, slack] = self.beside(point);
        radius + slack < self.hull().radius_at_least(height)
    }

    /// Whether a point is seen to be farther than a distance from the solid at a glance. `false` proves nothing.
    pub fn is_surely_beyond(&self, point: DVec3, distance: f64) -> bool {
        let [radius, _, slack] = self.beside(point);
        radius > self.hull().largest_radius() + self.margin() + distance + slack
    }

    /// A direction, turned about the axis so that it points from the axis towards a point, where the sweep is closest to the
    /// point as seen along the axis. The solid has its furthest point along the result near the point, if it has any there.
    pub fn turned_towards(&self, direction: DVec3, point: DVec3) -> DVec3 {
        let sideways = |vector: DVec3| vector - self.axis() * vector.dot(self.axis());
        let (way, off) = (sideways(self.travel()), sideways(point - self.origin()));
        let whole = way.length_squared();
        let share = if whole > 0.0 { (off.dot(way) / whole).clamp(0.0, 1.0) } else { 0.0 };
        let Some(outward) = (off - way * share).try_normalize() else { return direction };
        let along = self.axis() * direction.dot(self.axis());
        along + outward * (direction - along).length()
    }

    /// The distance of a point from the axis, and its height, where the sweep is closest to it as seen along the axis; and a
    /// slack that is larger than the rounding errors of both.
    fn beside(&self, point: DVec3) -> [f64; 3] {
        let away = point - self.origin();
        let sideways = |vector: DVec3| self.axis().cross(vector);
        let (way, off) = (sideways(self.travel()), sideways(away));
        let whole = way.length_squared();
        let share = if whole > 0.0 { (off.dot(way) / whole).clamp(0.0, 1.0) } else { 0.0 };
        let height = (away - self.travel() * share).dot(self.axis());
        let slack = ERROR * (self.reach() + away.abs().max_element());
        [(off - way * share).length(), height, slack]
    }

    /// How far the solid must be moved along a direction until it no longer touches a triangle, and does not touch it
    /// further on either. 0 if it does not touch the triangle, wherever it is moved in that direction.
    ///
    /// The result is at least the true one, and exceeds it by at most `accuracy` and [`ERROR`] of the reach. Only values
    /// above `least` are of interest: if the true one is not above it, `least` is returned.
    pub fn clearing_move(
        &self,
        triangle: &Triangle,
        direction: DVec3,
        least: f64,
        accuracy: f64,
    ) -> f64 {
        let length = direction.length();
        if length == 0.0 || !length.is_finite() {
            return least;
        }
        let direction = direction / length;
        let corners = triangle.map(|corner| corner - self.origin());
        let error = self.error(&corners);
        // Where the solid is certainly beyond the triangle.
        let [_, most] = extents(&corners, direction);
        let mut move_by = most + self.extent_from_origin(-direction);
        // Both move back towards each other until they nearly touch. The bodies are convex, and a gap along a direction
        // closes evenly as one of them moves, so no step passes the place where they touch.
        for _ in 0..MOST_STEPS {
            if move_by <= least {
                return least;
            }
            let moved = corners.map(|corner| corner - direction * move_by);
            let found = self.search(&moved, error, Goal::Measure);
            // The solid is above the triangle, so the gap shrinks as the solid moves back.
            let approach = -found.direction.dot(direction);
            // Beside a steep triangle, the gap is much smaller than the way back.
            let small = (0.5 * accuracy * approach).max(8.0 * error);
            if found.upper <= small || found.lower <= 0.0 {
                return move_by;
            }
            if approach <= 0.0 {
                return least;
            }
            let step = found.lower / approach;
            if step < 1e-3 * accuracy {
                return move_by;
            }
            move_by -= step;
        }
        move_by
    }

    /// The same for a triangle that the solid touches where it is: since both are convex, it touches the triangle up to the
    /// result, and it does not touch triangles further on.
    #[inline]
    pub fn leaving_move(
        &self,
        triangle: &Triangle,
        direction: DVec3,
        least: f64,
        accuracy: f64,
    ) -> f64 {
        // Most triangles are left before.
        let length = direction.length();
        let [_, most] = extents(triangle, direction);
        let is_left = most + self.extent(-direction) <= least * length;
        let is_touched = |by: f64| self.moved(direction * (by / length)).touches(triangle);
        if is_left || least > 0.0 && !is_touched(least) {
            return least;
        }
        self.clearing_move(triangle, direction, least, accuracy)
    }

    /// The largest rounding error of a gap between the solid and a triangle with corners relative to the origin.
    fn error(&self, corners: &Triangle) -> f64 {
        let reach = corners.iter().map(|corner| corner.abs().max_element()).fold(0.0, f64::max);
        ROUNDINGS * f64::EPSILON * (reach + self.reach())
    }

    /// Whether the solid and a box share a point, with the same errors as [`touches`](Self::touches).
    pub fn touches_box(&self, center: DVec3, half: DVec3) -> bool {
        let center = center - self.origin();
        let error = ROUNDINGS * f64::EPSILON * ((center.abs() + half).max_element() + self.reach());
        self.search_cores(error, Goal::Decide, center, |direction| {
            center + DVec3::select(direction.cmplt(DVec3::ZERO), -half, half)
        })
        .upper
            <= 0.0
    }

    /// The distance of the solid and a triangle with corners relative to the solid's origin.
    fn search(&self, corners: &Triangle, error: f64, goal: Goal) -> Separation {
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        self.search_cores(error, goal, middle, |direction| furthest_corner(corners, direction))
    }

    /// The distance of the solid and another convex body with a point in its middle, both relative to the solid's origin.
    /// `furthest` returns the point of the other body that is furthest along a direction.
    #[inline]
    fn search_cores(
        &self,
        error: f64,
        goal: Goal,
        middle: DVec3,
        furthest: impl Fn(DVec3) -> DVec3,
    ) -> Separation {
        let mut result = TOUCHING;
        for core in self.cores() {
            let both =
                |direction| [core.solid.furthest_from_origin(direction), furthest(-direction)];
            let found = gap(both, core.solid.toward(middle), (core.rounding, error), goal);
            let [on_core, on_other] = found.points;
            let on_solid = on_core + found.direction * core.rounding;
            // Two that are undecided to within the error count as touching. The core may be apart from the other body by the
            // rounding, so the other body's point is the common one.
            let is_touching = found.lower <= core.rounding;
            let at = if is_touching { on_other } else { on_solid };
            let lower = found.lower - core.rounding;
            result = if is_touching {
                let point = self.origin() + on_other;
                Separation { on_solid: point, on_triangle: point, ..TOUCHING }
            } else {
                Separation {
                    lower,
                    upper: (found.upper - core.rounding).max(lower),
                    on_solid: self.origin() + on_solid,
                    on_triangle: self.origin() + on_other,
                    direction: found.direction,
                }
            };
            // If the body described by the core is clear, the solid within it is.
            if core.agrees_at(at) || goal == Goal::Decide && !is_touching {
                break;
            }
        }
        result
    }

    /// From a point of the swept axis that is close to a point, relative to the origin, to that point: a good direction to
    /// start with.
    fn toward(&self, point: DVec3) -> DVec3 {
        let whole = self.travel().length_squared();
        let share =
            if whole > 0.0 { (point.dot(self.travel()) / whole).clamp(0.0, 1.0) } else { 0.0 };
        let away = point - self.travel() * share;
        let [low, high] = self.hull().axis_heights();
        away - self.axis() * away.dot(self.axis()).clamp(low, high)
    }
}

/// The separation of bodies that touch, but for the common point.
const TOUCHING: Separation = Separation {
    lower: 0.0,
    upper: 0.0,
    on_solid: DVec3::ZERO,
    on_triangle: DVec3::ZERO,
    direction: DVec3::ZERO,
};

/// The least and the largest product of a direction with a corner.
#[inline]
fn extents(corners: &Triangle, direction: DVec3) -> [f64; 2] {
    let [a, b, c] = corners.map(|corner| direction.dot(corner));
    [a.min(b).min(c), a.max(b).max(c)]
}

/// The corner that is furthest along a direction.
#[inline]
fn furthest_corner(corners: &Triangle, direction: DVec3) -> DVec3 {
    let mut furthest = corners[0];
    let mut most = direction.dot(corners[0]);
    for corner in &corners[1..] {
        let along = direction.dot(*corner);
        if along > most {
            (most, furthest) = (along, *corner);
        }
    }
    furthest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        generate::Random,
        narrow::triangles_distance,
        solid::{RevolvedHull, RoundedDisc, swept::tests::random_solid},
    };

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
    }

    fn random_triangle(random: &mut Random) -> Triangle {
        let at = vector(random) * 1.5;
        let size = [0.0, 0.01, 1.0, 4.0][random.below(4) as usize];
        [0; 3].map(|_| at + vector(random) * size)
    }

    #[test]
    fn a_swept_ball_is_a_capsule() {
        let mut touching = 0;
        for seed in 0..20_000 {
            let mut random = Random::new(seed);
            let rounding = random.range(0.0, 1.0);
            let ball = RevolvedHull::new(&[RoundedDisc { height: 0.0, radius: 0.0, rounding }]);
            let (from, travel) = (vector(&mut random), vector(&mut random));
            let solid = SweptSolid::new(ball.expect("valid"), from, DVec3::Z).swept(travel);
            let triangle = random_triangle(&mut random);
            let core = [from, from + travel, from + travel];
            let expected = triangles_distance(&core, &triangle).distance - rounding;
            let found = solid.distance(&triangle);
            assert!(
                (found.upper - expected.max(0.0)).abs() < 1e-12,
                "seed {seed}: {found:?} {expected}"
            );
            assert!(found.lower <= expected.max(0.0) + 1e-14, "seed {seed}: {found:?} {expected}");
            touching += usize::from(expected < 0.0);
        }
        assert!((2000..18_000).contains(&touching), "{touching}");
    }

    /// Bounds are tight, and no direction shows a larger gap than the upper bound.
    #[test]
    fn bounds_of_distances_meet() {
        let mut touching = 0;
        let mut worst = 0.0_f64;
        for seed in 0..40_000 {
            let mut random = Random::new(seed);
            let solid = random_solid(&mut random);
            let triangle = random_triangle(&mut random);
            let found = solid.distance(&triangle);
            assert_eq!(solid.touches(&triangle), found.upper == 0.0, "seed {seed}");
            touching += usize::from(found.upper == 0.0);
            worst = worst.max(found.upper - found.lower);
            // The witness is a point of the triangle and of the solid.
            let on_triangle = triangles_distance(&[found.on_triangle; 3], &triangle).distance;
            assert!(on_triangle < 1e-12, "seed {seed}: {on_triangle}");
            for _ in 0..10 {
                let direction = random.rotation() * DVec3::X;
                let [least, _] = extents(&triangle, direction);
                let gap = least - solid.extent(direction);
                assert!(gap <= found.upper + 1e-12, "seed {seed}: {gap} {found:?}");
                assert!(
                    direction.dot(found.on_solid) <= solid.extent(direction) + 1e-12,
                    "seed {seed}"
                );
            }
        }
        assert!((4000..35_000).contains(&touching), "{touching}");
        assert!(worst < 1e-8, "{worst}");
    }

    /// A solid touches a box if it touches one of its sides, or is inside.
    #[test]
    fn boxes_and_solids() {
        let (mut touching, mut apart) = (0, 0);
        for seed in 0..20_000 {
            let mut random = Random::new(seed);
            let solid = random_solid(&mut random);
            let (center, half) = (vector(&mut random) * 3.0, vector(&mut random).abs());
            let touches = solid.touches_box(center, half);
            // Points of the solid in the box.
            let toward = solid.distance_to_point(center).on_solid;
            let inside = (0..20).any(|_| {
                let point = toward.lerp(solid.furthest(random.rotation() * DVec3::X), 0.3);
                (point - center).abs().cmple(half - 1e-9).all()
            });
            assert!(touches || !inside, "seed {seed}");
            touching += usize::from(inside);
            // The faces of the box, and its inside.
            let corner = |x: f64, y: f64, z: f64| center + half * DVec3::new(x, y, z);
            let mut is_expected = (solid.furthest(DVec3::X) - center).abs().cmple(half).all();
            for (low, high) in [(-1.0, 1.0), (1.0, -1.0)] {
                let far = corner(high, high, high);
                for middle in [
                    [corner(high, low, low), corner(high, high, low)],
                    [corner(high, high, low), corner(low, high, low)],
                    [corner(low, high, low), corner(low, high, high)],
                    [corner(low, high, high), corner(low, low, high)],
                    [corner(low, low, high), corner(high, low, high)],
                    [corner(high, low, high), corner(high, low, low)],
                ] {
                    is_expected |= solid.touches(&[far, middle[0], middle[1]]);
                }
            }
            assert_eq!(touches, is_expected, "seed {seed}");
            apart += usize::from(!touches);
        }
        assert!(touching > 1000 && apart > 1000, "{touching} {apart}");
    }

    #[test]
    fn a_clearing_move_ends_where_the_triangle_is_just_left() {
        let (mut moved, mut left, mut instants) = (0, 0, 0);
        for seed in 0..20_000 {
            let mut random = Random::new(seed);
            let solid = random_solid(&mut random);
            let triangle = random_triangle(&mut random);
            let direction = random.rotation() * DVec3::X;
            let by = solid.clearing_move(&triangle, direction, 0.0, 1e-7);
            if by > 0.0 {
                moved += 1;
                let there = solid.moved(direction * by).distance(&triangle);
                assert!(there.upper < 1e-6, "seed {seed}: {by} {there:?}");
                // The true move is not smaller: a little before, the solid touches the triangle, or the gap shrinks as the
                // solid moves on. The second happens for a flat solid that meets a triangle at one instant, as in seed 1592:
                // it comes from one side and leaves on the other. The gap is a convex function of the move, so one that
                // still shrinks has its last contact ahead. Where the solid only grazes the triangle, the gap is so small for
                // so long that rounding errors decide where the contact ends.
                let away = solid.moved(direction * (by + 1e-4)).distance(&triangle).direction;
                if away.dot(direction) < -0.05 {
                    let before = solid.moved(direction * (by - 1e-6)).distance(&triangle);
                    let is_ahead = before.direction.dot(direction) > 0.0;
                    assert!(before.upper < 1e-9 || is_ahead, "seed {seed}: {by} {before:?}");
                    left += 1;
                    instants += usize::from(before.upper >= 1e-9);
                }
                // A rough result is as close, unless the solid only grazes the triangle.
                let rough = solid.clearing_move(&triangle, direction, 0.0, 1e-3);
                assert!(rough >= by - 1e-6, "seed {seed}: {rough} {by}");
                let away = solid.moved(direction * (rough + 1e-3)).distance(&triangle).direction;
                if away.dot(direction) < -0.2 {
                    assert!(rough <= by + 2e-3, "seed {seed}: {rough} {by}");
                }
            } else {
                assert!(!solid.touches(&triangle), "seed {seed}");
            }
            for beyond in [1e-3, 0.1, 10.0] {
                let there = solid.moved(direction * (by + beyond));
                assert!(!there.touches(&triangle), "seed {seed}: {by} + {beyond}");
            }
        }
        assert!(moved > 4000 && left > moved / 2 && instants < 20, "{moved} {left} {instants}");
    }
}
