//! The grid of an octree: a root cube, halved along each axis once per level, down to the voxels.
//!
//! Every other file of this module takes the coordinates of cells from here. The planes between cells are `f64`
//! numbers by definition, so that all decisions about cells can be exact: plane `i` of an axis is
//! `min + i · voxel`, rounded twice, and is the same number for all cells that it bounds.

use super::OctreeError;
use crate::Bounds;
use glam::DVec3;

/// The finest level of an octree: its root cube has at most 2¹⁶ voxels along each side.
pub const MAX_LEVEL: u8 = 16;

/// The largest magnitude of a coordinate of a root cube. More than a mesh can have, so that any mesh fits.
const MAX_CUBE: f64 = 1e101;

/// The smallest side of a voxel: far from numbers whose products underflow.
const MIN_VOXEL: f64 = 1e-290;

/// The root cube of an octree, and the level of its voxels.
///
/// Octrees can be combined if their grids are equal.
///
/// ```
/// use impinge::{octree::{Cell, Grid}, glam::DVec3};
///
/// let grid = Grid::new(DVec3::ZERO, 8.0, 3)?;
/// assert_eq!(grid.voxel(), 1.0);
/// assert_eq!(grid.bounds(Cell::ROOT.child(7)).min, DVec3::splat(4.0));
/// assert!(Grid::new(DVec3::ZERO, 8.0, 17).is_err());
/// # Ok::<(), impinge::octree::OctreeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    min: DVec3,
    side: f64,
    voxel: f64,
    level: u8,
}

impl Grid {
    /// Creates a grid from the corner of the root cube with the least coordinates, its side and the level of the
    /// voxels, which is 0 for a single voxel.
    pub fn new(min: DVec3, side: f64, level: u8) -> Result<Self, OctreeError> {
        if level > MAX_LEVEL {
            return Err(OctreeError::LevelTooHigh { level: level.into() });
        }
        let max = min + side;
        let is_cube = side > 0.0 && min.is_finite() && side.is_finite();
        let largest = min.abs().max(max.abs()).max_element();
        if !is_cube || largest > MAX_CUBE {
            return Err(OctreeError::BadCube { min, side });
        }
        let voxel = side / f64::from(1_u32 << level);
        // A plane passes through two roundings, each of at most half an epsilon of `2 · largest`. So planes that
        // are eight epsilons apart are different, and have their centre between them.
        if voxel < MIN_VOXEL || voxel < 8.0 * f64::EPSILON * largest {
            return Err(OctreeError::VoxelsTooSmall { voxel, largest });
        }
        Ok(Self { min, side, voxel, level })
    }

    /// A grid whose root cube just encloses a box. The unit cube if the box is empty.
    ///
    /// The side of a voxel has few significant bits, and the cube starts at a multiple of it. So all planes are exact
    /// multiples of a voxel, unless the box is over 10¹² voxels away from the origin.
    pub fn enclosing(bounds: &Bounds, level: u8) -> Result<Self, OctreeError> {
        if level > MAX_LEVEL {
            return Err(OctreeError::LevelTooHigh { level: level.into() });
        }
        if bounds.is_empty() {
            return Self::new(DVec3::ZERO, 1.0, level);
        }
        let (center, largest) = (bounds.center(), bounds.largest_coordinate());
        // A box that is a point, or nearly one, gets a cube that is large enough for its coordinates.
        let least = if largest > 0.0 { (largest * 1e-9).max(1e-280) } else { 1.0 };
        let longest = bounds.size().max_element().max(least);
        // The cube is centred to within half a voxel, so one voxel more than needed covers the box. A single voxel is
        // placed like two.
        let count = f64::from(1_u32 << level.max(1));
        let voxel = with_few_bits(longest / (count - 1.0) * (1.0 + 1e-12));
        let min = (center / voxel).round() * voxel - 0.5 * count * voxel;
        Self::new(min, voxel * count, level)
    }

    /// The corner of the root cube with the least coordinates.
    pub fn min(&self) -> DVec3 {
        self.min
    }

