//! UV spheres of slices and stacks, with any even number of faces.

use super::GenerateError;
use super::error::{MAX_FACES, check_count};
use super::surface::Surface;
use super::turn::{circle, turn};
use crate::Mesh;
use glam::DVec3;

/// A unit sphere about the origin with exactly `faces` faces: closed, normals outward.
///
/// These are the "standardized spheres" of Smith and Kitamura (1994) and of Kitamura, Takemura and Kishino
/// (1994). A globe of slices and stacks has 2·slices·(stacks − 1) faces, and their counts 8, 10, 24, 48, 54,
/// 80, 120, 168, 224, 360, 528, 728, 960 and 3968 are globes with about twice as many slices as stacks. For
/// any other even count, the globe with the next lower count is used, and one cell in some of its stacks is
/// split in four by a point on the sphere. For 4 it is the regular tetrahedron. The poles are on the z axis.
///
/// Every even number from 4 to 100,000,000 is allowed; a closed surface cannot have an odd number of faces.
///
/// ```
/// let sphere = impinge::generate::sphere(528)?;
/// assert_eq!(sphere.faces().len(), 528);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn sphere(faces: u32) -> Result<Mesh, GenerateError> {
    let is_allowed = faces >= 4 && faces.is_multiple_of(2) && u64::from(faces) <= MAX_FACES;
    check_count("faces", faces, is_allowed, "an even number from 4 to 100000000")?;
    if faces == 4 {
        return tetrahedron();
    }
    let (slices, stacks) = globe(faces / 2);
    let splits = splits(faces / 2, slices, stacks);

    let mut surface = Surface::with_faces(u64::from(faces));
    let meridian: Vec<_> = circle(slices).collect();
    let south = surface.vertex(DVec3::NEG_Z);
    let mut below: Vec<u32> = Vec::new();
    for stack in 1..stacks {
        // From the south pole upward: the height is −cos of the angle from that pole.
        let angle = turn(u64::from(stack), 2 * u64::from(stacks));
        let ring = surface.ring(meridian.iter().map(|&at| (at * angle.y).extend(0.0 - angle.x)));
        match splits.get(stack as usize).copied().flatten() {
            _ if stack == 1 => surface.fan_below(&ring, south),
            Some(slice) => strip_with_split(&mut surface, &below, &ring, slice as usize),
            None => surface.strip(&below, &ring),
        }
        below = ring;
    }
    let north = surface.vertex(DVec3::Z);
    surface.fan_above(&below, north);
    surface.finish()
}

fn tetrahedron() -> Result<Mesh, GenerateError> {
    let c = 1.0 / 3.0_f64.sqrt();
    let corners = [[c, c, c], [c, -c, -c], [-c, c, -c], [-c, -c, c]].map(DVec3::from_array);
    let faces = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    Ok(Mesh::new(corners.to_vec(), faces)?)
}

/// The slices and stacks for which slices·(stacks − 1) is at most `half` and more than `half` − (stacks − 1).
/// Of these the pair nearest to two slices per stack, which gives square cells at the equator.
fn globe(half: u32) -> (u32, u32) {
    let ideal = (1.0 + (1.0 + 2.0 * f64::from(half)).sqrt()) / 2.0;
    let middle = (ideal as u32).max(2);
    let candidates = (middle.max(3) - 1..=middle + 1).map(|stacks| (half / (stacks - 1), stacks));
    let elongation = |&(slices, stacks): &(u32, u32)| {
        let ratio = f64::from(slices) / (2.0 * f64::from(stacks));
        ratio.max(1.0 / ratio)
    };
    candidates
        .filter(|&(slices, _)| slices >= 3)
        .min_by(|a, b| elongation(a).total_cmp(&elongation(b)))
        .unwrap_or((3, 2))
}

