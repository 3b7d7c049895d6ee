//! How far rounding may have moved the vertices of a part.
//!
//! Files round coordinates when they are written: binary STL and glTF files hold single precision, and so do many
//! text files, because the program that wrote them did. The clash check needs a bound for this, so that it does not
//! take two parts that touch for two parts that penetrate. The bound follows from the numbers in the file:
//!
//! - Every mesh may have been rounded to single precision in a frame of its own size, so that the bound is at least
//!   a few units in the last place of single precision at the size of the mesh.
//! - A mesh far from the origin may have been rounded at the size of its coordinates, which is a much larger bound.
//!   It applies only if the coordinates show that they are of single precision.
//!
//! [`Builder`](super::build::Builder) calls this for every mesh and part, the glTF reader for the translations of
//! nodes.

use glam::{DAffine3, DMat3, DVec3};
use impinge::{Bounds, Mesh};

/// Half a unit in the last place of single precision, for numbers of size 1.
const SINGLE: f64 = 1.0 / (1 << 24) as f64;

/// The number of roundings of this size that a vertex may have gone through: it is moved, rotated and scaled by the
/// program that wrote the file.
const ROUNDINGS: f64 = 8.0;

/// The number of coordinates that are examined for single precision.
const MAX_SAMPLES: usize = 4096;

/// The share of the long coordinates of a mesh that must be of single precision. Not all: some programs compute a few
/// vertices in double precision.
const MIN_SHARE: f64 = 0.9;

/// The extent of a mesh and its rounding, in the coordinates of its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precision {
    bounds: Bounds,
    rounding: f64,
}

impl Precision {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        if bounds.min.cmpgt(bounds.max).any() {
            // The mesh has no faces.
            return Self { bounds: Bounds { min: DVec3::ZERO, max: DVec3::ZERO }, rounding: 0.0 };
        }
        let coordinates = || mesh.positions().iter().flat_map(DVec3::to_array);
        // A multiple of 3 would examine one axis only.
        let step = mesh.positions().len() * 3 / MAX_SAMPLES + 1;
        let step = if step.is_multiple_of(3) { step + 1 } else { step };
        let size = match is_single(coordinates().step_by(step)) {
            true => bounds.size().length().max(largest(&bounds)),
            false => bounds.size().length(),
        };
        Self { bounds, rounding: ROUNDINGS * SINGLE * size }
    }

    /// Returns how far rounding may have moved a vertex of a part, in the final coordinates. `transform` places the
    /// mesh in them. It scales lengths by at most `scale`. `moved` is how far rounding may have moved the part as a
    /// whole.
    pub(super) fn after(&self, transform: &DAffine3, scale: f64, moved: f64) -> f64 {
        let Bounds { min, max } = self.bounds;
        let half = (max - min) * 0.5;
        let centre = transform.transform_point3(min + half).abs();
        let [x, y, z] = [0, 1, 2].map(|axis| transform.matrix3.col(axis).abs() * half[axis]);
        let reach = (centre + x + y + z).max_element();
        // The reader itself computes in double precision.
        self.rounding * scale + moved + 4.0 * f64::EPSILON * reach
    }
}

