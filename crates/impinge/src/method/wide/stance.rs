//! How two bodies stand to each other, either seen from the other.
//!
//! As [`Relative`](crate::volume::Relative), with two differences. The way back is needed as well,
//! because either body's nodes may be the ones that are opened. And `Ra` is inverted, not
//! transposed: what is left then is rounding alone, however far from orthogonal a pose may be, so
//! that even the sides of triangles' planes, which no affine map changes, can be told in it.

use super::Node;
use crate::{Bounds, Pose};
use fearless_simd::{f32x4, prelude::*};
use glam::{DMat3, DVec3};

/// What a mesh's [`Frame`](crate::volume::Frame) is made of: `(point − center) / scale`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) center: DVec3,
    pub(super) scale: f64,
    /// The largest magnitude of a coordinate of the mesh.
    pub(super) reach: f64,
    /// The largest magnitude of a coordinate of a box's centre, in the frame.
    pub(super) centers: f64,
}

impl Place {
    pub(super) fn new(bounds: &Bounds, scale: f64) -> Self {
        if bounds.is_empty() {
            return Self { center: DVec3::ZERO, scale, reach: 0.0, centers: 0.0 };
        }
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        Self { center: bounds.center(), scale, reach, centers: 1.0 }
    }
}

/// Where a body stands in another's frame: `a = matrix · b + offset`, give or take the slack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stance {
    pub(super) matrix: DMat3,
    pub(super) offset: DVec3,
    /// How far along any axis of the frame the truth may be from that.
    pub(super) slack: f64,
    /// How long the unit of `b` is in the frame of `a`: a power of two.
    pub(super) scale: f32,
    /// The columns of the matrix over the scale, narrowed, with a zero each.
    rotation: [[f32; 4]; 3],
    /// What is added to the extents of a placed box, and what for each unit of their sum.
    more: f32,
    more_each: f32,
}

/// What a stance is made of is off by, the same for either way.
struct Lost {
    /// How far along any world axis rounding may move what is placed.
    rounding: f64,
    /// The largest coordinate of the way between the centres.
    apart: f64,
    /// How far the rotation is from being one, as a norm.
    skew: f64,
}

/// The largest sum of magnitudes of a row.
pub(super) fn row_sum(matrix: &DMat3) -> f64 {
    (matrix.x_axis.abs() + matrix.y_axis.abs() + matrix.z_axis.abs()).max_element()
}

/// A box in the other body's frame, in memory from where a number fills eight lanes at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedBox {
    pub(super) center: [f32; 3],
    pub(super) half: [f32; 3],
    /// A coordinate each, and one that has no meaning.
    pub(super) axes: [[f32; 4]; 3],
}

impl Stance {
    /// How `b` stands in the frame of `a`, where points within a distance count as meeting.
    ///
    /// Let x and y be points of the two bodies, X and Y where rounding has put them:
    /// `X = Ra x + ta + ea`, `Y = Rb y + tb + eb`. Let `wa = Ra ca + ta` be the true place of the
    /// centre of a, and `wb` likewise. The map `P ↦ Ra⁻¹ (P − wa) / sa` takes X to
    /// `(x − ca) / sa + Ra⁻¹ ea / sa`, which is x in the frame of a but for the last term, and Y to
    ///
    /// `Ra⁻¹ Rb (y − cb) / sa + Ra⁻¹ (wb − wa) / sa + Ra⁻¹ eb / sa`
    ///
    /// which is the matrix times y in the frame of b, the offset, and a term to be covered by the
    /// slack; so must be what is lost in computing all this in `f64`. That X and Y are the same
    /// point, or on which side of a plane a point lies, is the same before and after the map, whose
    /// determinant is positive.
    ///
    /// Returned with how `a` stands in the frame of `b`, for which the same holds, and
    /// `Rb⁻¹ Ra` is the inverse of `Ra⁻¹ Rb`.
    #[inline(always)]
    pub(super) fn both(
        (a, pose_a): (&Place, &Pose),
        (b, pose_b): (&Place, &Pose),
        distance: f64,
    ) -> [Self; 2] {
        let apart = pose_b.place(b.center) - pose_a.place(a.center);
        let inverse = pose_a.rotation().inverse();
        let rotation = inverse * pose_b.rotation();
        let back = rotation.inverse();
        let offset = inverse * apart;
        // Three times the largest entry of `RᵀR − I` is no less than its norm. On the way back,
        // where squares of lengths that are 1 + λ become 1 / (1 + λ), it is as much.
        let skew = rotation.transpose() * rotation - DMat3::IDENTITY;
        let skew = skew.x_axis.abs().max(skew.y_axis.abs()).max(skew.z_axis.abs()).max_element();
        let lost = Lost {
            rounding: pose_a.rounding(a.reach) + pose_b.rounding(b.reach),
            apart: apart.abs().max_element(),
            skew: 3.001 * skew + 1e-12,
        };
        [
            Self::new((a, b), (rotation, offset), &lost, distance),
            Self::new((b, a), (back, -(back * offset)), &lost, distance),
        ]
    }

