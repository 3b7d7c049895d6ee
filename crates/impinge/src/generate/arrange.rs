//! Meshes made from other meshes: scaled to a common size, or many merged into one.

use super::GenerateError;
use super::error::check_positive;
use crate::{Mesh, Pose};
use glam::DVec3;

/// Moves and uniformly scales a mesh, so that its bounding box is centered at the origin and has the longest
/// side `side`.
///
/// Zachmann (2002) compares bodies in a cube of side 2. No vertex of a face leaves the cube, not even by
/// rounding. A mesh without extent, or without faces, is moved but not scaled.
pub fn scaled_to_cube(mesh: &Mesh, side: f64) -> Result<Mesh, GenerateError> {
    check_positive("side", side)?;
    let bounds = mesh.bounds();
    if bounds.is_empty() {
        return Ok(mesh.clone());
    }
    let center = bounds.center();
    let longest = bounds.size().max_element();
    let corner = DVec3::splat(side * 0.5);
    let place = |&position: &DVec3| {
        let offset = position - center;
        // Divide before scaling, so that no quotient of tiny or huge sizes overflows.
        let share = if longest > 0.0 { offset / longest } else { offset };
        (share * side).clamp(-corner, corner)
    };
    let positions = mesh.positions().iter().map(place).collect();
    Ok(Mesh::new(positions, mesh.faces().to_vec())?)
}

/// Merges meshes into one, each placed by its pose, in the given order.
///
/// [`Pose::place`] computes each position, so the merged mesh touches exactly the meshes its
/// parts touch.
///
/// ```
/// use impinge::generate::{gearbox, merged};
///
/// let parts = gearbox();
/// let whole = merged(parts.iter().map(|(_, mesh, pose)| (mesh, pose)))?;
/// assert_eq!(whole.faces().len(), parts.iter().map(|(_, mesh, _)| mesh.faces().len()).sum());
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn merged<'a>(
    parts: impl IntoIterator<Item = (&'a Mesh, &'a Pose)>,
) -> Result<Mesh, GenerateError> {
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for (mesh, pose) in parts {
        let first = positions.len() as u32;
        let count = positions.len() + mesh.positions().len();
        if u32::try_from(count).is_err() {
            let (parameter, allowed) = ("the number of all vertices", "at most 4294967295");
            return Err(GenerateError::Count { parameter, value: count as u64, allowed });
        }
        positions.extend(mesh.positions().iter().map(|&position| pose.place(position)));
        faces.extend(mesh.faces().iter().map(|face| face.map(|corner| corner + first)));
    }
    Ok(Mesh::new(positions, faces)?)
}

#[cfg(test)]
mod tests {
    use super::super::check::{assert_closed, hash, volume};
    use super::super::{chair, cuboid, random_rotations, shuttle};
    use super::*;

    #[test]
    fn scaled_meshes_fill_the_cube_and_do_not_exceed_it() {
        for side in [2.0, 1e-3, 1e90] {
            let mesh = scaled_to_cube(&shuttle(), side).unwrap();
            let bounds = mesh.bounds();
            assert!(bounds.min.min_element() >= -side / 2.0);
            assert!(bounds.max.max_element() <= side / 2.0);
            assert!((bounds.size().max_element() / side - 1.0).abs() < 1e-15);
            assert!((bounds.center() / side).abs().max_element() < 1e-15);
            assert_eq!(mesh.faces(), shuttle().faces());
        }
    }

    #[test]
    fn meshes_without_extent_are_only_moved() {
        let dot = Mesh::new(vec![DVec3::splat(7.0)], vec![[0, 0, 0]]).unwrap();
        assert_eq!(scaled_to_cube(&dot, 2.0).unwrap().positions(), [DVec3::ZERO]);
        assert_eq!(scaled_to_cube(&Mesh::default(), 2.0).unwrap(), Mesh::default());
        let tiny = f64::from_bits(1);
        let speck = cuboid(DVec3::splat(tiny * 64.0)).unwrap();
        assert_eq!(scaled_to_cube(&speck, 2.0).unwrap().bounds().size(), DVec3::splat(2.0));
        assert!(scaled_to_cube(&dot, 0.0).is_err());
        assert!(matches!(scaled_to_cube(&speck, 1e101), Err(GenerateError::Mesh(_))));
    }

    #[test]
    fn merged_parts_are_placed_by_their_poses() {
        let (body, poses) = (chair(), random_rotations(3, 5));
        let whole = merged(poses.iter().map(|pose| (&body, pose))).unwrap();
        assert_eq!(whole.faces().len(), 5 * 146);
        assert_closed(&whole);
        assert!((volume(&whole) - 5.0 * volume(&body)).abs() < 1e-12);
        let last = whole.triangle(4 * 146 + 7);
        assert_eq!(last, body.triangle(7).map(|corner| poses[4].place(corner)));
        assert_eq!(merged([]).unwrap(), Mesh::default());
        let far = Pose::from_translation(DVec3::splat(1e101)).unwrap();
        assert!(matches!(merged([(&body, &far)]), Err(GenerateError::Mesh(_))));
    }

    #[test]
    fn output_is_the_same_on_every_platform() {
        assert_eq!(hash(&scaled_to_cube(&shuttle(), 2.0).unwrap()), 0xF5EF_76D9_FBEF_AE79);
        let (body, poses) = (chair(), random_rotations(3, 5));
        assert_eq!(
            hash(&merged(poses.iter().map(|pose| (&body, pose))).unwrap()),
            0xDC36_8E5E_6FA7_88C6
        );
    }
}
