//! Splits a linear map into a rotation and a remaining stretch.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// `L` counts as a rotation if every entry of `LᵀL − I` is within this bound. [`impinge::Pose`] uses the same bound.
const RIGID: f64 = 1e-6;

/// A matrix with every entry of `RᵀR − I` within this bound is a rotation, but for rounding errors.
const ORTHOGONAL: f64 = 1e-14;

/// A linear map as the product `rotation · stretch`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    /// A rotation, up to rounding.
    pub(super) rotation: DMat3,
    /// Applied to the mesh before the rotation; `None` for the identity.
    pub(super) stretch: Option<DMat3>,
}

/// Splits a linear map into a rotation and the remaining stretch, as the readers of assemblies do: see
/// [rigid poses](super#rigid-poses). The map is `rotation · stretch`, up to rounding; the stretch is `None` if the map is
/// a rotation.
pub fn split_linear(linear: DMat3) -> (DMat3, Option<DMat3>) {
    let Split { rotation, stretch } = Split::new(linear);
    (rotation, stretch)
}

impl Split {
    pub(super) fn new(linear: DMat3) -> Self {
        if linear == DMat3::IDENTITY {
            return Self { rotation: linear, stretch: None };
        }
        if is_orthogonal(linear) {
            return Self { rotation: linear, stretch: None };
        }
        let error = distance(linear.transpose() * linear, DMat3::IDENTITY);
        if error <= RIGID && linear.determinant() > 0.0 {
            let rotation = orthogonal(linear);
            return Self { rotation: rotation.unwrap_or(linear), stretch: None };
        }
        Self::diagonal(linear).or_else(|| Self::polar(linear)).unwrap_or(Self {
            // The map is singular (it flattens to a plane, a line or a point), so it contains no unique rotation.
            rotation: DMat3::IDENTITY,
            stretch: Some(linear),
        })
    }

    /// Splits a diagonal map exactly: the scale factors keep their bits.
    fn diagonal(linear: DMat3) -> Option<Self> {
        let scale = linear.diagonal();
        if linear != DMat3::from_diagonal(scale) || scale.cmpeq(DVec3::ZERO).any() {
            return None;
        }
        let signs = scale.signum();
        // −1 if the map mirrors: the negated signs then form a rotation.
        let side = signs.x * signs.y * signs.z;
        let rotation = DMat3::from_diagonal(signs * side);
        Some(Self { rotation, stretch: Some(DMat3::from_diagonal(scale.abs() * side)) })
    }

    fn polar(linear: DMat3) -> Option<Self> {
        let mut rotation = orthogonal(linear)?;
        if rotation.determinant() < 0.0 {
            rotation = -rotation;
        }
        let stretch = rotation.transpose() * linear;
        let stretch = cleaned((stretch + stretch.transpose()) * 0.5);
        stretch.is_finite().then_some(Self { rotation, stretch: Some(stretch) })
    }
}

/// Returns whether a matrix is a rotation, but for rounding errors. So are products of exact rotations, as along the joints of
/// a robot: `orthogonal` would not improve them.
fn is_orthogonal(linear: DMat3) -> bool {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = linear;
    let is_close = |value: f64, expected: f64| (value - expected).abs() <= ORTHOGONAL;
    let is_unit = is_close(x.dot(x), 1.0) & is_close(y.dot(y), 1.0) & is_close(z.dot(z), 1.0);
    let is_right = is_close(x.dot(y), 0.0) & is_close(x.dot(z), 0.0) & is_close(y.dot(z), 0.0);
    is_unit & is_right & (linear.determinant() > 0.0)
}