    #[inline(always)]
    fn new(
        (a, b): (&Place, &Place),
        (rotation, offset): (DMat3, DVec3),
        &Lost { rounding, apart, skew }: &Lost,
        distance: f64,
    ) -> Self {
        // Powers of two, so that nothing is lost here.
        let ratio = b.scale / a.scale;
        let matrix = rotation * ratio;
        let offset = offset / a.scale;
        let far = offset.abs().max_element();

        // A row of a rotation times a vector: at most √3 (1 + 1e-6) times its largest component.
        const ROW: f64 = 1.75;
        // Vertices and centres of both bodies, each moved by as much.
        let placing = ROW * 2.0 * rounding;
        // An inverse of what is nearly a rotation is off by less than 32 roundings of 1 in each
        // entry (nine products and a division by a determinant close to 1); a product with it adds
        // four, and there are two of each on the way back.
        let computing = 128.0 * f64::EPSILON * (ROW * apart + 2.0 * b.scale);
        // Twice over, for the roundings of the slack itself. A point in a frame is off by 2^−52, and
        // what is made of it in `f64` from there on, see `point`, by a few times as much.
        let slack = 2.0 * (placing + computing) / a.scale + 1e-14 * (1.0 + ratio + far);
        // g in the world is `Ra⁻¹ g / sa` in the frame, and Ra⁻¹ lengthens no vector by more than
        // 1.5e-6. Distances are compared as computed, to 1e-12.
        let buffer = match distance {
            0.0 => 0.0,
            distance => distance / a.scale * (1.0 + 1e-5) + f64::MIN_POSITIVE,
        };

        // See `placed`.
        let moved = 6e-8 * (ROW * ratio * b.centers + far);
        let (first, second) = (skew + 8e-7, 3.0 * skew + 7e-6);
        let more = (1.75 * (moved + slack) + buffer) * (1.0 + 3.0 * second);
        let more_each = ratio * (first + (1.0 + 3.0 * first) * second);
        let narrow = |axis: DVec3| [axis.x as f32, axis.y as f32, axis.z as f32, 0.0];
        let stance = Self {
            matrix,
            offset,
            slack,
            scale: ratio as f32,
            rotation: [narrow(rotation.x_axis), narrow(rotation.y_axis), narrow(rotation.z_axis)],
            more: (more * 1.000_001) as f32,
            more_each: (more_each * 1.000_001) as f32,
        };
        // What is not a number proves nothing: infinite extents keep every pair. Nor are numbers to
        // underflow or overflow.
        let is_sound =
            offset.is_finite() && stance.more.is_finite() && (1e-30..1e30).contains(&ratio);
        if is_sound {
            return stance;
        }
        Self {
            matrix: DMat3::ZERO,
            offset: DVec3::ZERO,
            slack: f64::INFINITY,
            scale: 1.0,
            rotation: [[0.0; 4]; 3],
            more: f32::INFINITY,
            more_each: 1.0,
        }
    }

    /// A point of `b` in the frame of `a`.
    #[inline(always)]
    pub(super) fn point(&self, point: [f32; 3]) -> DVec3 {
        let (x, y, z) = (f64::from(point[0]), f64::from(point[1]), f64::from(point[2]));
        let m = &self.matrix;
        (m.x_axis * x + m.y_axis * y) + (m.z_axis * z + self.offset)
    }

    /// A box of `b` in the frame of `a`, with all that `boxes.rs` asks of one that is placed.
    ///
    /// Let W be the box's axes and V the placed ones, R the rotation as it is before narrowing, with
    /// `RᵀR = I + G`, and y a point of the box, whose place is `p = C + s R (y − c) + e`. Then
    ///
    /// `vj·(p − C) = s wj·(y − c) + s wjᵀ G (y − c) + s (vj − R wj)·R (y − c) + vj·e`
    ///
    /// The first term is at most s hj. With |y − c| at most the sum of extents Σ, the second is at
    /// most the norm of G, the skew, times s Σ. The third: narrowing R and three products and two
    /// sums move a coordinate of vj by no more than 7 roundings of 2^−24, and so vj by less than
    /// 8e-7. The last is at most 1.75 times the largest coordinate of e: the slack, and what
    /// narrowing C moves. Then what `boxes.rs` asks for the products of axes is added, the roundings
    /// of all this included: they are a few of 2^−24 of the sum, and 7e-6 is a hundred.
    #[inline(always)]
    pub(super) fn placed<S: Simd>(&self, simd: S, node: &Node, lane: usize) -> PlacedBox {
        let center = self.point([node.center[0][lane], node.center[1][lane], node.center[2][lane]]);
        let center = [center.x as f32, center.y as f32, center.z as f32];
        let (h0, h1, h2) = (node.half[0][lane], node.half[1][lane], node.half[2][lane]);
        let more = ((h0 + h1) + h2) * self.more_each + self.more;
        let half = [h0 * self.scale + more, h1 * self.scale + more, h2 * self.scale + more];
        let columns = [
            f32x4::load_array_ref(simd, &self.rotation[0]),
            f32x4::load_array_ref(simd, &self.rotation[1]),
            f32x4::load_array_ref(simd, &self.rotation[2]),
        ];
        let mut axes = [[0.0; 4]; 3];
        for (turned, [x, y, z]) in axes.iter_mut().zip(&node.axes) {
            let axis = (columns[0] * x[lane] + columns[1] * y[lane]) + columns[2] * z[lane];
            axis.store_array(turned);
        }
        PlacedBox { center, half, axes }
    }

    /// An axis of `b` in the frame of `a`.
    #[inline(always)]
    pub(super) fn turned<S: Simd>(&self, simd: S, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let p = f32x4::load_array_ref(simd, &self.rotation[0]);
        let q = f32x4::load_array_ref(simd, &self.rotation[1]);
        let r = f32x4::load_array_ref(simd, &self.rotation[2]);
        let axis = std::hint::black_box(((p * x + q * y) + r * z).to_array());
        [axis[0], axis[1], axis[2]]
    }

    /// How far the product of a turned axis and a placed vector may be off from that of the two
    /// before, for a vector with coordinates of at most 1: see [`placed`](Self::placed), where
    /// the second and third term, with √3 for Σ, are what is added to extents and more.
    pub(super) fn skewed(&self) -> f32 {
        1.75 * self.more_each
    }
}
