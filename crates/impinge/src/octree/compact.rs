//! Compaction: few cubes that cover the black voxels of an octree exactly, without overlaps (section 2.3 of Smith and
//! Kitamura).
//!
//! Called once for the source of a moving octree: moving takes time in proportion to the number of cubes. The cubes
//! have any whole side and place, so they are fewer than the black cells of the octree.

use super::{Octree, OctreeError, VoxelCube};
use crate::generate::Random;

/// How an octree is compacted: how many orders of cubes are tried.
///
/// Cubes are taken greedily, from large to small. Cubes of one size are tried in the order of their places along z, y
/// and x. Further trials start at other cubes of each size, or shuffle them, and the trial with the fewest cubes counts.
/// The result depends on the options alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compaction {
    /// The number of orders that start at evenly spaced cubes of each size; at least 1 is tried.
    pub rotated_scans: u32,
    /// The number of shuffled orders.
    pub random_restarts: u32,
    /// The seed of the shuffled orders.
    pub seed: u64,
}

impl Default for Compaction {
    fn default() -> Self {
        Self { rotated_scans: 1, random_restarts: 0, seed: 0 }
    }
}

impl Compaction {
    /// Sets the number of rotated scans.
    #[must_use]
    pub fn rotated_scans(self, rotated_scans: u32) -> Self {
        Self { rotated_scans, ..self }
    }

    /// Sets the number of shuffled orders, and their seed.
    #[must_use]
    pub fn random_restarts(self, random_restarts: u32, seed: u64) -> Self {
        Self { random_restarts, seed, ..self }
    }
}

/// The most voxels of the box around the black part: 512 MiB of working memory.
const MOST_VOXELS: u64 = 1 << 27;

impl Octree {
    /// Covers the black voxels by few cubes that do not overlap.
    ///
    /// Takes memory and time for each voxel of the box around the black part; fails if it has over 2²⁷. An octree
    /// with large black cells has few sizes of cubes, each of which takes one pass over the box.
    pub fn compacted(&self, options: &Compaction) -> Result<Vec<VoxelCube>, OctreeError> {
        let cubes = self.black_cubes();
        let Some(voxels) = Voxels::new(&cubes)? else { return Ok(Vec::new()) };
        let scans = u64::from(options.rotated_scans.max(1));
        let mut best: Option<Vec<VoxelCube>> = None;
        let mut try_order = |arrange: &mut dyn FnMut(&mut Vec<u32>)| {
            let cubes = voxels.cover(arrange);
            if best.as_ref().is_none_or(|best| cubes.len() < best.len()) {
                best = Some(cubes);
            }
        };
        for scan in 0..scans {
            try_order(&mut |places| {
                let start = places.len() as u64 * scan / scans;
                places.rotate_left(start as usize);
            });
        }
        let mut random = Random::new(options.seed);
        for _ in 0..options.random_restarts {
            try_order(&mut |places| random.shuffle(places));
        }
        let best = best.unwrap_or_default();
        // The cells of the octree are a cover, too.
        Ok(if cubes.len() < best.len() { cubes } else { best })
    }
}

/// The voxels of a box, and which of them are black.
struct Voxels {
    /// The first voxel of the box, and its size.
    min: [u32; 3],
    size: [usize; 3],
    is_black: Vec<bool>,
}

