//! The relative pose of two bodies: each one seen from the frame of the other.
//!
//! `walk.rs` makes both relative poses at the start of a query; `boxes.rs` and `triangles.rs` rely
//! on the error bounds derived here. The idea is that of [`Relative`](crate::volume::Relative),
//! with two differences. First, both directions are needed, because a traversal may open the nodes
//! of either body. Second, `Ra` is inverted, not transposed: then only rounding is left as an
//! error, however far from orthogonal a pose may be. So even the side of a triangle's plane on
//! which a point lies, which no affine map changes, can be decided in this frame.

use super::Node;
use crate::{Bounds, Pose};
use fearless_simd::{f32x4, prelude::*};
use glam::{DMat3, DVec3};

/// A mesh's [`Frame`](crate::volume::Frame), which maps a point to `(point − center) / scale`, and
/// the magnitudes that error bounds need.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyFrame {
    pub(super) center: DVec3,
    pub(super) scale: f64,
    /// The largest magnitude of a coordinate of the mesh.
    pub(super) reach: f64,
    /// The largest magnitude of a coordinate of a box's centre, in the frame.
    pub(super) centers: f64,
}

impl BodyFrame {
    pub(super) fn new(bounds: &Bounds, scale: f64) -> Self {
        if bounds.is_empty() {
            return Self { center: DVec3::ZERO, scale, reach: 0.0, centers: 0.0 };
        }
        let reach = bounds.largest_coordinate();
        Self { center: bounds.center(), scale, reach, centers: 1.0 }
    }
}

/// The pose of a body `b` in the frame of a body `a`: `a = matrix · b + offset`, up to the slack.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelativePose {
    pub(super) matrix: DMat3,
    pub(super) offset: DVec3,
    /// The largest error of that map along any axis of the frame of `a`.
    pub(super) slack: f64,
    /// The length of the unit of `b` in the frame of `a`: a power of two.
    pub(super) scale: f32,
    /// The columns of the matrix divided by the scale, as `f32`, each padded with a zero.
    rotation: [[f32; 4]; 3],
    /// Padding of every extent of a placed box: a constant part, and a part per unit of the sum of
    /// extents.
    padding: f32,
    padding_per_extent: f32,
}

/// The errors of both poses. They are the same in either direction.
struct PoseErrors {
    /// The largest distance along any world axis by which rounding may move a placed point.
    rounding: f64,
    /// The largest coordinate of the vector between the placed centres.
    apart: f64,
    /// The norm of `RᵀR − I`: how far the relative rotation is from being orthogonal.
    skew: f64,
}

/// The largest sum of magnitudes in a row of a matrix.
pub(super) fn row_sum(matrix: &DMat3) -> f64 {
    (matrix.x_axis.abs() + matrix.y_axis.abs() + matrix.z_axis.abs()).max_element()
}

/// A box in the other body's frame, kept in memory, from where one number is broadcast to eight
/// lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedBox {
    pub(super) center: [f32; 3],
    pub(super) half: [f32; 3],
    /// Three coordinates each, and one lane of padding.
    pub(super) axes: [[f32; 4]; 3],
}

