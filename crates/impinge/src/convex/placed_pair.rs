//! Two hulls at their poses, as searches see them: in one unit, with a bound on what rounding does.

use super::{Feature, Polytope};
use crate::Pose;
use glam::{DMat3, DVec3};

/// A hull and where it stands.
pub type PlacedPolytope<'p> = (&'p Polytope, &'p Pose);

/// The distance of two convex hulls.
///
/// The hulls are those of the corners as [`Pose::place`] puts them, so they contain every placed vertex of the meshes that
/// they were made of. Hulls whose sizes differ by more than a factor of 1e60, or that are more than 1e60 sizes apart, are
/// answered by their bounding spheres: `lower` holds, and `distance` is that of two corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullDistance {
    /// The distance of the two [points](Self::points); 0 if the hulls overlap. The true distance is not greater than this
    /// by more than roundings, some 1e-14 of the bodies' sizes and of their distance.
    pub distance: f64,
    /// A proven lower bound of the true distance. It is below `distance` by roundings: some 1e-14 of the bodies' sizes, and
    /// more for bodies that are closer than 1e-6 of their sizes, or thinner than that. Not above 0 if the hulls overlap or
    /// nearly touch.
    pub lower: f64,
    /// The closest points, one on each hull, in the world. If the hulls overlap, a common point, twice.
    pub points: [DVec3; 2],
    /// The features that the closest points lie on.
    pub features: [Feature; 2],
}

impl HullDistance {
    /// Whether the hulls are proven to be apart.
    pub fn is_apart(&self) -> bool {
        self.lower > 0.0
    }
}

/// Two placed hulls, in a frame that is turned as the world is, with its origin at the first hull's center.
///
/// The unit of lengths is the scale of the first hull. A corner `c` of the first is at `rotations[0] · c`, a corner of the
/// second at `rotations[1] · c · ratio + offset`. That is right for every pose, also if a rotation is orthonormal only to 1e-6.
#[derive(Debug)]
pub(super) struct PlacedPair<'p> {
    pub(super) a: &'p Polytope,
    pub(super) b: &'p Polytope,
    rotations: [&'p DMat3; 2],
    /// The scale of the second hull, in that of the first: a power of two.
    ratio: f64,
    /// From the first hull's center to the second's.
    pub(super) offset: DVec3,
    /// The place of the first hull's center in the world.
    origin: DVec3,
    unit: f64,
    /// What is subtracted from a gap to get a proven lower bound.
    pub(super) slack: f64,
}

/// Hulls whose sizes differ by more than this factor are not searched: products would overflow or vanish.
const MOST_RATIO: f64 = 1e60;
/// Rotations whose columns differ from an orthonormal system by less than this are used as if they were orthonormal.
const RIGID: f64 = 16.0 * f64::EPSILON;

impl<'p> PlacedPair<'p> {
    /// `None` if a hull is empty, or if the sizes or the distance are out of range.
    #[inline(always)]
    pub(super) fn new(
        (a, pose_a): PlacedPolytope<'p>,
        (b, pose_b): PlacedPolytope<'p>,
    ) -> Option<Self> {
        let ratio = b.scale() * a.inverse_scale();
        let (place_a, place_b) = (pose_a.place(a.center()), pose_b.place(b.center()));
        let offset = (place_b - place_a) * a.inverse_scale();
        let reach = offset.abs().element_sum();
        let in_range = ratio > 1.0 / MOST_RATIO && ratio < MOST_RATIO && reach < MOST_RATIO;
        if !in_range || a.is_empty() || b.is_empty() {
            return None;
        }
        // Heights of corners, products with rotations and with the offset: some dozens of roundings of the largest
        // lengths. Where rotations count as orthonormal, they change lengths by half of RIGID. Placement moves vertices
        // and centers.
        let size = a.radius() + ratio * b.radius() + reach;
        let rounding = 2.0 * (a.rounding(pose_a) + b.rounding(pose_b)) * a.inverse_scale();
        Some(Self {
            a,
            b,
            rotations: [pose_a.rotation_ref(), pose_b.rotation_ref()],
            ratio,
            offset,
            origin: place_a,
            unit: a.scale(),
            slack: 64.0 * f64::EPSILON * size + rounding,
        })
    }

    /// Whether both rotations are orthonormal but for a few roundings, so that [`to_a`](Self::to_a) and
    /// [`to_b`](Self::to_b) are right.
    #[inline]
    pub(super) fn is_rigid(&self) -> bool {
        self.rotations.iter().all(|rotation| is_orthonormal(rotation))
    }

    /// A corner of the first hull.
    #[inline(always)]
    pub(super) fn corner_a(&self, vertex: u32) -> DVec3 {
        self.placed_a(self.a.corner(vertex))
    }

    /// A corner of the second hull.
    #[inline(always)]
    pub(super) fn corner_b(&self, vertex: u32) -> DVec3 {
        self.placed_b(self.b.corner(vertex))
    }

