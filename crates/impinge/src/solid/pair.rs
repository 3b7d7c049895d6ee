//! Two solids: whether they touch, and how far they are apart.
//!
//! Two convex solids are searched by `gjk.rs`. A torus is searched by its ring, which is divided into arcs. The other
//! solid gives a lower bound of its distance to each arc, and the bound gets better as arcs get shorter:
//!
//! - A convex solid lies on one side of a plane, as found for the middle of the arc. The distance of the arc to the plane is
//!   known in closed form.
//! - For another torus, the chord of the arc is bounded as in `ring.rs`. The arc is no farther from the chord than the
//!   height of the arc.
//!
//! The bounds of both are off by the square of the arc's length. If the solids are nearly tangent along a whole circle, very
//! short arcs are needed everywhere: such a pair may take some milliseconds. Solids whose axes are the same, up to the error,
//! are decided at one point of the ring.

use super::{
    PlacedSolid, PlacedTorus, Solid, SolidDistance,
    gjk::{Goal, gap},
    placed::{Body, ConvexBody},
    ring::{Ring, lower_bound},
};
use crate::Pose;
use glam::DVec3;
use std::f64::consts::PI;

/// What is searched to within this part of the reach, if one of the solids is a torus.
const ARC_ERROR: f64 = 1e-9;

/// The number of arcs at first, and how often an arc is halved at most: arcs shorter than the error are never halved.
const FIRST_ARCS: usize = 8;
const MOST_HALVINGS: usize = 40;

impl Solid {
    /// Whether two solids at their poses share a point.
    ///
    /// Never misses: if they do, the answer is yes. If they are farther apart than [`Solid::ERROR`] of their reach, the
    /// answer is no. A solid inside another touches it.
    ///
    /// ```
    /// use impinge::{Pose, glam::DVec3, solid::Solid};
    ///
    /// let (ring, peg) = (Solid::torus(2.0, 0.5)?, Solid::cylinder(1.499, 4.0)?);
    /// let beside = Pose::from_translation(DVec3::new(0.01, 0.0, 0.0))?;
    /// assert!(!Solid::touches((&ring, &Pose::IDENTITY), (&peg, &Pose::IDENTITY)));
    /// assert!(Solid::touches((&ring, &Pose::IDENTITY), (&peg, &beside)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn touches(a: (&Self, &Pose), b: (&Self, &Pose)) -> bool {
        a.0.placed(a.1).touches_solid(&b.0.placed(b.1))
    }

    /// The distance of two solids at their poses.
    pub fn distance(a: (&Self, &Pose), b: (&Self, &Pose)) -> SolidDistance {
        a.0.placed(a.1).distance_to_solid(&b.0.placed(b.1))
    }
}

impl PlacedSolid {
    /// Whether this solid and another share a point: see [`Solid::touches`].
    pub fn touches_solid(&self, other: &Self) -> bool {
        self.bounds().overlaps(&other.bounds()) && self.search(other, Goal::Decide).0.lower <= 0.0
    }

    /// The distance of this solid and another.
    pub fn distance_to_solid(&self, other: &Self) -> SolidDistance {
        let (found, unit) = self.search(other, Goal::Measure);
        let back = |p: DVec3| (p * unit + self.origin() * 0.5) * 2.0;
        SolidDistance {
            lower: found.lower * unit * 2.0,
            upper: found.upper * unit * 2.0,
            on_solid: back(found.on_solid),
            on_other: back(found.on_other),
        }
    }

    /// Searches both solids as seen from the first one's origin, in a unit such that their sizes are moderate. Returns half
    /// of that unit, too. If the goal is to decide, only whether the lower bound is positive has a meaning.
    fn search(&self, other: &Self, goal: Goal) -> (SolidDistance, f64) {
        let half_apart = (other.origin() * 0.5 - self.origin() * 0.5).abs().max_element();
        let largest = half_apart.max(0.5 * self.reach()).max(0.5 * other.reach());
        let power = f64::from_bits(largest.min(f64::MAX).to_bits() & (0x7ff << 52));
        let unit = power.max(f64::MIN_POSITIVE);
        let [a, b] = [self, other].map(|solid| solid.seen_from(self.origin(), 0.5 / unit));
        let found = match (&a.body, &b.body) {
            (Body::Convex(a), Body::Convex(b)) => convex_pair(a, b, goal),
            (Body::Torus(a), _) => ring_pair(a, &b, goal),
            (Body::Convex(_), Body::Torus(b)) => {
                let found = ring_pair(b, &a, goal);
                SolidDistance { on_solid: found.on_other, on_other: found.on_solid, ..found }
            }
        };
        (found, unit)
    }
}

