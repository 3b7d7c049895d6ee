//! Oriented boxes (Gottschalk, Lin and Manocha 1996): tight around flat or long geometry.

use super::{
    BoundingVolume, Fit, GUARD, Relative, SavedVolume, by_length,
    fit::{self, principal_axes},
    round_up,
    saved::{MAX_CENTER, MAX_REACH, read_floats, write_floats},
};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// A box with axes of its own: all points `p` with `|(p − center)·axis| ≤ half` for each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    center: Vec3,
    half: Vec3,
    /// Orthonormal up to the precision of `f32`.
    axes: Mat3,
}

/// A bound on the deviation of stored axes from orthonormal, and of the overlap test from exact arithmetic,
/// relative to the sizes involved: some thirty roundings of 2^−24 each.
const ROUNDING_MARGIN: f32 = 4e-6;

impl Obb {
    /// The smallest box around triangles, given in their [`Frame`](super::Frame), of those that `fits`
    /// suggest and the one along the axes of the frame.
    ///
    /// A fit may be ambiguous, for example if a covariance has equal eigenvalues; this does no harm, because
    /// its box is used only if it is smaller. Whatever the axes, extents are measured over all corners.
    pub fn fitted(triangles: &[[DVec3; 3]], fits: &[Fit]) -> Self {
        let principal = principal_axes(triangles.iter().copied());
        let mut best = Self::along(DMat3::IDENTITY, triangles);
        for fit in fits {
            if let Some(axes) = fit::axes(*fit, triangles, principal) {
                let fitted = Self::along(axes, triangles);
                if fitted.area() < best.area() {
                    best = fitted;
                }
            }
        }
        best
    }

    /// The box with the given axes.
    pub(super) fn along(axes: DMat3, triangles: &[[DVec3; 3]]) -> Self {
        let axes = axes.as_mat3();
        // Extents are measured along the axes and from the center as they are stored, rounded to `f32`.
        let stored = axes.as_dmat3();
        let inverse = stored.transpose();
        // One box per corner: three short dependency chains instead of one long one.
        let mut bounds = [crate::Bounds::EMPTY; 3];
        for triangle in triangles {
            for (bounds, corner) in bounds.iter_mut().zip(triangle) {
                let along = inverse * *corner;
                *bounds = crate::Bounds { min: bounds.min.min(along), max: bounds.max.max(along) };
            }
        }
        let [mut bounds, second, third] = bounds;
        bounds.merge(&second);
        bounds.merge(&third);
        let center = (stored * bounds.center()).as_vec3();
        let from = inverse * center.as_dvec3();
        let half = (bounds.max - from).max(from - bounds.min) + DVec3::splat(4.0 * GUARD);
        Self { center, half: Vec3::from_array(half.to_array().map(round_up)), axes }
    }

    /// The center, the extents from there along the axes, and the axes.
    #[inline]
    pub(crate) fn parts(&self) -> (DVec3, DVec3, DMat3) {
        (self.center.as_dvec3(), self.half.as_dvec3(), self.axes.as_dmat3())
    }

    /// An eighth of the surface area. Unlike the volume it distinguishes flat boxes.
    pub(super) fn area(&self) -> f32 {
        let h = self.half;
        h.x * h.y + h.y * h.z + h.z * h.x
    }
}

