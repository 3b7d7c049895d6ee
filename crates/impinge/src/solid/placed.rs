//! A solid at a pose: whether it touches triangles and other solids, and how far it is from them.

use super::{
    PlacedTorus, RevolvedHull, RoundedDisc, Solid, SweptSolid,
    gjk::{Gap, Goal, gap},
    meridian,
    primitive::Kind,
};
use crate::{Bounds, Pose, narrow::Triangle};
use glam::DVec3;

/// A [`Solid`] at a pose. Made by [`Solid::placed`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedSolid {
    pub(super) body: Body,
    bounds: Bounds,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Body {
    Convex(ConvexBody),
    Torus(PlacedTorus),
}

/// A convex solid of revolution: all points within a margin of its core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ConvexBody {
    pub(super) core: SweptSolid,
    pub(super) margin: f64,
}

/// How far a solid and another body are apart, with proven bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolidDistance {
    /// The distance is at least this.
    pub lower: f64,
    /// The distance is at most this; 0 if the two touch, to within [`Solid::ERROR`].
    pub upper: f64,
    /// A point of the solid, `upper` away from the other body; any common point if the two touch.
    pub on_solid: DVec3,
    /// A point of the other body, `upper` away from the solid.
    pub on_other: DVec3,
}

/// A bound of the rounding errors of a gap, in units of 2⁻⁵² of the reach of both bodies.
const ROUNDINGS: f64 = 64.0;

/// Sizes whose powers neither overflow nor underflow.
const MODERATE: std::ops::Range<f64> = 1e-40..1e40;

impl PlacedSolid {
    pub(super) fn new(solid: &Solid, pose: &Pose) -> Self {
        let (origin, axis) = (pose.translation(), pose.rotation().z_axis);
        Self::at(solid.kind(), origin, axis)
    }

    fn at(kind: &Kind, origin: DVec3, axis: DVec3) -> Self {
        let body = match *kind {
            Kind::Revolved(hull) => Body::Convex(ConvexBody::new(hull, origin, axis)),
            Kind::Torus { ring, tube } => Body::Torus(PlacedTorus::new(ring, tube, origin, axis)),
        };
        let bounds = match &body {
            Body::Convex(convex) => convex.bounds(),
            Body::Torus(torus) => torus.bounds(),
        };
        let mut placed = Self { body, bounds };
        // Whatever counts as touching has a box that overlaps this one, unless it is far larger.
        placed.bounds = bounds.grown(Solid::ERROR * placed.reach());
        placed
    }

    /// A box around the solid.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The place of the solid's origin.
    pub(crate) fn origin(&self) -> DVec3 {
        match &self.body {
            Body::Convex(convex) => convex.core.origin(),
            Body::Torus(torus) => torus.center(),
        }
    }

    /// A point of the solid.
    pub(crate) fn any_point(&self) -> DVec3 {
        match &self.body {
            Body::Convex(convex) => convex.core.furthest(convex.core.axis()),
            Body::Torus(torus) => {
                torus.center() + torus.axis().any_orthonormal_vector() * torus.ring()
            }
        }
    }

    pub(super) fn axis(&self) -> DVec3 {
        match &self.body {
            Body::Convex(convex) => convex.core.axis(),
            Body::Torus(torus) => torus.axis(),
        }
    }

    /// The largest distance of a point of the solid from its origin, or more.
    pub(crate) fn reach(&self) -> f64 {
        match &self.body {
            Body::Convex(convex) => convex.core.reach() + convex.margin,
            Body::Torus(torus) => torus.ring() + torus.tube(),
        }
    }

    /// The convex hull of the solid, for searches of trees.
    pub(crate) fn hull(&self) -> SweptSolid {
        match &self.body {
            Body::Convex(convex) => convex.core.enlarged(convex.margin),
            Body::Torus(torus) => {
                let rim = RoundedDisc { height: 0.0, radius: torus.ring(), rounding: torus.tube() };
                let hull = RevolvedHull::new(&[rim]).expect("checked when the torus was made");
                SweptSolid::new(hull, torus.center(), torus.axis())
            }
        }
    }

    /// Whether the solid and a triangle share a point.
    ///
    /// Never misses: if they do, the answer is yes. If they are farther apart than [`Solid::ERROR`] of their reach, the
    /// answer is no. A degenerate triangle counts as the segment or point it is.
    pub fn touches(&self, triangle: &Triangle) -> bool {
        if !self.bounds.overlaps(&Bounds::enclosing(*triangle)) {
            return false;
        }
        match self.scaled(triangle) {
            None => self.touches_moderate(triangle),
            Some((scaled, triangle, _)) => scaled.touches_moderate(&triangle),
        }
    }