/// Two convex solids; the first one's origin is zero.
fn convex_pair(a: &ConvexBody, b: &ConvexBody, goal: Goal) -> SolidDistance {
    let away = b.core.origin();
    let furthest = |direction: DVec3| {
        [a.core.furthest_from_origin(direction), b.core.furthest_from_origin(-direction) + away]
    };
    let error = a.error(away.length() + b.core.reach() + b.margin);
    let margins = [a.margin, b.margin];
    let mut found = gap(furthest, away, (a.margin + b.margin, error), goal);
    if goal == Goal::Measure {
        a.improve(&mut found);
    }
    SolidDistance::of_gap(found, margins, error)
}

/// An arc of a ring, from its middle by an angle in both directions.
#[derive(Clone, Copy, Debug, Default)]
struct Arc {
    middle: f64,
    half: f64,
}

/// A lower bound of the distance of an arc and a solid, and the distance of its middle with the closest points there.
#[derive(Clone, Copy, Debug)]
struct ArcDistance {
    lower: f64,
    middle: f64,
    on_other: DVec3,
}

/// A ring at its place.
#[derive(Clone, Copy, Debug)]
struct PlacedRing {
    center: DVec3,
    radius: f64,
    axis: DVec3,
    x: DVec3,
    y: DVec3,
}

impl PlacedRing {
    fn new(torus: &PlacedTorus) -> Self {
        let x = torus.axis().any_orthonormal_vector();
        let y = torus.axis().cross(x);
        Self { center: torus.center(), radius: torus.ring(), axis: torus.axis(), x, y }
    }

    /// The direction of the ring point at an angle from the center.
    fn outward(&self, angle: f64) -> DVec3 {
        let (sine, cosine) = angle.sin_cos();
        self.x * cosine + self.y * sine
    }

    fn point(&self, angle: f64) -> DVec3 {
        self.center + self.outward(angle) * self.radius
    }

    /// The distance of an arc and a convex solid.
    fn to_convex(self, arc: Arc, convex: &ConvexBody) -> ArcDistance {
        let outward = self.outward(arc.middle);
        let point = self.center + outward * self.radius;
        let local = point - convex.core.origin();
        let error = convex.error(local.length());
        let found = convex.gap(&[local; 3], error, Goal::Measure);
        let middle = (found.upper - convex.margin).max(0.0);
        let lower = found.lower - convex.margin;
        let [on_core, _] = found.points;
        let on_other = on_core + found.direction * convex.margin + convex.core.origin();
        // As the ring point moves by an angle, its distance to the plane changes by `ahead sin − up (1 − cos)`.
        let up = self.radius * found.direction.dot(outward);
        let ahead = self.radius * found.direction.dot(self.axis.cross(outward));
        let height = |angle: f64| ahead * angle.sin() - up * (1.0 - angle.cos());
        let lowest = ahead.atan2(up);
        // The lowest point is opposite to the highest.
        let lowest = if lowest > 0.0 { lowest - PI } else { lowest + PI };
        let change = match lowest.abs() <= arc.half {
            true => -(up.hypot(ahead)) - up,
            false => height(arc.half).min(height(-arc.half)),
        };
        ArcDistance { lower: lower + change.min(0.0) - error, middle, on_other }
    }