impl BoundingVolume for Obb {
    type Placed = Self;
    type Placement = Placement;

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        Self::fitted(triangles, &[Fit::Rectangle])
    }

    fn placement(relative: &Relative) -> Placement {
        let scale = relative.matrix.to_cols_array_2d().map(|c| DVec3::from_array(c).length());
        let scale = scale.into_iter().fold(0.0, f64::max);
        // Below about 1e-154 the squares of a length underflow, so the scale has few correct digits or none.
        // A box that small is within the uncertainty, whichever way its axes point.
        let rotation =
            if scale > 1e-150 { relative.matrix * (1.0 / scale) } else { DMat3::IDENTITY };
        Placement {
            relative: *relative,
            rotation,
            scale,
            uncertainty: 2.0 * relative.uncertainty(2.0) + relative.buffer,
        }
    }

    fn placed(&self, placement: &Placement) -> Self {
        let exact = placement.relative.point(self.center.as_dvec3());
        let center = exact.as_vec3();
        let moved = (exact - center.as_dvec3()).abs().element_sum();
        // A matrix that is orthogonal only to 1e-6 turns the box into a slightly skewed one.
        let half = self.half.as_dvec3() * placement.scale;
        let skew = 1e-5 * half.element_sum();
        let half = half + DVec3::splat(skew + moved + placement.uncertainty);
        Self {
            center,
            half: Vec3::from_array(half.to_array().map(round_up)),
            axes: (placement.rotation * self.axes.as_dmat3()).as_mat3(),
        }
    }

    /// The separating-axis test over the 3 + 3 face normals and the 9 cross products of edges.
    ///
    /// Lengths are compared with a margin for rounding, relative to the sizes of the boxes and their
    /// distance. The margin also handles nearly parallel edges: their cross product is nearly zero, so only
    /// the margin remains in the comparison, and the axis separates nothing.
    fn overlaps(&self, other: &Self) -> bool {
        let displacement = other.center - self.center;
        let inverse = self.axes.transpose();
        let t = (inverse * displacement).to_array();
        let r = (inverse * other.axes).to_cols_array_2d(); // r[j][i] is axis i of self · axis j
        let (a, b) = (self.half.to_array(), other.half.to_array());
        let margin = ROUNDING_MARGIN
            * (displacement.abs().element_sum()
                + self.half.element_sum()
                + other.half.element_sum());
        let exceeds = |distance: f32, reach: f32| distance.abs() > reach + margin;

        for i in 0..3 {
            let reach = a[i] + b[0] * r[0][i].abs() + b[1] * r[1][i].abs() + b[2] * r[2][i].abs();
            if exceeds(t[i], reach) {
                return false;
            }
        }
        for j in 0..3 {
            let along = t[0] * r[j][0] + t[1] * r[j][1] + t[2] * r[j][2];
            let reach = b[j] + a[0] * r[j][0].abs() + a[1] * r[j][1].abs() + a[2] * r[j][2].abs();
            if exceeds(along, reach) {
                return false;
            }
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let along = t[i2] * r[j][i1] - t[i1] * r[j][i2];
                let reach = a[i1] * r[j][i2].abs()
                    + a[i2] * r[j][i1].abs()
                    + b[j1] * r[j2][i].abs()
                    + b[j2] * r[j1][i].abs();
                if exceeds(along, reach) {
                    return false;
                }
            }
        }
        true
    }

    /// The largest of three bounds: the gaps along the axes of either box, combined as in a box, and the gap
    /// along the line through both centers. Uses the same margin for rounding as `overlaps`.
    fn distance_below(&self, other: &Self) -> f64 {
        let displacement = other.center.as_dvec3() - self.center.as_dvec3();
        let (own, others) = (self.half.as_dvec3(), other.half.as_dvec3());
        let size = displacement.abs().element_sum() + own.element_sum() + others.element_sum();
        let margin = DVec3::splat(f64::from(ROUNDING_MARGIN) * size);
        let (own_axes, other_axes) = (self.axes.as_dmat3(), other.axes.as_dmat3());
        let turned = own_axes.transpose() * other_axes;
        let gaps =
            |along: DVec3, reach: DVec3| (along.abs() - reach - margin).max(DVec3::ZERO).length();
        let along_own = gaps(own_axes.transpose() * displacement, own + turned.abs() * others);
        let along_others =
            gaps(other_axes.transpose() * displacement, others + turned.transpose().abs() * own);
        let line = displacement.normalize_or_zero();
        let reach = (own_axes.transpose() * line).abs().dot(own)
            + (other_axes.transpose() * line).abs().dot(others);
        let along_line = displacement.length() - reach - margin.x;
        // Stored axes may be slightly longer than 1.
        let bound = along_own.max(along_others).max(along_line).max(0.0) * (1.0 - 1e-6);
        if bound.is_finite() { bound } else { 0.0 }
    }

    fn depth_above(&self, other: &Self) -> f64 {
        let displacement = other.center.as_dvec3() - self.center.as_dvec3();
        let (own, others) = (self.half.as_dvec3(), other.half.as_dvec3());
        let size = displacement.abs().element_sum() + own.element_sum() + others.element_sum();
        let margin = f64::from(ROUNDING_MARGIN) * size;
        let (own_axes, other_axes) = (self.axes.as_dmat3(), other.axes.as_dmat3());
        let turned = own_axes.transpose() * other_axes;
        let least = |along: DVec3, reach: DVec3| (reach - along.abs()).min_element() + margin;
        let along_own = least(own_axes.transpose() * displacement, own + turned.abs() * others);
        let along_others =
            least(other_axes.transpose() * displacement, others + turned.transpose().abs() * own);
        // Stored axes may be slightly shorter than 1.
        let depth = along_own.min(along_others) * (1.0 + 1e-5);
        // NaN if bounds are infinite: the depth is unknown.
        if depth.is_nan() { f64::INFINITY } else { depth.max(0.0) }
    }

    fn size(&self) -> f32 {
        self.half.element_sum()
    }

    fn volume(&self, pad: f64) -> f64 {
        (2.0 * (self.half.as_dvec3() + pad)).element_product()
    }

    fn box_axes(&self, _triangles: &[[DVec3; 3]]) -> [DVec3; 3] {
        let axes = self.axes.as_dmat3();
        by_length([axes.x_axis, axes.y_axis, axes.z_axis], self.half.as_dvec3())
    }
}