/// For each stack the slice whose cell is split, if any. Each split adds two faces.
fn splits(half: u32, slices: u32, stacks: u32) -> Vec<Option<u32>> {
    let mut splits = vec![None; stacks as usize];
    let missing = u64::from(half - slices * (stacks - 1));
    let rows = u64::from(stacks - 2);
    for i in 0..missing {
        // Fewer splits are missing than there are rows, so every row gets at most one. Splits of
        // neighbouring rows are a golden section of the circle apart, which spreads them evenly.
        let row = (2 * i + 1) * rows / (2 * missing);
        let slice = i * (u64::from(slices) * 618 / 1000).max(1) % u64::from(slices);
        splits[row as usize + 2] = Some(slice as u32);
    }
    splits
}

/// Joins two rings, with one of the cells split into four faces around a point of the sphere.
fn strip_with_split(surface: &mut Surface, lower: &[u32], upper: &[u32], split: usize) {
    for i in 0..lower.len() {
        let j = (i + 1) % lower.len();
        let cell = [lower[i], lower[j], upper[j], upper[i]];
        if i == split {
            let sum: DVec3 = cell.iter().map(|&corner| surface.position(corner)).sum();
            let center = surface.vertex(sum / sum.length());
            surface.fan_above(&cell, center);
        } else {
            surface.quad(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{area, assert_closed, hash, volume};
    use super::*;

    #[test]
    fn spheres_from_papers_are_globes() {
        let known = [
            (8, 4, 2),
            (10, 5, 2),
            (24, 6, 3),
            (48, 8, 4),
            (54, 9, 4),
            (80, 10, 5),
            (120, 12, 6),
            (168, 14, 7),
            (224, 16, 8),
            (360, 20, 10),
            (528, 24, 12),
            (728, 28, 14),
            (960, 32, 16),
            (3968, 64, 32),
        ];
        for (faces, slices, stacks) in known {
            assert_eq!(globe(faces / 2), (slices, stacks), "{faces} faces");
            assert_eq!(sphere(faces).unwrap().faces().len(), faces as usize);
        }
    }

    #[test]
    fn every_even_count_is_closed_round_and_well_shaped() {
        for faces in (4..=1200).step_by(2).chain([9_998, 50_000, 99_994]) {
            let mesh = sphere(faces).unwrap();
            assert_eq!(mesh.faces().len(), faces as usize);
            assert_closed(&mesh);
            assert!(mesh.positions().iter().all(|p| (p.length() - 1.0).abs() < 4e-16));
            let fullness = volume(&mesh) / (4.0 / 3.0 * std::f64::consts::PI);
            assert!(fullness > 1.0 - 18.0 / f64::from(faces).max(20.0), "{faces}: {fullness}");
            // Faces at the poles are the smallest. They shrink in proportion to the number of stacks, no
            // faster.
            let mean = 4.0 * std::f64::consts::PI / f64::from(faces);
            let smallest = (0..faces as usize).map(|f| area(&mesh, f)).fold(mean, f64::min);
            let stacks = f64::from(globe(faces / 2).1);
            assert!(smallest > mean / stacks * 0.6, "{faces}: {smallest} of {mean}");
        }
    }

    #[test]
    fn ten_million_faces_are_possible() {
        let mesh = sphere(10_000_000).unwrap();
        assert_eq!(mesh.faces().len(), 10_000_000);
        assert!((volume(&mesh) / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn an_octahedron_has_exact_corners() {
        let mesh = sphere(8).unwrap();
        assert!(mesh.positions().iter().all(|p| p.abs().element_sum() == 1.0));
    }

    #[test]
    fn odd_and_small_counts_are_refused() {
        for faces in [0, 2, 3, 5, 101, 100_000_002] {
            let error = sphere(faces).unwrap_err();
            assert!(matches!(error, GenerateError::Count { parameter: "faces", .. }), "{faces}");
        }
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&sphere(528).unwrap()), 0x8B21_729D_0ED9_9516);
        assert_eq!(hash(&sphere(1000).unwrap()), 0x50E2_8D74_E4EF_D1AB);
    }
}