impl Voxels {
    /// The voxels of cubes; `None` if there are no cubes.
    fn new(cubes: &[VoxelCube]) -> Result<Option<Self>, OctreeError> {
        if cubes.is_empty() {
            return Ok(None);
        }
        let (mut min, mut max) = ([u32::MAX; 3], [0; 3]);
        for cube in cubes {
            for axis in 0..3 {
                min[axis] = min[axis].min(cube.at[axis]);
                max[axis] = max[axis].max(cube.at[axis] + cube.size);
            }
        }
        let size = [0, 1, 2].map(|axis| (max[axis] - min[axis]) as usize);
        let voxels = size.iter().map(|&side| side as u64).product();
        if voxels > MOST_VOXELS {
            return Err(OctreeError::TooLargeToCompact { voxels, limit: MOST_VOXELS });
        }
        let mut all = Self { min, size, is_black: vec![false; voxels as usize] };
        for cube in cubes {
            let at = [0, 1, 2].map(|axis| (cube.at[axis] - min[axis]) as usize);
            all.fill_cube(at, cube.size as usize, true);
        }
        Ok(Some(all))
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    fn fill_cube(&mut self, at: [usize; 3], size: usize, is_black: bool) {
        for z in at[2]..at[2] + size {
            for y in at[1]..at[1] + size {
                let first = self.index([at[0], y, z]);
                self.is_black[first..first + size].fill(is_black);
            }
        }
    }

    /// Covers the voxels, largest cubes first. The places of the cubes of each size are arranged by the caller.
    fn cover(&self, arrange: &mut dyn FnMut(&mut Vec<u32>)) -> Vec<VoxelCube> {
        let mut rest = Self { min: self.min, size: self.size, is_black: self.is_black.clone() };
        let mut largest = vec![0; self.is_black.len()];
        let mut cubes = Vec::new();
        loop {
            let size = rest.largest_cubes(&mut largest);
            if size == 0 {
                return cubes;
            }
            let mut places: Vec<u32> =
                (0..).zip(&largest).filter(|(_, own)| **own == size).map(|(at, _)| at).collect();
            arrange(&mut places);
            for place in places {
                if let Some(at) = rest.take(place as usize, usize::from(size)) {
                    let at = [0, 1, 2].map(|axis| self.min[axis] + at[axis] as u32);
                    cubes.push(VoxelCube { at, size: size.into() });
                }
            }
        }
    }

    /// Finds for each voxel the side of the largest black cube that starts there. Returns the largest of all.
    fn largest_cubes(&self, largest: &mut [u16]) -> u16 {
        let [width, height, _] = self.size;
        let (row, layer) = (width, width * height);
        let mut most = 0;
        for at in (0..largest.len()).rev() {
            if !self.is_black[at] {
                largest[at] = 0;
                continue;
            }
            let (x, y, z) = (at % width, at / row % height, at / layer);
            let is_last = x + 1 == width || y + 1 == height || z + 1 == self.size[2];
            // One more than the smallest of the seven cubes that start next to it.
            let next = match is_last {
                true => 0,
                false => [1, row, row + 1, layer, layer + 1, layer + row, layer + row + 1]
                    .iter()
                    .fold(u16::MAX, |least, step| least.min(largest[at + step])),
            };
            largest[at] = next + 1;
            most = most.max(largest[at]);
        }
        most
    }

    /// Takes the cube that starts at a place, if no voxel of it was taken since the largest cubes were found. All cubes
    /// that were taken since then have the same size, so that they contain a corner of every cube that they overlap.
    fn take(&mut self, place: usize, size: usize) -> Option<[usize; 3]> {
        let [width, height, _] = self.size;
        let at = [place % width, place / width % height, place / (width * height)];
        let is_free = (0..8).all(|corner| {
            let corner = [0, 1, 2].map(|axis| at[axis] + (corner >> axis & 1) * (size - 1));
            self.is_black[self.index(corner)]
        });
        if !is_free {
            return None;
        }
        self.fill_cube(at, size, false);
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Grid, VoxelRule, oracle::voxels};
    use super::*;
    use crate::generate;
    use glam::DVec3;

    /// Checks that cubes cover the black voxels of an octree exactly, each once.
    fn assert_covers(octree: &Octree, cubes: &[VoxelCube], name: &str) {
        let side = octree.grid().voxels_per_side() as usize;
        let mut covered = vec![0_u8; side * side * side];
        for cube in cubes {
            let [x, y, z] = cube.at.map(|at| at as usize);
            let size = cube.size as usize;
            for z in z..z + size {
                for y in y..y + size {
                    for x in x..x + size {
                        covered[(z * side + y) * side + x] += 1;
                    }
                }
            }
        }
        let expected: Vec<u8> = voxels(octree).into_iter().map(u8::from).collect();
        assert!(covered == expected, "{name}: not covered exactly once");
    }

    #[test]
    fn cubes_cover_exactly_and_never_overlap() {
        let meshes = [
            ("shuttle", generate::shuttle(), 5),
            ("sphere", generate::sphere(960).unwrap(), 5),
            ("torus", generate::deformed_torus(1, [30, 12]).unwrap(), 5),
        ];
        for (name, mesh, level) in meshes {
            let grid = Grid::enclosing(&mesh.bounds(), level).unwrap();
            for rule in [VoxelRule::AnyTouch, VoxelRule::CenterInside] {
                let octree = Octree::from_solid(&mesh, grid, rule).unwrap();
                let black = octree.black_cubes().len();
                assert_covers(&octree, &octree.black_cubes(), name);
                let mut fewest = black;
                for options in [
                    Compaction::default(),
                    Compaction::default().rotated_scans(5),
                    Compaction::default().rotated_scans(5).random_restarts(5, 7),
                ] {
                    let cubes = octree.compacted(&options).unwrap();
                    assert_covers(&octree, &cubes, name);
                    assert!(cubes.len() <= fewest, "{name}: {} after {fewest}", cubes.len());
                    fewest = cubes.len();
                    assert_eq!(
                        octree.compacted(&options).unwrap(),
                        cubes,
                        "{name}: not repeatable"
                    );
                }
                assert!(10 * fewest < 9 * black, "{name}, {rule:?}: {fewest} of {black}");
            }
        }
    }

    #[test]
    fn cubes_need_not_be_cells() {
        let grid = Grid::new(DVec3::ZERO, 8.0, 3).unwrap();
        let block = generate::cuboid(DVec3::splat(6.0)).unwrap();
        let block = crate::Mesh::new(
            block.positions().iter().map(|p| p + 4.0).collect(),
            block.faces().to_vec(),
        );
        let octree = Octree::from_solid(&block.unwrap(), grid, VoxelRule::CenterInside).unwrap();
        assert_eq!(octree.black_cubes().len(), 8 * 20);
        let cubes = octree.compacted(&Compaction::default()).unwrap();
        assert_eq!(cubes, [VoxelCube { at: [1; 3], size: 6 }]);
    }

    #[test]
    fn nothing_and_everything() {
        let grid = Grid::new(DVec3::ZERO, 1.0, 6).unwrap();
        let empty = Octree::empty(grid);
        assert_eq!(empty.compacted(&Compaction::default()), Ok(vec![]));
        let all = empty.complement().compacted(&Compaction::default()).unwrap();
        assert_eq!(all, [VoxelCube { at: [0; 3], size: 64 }]);
        let huge = Octree::empty(Grid::new(DVec3::ZERO, 1.0, 10).unwrap()).complement();
        let error = huge.compacted(&Compaction::default()).unwrap_err();
        assert!(matches!(error, OctreeError::TooLargeToCompact { .. }));
    }
}
