//! The surface of an octree as a closed mesh.
//!
//! Every side of a black voxel that has a white voxel behind it, or the border of the root cube, becomes a square of two
//! triangles that look outward. Squares share their corners, so the mesh has no cracks.

use super::{Octree, OctreeError, VoxelCube};
use crate::Mesh;
use glam::DVec3;

/// The most sides of black cells, in voxels: 1 GiB of working memory.
const MOST_SQUARES: u64 = 1 << 26;

impl Octree {
    /// The surface of the black voxels: two triangles for each side of a voxel between black and white, which look
    /// towards white. Every such side occurs once, so the mesh encloses a solid ([`Mesh::check_solid`]).
    ///
    /// Where black voxels meet along an edge only, four squares share the edge. Vertices are sorted by z, y and x, and
    /// faces by axis and place, so equal octrees give equal meshes.
    ///
    /// Takes memory for the sides of all black cells; fails if these have over 2²⁶ squares.
    pub fn to_mesh(&self) -> Result<Mesh, OctreeError> {
        let cubes = self.black_cubes();
        let squares: u64 = cubes.iter().map(|cube| 6 * u64::from(cube.size).pow(2)).sum();
        if squares > MOST_SQUARES {
            return Err(OctreeError::SurfaceTooLarge { limit: MOST_SQUARES });
        }
        let mut squares: Vec<u64> = Vec::with_capacity(squares as usize);
        cubes.iter().for_each(|cube| push_sides(cube, &mut squares));
        squares.sort_unstable();
        // A side between two black cells occurs twice, once for each of them.
        let mut exposed = Vec::new();
        for same in squares.chunk_by(|p, q| p >> 1 == q >> 1) {
            if let [square] = *same {
                exposed.push(Square::unpack(square));
            }
        }
        drop(squares);
        let mut points: Vec<u64> =
            exposed.iter().flat_map(|square| square.corners().map(pack_point)).collect();
        points.sort_unstable();
        points.dedup();
        let number = |point: [u64; 3]| {
            points.binary_search(&pack_point(point)).expect("all corners were collected") as u32
        };
        let faces = exposed.iter().flat_map(|square| {
            let [a, b, c, d] = square.corners().map(number);
            [[a, b, c], [a, c, d]]
        });
        let faces = faces.collect();
        let position = |&point: &u64| {
            let at = [point, point >> BITS, point >> (2 * BITS)].map(|at| (at & MASK) as u32);
            DVec3::new(
                self.grid.plane(0, at[0]),
                self.grid.plane(1, at[1]),
                self.grid.plane(2, at[2]),
            )
        };
        Ok(Mesh::new(points.iter().map(position).collect(), faces)?)
    }
}

/// Bits of a coordinate in voxels, from 0 to 2¹⁶.
const BITS: u32 = 17;
const MASK: u64 = (1 << BITS) - 1;

fn pack_point([x, y, z]: [u64; 3]) -> u64 {
    x | y << BITS | z << (2 * BITS)
}

/// A side of a voxel.
#[derive(Clone, Copy)]
struct Square {
    axis: usize,
    /// The corner with the least coordinates.
    at: [u64; 3],
    /// Whether the square looks towards larger coordinates.
    is_upper: bool,
}

impl Square {
    /// Packs a square so that squares at one place differ in bit 0 alone.
    fn pack(&self) -> u64 {
        (self.axis as u64) << (3 * BITS + 1) | pack_point(self.at) << 1 | u64::from(self.is_upper)
    }

    fn unpack(packed: u64) -> Self {
        let at = [1, 1 + BITS, 1 + 2 * BITS].map(|shift| packed >> shift & MASK);
        Self { axis: (packed >> (3 * BITS + 1)) as usize, at, is_upper: packed & 1 == 1 }
    }

