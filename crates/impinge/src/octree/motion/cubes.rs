//! The source cubes and the target cells of a motion, in the frame of the source, and the rule for voxels.
//!
//! Called by all algorithms for arbitrary motion, so that they decide in the same way.

use super::super::{
    Cell, Grid, VoxelCube, VoxelRule,
    cube::{CenteredCube, CubeTest, PlacedCube},
    subdivide::Relation,
};
use crate::{Bounds, Pose};
use glam::{DMat3, DVec3};

/// Source cubes, and the pose of the target's cells in their frame.
pub(super) struct PlacedCubes<'a> {
    pub(super) target: &'a Grid,
    rule: VoxelRule,
    inverse: Pose,
    test: CubeTest,
    cubes: Vec<Source>,
}

/// A bound for how far a source point is off along any axis that is placed by the pose and back by its inverse, for
/// coordinates of at most `reach`. With this slack, no voxel is missed that touches the object as the pose itself places
/// it. It is a few roundings, unless the inverse had to be repaired ([`Pose::inverse`]).
fn round_trip_error(pose: &Pose, inverse: &Pose, reach: f64) -> f64 {
    let product = inverse.rotation() * pose.rotation() - DMat3::IDENTITY;
    let columns = [product.x_axis, product.y_axis, product.z_axis];
    let row_sums = columns.iter().map(|column| column.abs()).sum::<DVec3>();
    // Each of the two placements is off by `Pose::rounding`, and the first error is turned by the second.
    row_sums.max_element() * reach + 2.0 * (pose.rounding(reach) + inverse.rounding(reach))
}

/// A source cube: its planes, and its centre and half side.
#[derive(Clone, Copy)]
struct Source {
    bounds: Bounds,
    cube: CenteredCube,
}

/// A target cell in the frame of the source.
#[derive(Clone, Copy)]
pub(super) enum PlacedCell {
    /// The cell, or with [`VoxelRule::CenterInside`] the cube around the centres of its voxels.
    Cell(PlacedCube),
    /// A voxel of which any point counts.
    Voxel(PlacedCube),
    /// The centre of a voxel.
    VoxelCenter(DVec3),
}

impl<'a> PlacedCubes<'a> {
    pub(super) fn new(
        source: &Grid,
        cubes: &[VoxelCube],
        pose: &Pose,
        target: &'a Grid,
        rule: VoxelRule,
    ) -> Self {
        let inverse = pose.inverse();
        let half_voxel = 0.5 * source.voxel();
        let of = |cube: &VoxelCube| {
            let bounds = source.cube_bounds(*cube);
            let half = f64::from(cube.size) * half_voxel;
            Source { bounds, cube: CenteredCube { center: bounds.center(), half } }
        };
        let reach = source.reach();
        let test = CubeTest::new(&inverse, target.reach(), reach);
        Self {
            target,
            rule,
            inverse,
            test: test.with_more_slack(round_trip_error(pose, &inverse, reach)),
            cubes: cubes.iter().map(of).collect(),
        }
    }

    /// The number of source cubes.
    pub(super) fn len(&self) -> u32 {
        self.cubes.len() as u32
    }

    /// Half the side of what has to be looked at of a cell. With [`VoxelRule::CenterInside`] this is the cube around the
    /// centres of the cell's voxels, whose side is a voxel less than that of the cell (footnote 2 of section 2.6).
    fn half(&self, cell: Cell) -> f64 {
        let half = 0.5 * self.target.side_at(cell.level);
        match self.rule {
            VoxelRule::CenterInside => half - 0.5 * self.target.voxel(),
            VoxelRule::AnyTouch => half,
        }
    }

    pub(super) fn is_voxel(&self, cell: Cell) -> bool {
        cell.level == self.target.level()
    }

    /// The cell in the frame of the target, as far as it has to be looked at.
    pub(super) fn upright(&self, cell: Cell) -> CenteredCube {
        CenteredCube { center: self.target.center(cell), half: self.half(cell) }
    }

    /// Places a cell in the frame of the source.
    #[inline]
    pub(super) fn place(&self, cell: Cell) -> PlacedCell {
        let upright = self.upright(cell);
        match (self.is_voxel(cell), self.rule) {
            (false, _) => PlacedCell::Cell(self.test.place(upright)),
            (true, VoxelRule::AnyTouch) => PlacedCell::Voxel(self.test.place(upright)),
            (true, VoxelRule::CenterInside) => {
                PlacedCell::VoxelCenter(self.inverse.place(upright.center))
            }
        }
    }

    /// The relation of a cell and a source cube. A voxel is black or not: never [`Relation::Partial`].
    #[inline]
    pub(super) fn relation(&self, cell: &PlacedCell, cube: u32) -> Relation {
        let source = &self.cubes[cube as usize];
        let is_black = match cell {
            PlacedCell::Cell(cell) => return self.test.relation(cell, &source.cube),
            PlacedCell::Voxel(voxel) => self.test.overlaps(voxel, &source.cube),
            PlacedCell::VoxelCenter(center) => source.bounds.contains(*center),
        };
        if is_black { Relation::Complete } else { Relation::None }
    }

    /// The centre of a source cube in the frame of the target.
    pub(super) fn center_in_target(&self, cube: u32) -> DVec3 {
        self.test.unplace(self.cubes[cube as usize].cube.center)
    }

    /// The doubly approximate test of a cell and a source cube, whose centre in the frame of the target is given.
    #[inline]
    pub(super) fn sphere_box_overlaps(&self, cell: Cell, cube: u32, center: DVec3) -> bool {
        let half = self.cubes[cube as usize].cube.half;
        self.test.sphere_box_overlaps(self.upright(cell), center, half)
    }
}