impl RelativePose {
    /// The pose of `b` in the frame of `a`, where points within a distance count as meeting.
    ///
    /// Let x and y be points of the two bodies, X and Y where rounding has put them:
    /// `X = Ra x + ta + ea`, `Y = Rb y + tb + eb`. Let `wa = Ra ca + ta` be the true place of the
    /// centre of a, and `wb` likewise. The map `P ↦ Ra⁻¹ (P − wa) / sa` takes X to
    /// `(x − ca) / sa + Ra⁻¹ ea / sa`, which is x in the frame of a up to the last term, and Y to
    ///
    /// `Ra⁻¹ Rb (y − cb) / sa + Ra⁻¹ (wb − wa) / sa + Ra⁻¹ eb / sa`
    ///
    /// which is the matrix times y in the frame of b, the offset, and an error term. The slack must
    /// cover this term, and the rounding errors of computing all this in `f64`. The map has a
    /// positive determinant. So whether X and Y are the same point, and on which side of a plane a
    /// point lies, is the same before and after the map.
    ///
    /// Also returns the pose of `a` in the frame of `b`, for which the same holds; `Rb⁻¹ Ra` is the
    /// inverse of `Ra⁻¹ Rb`.
    #[inline(always)]
    pub(super) fn both(
        (a, pose_a): (&BodyFrame, &Pose),
        (b, pose_b): (&BodyFrame, &Pose),
        distance: f64,
    ) -> [Self; 2] {
        let apart = pose_b.place(b.center) - pose_a.place(a.center);
        let inverse = pose_a.rotation().inverse();
        let rotation = inverse * pose_b.rotation();
        let back = rotation.inverse();
        let offset = inverse * apart;
        // Three times the largest entry of `RᵀR − I` is at least its norm. The bound also covers
        // the inverse: squared lengths of 1 + λ become 1 / (1 + λ).
        let skew = rotation.transpose() * rotation - DMat3::IDENTITY;
        let skew = skew.x_axis.abs().max(skew.y_axis.abs()).max(skew.z_axis.abs()).max_element();
        let errors = PoseErrors {
            rounding: pose_a.rounding(a.reach) + pose_b.rounding(b.reach),
            apart: apart.abs().max_element(),
            skew: 3.001 * skew + 1e-12,
        };
        [
            Self::new((a, b), (rotation, offset), &errors, distance),
            Self::new((b, a), (back, -(back * offset)), &errors, distance),
        ]
    }

    #[inline(always)]
    fn new(
        (a, b): (&BodyFrame, &BodyFrame),
        (rotation, offset): (DMat3, DVec3),
        &PoseErrors { rounding, apart, skew }: &PoseErrors,
        distance: f64,
    ) -> Self {
        // Scales are powers of two, so these divisions are exact.
        let ratio = b.scale / a.scale;
        let matrix = rotation * ratio;
        let offset = offset / a.scale;
        let far = offset.abs().max_element();

        // The largest factor by which a row of a rotation multiplies a vector's largest component:
        // √3 (1 + 1e-6).
        const ROW: f64 = 1.75;
        // Vertices and centres of both bodies are each moved by at most `rounding`.
        let placing = ROW * 2.0 * rounding;
        // Each entry of the inverse of a near-rotation is off by less than 32 roundings of 1 (nine
        // products and a division by a determinant close to 1). A product with it adds four, and
        // the inverse direction has two of each.
        let computing = 128.0 * f64::EPSILON * (ROW * apart + 2.0 * b.scale);
        // Doubled for the roundings of the slack itself. A point in a frame is off by 2^−52, and
        // the `f64` results that `point` computes from it by a few times as much.
        let slack = 2.0 * (placing + computing) / a.scale + 1e-14 * (1.0 + ratio + far);
        // A vector g in the world is `Ra⁻¹ g / sa` in the frame, and Ra⁻¹ lengthens no vector by
        // more than 1.5e-6. Distances are compared as computed, to 1e-12.
        let buffer = match distance {
            0.0 => 0.0,
            distance => distance / a.scale * (1.0 + 1e-5) + f64::MIN_POSITIVE,
        };

        // See `placed`.
        let moved = 6e-8 * (ROW * ratio * b.centers + far);
        let (first, second) = (skew + 8e-7, 3.0 * skew + 7e-6);
        let padding = (1.75 * (moved + slack) + buffer) * (1.0 + 3.0 * second);
        let padding_per_extent = ratio * (first + (1.0 + 3.0 * first) * second);
        let narrow = |axis: DVec3| [axis.x as f32, axis.y as f32, axis.z as f32, 0.0];
        let relative = Self {
            matrix,
            offset,
            slack,
            scale: ratio as f32,
            rotation: [narrow(rotation.x_axis), narrow(rotation.y_axis), narrow(rotation.z_axis)],
            padding: (padding * 1.000_001) as f32,
            padding_per_extent: (padding_per_extent * 1.000_001) as f32,
        };
        // NaN bounds prove nothing, so infinite extents then keep every pair. The same holds where
        // numbers could underflow or overflow.
        let is_sound =
            offset.is_finite() && relative.padding.is_finite() && (1e-30..1e30).contains(&ratio);
        if is_sound {
            return relative;
        }
        Self {
            matrix: DMat3::ZERO,
            offset: DVec3::ZERO,
            slack: f64::INFINITY,
            scale: 1.0,
            rotation: [[0.0; 4]; 3],
            padding: f32::INFINITY,
            padding_per_extent: 1.0,
        }
    }

