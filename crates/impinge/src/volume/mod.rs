//! Bounding volumes: convex regions that enclose geometry and are cheap to compare. The trees of
//! [`method::tree`](crate::method::tree) are built of them.
//!
//! A volume may be too large, never too small. So `overlaps` returning `false` is a proof of separation, and
//! `true` proves nothing.
//!
//! Volumes are stored in a mesh's [`Frame`], where all coordinates are within ±1. So the resolution of `f32`
//! bounds is relative to the size of the mesh, wherever the mesh is. Every bound is rounded outward when it
//! is narrowed to `f32`. A [`Relative`] holds the relative pose of two bodies, and a slack that covers all
//! rounding errors.

mod aabb;
mod dop;
mod eigen;
mod fit;
mod frame;
mod obb;
mod polytope;
mod root_dop;
mod saved;
mod sphere;
mod turned_normal;
mod vertex_pool;
mod vertices;

pub use aabb::Aabb;
pub use dop::Dop;
pub(crate) use dop::dop_directions;
pub(crate) use eigen::eigenvectors;
pub use fit::Fit;
pub use frame::{Frame, Relative};
pub use obb::Obb;
pub(crate) use root_dop::RootDop;
pub use saved::SavedVolume;
pub use sphere::Sphere;
pub use turned_normal::TurnedNormal;
pub use vertex_pool::VertexPool;
pub use vertices::Vertices;

use glam::DVec3;
use std::fmt::Debug;

/// A convex region that encloses geometry and is cheap to merge and to compare.
pub trait BoundingVolume: Copy + Debug + Send + Sync + 'static {
    /// The volume in another body's frame.
    type Placed: Copy + Debug + Send + Sync;
    /// Data that a query computes once from the relative pose, so that placing each volume is cheap.
    type Placement: Debug + Send + Sync;

    /// The normals of the planes between which the volume lies, in its own frame and placed, for types whose
    /// planes do not turn with the body; empty for other types. Not normalised; components are at most 1.
    const NORMALS: &'static [DVec3] = &[];

    /// The volume of triangles, given in their [`Frame`].
    fn enclosing(triangles: &[[DVec3; 3]]) -> Self;

    /// A volume that encloses both, if it is as tight as one computed from the geometry; otherwise `None`.
    fn merged(&self, _other: &Self) -> Option<Self> {
        None
    }

    /// Whether volumes of this type can be [merged](Self::merged).
    fn merges() -> bool {
        let point = Self::enclosing(&[[DVec3::ZERO; 3]]);
        point.merged(&point).is_some()
    }

    /// Computes the data to place volumes of one body in the frame of another.
    fn placement(relative: &Relative) -> Self::Placement;

    /// The volume in the other body's frame. It encloses everything this one encloses, enlarged by the slack.
    fn placed(&self, placement: &Self::Placement) -> Self::Placed;

    /// The placed volume with the given extents along each of the [`NORMALS`](Self::NORMALS), rounded
    /// outward; `None` for types without such normals.
    fn from_extents(_extent: impl FnMut(usize) -> [f64; 2]) -> Option<Self::Placed> {
        None
    }

    /// The vertices of the volume, if rotating them and enclosing them again is tighter than
    /// [`placed`](Self::placed); otherwise `None`.
    fn vertices(&self) -> Option<Vertices> {
        None
    }

    /// Whether the two volumes may share a point; `false` proves that they do not.
    fn overlaps(&self, other: &Self::Placed) -> bool;

    /// A lower bound on the distance of the two volumes, in units of this one's frame; 0 if unknown.
    fn distance_below(&self, other: &Self::Placed) -> f64;

    /// An upper bound on the penetration depth, in units of this one's frame: moving the other volume by that
    /// much, in a suitable direction, leaves no common inner point. Infinity if unknown.
    fn depth_above(&self, _other: &Self::Placed) -> f64 {
        f64::INFINITY
    }

    /// A measure of size, to compare volumes of the same type. Much cheaper than [`volume`](Self::volume).
    fn size(&self) -> f32;

    /// The volume of the region, enlarged by `pad` on all sides: in cubic units of the frame, for choosing
    /// between trees, and not rounded outward. The default is the cube of [`size`](Self::size), which is enough
    /// to compare volumes of the same type.
    fn volume(&self, pad: f64) -> f64 {
        (f64::from(self.size()) + pad).powi(3)
    }

    /// The axes of this volume's own box, the longest first, for rules that split a node across them. Volumes
    /// without axes of their own have those of the frame, ordered by the extents of the triangles.
    fn box_axes(&self, triangles: &[[DVec3; 3]]) -> [DVec3; 3] {
        let size = crate::Bounds::enclosing(triangles.iter().flatten().copied()).size();
        by_length(DVec3::AXES, size)
    }
}