    /// The side of the root cube.
    pub fn side(&self) -> f64 {
        self.side
    }

    /// The level of the voxels.
    pub fn level(&self) -> u8 {
        self.level
    }

    /// The number of voxels along a side of the root cube.
    pub fn voxels_per_side(&self) -> u32 {
        1 << self.level
    }

    /// The side of a voxel.
    #[inline]
    pub fn voxel(&self) -> f64 {
        self.voxel
    }

    /// The side of a cell at a level, which is at most that of the voxels.
    #[inline]
    pub(crate) fn side_at(&self, level: u8) -> f64 {
        self.voxel * f64::from(1_u32 << (self.level - level))
    }

    /// The largest magnitude of a coordinate of the root cube.
    pub(crate) fn reach(&self) -> f64 {
        self.min.abs().max((self.min + self.side).abs()).max_element()
    }

    /// Plane `number` of the voxels, from 0 at the least coordinate, along an axis.
    #[inline]
    pub(crate) fn plane(&self, axis: usize, number: u32) -> f64 {
        self.min[axis] + f64::from(number) * self.voxel
    }

    /// The centre of voxel `number` along an axis.
    #[inline]
    pub(crate) fn voxel_center(&self, axis: usize, number: u32) -> f64 {
        self.min[axis] + f64::from(2 * number + 1) * (0.5 * self.voxel)
    }

    /// The closed box of a cell.
    #[inline]
    pub fn bounds(&self, cell: Cell) -> Bounds {
        self.cube_bounds(self.cube(cell))
    }

    /// The centre of a cell.
    #[inline]
    pub fn center(&self, cell: Cell) -> DVec3 {
        let half = 0.5 * self.side_at(cell.level);
        let odd = cell.at.map(|at| f64::from(2 * at + 1));
        self.min + DVec3::from_array(odd) * half
    }

    /// The voxels of a cell.
    #[inline]
    pub(crate) fn cube(&self, cell: Cell) -> VoxelCube {
        let down = self.level - cell.level;
        VoxelCube { at: cell.at.map(|at| at << down), size: 1 << down }
    }

    /// The closed box of a cube of voxels.
    #[inline]
    pub(crate) fn cube_bounds(&self, cube: VoxelCube) -> Bounds {
        let plane = |axis: usize, more: u32| self.plane(axis, cube.at[axis] + more);
        let corner = |more: u32| DVec3::new(plane(0, more), plane(1, more), plane(2, more));
        Bounds { min: corner(0), max: corner(cube.size) }
    }
}

/// Rounds a positive number up to eleven significant bits.
fn with_few_bits(value: f64) -> f64 {
    let rest = (1_u64 << 42) - 1;
    match value.to_bits() {
        bits if bits & rest == 0 => value,
        bits => f64::from_bits((bits | rest) + 1),
    }
}

/// A cell of an octree: a cube that is halved along each axis `level` times from the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// How often the root cube was halved: 0 for the root itself.
    pub level: u8,
    /// The number of the cell along x, y and z, among the cells of its level.
    pub at: [u32; 3],
}

impl Cell {
    /// The root cube.
    pub const ROOT: Self = Self { level: 0, at: [0; 3] };

    /// One of the eight children. Bit 0 of the octant is set for the upper half along x, bit 1 along y, bit 2 along z.
    #[inline]
    #[must_use]
    pub fn child(self, octant: u8) -> Self {
        let upper = |axis: u8| u32::from(octant >> axis & 1);
        let [x, y, z] = self.at;
        Self { level: self.level + 1, at: [2 * x + upper(0), 2 * y + upper(1), 2 * z + upper(2)] }
    }

    /// Which of its parent's children the cell is.
    #[inline]
    pub(crate) fn octant(self) -> usize {
        let [x, y, z] = self.at.map(|at| (at & 1) as usize);
        x | y << 1 | z << 2
    }

