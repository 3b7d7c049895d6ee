//! The pose of a body: a rotation and a translation. Defines how a vertex is placed, for the whole library.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use std::ops::Mul;

/// The largest difference between an entry of RᵀR and the identity at which a matrix is accepted as a
/// rotation.
const ROTATION_TOLERANCE: f64 = 1e-6;

/// A rotation followed by a translation, in `f64`.
///
/// A pose that exists is valid, so queries cannot fail: the matrix is finite, it does not mirror, and RᵀR
/// equals the identity to 1e-6; the translation is finite.
///
/// ```
/// use impinge::{Pose, glam::{DMat3, DVec3}};
///
/// let pose = Pose::new(DMat3::from_rotation_z(0.5), DVec3::new(1.0, 2.0, 3.0))?;
/// assert_eq!(pose.place(DVec3::ZERO), DVec3::new(1.0, 2.0, 3.0));
/// assert!(Pose::new(DMat3::from_diagonal(DVec3::splat(2.0)), DVec3::ZERO).is_err());
///
/// let up = Pose::from_translation(DVec3::Z)?;
/// assert_eq!(pose.then(up), up * pose); // first `pose`, then `up`
/// assert_eq!((up * pose).place(DVec3::ZERO), DVec3::new(1.0, 2.0, 4.0));
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
        /// The dot product for a rotation: 1 for a column with itself, otherwise 0.
        expected: f64,
    },
    /// The determinant is negative: the matrix mirrors.
    #[error("the matrix is not a rotation: it mirrors (its determinant is {determinant})")]
    Mirrors {
        /// The determinant, close to −1.
        determinant: f64,
    },
    /// The quaternion is not of unit length, or not finite.
    #[error(
        "the quaternion is not a rotation: its squared length is {length_squared}, which is more \
         than 1e-6 from 1"
    )]
    QuaternionNotUnit {
        /// The sum of the squares of its components.
        length_squared: f64,
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
    /// The pose that leaves every point where it is.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// Creates a pose. Fails unless the matrix is a rotation to 1e-6 and both parts are finite.
    pub fn new(rotation: DMat3, translation: DVec3) -> Result<Self, PoseError> {
        // All conditions at once, without a branch for each. An entry that is not finite makes the square of its column so.
        let DMat3 { x_axis: x, y_axis: y, z_axis: z } = rotation;
        let is_close = |value: f64, expected: f64| (value - expected).abs() <= ROTATION_TOLERANCE;
        let is_unit = is_close(x.dot(x), 1.0) & is_close(y.dot(y), 1.0) & is_close(z.dot(z), 1.0);
        let is_right = is_close(x.dot(y), 0.0) & is_close(x.dot(z), 0.0) & is_close(y.dot(z), 0.0);
        let is_proper = rotation.determinant() >= 0.0;
        match is_unit & is_right & is_proper & translation.is_finite() {
            true => Ok(Self { rotation, translation }),
            false => Self::new_explained(rotation, translation),
        }
    }

    /// The same, one condition after another, to tell which one is not met.
    #[cold]
    fn new_explained(rotation: DMat3, translation: DVec3) -> Result<Self, PoseError> {
        let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
        for (column, axis) in columns.iter().enumerate() {
            for (row, value) in axis.to_array().into_iter().enumerate() {
                if !value.is_finite() {
                    return Err(PoseError::RotationNotFinite { row, column, value });
                }
            }
        }
        check_orthonormal(&rotation)?;
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

    /// Creates a pose from the row-major 3×4 matrix `[R | t]`, as in pose files.
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

    /// Creates a pose from a unit quaternion and a translation. Fails unless the squared length of the
    /// quaternion is 1 to 1e-6. The quaternion is then normalised, so that the matrix is a rotation to a few
    /// roundings.
    pub fn from_quat(rotation: DQuat, translation: DVec3) -> Result<Self, PoseError> {
        let length_squared = rotation.length_squared();
        // A NaN passes no comparison.
        let is_unit = (length_squared - 1.0).abs() <= ROTATION_TOLERANCE;
        if !is_unit {
            return Err(PoseError::QuaternionNotUnit { length_squared });
        }
        Self::new(DMat3::from_quat(rotation.normalize()), translation)
    }

    /// The rotation as a unit quaternion, rounded. Of the two quaternions of a rotation this is the one with
    /// `w ≥ 0`.
    ///
    /// [`from_quat`](Self::from_quat) does not restore a matrix that is orthonormal only to 1e-6. It creates
    /// a matrix that is a rotation to a few roundings, which differs by about as much as the original was
    /// off.
    pub fn to_quat(&self) -> DQuat {
        let quat = DQuat::from_mat3(&self.rotation).normalize();
        if quat.w < 0.0 { -quat } else { quat }
    }

    /// A pose that only translates.
    pub fn from_translation(translation: DVec3) -> Result<Self, PoseError> {
        Self::new(DMat3::IDENTITY, translation)
    }

    /// The rotation matrix, by reference.
    #[inline]
    pub(crate) fn rotation_ref(&self) -> &DMat3 {
        &self.rotation
    }

    /// The rotation matrix.
    pub fn rotation(&self) -> DMat3 {
        self.rotation
    }

    /// The translation.
    pub fn translation(&self) -> DVec3 {
        self.translation
    }

    /// The position of a point at this pose.
    ///
    /// "Exact" refers to this definition: each coordinate is `((r0·x + r1·y) + r2·z) + t`, every operation
    /// rounded to the nearest `f64`, in this order, never fused. Every method decides about points as this
    /// function returns them.
    #[inline]
    pub fn place(&self, point: DVec3) -> DVec3 {
        let r = &self.rotation;
        ((r.x_axis * point.x + r.y_axis * point.y) + r.z_axis * point.z) + self.translation
    }

    /// This pose followed by `next`: the same as `next * self`.
    pub fn then(self, next: Self) -> Self {
        next * self
    }

    /// The inverse pose, up to rounding.
    ///
    /// Its matrix is the inverse, not the transpose, so that it also undoes a matrix that is orthonormal only
    /// to 1e-6. If that inverse is no longer so close to orthonormal, the nearest rotation is used instead. A
    /// coordinate of the translation that would exceed `f64::MAX` becomes `±f64::MAX`.
    pub fn inverse(&self) -> Self {
        let rotation = repaired_rotation(self.rotation.inverse());
        let turned = Self { rotation, translation: DVec3::ZERO };
        // A difference instead of a negation, so that no zero becomes −0.0.
        Self { rotation, translation: DVec3::ZERO - turned.place_saturating(self.translation) }
    }

    /// Like [`place`](Self::place), but a coordinate that would exceed `f64::MAX` becomes `±f64::MAX`.
    fn place_saturating(&self, point: DVec3) -> DVec3 {
        let placed = self.place(point);
        if placed.is_finite() {
            return placed;
        }
        // A row of a rotation enlarges the largest coordinate by a factor below 1.75. So a quarter of the
        // rotated point, plus a quarter of the translation, stays below `f64::MAX`.
        let quarter = Self { translation: self.translation * 0.25, ..*self }.place(point * 0.25);
        let most = DVec3::splat(f64::MAX * 0.25);
        quarter.clamp(-most, most) * 4.0
    }

    /// A pose between two others, whose matrix is a rotation to 1.1e-6 because theirs are. Not checked.
    pub(crate) fn interpolated(rotation: DMat3, translation: DVec3) -> Self {
        Self { rotation, translation }
    }

    /// The same pose, whose matrix is replaced by the nearest rotation unless it is one to 1e-6.
    pub(crate) fn repaired(self) -> Self {
        Self { rotation: repaired_rotation(self.rotation), ..self }
    }

    /// The corners of a triangle, each [placed](Self::place).
    #[inline]
    pub fn place_triangle(&self, triangle: [DVec3; 3]) -> [DVec3; 3] {
        triangle.map(|corner| self.place(corner))
    }

    /// A bound on the rounding error of a placed point along any world axis, for points whose coordinates are
    /// at most `reach` in magnitude.
    ///
    /// A placed coordinate `((r0·x + r1·y) + r2·z) + t` passes through at most four roundings, so it is off
    /// by at most 4 units of `|r0·x| + |r1·y| + |r2·z| + |t|` in first order. The three products add up to at
    /// most √3 (1 + 1e-6) times the largest coordinate. The smallest positive number covers the loss by
    /// underflow.
    #[inline]
    pub(crate) fn rounding(&self, reach: f64) -> f64 {
        let size = 1.75 * reach + self.translation.abs().max_element();
        2.5 * f64::EPSILON * size + 8.0 * f64::from_bits(1)
    }
}

/// Checks that RᵀR equals the identity to 1e-6.
fn check_orthonormal(rotation: &DMat3) -> Result<(), PoseError> {
    let columns = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    // Each product of two columns, and its error. Huge entries overflow to infinity or NaN; neither passes `<=`.
    let products = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| {
        let (value, expected) = (columns[i].dot(columns[j]), f64::from(u8::from(i == j)));
        let is_close = (value - expected).abs() <= ROTATION_TOLERANCE;
        (is_close, PoseError::NotOrthonormal { i, j, value, expected })
    });
    // All in one comparison: this is a tenth of the time to place a robot.
    match products.iter().fold(true, |all, (is_close, _)| all & is_close) {
        true => Ok(()),
        false => Err(products.into_iter().find(|(is_close, _)| !is_close).expect("one is not").1),
    }
}