/// Sorts axes by their lengths, the longest first.
fn by_length(axes: [DVec3; 3], lengths: DVec3) -> [DVec3; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    order.map(|i| axes[i])
}

/// A generous bound on the error of a coordinate in a [`Frame`]. The coordinate comes from a difference and a
/// product with a power of two, in `f64`, and is at most 1.
const GUARD: f64 = 1.0 / (1u64 << 50) as f64;

/// A bound on the error of a few `f64` operations, relative to the sum of magnitudes of their operands.
const RELATIVE_GUARD: f64 = 1.0 / (1u64 << 44) as f64;

/// The largest `f32` that is not above `value`.
#[inline]
fn round_down(value: f64) -> f32 {
    let narrowed = value as f32;
    stepped(narrowed, -i32::from(f64::from(narrowed) > value))
}

/// The least `f32` that is not below `value`.
#[inline]
fn round_up(value: f64) -> f32 {
    let narrowed = value as f32;
    stepped(narrowed, i32::from(f64::from(narrowed) < value))
}

/// The next float up (`by` = 1), the next float down (−1) or the same float (0). A value narrowed upward is
/// never −0 and one narrowed downward never +0, so the step never has to cross zero. Has no branch, so that
/// the compiler can vectorise it.
#[inline]
fn stepped(narrowed: f32, by: i32) -> f32 {
    let bits = narrowed.to_bits().cast_signed();
    // 1 or −1: the bit patterns of negative floats count the other way.
    let sign = (bits >> 31) | 1;
    f32::from_bits((bits + by * sign).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Bounds, Pose,
        convex::{ClimbEnds, Climber},
        generate::Random,
        narrow::triangles_intersect,
    };
    use glam::{DMat3, EulerRot};
    use std::f64::consts::{FRAC_PI_2, PI};

    /// A body that is a single triangle, in a frame that may be much larger and anywhere.
    struct Body {
        frame: Frame,
        triangle: [DVec3; 3],
        pose: Pose,
    }

    impl Body {
        fn placed(&self) -> [DVec3; 3] {
            self.triangle.map(|corner| self.pose.place(corner))
        }

        fn volume<V: BoundingVolume>(&self) -> V {
            V::enclosing(&[self.triangle.map(|corner| self.frame.normalized(corner))])
        }
    }

    fn vector(random: &mut Random) -> DVec3 {
        DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), random.range(-1.0, 1.0))
    }

    fn pick(random: &mut Random, from: &[f64]) -> f64 {
        from[random.below(from.len() as u64) as usize]
    }

    /// A rotation, often only approximate: stretched and sheared as far as a pose accepts.
    fn rotation(random: &mut Random) -> DMat3 {
        let exact = match random.below(4) {
            0 => DMat3::IDENTITY,
            1 => DMat3::from_euler(EulerRot::XYZ, FRAC_PI_2, PI, 0.0),
            _ => random.rotation(),
        };
        let bent = |random: &mut Random| {
            let mut bend = DMat3::IDENTITY;
            for i in 0..3 {
                *bend.col_mut(i) += vector(random) * 2.4e-7;
            }
            bend
        };
        if random.below(2) == 0 { exact * bent(random) } else { exact }
    }

    /// Two bodies whose placed triangles nearly or just touch.
    fn bodies(random: &mut Random) -> [Body; 2] {
        let unit = pick(random, &[1.0, 1.0, 1.0, 1e-3, 1e6, 1e-40, 1e40, 1e-300, 1e90]);
        let body = |random: &mut Random| {
            let size = unit * pick(random, &[1.0, 1.0, 1e-3, 1e-6, 100.0]);
            let middle = vector(random) * size * pick(random, &[0.0, 1.0, 1e3, 1e9]);
            // The extent ranges from a point to the size of the body.
            let extent = size * pick(random, &[0.0, 1e-7, 1e-3, 1.0]);
            let at = middle + vector(random) * (size - extent.min(size));
            let triangle = [0; 3].map(|_| at + vector(random) * extent);
            let reach = DVec3::splat(size);
            let mut bounds = Bounds { min: middle - reach, max: middle + reach };
            bounds.merge(&Bounds::enclosing(triangle));
            let travel = unit * pick(random, &[0.0, 1.0, 1e4, 1e12]);
            let pose = Pose::new(rotation(random), vector(random) * travel);
            Body { frame: Frame::new(&bounds), triangle, pose: pose.expect("nearly a rotation") }
        };
        let (a, mut b) = (body(random), body(random));
        // Move b so that a corner or an inner point of each triangle coincide.
        let meet = |t: [DVec3; 3], random: &mut Random| match random.below(2) {
            0 => t[0],
            _ => t[0] * 0.25 + t[1] * 0.25 + t[2] * 0.5,
        };
        let gap = meet(a.placed(), random) - meet(b.placed(), random);
        let stepped = Pose::new(b.pose.rotation(), b.pose.translation() + gap);
        b.pose = stepped.expect("finite");
        [a, b]
    }

    /// No volume may prove touching triangles apart, however the second one is placed.
    fn misses_nothing<V: BoundingVolume>(placed: impl Fn(&Body, &Relative) -> V::Placed) {
        let mut touching = 0;
        for seed in 0..60_000 {
            let mut random = Random::new(seed);
            let [a, b] = bodies(&mut random);
            if !triangles_intersect(&a.placed(), &b.placed()) {
                continue;
            }
            touching += 1;
            let placed = placed(&b, &Relative::new(&a.frame, &a.pose, &b.frame, &b.pose));
            assert!(a.volume::<V>().overlaps(&placed), "seed {seed}: {placed:?}");
            let other = V::enclosing(&[[DVec3::ZERO; 3]]);
            if let Some(merged) = a.volume::<V>().merged(&other) {
                assert!(merged.overlaps(&placed), "seed {seed}, merged");
            }
        }
        assert!(
            touching > 15_000,
            "hardly any triangles touch, so the test proves little: {touching}"
        );
    }

    fn aligned<V: BoundingVolume>(body: &Body, relative: &Relative) -> V::Placed {
        body.volume::<V>().placed(&V::placement(relative))
    }

    fn by_vertices<V: BoundingVolume>(body: &Body, relative: &Relative) -> V::Placed {
        let mut pool = VertexPool::default();
        pool.push(&body.volume::<V>().vertices().expect("this type has vertices"));
        V::from_extents(|i| pool.extent(0, &TurnedNormal::new(relative, V::NORMALS[i])))
            .expect("this type has normals")
    }

    fn by_hill_climbing<V: BoundingVolume>(body: &Body, relative: &Relative) -> V::Placed {
        let climber = Climber::new(body.triangle.map(|corner| body.frame.normalized(corner)));
        let mut ends = ClimbEnds::default();
        let normal = |i: usize| TurnedNormal::new(relative, V::NORMALS[i]);
        V::from_extents(|i| normal(i).extent_of_hull(&climber, &mut ends))
            .expect("this type has normals")
    }

    /// Most triangles that are well apart are proved apart.
    fn proves_most_apart<V: BoundingVolume>(placed: impl Fn(&Body, &Relative) -> V::Placed) {
        let mut proved = 0;
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let corners = |random: &mut Random| [0; 3].map(|_| vector(random));
            let (s, t) = (corners(&mut random), corners(&mut random));
            let frame = Frame::new(&Bounds { min: -DVec3::ONE, max: DVec3::ONE });
            let away = random.direction() * 3.8;
            let pose = Pose::new(random.rotation(), away).expect("a rotation");
            let relative = Relative::new(&frame, &Pose::IDENTITY, &frame, &pose);
            let body = Body { frame, triangle: t, pose };
            proved += usize::from(!V::enclosing(&[s]).overlaps(&placed(&body, &relative)));
        }
        assert!(proved > 1_900, "only {proved} of 2000 pairs were proved apart");
    }

    #[test]
    fn rounding_takes_the_next_float() {
        let floats = [0.0, -0.0, 1e-45, -1e-45, 1e-38, 1.0, -1.0, 1.5, f32::MAX, f32::MIN];
        for value in floats.map(f64::from).into_iter().chain([f64::INFINITY, f64::NEG_INFINITY]) {
            for value in [value, value.next_up(), value.next_down(), value * 1.0000001, -1e300] {
                let narrowed = value as f32;
                let (wide, up, down) = (f64::from(narrowed), round_up(value), round_down(value));
                let above = if wide < value { narrowed.next_up() } else { narrowed };
                let below = if wide > value { narrowed.next_down() } else { narrowed };
                assert_eq!((up.to_bits(), down.to_bits()), (above.to_bits(), below.to_bits()));
            }
        }
        assert!(round_up(f64::NAN).is_nan() && round_down(f64::NAN).is_nan());
    }

    #[test]
    fn boxes_are_conservative_and_useful() {
        misses_nothing::<Aabb>(aligned::<Aabb>);
        proves_most_apart::<Aabb>(aligned::<Aabb>);
    }

    #[test]
    fn spheres_are_conservative_and_useful() {
        misses_nothing::<Sphere>(aligned::<Sphere>);
        proves_most_apart::<Sphere>(aligned::<Sphere>);
    }

    #[test]
    fn oriented_boxes_are_conservative_and_useful() {
        misses_nothing::<Obb>(aligned::<Obb>);
        proves_most_apart::<Obb>(aligned::<Obb>);
    }

    #[test]
    fn dops_placed_by_their_vertices_miss_nothing() {
        misses_nothing::<Dop<3>>(by_vertices::<Dop<3>>);
        misses_nothing::<Dop<4>>(by_vertices::<Dop<4>>);
        misses_nothing::<Dop<6>>(by_vertices::<Dop<6>>);
        misses_nothing::<Dop<7>>(by_vertices::<Dop<7>>);
        misses_nothing::<Dop<9>>(by_vertices::<Dop<9>>);
        misses_nothing::<Dop<10>>(by_vertices::<Dop<10>>);
        misses_nothing::<Dop<13>>(by_vertices::<Dop<13>>);
        proves_most_apart::<Dop<9>>(by_vertices::<Dop<9>>);
    }

    #[test]
    fn volumes_placed_by_hill_climbing_miss_nothing() {
        misses_nothing::<Aabb>(by_hill_climbing::<Aabb>);
        misses_nothing::<Dop<4>>(by_hill_climbing::<Dop<4>>);
        misses_nothing::<Dop<13>>(by_hill_climbing::<Dop<13>>);
        proves_most_apart::<Dop<9>>(by_hill_climbing::<Dop<9>>);
    }

    #[test]
    fn dops_are_conservative_and_useful() {
        misses_nothing::<Dop<3>>(aligned::<Dop<3>>);
        misses_nothing::<Dop<4>>(aligned::<Dop<4>>);
        misses_nothing::<Dop<6>>(aligned::<Dop<6>>);
        misses_nothing::<Dop<7>>(aligned::<Dop<7>>);
        misses_nothing::<Dop<9>>(aligned::<Dop<9>>);
        misses_nothing::<Dop<10>>(aligned::<Dop<10>>);
        misses_nothing::<Dop<13>>(aligned::<Dop<13>>);
        proves_most_apart::<Dop<3>>(aligned::<Dop<3>>);
        proves_most_apart::<Dop<9>>(aligned::<Dop<9>>);
        proves_most_apart::<Dop<13>>(aligned::<Dop<13>>);
    }
}