/// Returns the orthogonal matrix nearest to an invertible one: Newton's iteration for the polar decomposition, with
/// Higham's scaling, which needs about a dozen steps for any scale of the input.
fn orthogonal(linear: DMat3) -> Option<DMat3> {
    let largest = largest(linear);
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let mut x = linear * (1.0 / largest);
    for _ in 0..100 {
        let inverse = x.inverse().transpose();
        if !inverse.is_finite() {
            return None;
        }
        let gain = (norm(inverse) / norm(x)).sqrt();
        let next = (x * gain + inverse * (1.0 / gain)) * 0.5;
        let change = distance(next, x);
        x = next;
        if change <= 1e-9 {
            // The iteration converges quadratically, so one more step reaches rounding error.
            x = (x + x.inverse().transpose()) * 0.5;
            let error = distance(x.transpose() * x, DMat3::IDENTITY);
            return (error <= ORTHOGONAL).then_some(x);
        }
    }
    None
}

/// Removes the rounding errors that the rotation has left in a symmetric stretch.
fn cleaned(stretch: DMat3) -> DMat3 {
    // A pure reflection, up to rounding.
    if distance(stretch, -DMat3::IDENTITY) <= RIGID {
        return -DMat3::IDENTITY;
    }
    let noise = 1e-12 * largest(stretch);
    let clean = |value: f64| if value.abs() <= noise { 0.0 } else { value };
    let [x, y, z] = stretch.to_cols_array_2d().map(|column| DVec3::from_array(column.map(clean)));
    let stretch = DMat3::from_cols(x, y, z);
    let scale = stretch.diagonal();
    let is_uniform = (scale - DVec3::splat(scale.x)).abs().max_element() <= noise;
    if is_uniform && stretch == DMat3::from_diagonal(scale) {
        return DMat3::from_diagonal(DVec3::splat(scale.x));
    }
    stretch
}

/// A stretch rounded to 1e-6 of its largest entry. Equal keys mark stretches that can share a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct StretchKey {
    exponent: i32,
    entries: [i32; 9],
}

impl StretchKey {
    pub(super) fn new(stretch: &DMat3) -> Self {
        // Not the entry itself: powers of two are common, and rounding slightly below one would change the exponent.
        let largest = largest(*stretch) * 1.37;
        // The exponent of a number, read from its bits; denormals have the smallest exponent.
        let exponent = ((largest.to_bits() >> 52) & 0x7FF) as i32 - 1023;
        let step = power_of_two(exponent - 20);
        let entry = |value: f64| (value / step).round() as i32;
        Self { exponent, entries: stretch.to_cols_array().map(entry) }
    }
}

/// Returns 2^exponent, but at least the smallest normal number.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent.max(-1022) + 1023) as u64) << 52)
}

fn largest(matrix: DMat3) -> f64 {
    matrix.to_cols_array().into_iter().fold(0.0, |largest, entry| entry.abs().max(largest))
}

fn distance(a: DMat3, b: DMat3) -> f64 {
    let [a, b] = [a, b].map(|matrix| matrix.to_cols_array());
    // `f64::max` would drop NaN, so it is not used.
    let differences = a.into_iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |largest, entry| if entry <= largest { largest } else { entry })
}

