//! Where a body stands: a rotation and a translation, and the one way a vertex is placed.

use glam::{DMat3, DVec3};

/// How far an entry of RᵀR may be from the identity's before a matrix is refused as a rotation.
const ROTATION_TOLERANCE: f64 = 1e-6;

/// A rotation followed by a translation, in `f64`.
///
/// A pose that exists is valid, so queries cannot fail: the matrix is finite, turns without
/// mirroring, and RᵀR is the identity to 1e-6; the translation is finite.
///
/// ```
/// use impinge::{Pose, glam::{DMat3, DVec3}};
///
/// let pose = Pose::new(DMat3::from_rotation_z(0.5), DVec3::new(1.0, 2.0, 3.0))?;
/// assert_eq!(pose.place(DVec3::ZERO), DVec3::new(1.0, 2.0, 3.0));
/// assert!(Pose::new(DMat3::from_diagonal(DVec3::splat(2.0)), DVec3::ZERO).is_err());
/// # Ok::<(), impinge::PoseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: DMat3,
    translation: DVec3,
}

/// Why a matrix and a vector are not a [`Pose`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseError {
    /// An entry of the matrix is NaN or infinite.
    #[error("the rotation's entry in row {row}, column {column} is {value}, not a finite number")]
    RotationNotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// The columns are not of unit length, or not at right angles.
    #[error(
        "the matrix is not a rotation: its columns {i} and {j} have the dot product {value}, \
         which is more than 1e-6 from {expected}"
    )]
    NotOrthonormal {
        /// One column, from 0.
        i: usize,
        /// The other column (or the same).
        j: usize,
        /// Their dot product.
        value: f64,
        /// What it is for a rotation: 1 for a column with itself, else 0.
        expected: f64,
    },
    /// The determinant is negative: the matrix mirrors.
    #[error("the matrix is not a rotation: it mirrors (its determinant is {determinant})")]
    Mirrors {
        /// The determinant, close to −1.
        determinant: f64,
    },
    /// A component of the translation is NaN or infinite.
    #[error("the translation's component {axis} is {value}, not a finite number")]
    TranslationNotFinite {
        /// 0, 1 or 2 for x, y or z.
        axis: usize,
        /// The component.
        value: f64,
    },
}

impl Pose {
    /// The pose that changes no value.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// A pose from its two parts, refused unless the matrix is a rotation and both are finite.
    pub fn new(rotation: DMat3, translation: DVec3) -> Result<Self, PoseError> {
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        for (column, axis) in columns.iter().enumerate() {
            for (row, value) in axis.to_array().into_iter().enumerate() {
                if !value.is_finite() {
                    return Err(PoseError::RotationNotFinite { row, column, value });
                }
            }
        }
        for i in 0..3 {
            for j in i..3 {
                let value = columns[i].dot(columns[j]);
                let expected = f64::from(u8::from(i == j));
                // Huge entries overflow to infinity or NaN here; neither passes `<=`.
                let is_close = (value - expected).abs() <= ROTATION_TOLERANCE;
                if !is_close {
                    return Err(PoseError::NotOrthonormal { i, j, value, expected });
                }
            }
        }
        let determinant = rotation.determinant();
        if determinant < 0.0 {
            return Err(PoseError::Mirrors { determinant });
        }
        for (axis, value) in translation.to_array().into_iter().enumerate() {
            if !value.is_finite() {
                return Err(PoseError::TranslationNotFinite { axis, value });
            }
        }
        Ok(Self { rotation, translation })
    }

    /// A pose from the row-major 3×4 matrix `[R | t]`, as scenario files hold it.
    pub fn from_rows(rows: [f64; 12]) -> Result<Self, PoseError> {
        let [a, b, c, x, d, e, f, y, g, h, i, z] = rows;
        let rotation = DMat3::from_cols_array(&[a, d, g, b, e, h, c, f, i]);
        Self::new(rotation, DVec3::new(x, y, z))
    }

    /// The row-major 3×4 matrix `[R | t]`; the inverse of [`from_rows`](Self::from_rows).
    pub fn to_rows(&self) -> [f64; 12] {
        let [a, d, g, b, e, h, c, f, i] = self.rotation.to_cols_array();
        let [x, y, z] = self.translation.to_array();
        [a, b, c, x, d, e, f, y, g, h, i, z]
    }

    /// A pose that only moves.
    pub fn from_translation(translation: DVec3) -> Result<Self, PoseError> {
        Self::new(DMat3::IDENTITY, translation)
    }

    /// The rotation matrix.
    pub fn rotation(&self) -> DMat3 {
        self.rotation
    }