    /// Maps a point of `b` to the frame of `a`.
    #[inline(always)]
    pub(super) fn point(&self, point: [f32; 3]) -> DVec3 {
        let (x, y, z) = (f64::from(point[0]), f64::from(point[1]), f64::from(point[2]));
        let m = &self.matrix;
        (m.x_axis * x + m.y_axis * y) + (m.z_axis * z + self.offset)
    }

    /// Maps a box of `b` to the frame of `a`, with the padding that `boxes.rs` relies on.
    ///
    /// Let W be the box's axes and V the placed ones, R the rotation as it is before narrowing,
    /// with
    /// `RᵀR = I + G`, and y a point of the box, whose place is `p = C + s R (y − c) + e`. Then
    ///
    /// `vj·(p − C) = s wj·(y − c) + s wjᵀ G (y − c) + s (vj − R wj)·R (y − c) + vj·e`
    ///
    /// The first term is at most s hj. With |y − c| at most the sum of extents Σ, the second is at
    /// most the norm of G, the skew, times s Σ. The third: narrowing R, three products and two sums
    /// move a coordinate of vj by at most 7 roundings of 2^−24, and so vj by less than 8e-7. The
    /// last is at most 1.75 times the largest coordinate of e: the slack, and the error of
    /// narrowing C. Then the padding for the products of axes is added, which `boxes.rs` derives.
    /// It includes the roundings of all this: they are a few times 2^−24 of the sum, and 7e-6 is a
    /// hundred times.
    #[inline(always)]
    pub(super) fn placed<S: Simd>(&self, simd: S, node: &Node, lane: usize) -> PlacedBox {
        let center = self.point([node.center[0][lane], node.center[1][lane], node.center[2][lane]]);
        let center = [center.x as f32, center.y as f32, center.z as f32];
        let (h0, h1, h2) = (node.half[0][lane], node.half[1][lane], node.half[2][lane]);
        let padding = ((h0 + h1) + h2) * self.padding_per_extent + self.padding;
        let half =
            [h0 * self.scale + padding, h1 * self.scale + padding, h2 * self.scale + padding];
        let columns = [
            f32x4::load_array_ref(simd, &self.rotation[0]),
            f32x4::load_array_ref(simd, &self.rotation[1]),
            f32x4::load_array_ref(simd, &self.rotation[2]),
        ];
        let mut axes = [[0.0; 4]; 3];
        for (rotated, [x, y, z]) in axes.iter_mut().zip(&node.axes) {
            let axis = (columns[0] * x[lane] + columns[1] * y[lane]) + columns[2] * z[lane];
            axis.store_array(rotated);
        }
        PlacedBox { center, half, axes }
    }

    /// Rotates an axis of `b` into the frame of `a`.
    #[inline(always)]
    pub(super) fn rotated_axis<S: Simd>(&self, simd: S, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let p = f32x4::load_array_ref(simd, &self.rotation[0]);
        let q = f32x4::load_array_ref(simd, &self.rotation[1]);
        let r = f32x4::load_array_ref(simd, &self.rotation[2]);
        let axis = std::hint::black_box(((p * x + q * y) + r * z).to_array());
        [axis[0], axis[1], axis[2]]
    }

    /// The largest error of the dot product of a rotated axis and a placed vector, for a vector
    /// with coordinates of at most 1. See [`placed`](Self::placed): the second and third term
    /// there, with √3 for Σ, are less than the padding.
    pub(super) fn axis_error(&self) -> f32 {
        1.75 * self.padding_per_extent
    }
}
