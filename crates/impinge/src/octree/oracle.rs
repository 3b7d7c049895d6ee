//! For the tests of octrees: voxels one by one, and exact answers from `impinge_oracle`.

use super::{Cell, Grid, Octree};
use crate::{Bounds, narrow::Triangle};
use glam::DVec3;
use impinge_oracle::triangles_touch;

/// The text of figure 2.1 of Smith and Kitamura, 1994.
pub(super) const PAPER: &str = "(B(BWBBBWWWBWBWB(B(BWBBBWBWBBBWBW";

/// All voxels of a grid, x first, then y, then z.
pub(super) fn cells(grid: &Grid) -> impl Iterator<Item = Cell> + use<> {
    let (side, level) = (grid.voxels_per_side(), grid.level());
    let row = move |y, z| (0..side).map(move |x| Cell { level, at: [x, y, z] });
    (0..side).flat_map(move |z| (0..side).flat_map(move |y| row(y, z)))
}

/// Whether each voxel is black, in the order of [`cells`].
pub(super) fn voxels(octree: &Octree) -> Vec<bool> {
    let side = octree.grid().voxels_per_side() as usize;
    let mut voxels = vec![false; side * side * side];
    for cube in octree.black_cubes() {
        let [x, y, z] = cube.at.map(|at| at as usize);
        let size = cube.size as usize;
        for z in z..z + size {
            for y in y..y + size {
                voxels[(z * side + y) * side + x..][..size].fill(true);
            }
        }
    }
    voxels
}

/// The corners of a box. Bit 0 of a corner's number is set for the upper one along x, bit 1 along y, bit 2 along z.
pub(super) fn corners(bounds: &Bounds) -> [DVec3; 8] {
    std::array::from_fn(|number| {
        let pick = |axis: usize| match number >> axis & 1 {
            0 => bounds.min[axis],
            _ => bounds.max[axis],
        };
        DVec3::new(pick(0), pick(1), pick(2))
    })
}

/// The sides of a parallelepiped by the numbers of their corners, in order around each side.
pub(super) const SIDES: [[usize; 4]; 6] =
    [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];

/// Whether a triangle touches the surface of a parallelepiped: exact.
pub(super) fn touches_surface(triangle: &Triangle, corners: &[DVec3; 8]) -> bool {
    let triangle = triangle.map(|p| p.to_array());
    SIDES.iter().any(|side| {
        let [a, b, c, d] = side.map(|corner| corners[corner].to_array());
        triangles_touch(&triangle, &[a, b, c]) || triangles_touch(&triangle, &[a, c, d])
    })
}

/// Whether a triangle and a box share a point: exact.
pub(super) fn meets_box(triangle: &Triangle, bounds: &Bounds) -> bool {
    bounds.contains(triangle[0])
        || Bounds::enclosing(*triangle).overlaps(bounds)
            && touches_surface(triangle, &corners(bounds))
}