fn norm(matrix: DMat3) -> f64 {
    matrix.to_cols_array().into_iter().map(|entry| entry * entry).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use impinge::{Pose, generate::Random};

    fn random_rotation(random: &mut Random) -> DMat3 {
        let mut number = || random.below(2001) as f64 / 1000.0 - 1.0;
        let quaternion = DQuat::from_xyzw(number(), number(), number(), 0.1 + number().abs());
        DMat3::from_quat(quaternion.normalize())
    }

    fn close(a: DMat3, b: DMat3, tolerance: f64) -> bool {
        distance(a, b) <= tolerance * largest(b).max(f64::MIN_POSITIVE)
    }

    #[test]
    fn exact_maps_stay_exact() {
        let split = Split::new(DMat3::IDENTITY);
        assert_eq!(split, Split { rotation: DMat3::IDENTITY, stretch: None });
        let quarter = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
        assert_eq!(Split::new(quarter), Split { rotation: quarter, stretch: None });
        for scale in [DVec3::new(2.0, 3.0, 0.1), DVec3::splat(0.001), DVec3::new(-1.0, 1.0, 1.0)] {
            let linear = DMat3::from_diagonal(scale);
            let Split { rotation, stretch } = Split::new(linear);
            assert_eq!(rotation * stretch.unwrap(), linear);
            assert_eq!(rotation.determinant(), 1.0);
        }
        // Reflections along any axis have the same stretch.
        let mirrored = |axis: DVec3| {
            Split::new(DMat3::from_diagonal(DVec3::ONE - 2.0 * axis)).stretch.unwrap()
        };
        assert_eq!(mirrored(DVec3::X), -DMat3::IDENTITY);
        assert_eq!(mirrored(DVec3::X), mirrored(DVec3::Z));
    }

    #[test]
    fn rotations_up_to_rounding_are_rotations() {
        let mut random = Random::new(1);
        for round in 0..1000 {
            let exact = random_rotation(&mut random);
            let rounded = exact.to_cols_array().map(|entry| f64::from(entry as f32));
            let rounded = DMat3::from_cols_array(&rounded);
            let Split { rotation, stretch } = Split::new(rounded);
            assert_eq!(stretch, None, "round {round}");
            assert!(distance(rotation, exact) < 2e-7, "round {round}");
            let error = distance(rotation.transpose() * rotation, DMat3::IDENTITY);
            assert!(error < 1e-15, "round {round}: {error}");
            assert_eq!(
                Split::new(rotation).rotation,
                rotation,
                "round {round}: the split is not idempotent"
            );
        }
    }

    #[test]
    fn any_map_is_split_into_stretch_and_rotation() {
        let mut random = Random::new(2);
        for round in 0..2000 {
            let (turn, before) = (random_rotation(&mut random), random_rotation(&mut random));
            let mut scale = || 10_f64.powi(random.below(5) as i32 - 2);
            let mut scale = DVec3::new(scale(), scale(), scale());
            if round % 3 == 0 {
                scale.y = -scale.y;
            }
            let linear = turn * DMat3::from_diagonal(scale) * before;
            let Split { rotation, stretch } = Split::new(linear);
            let stretch = stretch.unwrap_or(DMat3::IDENTITY);
            assert!(close(rotation * stretch, linear, 1e-11), "round {round}: {linear}");
            assert!(Pose::new(rotation, DVec3::ZERO).is_ok(), "round {round}: {linear}");
            assert_eq!(stretch.determinant() < 0.0, linear.determinant() < 0.0, "round {round}");
        }
    }

    #[test]
    fn instances_with_different_rotations_share_a_stretch() {
        let mut random = Random::new(3);
        for scale in [DVec3::splat(0.001), DVec3::new(1.0, 2.0, 0.5), DVec3::splat(-25.4)] {
            let mut of = |rounded: bool| {
                let linear = random_rotation(&mut random) * DMat3::from_diagonal(scale);
                let linear = match rounded {
                    true => linear.to_cols_array().map(|entry| f64::from(entry as f32)),
                    false => linear.to_cols_array(),
                };
                StretchKey::new(&Split::new(DMat3::from_cols_array(&linear)).stretch.unwrap())
            };
            let first = of(false);
            assert!((0..200).all(|_| of(false) == first), "{scale}");
            // Single-precision errors may put the keys on two sides of a rounding boundary, but not further apart.
            let distinct: std::collections::HashSet<_> = (0..200).map(|_| of(true)).collect();
            assert!(distinct.len() <= 8, "{scale}: {}", distinct.len());
        }
    }

    #[test]
    fn a_singular_map_is_applied_to_the_mesh() {
        for linear in [
            DMat3::ZERO,
            DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)),
            DMat3::from_cols(DVec3::ONE, DVec3::ONE, DVec3::X),
            DMat3::from_cols(DVec3::X * 1e-300, DVec3::Y * 1e300, DVec3::ONE),
        ] {
            let Split { rotation, stretch } = Split::new(linear);
            assert!(Pose::new(rotation, DVec3::ZERO).is_ok());
            assert!(close(rotation * stretch.unwrap(), linear, 1e-12), "{linear}");
        }
    }
}