    /// The distance of an arc and another torus.
    fn to_torus(self, arc: Arc, torus: &PlacedTorus) -> ArcDistance {
        let other = Ring { radius: torus.ring(), axis: torus.axis() };
        let angles = [arc.middle - arc.half, arc.middle, arc.middle + arc.half];
        let points = angles.map(|angle| self.point(angle) - torus.center());
        let [first, middle, last] = points.map(|point| other.distance(point));
        // Each half has a chord and a height of its own.
        let (quarter_sine, height) =
            ((0.5 * arc.half).sin(), self.radius * (1.0 - (0.5 * arc.half).cos()));
        let chord = 2.0 * self.radius * quarter_sine;
        let bound = |a: f64, b: f64| lower_bound([a, b], chord * chord) - height;
        let lower = bound(first, middle).min(bound(middle, last)) - torus.tube();
        let on_ring = other.nearest(points[1]);
        let toward = (points[1] - on_ring).normalize_or_zero();
        let on_other = torus.center() + on_ring + toward * torus.tube().min(middle);
        ArcDistance { lower, middle: (middle - torus.tube()).max(0.0), on_other }
    }
}

/// A torus and another solid.
fn ring_pair(torus: &PlacedTorus, other: &PlacedSolid, goal: Goal) -> SolidDistance {
    let ring = PlacedRing::new(torus);
    let away = other.origin() - ring.center;
    let reach = torus.ring() + torus.tube() + other.reach() + away.length();
    let error = ARC_ERROR * reach;
    let measure = |arc: Arc| match &other.body {
        Body::Convex(convex) => ring.to_convex(arc, convex),
        Body::Torus(torus) => ring.to_torus(arc, torus),
    };
    // By how much the distances of two ring points to the other solid differ at most, because of its symmetry.
    let tilt = ring.axis.cross(other.axis()).length();
    let beside = away - other.axis() * other.axis().dot(away);
    let difference = 2.0 * (beside.length() + 2.0 * ring.radius * tilt);

    let mut best: Option<(f64, f64, DVec3)> = None;
    let mut least_lower = f64::INFINITY;
    let half = PI / FIRST_ARCS as f64;
    let mut waiting = [Arc::default(); FIRST_ARCS + MOST_HALVINGS];
    for (i, arc) in waiting[..FIRST_ARCS].iter_mut().enumerate() {
        *arc = Arc { middle: 2.0 * half * i as f64, half };
    }
    let mut count = FIRST_ARCS;
    while count > 0 {
        count -= 1;
        let arc = waiting[count];
        let mut found = measure(arc);
        found.lower = found.lower.max(found.middle - 2.0 * ring.radius * (0.5 * arc.half).sin());
        found.lower = found.lower.max(found.middle - difference) - 0.01 * error;
        if best.is_none_or(|(distance, ..)| found.middle < distance) {
            best = Some((found.middle, arc.middle, found.on_other));
        }
        let closest = best.map_or(f64::INFINITY, |(distance, ..)| distance);
        if closest <= torus.tube() + 2.0 * error {
            return touching(found.on_other);
        }
        let is_over = match goal {
            Goal::Decide => found.lower > torus.tube() + error,
            Goal::Measure => found.lower >= closest - error,
        };
        if is_over {
            least_lower = least_lower.min(found.lower);
            continue;
        }
        if count + 2 > waiting.len() {
            // Impossible: the distances of arcs as short as that differ by less than the error. On the safe side:
            return touching(found.on_other);
        }
        let half = 0.5 * arc.half;
        waiting[count] = Arc { middle: arc.middle - half, half };
        waiting[count + 1] = Arc { middle: arc.middle + half, half };
        count += 2;
    }
    let Some((closest, angle, on_other)) = best else { return touching(DVec3::ZERO) };
    let lower = least_lower.min(closest) - torus.tube();
    if lower <= 0.0 {
        return touching(on_other);
    }
    let on_ring = ring.point(angle);
    let on_torus = on_ring + (on_other - on_ring) * (torus.tube() / closest);
    let upper = closest - torus.tube() + 0.01 * error;
    SolidDistance { lower, upper, on_solid: on_torus, on_other }
}

fn touching(point: DVec3) -> SolidDistance {
    SolidDistance { lower: 0.0, upper: 0.0, on_solid: point, on_other: point }
}
