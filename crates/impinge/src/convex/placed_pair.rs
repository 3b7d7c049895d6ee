//! Two hulls at their poses, as searches see them: in one unit, with a bound on what rounding does.

use super::{Feature, Polytope};
use crate::Pose;
use glam::{DMat3, DVec3};

/// A hull and where it stands.
pub type PlacedPolytope<'p> = (&'p Polytope, &'p Pose);

/// The distance of two convex hulls.
///
/// The hulls are those of the corners as [`Pose::place`] puts them, so they contain every placed vertex of the meshes that
/// they were made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullDistance {
    /// The distance of the two [points](Self::points); 0 if the hulls overlap. The true distance is not greater than this
    /// by more than roundings, some 1e-14 of the bodies' sizes and of their distance.
    pub distance: f64,
    /// A proven lower bound of the true distance. It is below `distance` by roundings only; negative, or 0, if the hulls
    /// overlap or nearly touch.
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

/// Two placed hulls: the second in a frame that belongs to the first.
///
/// The unit of lengths is the scale of the first hull. In the *body frame*, a corner of the first is as it is stored, and a
/// corner `c` of the second is `map · c + offset`. That is right only if both rotations are orthonormal to a few roundings. In
/// the *world frame*, which is turned as the world is, corners are `rotations[0] · c` and `ratio · rotations[1] · c +
/// world_offset`: right for every pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedPair<'p> {
    pub(super) a: &'p Polytope,
    pub(super) b: &'p Polytope,
    map: DMat3,
    pub(super) offset: DVec3,
    rotations: [&'p DMat3; 2],
    /// The scale of the second hull, in that of the first.
    ratio: f64,
    pub(super) world_offset: DVec3,
    /// The place of the first hull's center in the world.
    origin: DVec3,
    unit: f64,
    /// What is subtracted from a gap to get a proven lower bound.
    pub(super) slack: f64,
    /// Whether the body frame can be used.
    pub(super) is_rigid: bool,
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
        let [place_a, place_b] = [pose_a.place(a.center()), pose_b.place(b.center())];
        let world_offset = (place_b - place_a) * a.inverse_scale();
        let reach = world_offset.abs().element_sum();
        let in_range = ratio > 1.0 / MOST_RATIO && ratio < MOST_RATIO && reach < MOST_RATIO;
        if !in_range || a.is_empty() || b.is_empty() {
            return None;
        }
        let (turn_a, turn_b) = (pose_a.rotation_ref(), pose_b.rotation_ref());
        let back_a = turn_a.transpose();
        let turn = back_a * *turn_b;
        // What is not orthonormal shows in the product of both rotations, or in one of them.
        let is_rigid = is_orthonormal(&turn) && is_orthonormal(turn_a);
        // Heights of corners, products of the offset and of the maps: some dozens of roundings of the largest lengths. A
        // rotation that is orthonormal to RIGID changes lengths by half of that. Placement moves vertices and centers.
        let size = a.radius() + ratio * b.radius() + reach;
        let rounding = 2.0 * (a.rounding(pose_a) + b.rounding(pose_b)) * a.inverse_scale();
        Some(Self {
            a,
            b,
            map: turn * ratio,
            offset: back_a * world_offset,
            rotations: [turn_a, turn_b],
            ratio,
            world_offset,
            origin: place_a,
            unit: a.scale(),
            slack: 64.0 * f64::EPSILON * size + rounding,
            is_rigid,
        })
    }

    /// A corner of the second hull in the body frame.
    #[inline(always)]
    pub(super) fn b_corner(&self, vertex: u32) -> DVec3 {
        self.map * self.b.corner(vertex) + self.offset
    }

    /// A point of the body frame in the frame of the second hull.
    #[inline(always)]
    pub(super) fn to_b(&self, point: DVec3) -> DVec3 {
        // The map is a rotation times the ratio, which is a power of two.
        self.map.transpose() * (point - self.offset) * (self.ratio.recip() * self.ratio.recip())
    }

    /// A point of the second hull's frame in the body frame.
    #[inline(always)]
    pub(super) fn from_b(&self, point: DVec3) -> DVec3 {
        self.map * point + self.offset
    }

    /// A direction of the body frame as it acts on corners of the second hull: `direction · map · c` for each corner c.
    #[inline(always)]
    pub(super) fn direction_to_b(&self, direction: DVec3) -> DVec3 {
        self.map.transpose() * direction
    }

    /// The length of a direction of the body frame as it acts on corners of the second hull.
    #[inline(always)]
    pub(super) fn length_in_b(&self, length: f64) -> f64 {
        length * self.ratio
    }

    /// A result in the world, from points in the world frame.
    pub(super) fn world_result(
        &self,
        points: [DVec3; 2],
        [distance, lower]: [f64; 2],
        features: [Feature; 2],
    ) -> HullDistance {
        HullDistance {
            distance: distance * self.unit,
            lower: lower * self.unit,
            points: points.map(|point| self.to_world(point)),
            features,
        }
    }

    /// A result in the world, from points in the body frame.
    #[inline]
    pub(super) fn body_result(
        &self,
        points: [DVec3; 2],
        bounds: [f64; 2],
        features: [Feature; 2],
    ) -> HullDistance {
        self.world_result(points.map(|point| *self.rotations[0] * point), bounds, features)
    }

    /// A direction of the world frame as it acts on the corners of both hulls: up to a positive factor, `direction · c'` for
    /// each corner c at its place c'.
    #[inline(always)]
    pub(super) fn directions_to_bodies(&self, direction: DVec3) -> [DVec3; 2] {
        self.rotations.map(|rotation| rotation.transpose() * direction)
    }

    /// A corner of the first hull in the world frame.
    #[inline(always)]
    pub(super) fn world_corner_a(&self, vertex: u32) -> DVec3 {
        *self.rotations[0] * self.a.corner(vertex)
    }

    /// A corner of the second hull in the world frame.
    #[inline(always)]
    pub(super) fn world_corner_b(&self, vertex: u32) -> DVec3 {
        *self.rotations[1] * (self.b.corner(vertex) * self.ratio) + self.world_offset
    }

    /// A length in the unit of the world.
    pub(super) fn world_length(&self, length: f64) -> f64 {
        length * self.unit
    }

    /// A point of the world frame in the world.
    pub(super) fn to_world(&self, point: DVec3) -> DVec3 {
        point * self.unit + self.origin
    }

    /// The radius of the second hull.
    pub(super) fn size_of_b(&self) -> f64 {
        self.ratio * self.b.radius()
    }

    /// The vector from a corner of the first hull to one of the second, in the world frame.
    #[inline(always)]
    pub(super) fn difference(&self, [v, w]: [u32; 2]) -> DVec3 {
        self.world_corner_b(w) - self.world_corner_a(v)
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