/// Returns a product or an inverse of rotations unchanged if it is orthonormal to 1e-6, otherwise the nearest
/// rotation.
///
/// Let E be RᵀR minus the identity. Entries of at most 1e-6 make its norm at most 3e-6. So the norm for a
/// product of two such matrices is at most 6.1e-6, and for an inverse 3.1e-6. One step of Newton's iteration
/// for the nearest orthogonal matrix, R (3 − RᵀR) / 2, leaves −¾ E² − ¼ E³: below 3e-11.
fn repaired_rotation(rotation: DMat3) -> DMat3 {
    if check_orthonormal(&rotation).is_ok() {
        return rotation;
    }
    let excess = rotation.transpose() * rotation - DMat3::IDENTITY;
    rotation - rotation * excess * 0.5
}

/// `a * b` applies `b` first, then `a`, like matrices.
///
/// The product is rounded, so it places a point close to, but not exactly at, the result of applying the two
/// poses in turn. Its translation is exactly `a.place(b.translation())`. Multiplying by the identity on
/// either side changes nothing.
///
/// The product is always a valid pose. Two matrices that are orthonormal only to 1e-6 can have a product that
/// is not; then the nearest rotation is used instead. A coordinate of the translation that would exceed
/// `f64::MAX` becomes `±f64::MAX`.
impl Mul for Pose {
    type Output = Self;