    /// The cell that this one is a child of; the root is its own parent.
    #[inline]
    pub(crate) fn parent(self) -> Self {
        Self { level: self.level.saturating_sub(1), at: self.at.map(|at| at >> 1) }
    }
}

/// A cube of voxels: not necessarily a cell of the octree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VoxelCube {
    /// The first voxel along x, y and z.
    pub at: [u32; 3],
    /// The number of voxels along each side.
    pub size: u32,
}

impl VoxelCube {
    /// The number of voxels in the cube.
    pub fn volume(&self) -> u64 {
        u64::from(self.size).pow(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    #[test]
    fn root_cubes_are_checked() {
        let bad = |min: DVec3, side: f64| Grid::new(min, side, 4).unwrap_err();
        for side in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(bad(DVec3::ZERO, side), OctreeError::BadCube { .. }), "{side}");
        }
        assert!(matches!(bad(DVec3::X * f64::NAN, 1.0), OctreeError::BadCube { .. }));
        assert!(matches!(bad(DVec3::X * 1e102, 1e100), OctreeError::BadCube { .. }));
        assert!(matches!(bad(DVec3::X * 1e17, 64.0), OctreeError::VoxelsTooSmall { .. }));
        assert!(matches!(bad(DVec3::ZERO, 1e-300), OctreeError::VoxelsTooSmall { .. }));
        let error = Grid::new(DVec3::ZERO, 1.0, 17).unwrap_err();
        assert_eq!(error.to_string(), "level 17 is beyond 16, the finest level of an octree");
    }

    /// Boxes of all sizes, at the origin and far away: they are enclosed, and not by much.
    #[test]
    fn boxes_are_enclosed_tightly() {
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let size = 10_f64.powf(random.range(-200.0, 92.0));
            let away = if seed % 2 == 0 { 0.0 } else { 10_f64.powf(random.range(0.0, 6.0)) };
            let level = (seed % 8) as u8;
            let min = random.direction() * size * away;
            let extent = DVec3::new(random.unit(), random.unit(), random.unit()) * size;
            let bounds = Bounds { min, max: min + extent };
            let grid = Grid::enclosing(&bounds, level).unwrap();
            let root = grid.bounds(Cell::ROOT);
            assert!(root.contains(bounds.min) && root.contains(bounds.max), "seed {seed}");
            let needed = bounds.size().max_element().max(bounds.largest_coordinate() * 1e-9);
            assert!(grid.side() < 2.1 * needed, "seed {seed}: {} for {needed}", grid.side());
            let planes: Vec<f64> = (0..=1 << level).map(|i| grid.plane(0, i)).collect();
            assert!(planes.is_sorted_by(|a, b| a < b), "seed {seed}: {planes:?}");
        }
        let point = Bounds::enclosing([DVec3::splat(3.0)]);
        assert!(Grid::enclosing(&point, 9).unwrap().bounds(Cell::ROOT).contains(point.min));
        let origin = Bounds::enclosing([DVec3::ZERO]);
        assert!(Grid::enclosing(&origin, 16).is_ok() && Grid::enclosing(&Bounds::EMPTY, 3).is_ok());
        let largest = Bounds { min: DVec3::splat(-1e100), max: DVec3::splat(1e100) };
        assert!(Grid::enclosing(&largest, 16).is_ok());
    }

    #[test]
    fn cells_know_their_parents() {
        let cell = Cell::ROOT.child(5).child(2);
        assert_eq!((cell.at, cell.level, cell.octant()), ([2, 1, 2], 2, 2));
        assert_eq!(cell.parent(), Cell::ROOT.child(5));
        let grid = Grid::new(DVec3::new(-4.0, 0.0, 8.0), 8.0, 3).unwrap();
        assert_eq!(grid.cube(cell), VoxelCube { at: [4, 2, 4], size: 2 });
        let bounds = grid.bounds(cell);
        assert_eq!(bounds.min, DVec3::new(0.0, 2.0, 12.0));
        assert_eq!(bounds.center(), grid.center(cell));
    }
}