    fn touches_moderate(&self, triangle: &Triangle) -> bool {
        match &self.body {
            Body::Convex(convex) => convex.touches(triangle),
            Body::Torus(torus) => torus.touches(triangle),
        }
    }

    /// The distance of the solid and a triangle.
    pub fn distance(&self, triangle: &Triangle) -> SolidDistance {
        match self.scaled(triangle) {
            None => self.distance_moderate(triangle),
            Some((scaled, triangle, unit)) => {
                let found = scaled.distance_moderate(&triangle);
                // Halved until the last step, so that nothing overflows that need not.
                let back = |p: DVec3| (p * unit + self.origin() * 0.5) * 2.0;
                SolidDistance {
                    lower: found.lower * unit * 2.0,
                    upper: found.upper * unit * 2.0,
                    on_solid: back(found.on_solid),
                    on_other: back(found.on_other),
                }
            }
        }
    }

    fn distance_moderate(&self, triangle: &Triangle) -> SolidDistance {
        match &self.body {
            Body::Convex(convex) => convex.distance(triangle),
            Body::Torus(torus) => torus.distance(triangle).into(),
        }
    }

    /// The same solid and triangle relative to the solid's origin, and divided by twice the unit that is returned, if their
    /// sizes are not moderate.
    fn scaled(&self, triangle: &Triangle) -> Option<(Self, Triangle, f64)> {
        let away = |corner: &DVec3| (*corner - self.origin()).abs().max_element();
        let largest = triangle.iter().map(away).fold(self.reach(), f64::max);
        // NaN and infinity are not moderate, and zero is no reach.
        (!MODERATE.contains(&largest)).then(|| self.scaled_far(triangle))
    }

    #[cold]
    fn scaled_far(&self, triangle: &Triangle) -> (Self, Triangle, f64) {
        let halves = triangle.map(|corner| corner * 0.5 - self.origin() * 0.5);
        let away = |corner: &DVec3| corner.abs().max_element();
        let largest = halves.iter().map(away).fold(0.5 * self.reach(), f64::max);
        let power = f64::from_bits(largest.min(f64::MAX).to_bits() & (0x7ff << 52));
        let unit = power.max(f64::MIN_POSITIVE);
        (self.scaled_by(0.5 / unit), halves.map(|corner| corner / unit), unit)
    }

    /// The solid with its origin at zero, and all lengths multiplied by a power of two.
    fn scaled_by(&self, factor: f64) -> Self {
        let kind = match &self.body {
            Body::Torus(torus) => {
                Kind::Torus { ring: torus.ring() * factor, tube: torus.tube() * factor }
            }
            Body::Convex(ConvexBody { core, margin }) => {
                Kind::Revolved(with_discs(core.hull(), |disc| RoundedDisc {
                    height: disc.height * factor,
                    radius: disc.radius * factor,
                    rounding: (disc.rounding + margin) * factor,
                }))
            }
        };
        Self::at(&kind, DVec3::ZERO, self.axis())
    }

    /// The same solid as seen from a point, with all lengths multiplied by a power of two.
    pub(super) fn seen_from(&self, point: DVec3, factor: f64) -> Self {
        let scaled = self.scaled_by(factor);
        let origin = self.origin() * factor - point * factor;
        match scaled.body {
            Body::Torus(torus) => {
                let torus = PlacedTorus::new(torus.ring(), torus.tube(), origin, torus.axis());
                Self { body: Body::Torus(torus), ..scaled }
            }
            Body::Convex(ConvexBody { core, margin }) => {
                let body = Body::Convex(ConvexBody { core: core.moved(origin), margin });
                Self { body, ..scaled }
            }
        }
    }
}

impl ConvexBody {
    fn new(hull: RevolvedHull, origin: DVec3, axis: DVec3) -> Self {
        let margin = hull.discs().iter().map(|disc| disc.rounding).fold(f64::INFINITY, f64::min);
        let core = with_discs(&hull, |disc| RoundedDisc {
            // Rounded outward, so that the core and the margin enclose the hull.
            rounding: if disc.rounding > margin { (disc.rounding - margin).next_up() } else { 0.0 },
            ..disc
        });
        Self { core: SweptSolid::new(core, origin, axis), margin }
    }

    fn bounds(&self) -> Bounds {
        let origin = self.core.origin();
        let rounding = 16.0 * f64::EPSILON * (self.core.reach() + origin.abs().max_element());
        self.core.enlarged(self.margin).bounds().grown(rounding)
    }

