//! Tori: smooth ones and deformed ones.

use super::error::{check_count, check_faces, check_measure, check_positive};
use super::surface::Surface;
use super::turn::{circle, turn};
use super::{GenerateError, Random};
use crate::Mesh;
use glam::{DVec2, DVec3};

/// A torus about the z axis. Its tube has the radius `minor`, and the center line of the tube has the radius
/// `major`. `segments` holds the number of segments around the axis and the number across the tube:
/// 2·segments\[0\]·segments\[1\] faces, closed, normals outward.
///
/// A body of Zachmann's test suite (2002). [`torus_segments`] chooses the segments for a given number of
/// faces.
///
/// ```
/// use impinge::generate::{torus, torus_segments};
///
/// let mesh = torus(1.0, 0.25, torus_segments(1.0, 0.25, 10_000)?)?;
/// assert_eq!(mesh.faces().len(), 10_000);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn torus(major: f64, minor: f64, segments: [u32; 2]) -> Result<Mesh, GenerateError> {
    check_radii(major, minor)?;
    swept(segments, |around, _, across, _| {
        let tube = across * minor;
        (around * (major + tube.x)).extend(tube.y)
    })
}

/// Segments for [`torus`] with nearly square cells, and as many faces as possible but at most `faces`. For
/// most even counts the number is met exactly.
pub fn torus_segments(major: f64, minor: f64, faces: u32) -> Result<[u32; 2], GenerateError> {
    check_radii(major, minor)?;
    check_count("faces", faces, faces >= 18, "at least 18 (three segments by three)")?;
    check_faces([faces])?;
    let half = faces / 2;
    let ideal = (f64::from(half) * minor / major).sqrt().min(f64::from(half / 3));
    // A cell counts as nearly square up to an aspect ratio of about 1.5.
    let candidates = ((ideal / 1.25) as u32).max(3)..=((ideal * 1.25) as u32).clamp(3, half / 3);
    let across = candidates
        .min_by_key(|&across| (half % across, (f64::from(across) - ideal).abs().to_bits()))
        .unwrap_or(3);
    Ok([half / across, across])
}

/// A randomly deformed torus: the tube swells and shrinks, and its center line waves. Closed, normals
/// outward, free of self-intersections, about 2.8 across.
///
/// Modelled on the deformed torus that Klosowski (1998) flies between stalagmites, with
/// 2·segments\[0\]·segments\[1\] faces; `[200, 50]` gives the 20,000 faces that he used.
pub fn deformed_torus(seed: u64, segments: [u32; 2]) -> Result<Mesh, GenerateError> {
    let mut random = Random::new(seed);
    let mut waves = |count: usize, amplitude: f64, around: u64, across: u64| -> Vec<Wave> {
        (0..count).map(|_| Wave::random(&mut random, amplitude, around, across)).collect()
    };
    let radial = waves(3, 0.05, 4, 0);
    let vertical = waves(3, 0.08, 4, 0);
    let bumps = waves(8, 0.07, 9, 4);
    let sum = |waves: &[Wave], u: f64, v: f64| waves.iter().map(|w| w.at(u, v)).sum::<f64>();
    // Each cross-section lies in its own half-plane through the axis, and is star-shaped about the center
    // line, because the sums of the amplitudes stay below the limits that the radii set: at most 0.15 of the
    // 1.0 from the axis, and 0.56 of the tube. So nothing can intersect.
    swept(segments, |around, u, across, v| {
        let tube = across * (0.3 * (1.0 + sum(&bumps, u, v)));
        let height = tube.y + sum(&vertical, u, 0.0);
        (around * (1.0 + sum(&radial, u, 0.0) + tube.x)).extend(height)
    })
}

/// A cosine over the torus, with whole periods in both directions, so that it is continuous.
struct Wave {
    amplitude: f64,
    around: f64,
    across: f64,
    phase: f64,
}

impl Wave {
    /// A random wave with at most the given number of periods around and across, and at most the given
    /// amplitude.
    fn random(random: &mut Random, amplitude: f64, around: u64, across: u64) -> Self {
        Self {
            amplitude: random.range(amplitude * 0.4, amplitude),
            around: (1 + random.below(around)) as f64,
            across: random.below(across + 1) as f64,
            phase: random.unit(),
        }
    }

    /// The value at fractions of a full turn.
    fn at(&self, u: f64, v: f64) -> f64 {
        let turns = self.around * u + self.across * v + self.phase;
        self.amplitude * libm::cos(std::f64::consts::TAU * (turns - turns.floor()))
    }
}