    /// The translation.
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// Where this pose puts a point.
    ///
    /// This is the definition that "exact" refers to: `((r0·x + r1·y) + r2·z) + t` for each
    /// coordinate, every operation rounded to the nearest `f64`, in this order, never fused.
    /// Every method decides on the points that come out of here.
    #[inline]
    pub fn place(&self, point: DVec3) -> DVec3 {
        let r = &self.rotation;
        ((r.x_axis * point.x + r.y_axis * point.y) + r.z_axis * point.z) + self.translation
    }

    /// The corners of a triangle where they are [placed](Self::place).
    #[inline]
    pub fn place_triangle(&self, triangle: [DVec3; 3]) -> [DVec3; 3] {
        triangle.map(|corner| self.place(corner))
    }

    /// How far along any world axis rounding may move a placed point, for points with coordinates of
    /// at most `reach`.
    ///
    /// A placed coordinate `((r0·x + r1·y) + r2·z) + t` passes through at most four roundings, so
    /// it is off by at most 4 units of `|r0·x| + |r1·y| + |r2·z| + |t|` in first order; the three
    /// products add up to at most √3 (1 + 1e-6) times the largest coordinate. The smallest number
    /// stands for what underflow may lose.
    #[inline]
    pub(crate) fn rounding(&self, reach: f64) -> f64 {
        let size = 1.75 * reach + self.translation.abs().max_element();
        2.5 * f64::EPSILON * size + 8.0 * f64::from_bits(1)
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_changes_no_value() {
        for point in [
            DVec3::new(0.1, -0.2, 0.3),
            DVec3::new(f64::from_bits(1), -f64::MIN_POSITIVE, 1e100),
            DVec3::new(-1e100, 1e100, 1e-320),
        ] {
            assert_eq!(Pose::IDENTITY.place(point), point);
        }
    }

    #[test]
    fn rows_go_in_and_come_out_unchanged() {
        let rows = [0.0, -1.0, 0.0, 10.0, 1.0, 0.0, 0.0, 20.0, 0.0, 0.0, 1.0, 30.0];
        let pose = Pose::from_rows(rows).unwrap();
        assert_eq!(pose.to_rows(), rows);
        assert_eq!(pose.place(DVec3::new(1.0, 2.0, 3.0)), DVec3::new(8.0, 21.0, 33.0));
    }

    #[test]
    fn placement_follows_the_stated_order_of_roundings() {
        // An order or a fused operation that differs shows in the last bit for some of these.
        let rotation = DMat3::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -2.0);
        let translation = DVec3::new(1e3, -1e-3, 7.0);
        let pose = Pose::new(rotation, translation).unwrap();
        let rows = pose.to_rows();
        for i in 0..1000 {
            let t = f64::from(i);
            let p = [libm::sin(t), libm::cos(3.0 * t) * 1e3, libm::sin(7.0 * t) * 1e-3];
            let placed = pose.place(DVec3::from_array(p)).to_array();
            for axis in 0..3 {
                let row = &rows[axis * 4..axis * 4 + 4];
                let mut expected = row[0] * p[0];
                expected += row[1] * p[1];
                expected += row[2] * p[2];
                expected += row[3];
                assert_eq!(placed[axis].to_bits(), expected.to_bits(), "point {i}, axis {axis}");
            }
        }
    }

    #[test]
    fn a_translation_of_any_finite_size_keeps_placed_points_finite() {
        let pose = Pose::from_translation(DVec3::splat(f64::MAX)).unwrap();
        assert!(pose.place(DVec3::splat(1e100)).is_finite());
    }

    #[test]
    fn what_is_not_a_rotation_is_refused_with_its_place() {
        let refuse = |rotation: DMat3| Pose::new(rotation, DVec3::ZERO).unwrap_err();
        let mut nan = DMat3::IDENTITY;
        nan.z_axis.y = f64::NAN;
        assert!(matches!(refuse(nan), PoseError::RotationNotFinite { row: 1, column: 2, .. }));
        let scaled = DMat3::from_diagonal(DVec3::new(1.0, 1.0 + 1e-6, 1.0));
        assert!(matches!(refuse(scaled), PoseError::NotOrthonormal { i: 1, j: 1, .. }));
        let huge = DMat3::from_diagonal(DVec3::splat(1e200));
        assert!(matches!(refuse(huge), PoseError::NotOrthonormal { i: 0, j: 0, .. }));
        let mirror = DMat3::from_diagonal(DVec3::new(1.0, 1.0, -1.0));
        assert!(matches!(refuse(mirror), PoseError::Mirrors { .. }));
        let infinite = Pose::new(DMat3::IDENTITY, DVec3::new(0.0, f64::INFINITY, 0.0));
        assert!(matches!(infinite, Err(PoseError::TranslationNotFinite { axis: 1, .. })));
        // Within 1e-6 it is accepted as it stands, not repaired.
        let close = DMat3::from_diagonal(DVec3::new(1.0, 1.0 + 4e-7, 1.0));
        assert_eq!(Pose::new(close, DVec3::ZERO).unwrap().rotation(), close);
    }
}
