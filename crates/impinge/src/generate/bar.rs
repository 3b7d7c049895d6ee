//! A box whose sides are divided into cells, so that it can bend.

use super::GenerateError;
use super::error::{check_count, check_faces, check_positive};
use super::surface::Surface;
use crate::Mesh;
use glam::DVec3;

/// A box with the given side lengths, centered at the origin, whose sides are divided into this number of cells along
/// x, y and z. Each cell has two faces. Closed, normals outward.
///
/// ```
/// use impinge::{generate::bar, glam::DVec3};
///
/// let mesh = bar(DVec3::new(4.0, 0.4, 0.2), [40, 4, 2])?;
/// assert_eq!(mesh.faces().len(), 4 * (40 * 4 + 40 * 2 + 4 * 2));
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn bar(size: DVec3, cells: [u32; 3]) -> Result<Mesh, GenerateError> {
    for (parameter, value) in ["size.x", "size.y", "size.z"].into_iter().zip(size.to_array()) {
        check_positive(parameter, value)?;
    }
    for (parameter, count) in
        ["cells along x", "cells along y", "cells along z"].into_iter().zip(cells)
    {
        check_count(parameter, count, count >= 1, "at least 1")?;
    }
    let [nx, ny, nz] = cells;
    let mut faces = 0;
    for sides in [[4, nx, ny], [4, nx, nz], [4, ny, nz]] {
        faces += check_faces(sides)?;
    }
    let mut surface = Surface::with_faces(faces);
    let share = |i: u32, count: u32| f64::from(i) / f64::from(count) - 0.5;
    let at = |i, j, k| size * DVec3::new(share(i, nx), share(j, ny), share(k, nz));
    // Around the bar, counter-clockwise as seen from +x.
    let around: Vec<[u32; 2]> = (0..ny)
        .map(|j| [j, 0])
        .chain((0..nz).map(|k| [ny, k]))
        .chain((1..=ny).rev().map(|j| [j, nz]))
        .chain((1..=nz).rev().map(|k| [0, k]))
        .collect();
    let mut rings: Vec<Vec<u32>> = Vec::new();
    for i in 0..=nx {
        rings.push(surface.ring(around.iter().map(|&[j, k]| at(i, j, k))));
        if let [.., lower, upper] = &rings[..] {
            surface.strip(lower, upper);
        }
    }
    for (i, ring) in [(0, &rings[0]), (nx, &rings[nx as usize])] {
        let mut grid = vec![vec![0; nz as usize + 1]; ny as usize + 1];
        for (&[j, k], &vertex) in around.iter().zip(ring) {
            grid[j as usize][k as usize] = vertex;
        }
        for j in 1..ny {
            for k in 1..nz {
                grid[j as usize][k as usize] = surface.vertex(at(i, j, k));
            }
        }
        for pair in grid.windows(2) {
            for (near, far) in pair[0].windows(2).zip(pair[1].windows(2)) {
                let [a, b, c, d] = [near[0], far[0], far[1], near[1]];
                surface.quad(if i == 0 { [a, d, c, b] } else { [a, b, c, d] });
            }
        }
    }
    surface.finish()
}

#[cfg(test)]
mod tests {
    use super::super::check::{assert_closed, volume};
    use super::*;

    #[test]
    fn a_bar_is_closed_and_has_its_size() {
        for cells in [[1, 1, 1], [5, 1, 2], [3, 4, 1], [7, 3, 2]] {
            let mesh = bar(DVec3::new(4.0, 2.0, 1.0), cells).unwrap();
            let [nx, ny, nz] = cells.map(|count| count as usize);
            assert_eq!(mesh.faces().len(), 4 * (nx * ny + nx * nz + ny * nz), "{cells:?}");
            assert_closed(&mesh);
            assert!((volume(&mesh) - 8.0).abs() < 1e-12, "{cells:?}");
            assert_eq!(mesh.bounds().size(), DVec3::new(4.0, 2.0, 1.0));
        }
    }

    #[test]
    fn wrong_parameters_are_refused_by_name() {
        let error = bar(DVec3::new(1.0, 1.0, -1.0), [1; 3]).unwrap_err();
        assert_eq!(error.to_string(), "size.z is -1, but must be a finite number above 0");
        let error = bar(DVec3::ONE, [1, 0, 1]).unwrap_err();
        assert_eq!(error.to_string(), "cells along y is 0, but must be at least 1");
        assert!(bar(DVec3::ONE, [u32::MAX; 3]).is_err());
    }
}