fn check_radii(major: f64, minor: f64) -> Result<(), GenerateError> {
    check_positive("major", major)?;
    check_measure("minor", minor, 0.0 < minor && minor < major, "above 0 and below major")
}

/// The closed surface of the points `at(direction, fraction, direction, fraction)`: first around the axis,
/// then across the tube.
fn swept(
    [around, across]: [u32; 2],
    at: impl Fn(DVec2, f64, DVec2, f64) -> DVec3,
) -> Result<Mesh, GenerateError> {
    check_count("segments[0]", around, around >= 3, "at least 3")?;
    check_count("segments[1]", across, across >= 3, "at least 3")?;
    let faces = check_faces([2, around, across])?;
    let mut surface = Surface::with_faces(faces);
    let sections: Vec<Vec<u32>> = (0..around)
        .map(|i| {
            let direction = turn(u64::from(i), u64::from(around));
            let u = f64::from(i) / f64::from(around);
            let section = circle(across)
                .enumerate()
                .map(|(j, tube)| at(direction, u, tube, j as f64 / f64::from(across)));
            surface.ring(section)
        })
        .collect();
    // Seen against the direction of travel the sections run clockwise, so strips go backward.
    for (i, section) in sections.iter().enumerate() {
        surface.strip(&sections[(i + 1) % sections.len()], section);
    }
    surface.finish()
}

#[cfg(test)]
mod tests {
    use super::super::check::{assert_closed, assert_simple, genus, hash, volume};
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn a_torus_is_closed_and_has_its_volume() {
        for segments in [[3, 3], [7, 4], [160, 80]] {
            let mesh = torus(2.0, 0.5, segments).unwrap();
            assert_eq!(mesh.faces().len() as u32, 2 * segments[0] * segments[1]);
            assert_closed(&mesh);
            assert_eq!(genus(&mesh), 1);
            let fullness = volume(&mesh) / (2.0 * PI * PI * 2.0 * 0.25);
            assert!(fullness > 0.15 && fullness < 1.0, "{segments:?}: {fullness}");
        }
        let fine = volume(&torus(2.0, 0.5, [160, 80]).unwrap()) / (PI * PI);
        assert!((fine - 1.0).abs() < 0.003, "{fine}");
    }

    #[test]
    fn segments_make_nearly_square_cells_and_meet_the_count() {
        for faces in [18, 20, 100, 1000, 10_000, 20_000, 65_536, 1_000_000] {
            let [around, across] = torus_segments(0.7, 0.3, faces).unwrap();
            let made = 2 * around * across;
            assert!(
                made <= faces && f64::from(made) >= 0.9 * f64::from(faces),
                "{made} of {faces}"
            );
            if faces >= 1000 {
                let shape = f64::from(around) * 0.3 / (f64::from(across) * 0.7);
                assert!((0.6..1.7).contains(&shape), "{faces}: {around} by {across}");
            }
        }
    }

    #[test]
    fn a_deformed_torus_is_closed_and_thick_everywhere() {
        for seed in 0..50 {
            let mesh = deformed_torus(seed, [60, 24]).unwrap();
            assert_eq!(mesh.faces().len(), 2 * 60 * 24);
            assert_closed(&mesh);
            assert_eq!(genus(&mesh), 1);
            assert!(volume(&mesh) > 1.0, "seed {seed}");
            // The hole stays open.
            let inner = mesh.positions().iter().map(|p| p.truncate().length());
            assert!(inner.fold(9.0, f64::min) > 0.2, "seed {seed}");
        }
        assert_simple(&deformed_torus(1, [60, 24]).unwrap(), 1e-3);
        assert_ne!(deformed_torus(1, [9, 9]), deformed_torus(2, [9, 9]));
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let error = torus(1.0, 1.0, [8, 8]).unwrap_err();
        assert_eq!(error.to_string(), "minor is 1, but must be above 0 and below major");
        assert!(torus(f64::NAN, 0.1, [8, 8]).is_err());
        assert!(torus(1.0, 0.1, [2, 8]).is_err());
        assert!(deformed_torus(0, [8, 2]).is_err());
        assert!(torus(1.0, 0.1, [u32::MAX, u32::MAX]).is_err());
        assert!(torus_segments(1.0, 0.5, 17).is_err());
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&torus(1.0, 0.25, [12, 8]).unwrap()), 0x28C1_FE51_2CB3_BB75);
        assert_eq!(hash(&deformed_torus(1, [40, 20]).unwrap()), 0xEFA3_D1D6_D66A_31C9);
    }
}