    /// The vector from a corner of the first hull to one of the second.
    #[inline(always)]
    pub(super) fn difference(&self, [v, w]: [u32; 2]) -> DVec3 {
        self.corner_b(w) - self.corner_a(v)
    }

    /// The place of a point that is given in the frame of the first hull.
    #[inline(always)]
    pub(super) fn placed_a(&self, point: DVec3) -> DVec3 {
        *self.rotations[0] * point
    }

    /// The place of a point that is given in the frame of the second hull.
    #[inline(always)]
    pub(super) fn placed_b(&self, point: DVec3) -> DVec3 {
        *self.rotations[1] * (point * self.ratio) + self.offset
    }

    /// A point in the frame of the first hull, if the pair [is rigid](Self::is_rigid).
    #[inline(always)]
    pub(super) fn to_a(&self, point: DVec3) -> DVec3 {
        self.rotations[0].transpose() * point
    }

    /// A point in the frame of the second hull, if the pair [is rigid](Self::is_rigid).
    #[inline(always)]
    pub(super) fn to_b(&self, point: DVec3) -> DVec3 {
        self.rotations[1].transpose() * (point - self.offset) * self.ratio.recip()
    }

    /// A direction as it acts on the stored corners of both hulls: the heights of corners along it are `direction · c` for
    /// the first, and `ratio · direction · c` above that of the center for the second.
    #[inline(always)]
    pub(super) fn directions_to_bodies(&self, direction: DVec3) -> [DVec3; 2] {
        let [turn_a, turn_b] = self.rotations;
        [turn_a.transpose() * direction, turn_b.transpose() * direction]
    }

    /// The width of the gap between both bodies along a direction, times the direction's length, given upper bounds on the heights
    /// of the first body's stored corners along it and of the second's against it.
    #[inline(always)]
    pub(super) fn gap(&self, direction: DVec3, [height_a, height_b]: [f64; 2]) -> f64 {
        direction.dot(self.offset) - height_a - height_b * self.ratio
    }

    /// A result in the world.
    #[inline]
    pub(super) fn result(
        &self,
        [point_a, point_b]: [DVec3; 2],
        [distance, lower]: [f64; 2],
        features: [Feature; 2],
    ) -> HullDistance {
        HullDistance {
            distance: distance * self.unit,
            lower: lower * self.unit,
            points: [self.to_world(point_a), self.to_world(point_b)],
            features,
        }
    }

    /// A length in the unit of the world.
    pub(super) fn world_length(&self, length: f64) -> f64 {
        length * self.unit
    }

    /// A point in the world.
    #[inline(always)]
    pub(super) fn to_world(&self, point: DVec3) -> DVec3 {
        point * self.unit + self.origin
    }

    /// The radius of the second hull.
    pub(super) fn size_of_b(&self) -> f64 {
        self.ratio * self.b.radius()
    }
}

/// What is known of hulls that are out of range: their bounding spheres.
pub(super) fn by_spheres(
    (a, pose_a): PlacedPolytope<'_>,
    (b, pose_b): PlacedPolytope<'_>,
) -> HullDistance {
    let features = [Feature::Vertex(0); 2];
    let is_empty = a.is_empty() || b.is_empty();
    if is_empty {
        let nowhere = [DVec3::ZERO; 2];
        return HullDistance {
            distance: f64::INFINITY,
            lower: f64::INFINITY,
            points: nowhere,
            features,
        };
    }
    let first = |polytope: &Polytope, pose: &Pose| pose.place(polytope.hull().positions()[0]);
    let points = [first(a, pose_a), first(b, pose_b)];
    let length = |vector: DVec3| {
        let largest = vector.abs().max_element();
        if largest > 0.0 && largest.is_finite() {
            (vector / largest).length() * largest
        } else {
            largest
        }
    };
    let [c, d] = [pose_a.place(a.center()), pose_b.place(b.center())];
    // A rotation to 1e-6 lengthens no vector by more than 1.5e-6.
    let radii = (a.radius() * a.scale() + b.radius() * b.scale()) * (1.0 + 2e-6);
    let rounding = 2.0 * (a.rounding(pose_a) + b.rounding(pose_b));
    let lower = length(d - c) * (1.0 - 1e-14) - radii - rounding;
    // Where numbers overflow, nothing is known.
    let lower = if lower.is_nan() { f64::NEG_INFINITY } else { lower };
    let distance = length(points[1] - points[0]);
    HullDistance { distance, lower: lower.min(distance), points, features }
}

/// Whether the columns of a matrix are of unit length and at right angles, but for a few roundings.
#[inline(always)]
fn is_orthonormal(matrix: &DMat3) -> bool {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let lengths = DVec3::new(x.dot(x), y.dot(y), z.dot(z)) - DVec3::ONE;
    let angles = DVec3::new(x.dot(y), y.dot(z), z.dot(x));
    lengths.abs().max(angles.abs()).max_element() < RIGID
}