    /// The largest rounding error of a gap to a body whose points are at most so far from the origin.
    pub(super) fn error(&self, reach: f64) -> f64 {
        ROUNDINGS * f64::EPSILON * (reach + self.core.reach() + self.margin)
    }

    fn touches(&self, triangle: &Triangle) -> bool {
        let corners = triangle.map(|corner| corner - self.core.origin());
        let error = self.error(reach_of(&corners));
        // Most triangles are beside the solid as seen along their own plane.
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let length = normal.length();
        if length > 0.0 {
            let normal = normal / length;
            let [a, b, c] = corners.map(|corner| normal.dot(corner));
            let [least, most] = [a.min(b).min(c), a.max(b).max(c)];
            let limit = self.margin + error;
            if least > self.core.extent_from_origin(normal) + limit
                || -most > self.core.extent_from_origin(-normal) + limit
            {
                return false;
            }
        }
        let found = self.gap(&corners, error, Goal::Decide);
        found.lower <= self.margin
    }

    fn distance(&self, triangle: &Triangle) -> SolidDistance {
        let corners = triangle.map(|corner| corner - self.core.origin());
        let error = self.error(reach_of(&corners));
        let mut found = self.gap(&corners, error, Goal::Measure);
        self.improve(&mut found);
        SolidDistance::of_gap(found, [self.margin, 0.0], error).moved(self.core.origin())
    }

    /// Improves the upper bound of a gap between the core, as seen from its origin, and another body. Where two bodies nearly
    /// touch, the simplices of the search are nearly flat, and the closest points are not found as accurately as the
    /// direction between them.
    pub(super) fn improve(&self, found: &mut Gap) {
        let point = found.points[1];
        let upper = self.distance_to_point(point);
        if found.lower > 0.0 && upper < found.upper {
            found.points[0] = point - found.direction * upper;
            found.upper = upper;
        }
    }

    /// The distance of the core and a point outside of it, as seen from the origin.
    fn distance_to_point(&self, point: DVec3) -> f64 {
        let height = self.core.axis().dot(point);
        let from_axis = (point - self.core.axis() * height).length();
        meridian::distance(self.core.hull(), from_axis, height)
    }

    /// The gap between the core and a triangle with corners relative to the origin.
    pub(super) fn gap(&self, corners: &Triangle, error: f64, goal: Goal) -> Gap {
        let furthest = |direction: DVec3| {
            let [a, b, c] = *corners;
            let [along_a, along_b, along_c] = corners.map(|corner| direction.dot(corner));
            let corner = if along_a <= along_b && along_a <= along_c {
                a
            } else if along_b <= along_c {
                b
            } else {
                c
            };
            [self.core.furthest_from_origin(direction), corner]
        };
        let start = (corners[0] + corners[1] + corners[2]) / 3.0;
        gap(furthest, start, (self.margin, error), goal)
    }
}

impl SolidDistance {
    /// The distance of two bodies with margins around their cores, of which the gap is known.
    pub(super) fn of_gap(found: Gap, margins: [f64; 2], error: f64) -> Self {
        let margin = margins[0] + margins[1];
        let [mut on_solid, mut on_other] = found.points;
        let lower = (found.lower - margin).max(0.0);
        let upper = if lower > 0.0 { found.upper + error - margin } else { 0.0 };
        if found.upper > 0.0 {
            let toward = (on_other - on_solid) / found.upper;
            on_solid += toward * margins[0];
            on_other -= toward * margins[1];
        }
        Self { lower, upper, on_solid, on_other }
    }

    pub(super) fn moved(self, by: DVec3) -> Self {
        Self { on_solid: self.on_solid + by, on_other: self.on_other + by, ..self }
    }
}

impl From<super::torus::RingDistance> for SolidDistance {
    fn from(found: super::torus::RingDistance) -> Self {
        let super::torus::RingDistance { lower, upper, points: [on_solid, on_other] } = found;
        Self { lower, upper, on_solid, on_other }
    }
}

/// A hull with each of its discs replaced by one that is as valid.
fn with_discs(hull: &RevolvedHull, replaced: impl Fn(RoundedDisc) -> RoundedDisc) -> RevolvedHull {
    let mut discs = [hull.discs()[0]; RevolvedHull::MOST_DISCS];
    for (disc, given) in discs.iter_mut().zip(hull.discs()) {
        *disc = replaced(*given);
    }
    RevolvedHull::new(&discs[..hull.discs().len()]).expect("discs that are as valid")
}

/// The largest coordinate of a corner.
fn reach_of(corners: &Triangle) -> f64 {
    corners.iter().map(|corner| corner.abs().max_element()).fold(0.0, f64::max)
}