fn largest(bounds: &Bounds) -> f64 {
    bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// Returns how far the rounding to single precision may have moved a translation. The components that do not look
/// like single precision count as exact.
pub(crate) fn of_translation(translation: DVec3) -> f64 {
    let of = |value: f64| match is_f32(value) && is_long(value) {
        true => value.abs() * SINGLE,
        false => 0.0,
    };
    DVec3::from_array(translation.to_array().map(of)).length()
}

/// Returns a bound for the factor by which a linear map lengthens a vector; exact for a diagonal matrix.
pub(crate) fn gain(linear: &DMat3) -> f64 {
    // The spectral norm is at most the geometric mean of the largest column sum and the largest row sum.
    let columns = |matrix: &DMat3| {
        let sum = |axis: usize| matrix.col(axis).abs().element_sum();
        sum(0).max(sum(1)).max(sum(2))
    };
    columns(linear).max(columns(&linear.transpose()))
}

/// Returns whether coordinates have been rounded to single precision. Only coordinates with more than 8 significant
/// digits tell: short numbers such as 0.25 or 1200 look the same in any precision.
fn is_single(coordinates: impl Iterator<Item = f64>) -> bool {
    let (mut long, mut single) = (0_u32, 0_u32);
    for value in coordinates.filter(|&value| is_long(value)) {
        long += 1;
        single += u32::from(is_f32(value) || is_printed_f32(value));
    }
    long > 0 && f64::from(single) >= MIN_SHARE * f64::from(long)
}

fn is_f32(value: f64) -> bool {
    f64::from(value as f32) == value
}

/// Returns whether a number is a single-precision number that was printed with fewer digits than it takes to write it
/// exactly: the nearest such number agrees with all digits.
fn is_printed_f32(value: f64) -> bool {
    let shortest = format!("{:e}", value.abs());
    let Some((digits, exponent)) = shortest.split_once('e') else { return false };
    let Ok(exponent) = exponent.parse::<i32>() else { return false };
    let after_point = digits.len().saturating_sub(2) as i32;
    let unit = 10_f64.powi(exponent - after_point);
    // A little more than a half: the next digit is often an exact 5.
    (f64::from(value as f32) - value).abs() <= 0.5001 * unit
}

/// Returns whether the shortest decimal number for `value` has more than 8 significant digits.
fn is_long(value: f64) -> bool {
    let value = value.abs();
    if !(1e-12..1e8).contains(&value) {
        return value != 0.0 && value.is_finite() && format!("{value:e}").find('e') > Some(9);
    }
    // Find the number of 8 digits that is nearest. The quotient of two exact numbers is rounded once, as the number
    // that a parser returns, so the two are equal if `value` was written with 8 digits. Formatting would be slower.
    let mut power = POWERS.len() - 1;
    while power > 0 && value * POWERS[power] >= 1e8 {
        power -= 1;
    }
    (value * POWERS[power]).round() / POWERS[power] != value
}

/// The powers of ten that are exact in double precision.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate::Random;

    fn random(random: &mut Random) -> f64 {
        (random.below(1 << 53) as f64 / (1_u64 << 53) as f64 - 0.5) * 2000.0
    }

    #[test]
    fn long_numbers_are_those_with_more_than_8_digits() {
        let digits = |value: f64| {
            let shortest = format!("{value:e}");
            shortest.split('e').next().map_or(0, |digits| digits.replace(['.', '-'], "").len())
        };
        let mut source = Random::new(1);
        let mut long = 0;
        for round in 0..20_000 {
            let scale = 10_f64.powi(source.below(30) as i32 - 15);
            let value = random(&mut source) * scale;
            // The number as it is, or as a text file holds it.
            let value = match round % 3 {
                0 => value,
                1 => f64::from(value as f32),
                _ => format!("{value:.*e}", (round % 11) as usize).parse().unwrap(),
            };
            assert_eq!(is_long(value), digits(value) > 8, "{value:e}");
            long += u32::from(is_long(value));
        }
        assert!(long > 10_000 && long < 18_000, "{long}");
    }

    #[test]
    fn single_precision_is_recognised_by_the_digits() {
        let mut source = Random::new(2);
        let values: Vec<f64> = (0..1000).map(|_| random(&mut source) * 100.0).collect();
        let all = |how: fn(f64) -> f64| is_single(values.iter().map(|&value| how(value)));
        let printed = |value: f64, digits: usize| -> f64 {
            format!("{value:.*e}", digits - 1).parse().unwrap_or(0.0)
        };
        assert!(all(|value| f64::from(value as f32)), "a binary file");
        assert!(is_single(values.iter().map(|&value| printed(f64::from(value as f32), 9))));
        assert!(is_single(values.iter().map(|&value| printed(f64::from(value as f32), 12))));
        assert!(!all(|value| value), "double precision");
        assert!(
            !is_single(values.iter().map(|&value| printed(value, 9))),
            "nine digits of doubles"
        );
        assert!(!is_single(values.iter().map(|&value| printed(value, 12))));
        // Nothing is known of short numbers.
        assert!(!is_single(values.iter().map(|&value| printed(value, 6))));
        assert!(!all(f64::round));
        // A few vertices in double precision change nothing, half of them do.
        let mixed = |every: usize| {
            let value = |(at, &value): (usize, &f64)| match at % every {
                0 => value,
                _ => f64::from(value as f32),
            };
            is_single(values.iter().enumerate().map(value))
        };
        assert!(mixed(20) && !mixed(2));
    }

    #[test]
    fn all_axes_are_examined() {
        // Only one coordinate of each vertex tells, in meshes of any size.
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for count in [300_u32, 3000, 4500, 10_000] {
                let far = |at: u32| f64::from((1000.0 + f64::from(at) / 7.0) as f32);
                let positions: Vec<DVec3> = (0..count).map(|at| axis * far(at)).collect();
                let faces = (0..count - 2).map(|at| [at, at + 1, at + 2]).collect();
                let mesh = Mesh::new(positions, faces).unwrap();
                let expected = ROUNDINGS * SINGLE * far(count - 1);
                assert_eq!(Precision::of(&mesh).rounding, expected, "{axis} {count}");
            }
        }
    }

    #[test]
    fn translations_are_rounded_if_they_look_so() {
        let third = f64::from(1.0_f32 / 3.0);
        assert_eq!(of_translation(DVec3::new(third, 0.5, 1200.0)), third * SINGLE);
        assert_eq!(of_translation(DVec3::new(1.0 / 3.0, 0.1, 0.0)), 0.0);
    }

    #[test]
    fn the_gain_is_never_too_small() {
        assert_eq!(gain(&DMat3::from_diagonal(DVec3::new(2.0, -3.0, 0.1))), 3.0);
        let mut source = Random::new(3);
        for _ in 0..200 {
            let mut vector = || DVec3::from_array([0; 3].map(|_| random(&mut source)));
            let linear = DMat3::from_cols(vector(), vector(), vector());
            let along = vector();
            assert!((linear * along).length() <= gain(&linear) * along.length() * (1.0 + 1e-12));
        }
    }
}