    /// The corners, anticlockwise as seen from the side to which the square looks.
    fn corners(&self) -> [[u64; 3]; 4] {
        let (u, v) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        let corner = |(along_u, along_v): (u64, u64)| {
            let mut at = self.at;
            at[u] += along_u;
            at[v] += along_v;
            at
        };
        let around = [(0, 0), (1, 0), (1, 1), (0, 1)];
        let reversed = [(0, 0), (0, 1), (1, 1), (1, 0)];
        if self.is_upper { around } else { reversed }.map(corner)
    }
}

fn push_sides(cube: &VoxelCube, squares: &mut Vec<u64>) {
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for is_upper in [false, true] {
            let mut at = cube.at.map(u64::from);
            at[axis] += if is_upper { u64::from(cube.size) } else { 0 };
            let (first_u, first_v) = (at[u], at[v]);
            for along_v in 0..u64::from(cube.size) {
                for along_u in 0..u64::from(cube.size) {
                    (at[u], at[v]) = (first_u + along_u, first_v + along_v);
                    squares.push(Square { axis, at, is_upper }.pack());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Grid, VoxelRule,
        oracle::{PAPER, cells, voxels},
    };
    use super::*;
    use crate::{PointLocation, Pose, Shape, generate};

    /// The number of exposed sides, counted voxel by voxel.
    fn exposed(octree: &Octree) -> usize {
        let side = octree.grid().voxels_per_side() as i64;
        let voxels = voxels(octree);
        let is_black = |x: i64, y: i64, z: i64| {
            [x, y, z].iter().all(|at| (0..side).contains(at))
                && voxels[((z * side + y) * side + x) as usize]
        };
        let mut count = 0;
        for z in 0..side {
            for y in 0..side {
                for x in 0..side {
                    if is_black(x, y, z) {
                        let steps =
                            [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)];
                        count +=
                            steps.iter().filter(|s| !is_black(x + s.0, y + s.1, z + s.2)).count();
                    }
                }
            }
        }
        count
    }

    #[test]
    fn surfaces_are_closed_and_enclose_the_voxels() {
        let shuttle = generate::shuttle();
        let fine = Grid::enclosing(&shuttle.bounds(), 4).unwrap();
        let coarse = Grid::new(DVec3::splat(-1.0), 16.0, 3).unwrap();
        let octrees = [
            Octree::from_text(PAPER, coarse).unwrap(),
            Octree::from_text(PAPER, coarse).unwrap().complement(),
            Octree::from_solid(&shuttle, fine, VoxelRule::AnyTouch).unwrap(),
            Octree::from_faces(&shuttle, fine).unwrap(),
        ];
        for (number, octree) in octrees.iter().enumerate() {
            let mesh = octree.to_mesh().unwrap();
            assert_eq!(mesh.faces().len(), 2 * exposed(octree), "octree {number}");
            assert_eq!(mesh.check_solid(), Ok(()), "octree {number}");
            let volume: f64 = mesh.triangles().map(|[a, b, c]| a.cross(b).dot(c) / 6.0).sum();
            assert!(
                (volume - octree.volume()).abs() < 1e-9 * octree.volume(),
                "octree {number}: {volume}"
            );
            let shape = Shape::new(mesh);
            let grid = octree.grid();
            for (cell, is_black) in cells(grid).zip(voxels(octree)).step_by(7) {
                let center = grid.center(cell);
                let location = shape.contains_point(&Pose::IDENTITY, center).unwrap();
                assert_eq!(
                    location == PointLocation::Inside,
                    is_black,
                    "octree {number}, {cell:?}"
                );
            }
        }
    }

    #[test]
    fn nothing_has_no_surface_and_the_finest_cube_is_refused() {
        let grid = Grid::new(DVec3::ZERO, 1.0, 16).unwrap();
        assert!(Octree::empty(grid).to_mesh().unwrap().faces().is_empty());
        let error = Octree::empty(grid).complement().to_mesh().unwrap_err();
        assert!(matches!(error, OctreeError::SurfaceTooLarge { .. }));
    }
}