/// Data to place oriented boxes for one query.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    relative: Relative,
    rotation: DMat3,
    scale: f64,
    uncertainty: f64,
}

/// A bound on the difference between the dot products of stored axes and the identity: two roundings of
/// 2^−24, from storing them, and a little for the axes before that.
const MAX_SKEW: f64 = 1.25e-7;

impl SavedVolume for Obb {
    const KIND: u32 = 3;
    const BYTES: usize = 60;

    fn write(&self, bytes: &mut Vec<u8>) {
        let vectors = self.center.to_array().into_iter().chain(self.half.to_array());
        write_floats(vectors.chain(self.axes.to_cols_array()), bytes);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let floats: [f32; 15] = read_floats(bytes)?;
        let center = Vec3::from_slice(&floats[..3]);
        let half = Vec3::from_slice(&floats[3..6]);
        let axes = Mat3::from_cols_slice(&floats[6..]);
        // Written as "is within" comparisons, which NaN fails.
        let stored = axes.as_dmat3();
        let skew = stored.transpose() * stored - DMat3::IDENTITY;
        let is_valid = center.abs().cmple(Vec3::splat(MAX_CENTER)).all()
            && half.cmpge(Vec3::ZERO).all()
            && half.cmple(Vec3::splat(MAX_REACH)).all()
            && skew.to_cols_array().iter().all(|entry| entry.abs() <= MAX_SKEW);
        is_valid.then_some(Self { center, half, axes })
    }

    fn encloses(&self, triangles: &[[DVec3; 3]]) -> bool {
        // The same extents as in `along`.
        let inverse = self.axes.as_dmat3().transpose();
        let from = inverse * self.center.as_dvec3();
        let mut half = DVec3::ZERO;
        for triangle in triangles {
            let [p, q, r] = triangle.map(|corner| (inverse * corner - from).abs());
            half = half.max(p.max(q).max(r));
        }
        (half + DVec3::splat(4.0 * GUARD)).cmple(self.half.as_dvec3()).all()
    }
}