    fn mul(self, first: Self) -> Self {
        Self {
            rotation: repaired_rotation(self.rotation * first.rotation),
            translation: self.place_saturating(first.translation),
        }
    }
}

/// Exact: takes the matrix and the translation unchanged, or fails like [`Pose::new`].
impl TryFrom<DAffine3> for Pose {
    type Error = PoseError;

    fn try_from(affine: DAffine3) -> Result<Self, PoseError> {
        Self::new(affine.matrix3, affine.translation)
    }
}

/// Exact. But glam transforms points with other roundings, so use [`Pose::place`] to place points.
impl From<Pose> for DAffine3 {
    fn from(pose: Pose) -> Self {
        Self::from_mat3_translation(pose.rotation, pose.translation)
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
        // A different order or a fused operation changes the last bit for some of these points.
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
    fn invalid_matrices_are_refused_and_the_error_says_where() {
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
        // A matrix within 1e-6 is accepted unchanged, not repaired.
        let close = DMat3::from_diagonal(DVec3::new(1.0, 1.0 + 4e-7, 1.0));
        assert_eq!(Pose::new(close, DVec3::ZERO).unwrap().rotation(), close);
    }

    fn random_pose(seed: u64) -> Pose {
        let mut random = crate::generate::Random::new(seed);
        let far = [0.0, 1.0, 1e3, 1e9][seed as usize % 4];
        Pose::new(random.rotation(), random.direction() * far).unwrap()
    }

    fn difference(p: &Pose, q: &Pose) -> f64 {
        let entries = p.to_rows().into_iter().zip(q.to_rows());
        entries.fold(0.0, |most, (p, q)| most.max((p - q).abs()))
    }

    /// A pose whose matrix is as far from a rotation as is accepted, different for each seed.
    fn skewed_pose(seed: u64) -> Pose {
        let pose = random_pose(seed);
        let stretch = DMat3::from_diagonal(DVec3::splat(1.0 + 4.99e-7));
        Pose::new(pose.rotation() * stretch, pose.translation()).unwrap()
    }

    #[test]
    fn a_product_places_by_one_pose_after_the_other() {
        for seed in 0..400 {
            let (a, b) = (random_pose(seed), random_pose(seed + 1000));
            let product = a * b;
            assert_eq!(b.then(a), product, "seed {seed}");
            assert_eq!(product.translation(), a.place(b.translation()), "seed {seed}");
            let point = random_pose(seed + 2001).translation();
            let size = 1.0 + point.length() + a.translation().length() + b.translation().length();
            let apart = product.place(point) - a.place(b.place(point));
            assert!(apart.length() < 8.0 * f64::EPSILON * size, "seed {seed}: {apart}");
            for pose in [a, skewed_pose(seed)] {
                assert_eq!(Pose::IDENTITY * pose, pose, "seed {seed}");
                assert_eq!(pose * Pose::IDENTITY, pose, "seed {seed}");
            }
        }
        assert_eq!(Pose::default(), Pose::IDENTITY);
    }

    #[test]
    fn an_inverse_undoes_its_pose() {
        for seed in 0..400 {
            for pose in [random_pose(seed), skewed_pose(seed)] {
                let inverse = pose.inverse();
                assert_eq!(Pose::new(inverse.rotation(), inverse.translation()), Ok(inverse));
                let size = 1.0 + pose.translation().length();
                for product in [inverse * pose, pose * inverse] {
                    let off = difference(&product, &Pose::IDENTITY);
                    assert!(off < 16.0 * f64::EPSILON * size, "seed {seed}: off by {off:e}");
                }
            }
        }
        assert_eq!(Pose::IDENTITY.inverse(), Pose::IDENTITY);
        assert!(Pose::IDENTITY.inverse().translation().x.is_sign_positive());
    }

    /// Without repair, products of such matrices would leave the accepted range after one multiplication.
    #[test]
    fn products_and_inverses_stay_valid() {
        let mut repaired = 0;
        for seed in 0..50 {
            let mut product = Pose::IDENTITY;
            for step in 0..200 {
                let next = skewed_pose(seed * 4);
                let is_off = check_orthonormal(&(next.rotation() * product.rotation())).is_err();
                repaired += usize::from(is_off);
                product = next * product;
                let again = Pose::new(product.rotation(), product.translation());
                assert_eq!(again, Ok(product), "seed {seed}, step {step}");
                let inverse = product.inverse();
                let again = Pose::new(inverse.rotation(), inverse.translation());
                assert_eq!(again, Ok(inverse), "seed {seed}, step {step}");
            }
        }
        assert!(repaired > 1_000, "hardly any product left the accepted range: {repaired}");
    }

    #[test]
    fn translations_saturate() {
        let turn = DMat3::from_rotation_z(0.7);
        let far = Pose::new(turn, DVec3::new(f64::MAX, -f64::MAX, 0.0)).unwrap();
        for pose in [far * far, far.inverse(), far * far.inverse(), far.inverse() * far] {
            assert_eq!(Pose::new(pose.rotation(), pose.translation()), Ok(pose));
        }
        let right = Pose::from_translation(DVec3::new(f64::MAX, 0.0, 0.0)).unwrap();
        assert_eq!((right * right).translation(), DVec3::new(f64::MAX, 0.0, 0.0));
    }

    #[test]
    fn quaternions_go_in_and_come_out() {
        for seed in 0..400 {
            let pose = random_pose(seed);
            let quat = pose.to_quat();
            assert!(quat.w >= 0.0 && quat.is_normalized(), "seed {seed}: {quat}");
            let again = Pose::from_quat(quat, pose.translation()).unwrap();
            assert!(difference(&pose, &again) < 8.0 * f64::EPSILON, "seed {seed}");
        }
        // Half turns, whose w is 0.
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let half =
                Pose::from_quat(DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0), axis).unwrap();
            let again = Pose::from_quat(half.to_quat(), axis).unwrap();
            assert!(difference(&half, &again) < 4.0 * f64::EPSILON, "{axis}");
        }
        // A quaternion of f32 precision is normalised.
        let rough = DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5 + 3e-7);
        let pose = Pose::from_quat(rough, DVec3::ZERO).unwrap();
        let excess = pose.rotation().transpose() * pose.rotation() - DMat3::IDENTITY;
        assert!(excess.to_cols_array().iter().all(|e| e.abs() < 4.0 * f64::EPSILON));
        for bad in [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(0.0, 0.0, 0.0, f64::NAN)]
        {
            let error = Pose::from_quat(bad, DVec3::ZERO).unwrap_err();
            assert!(matches!(error, PoseError::QuaternionNotUnit { .. }), "{error}");
        }
    }

    #[test]
    fn affine_maps_go_in_and_come_out_unchanged() {
        for seed in 0..100 {
            let pose = skewed_pose(seed);
            assert_eq!(Pose::try_from(DAffine3::from(pose)), Ok(pose), "seed {seed}");
        }
        let scaled = DAffine3::from_scale(DVec3::splat(2.0));
        assert!(matches!(Pose::try_from(scaled), Err(PoseError::NotOrthonormal { .. })));
    }
}
