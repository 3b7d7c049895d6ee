//! Motion without rotation (section 2.5 of Smith and Kitamura).
//!
//! A source cube that is only translated stays upright, so its black voxels are a box of voxels: along each axis, those
//! between two planes. `TranslationByAxes` finds them by binary subdivision of each axis, once for each cube, and
//! compares whole numbers from then on. `TranslationByCells` compares each cube with the planes of each cell.

use super::{
    super::{
        Cell, Grid, OctreeError, VoxelCube, VoxelRule,
        nodes::Nodes,
        subdivide::{Contents, Relation, subdivide},
    },
    MotionCounts,
};
use crate::{Bounds, Pose};
use glam::DVec3;

/// Makes the nodes of the octree of translated cubes.
pub(super) fn moved(
    (source, cubes): (&Grid, &[VoxelCube]),
    pose: &Pose,
    target: &Grid,
    rule: VoxelRule,
    by_axes: bool,
    counts: &mut MotionCounts,
) -> Result<Nodes, OctreeError> {
    let samples = Samples { target, rule, back: pose.inverse() };
    let moved = cubes.iter().map(|cube| samples.moved(source.cube_bounds(*cube), pose));
    let items = 0..cubes.len() as u32;
    if by_axes {
        let boxes = moved.map(|bounds| samples.voxels(&bounds)).collect();
        let mut contents = Ranges { target, boxes, cell: [[0; 2]; 3], is_voxel: false, counts };
        return subdivide(target, items, &mut contents);
    }
    let boxes = moved.collect();
    let cell = Bounds::EMPTY;
    let mut contents = Planes { samples: &samples, boxes, cell, is_voxel: false, counts };
    subdivide(target, items, &mut contents)
}

/// The coordinates by which voxels are compared with cubes: their planes, or their centres moved back.
struct Samples<'a> {
    target: &'a Grid,
    rule: VoxelRule,
    back: Pose,
}

impl Samples<'_> {
    /// The box to compare with: the placed cube, or the cube itself if centres are moved back.
    fn moved(&self, bounds: Bounds, pose: &Pose) -> Bounds {
        match self.rule {
            VoxelRule::AnyTouch => {
                Bounds { min: pose.place(bounds.min), max: pose.place(bounds.max) }
            }
            VoxelRule::CenterInside => bounds,
        }
    }

    /// The least and the greatest coordinate of voxel `number` along an axis that count.
    ///
    /// Neither ever decreases with the number of the voxel: rounded sums and products keep the order.
    #[inline]
    fn span(&self, axis: usize, number: u32) -> [f64; 2] {
        match self.rule {
            VoxelRule::AnyTouch => {
                [self.target.plane(axis, number), self.target.plane(axis, number + 1)]
            }
            // As `Pose::place` rounds it, for a pose that does not turn.
            VoxelRule::CenterInside => {
                [self.target.voxel_center(axis, number) + self.back.translation()[axis]; 2]
            }
        }
    }

    /// The first voxel along each axis that reaches the box, and the end of the last.
    fn voxels(&self, bounds: &Bounds) -> [[u32; 2]; 3] {
        let count = self.target.voxels_per_side();
        [0, 1, 2].map(|axis| {
            let first = first_where(count, |voxel| self.span(axis, voxel)[1] >= bounds.min[axis]);
            let end = first_where(count, |voxel| self.span(axis, voxel)[0] > bounds.max[axis]);
            [first, end]
        })
    }
}

/// The first number below `count` for which a condition holds that holds for all further ones, too; or `count`.
fn first_where(count: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut first, mut end) = (0, count);
    while first < end {
        let middle = first.midpoint(end);
        if holds(middle) {
            end = middle;
        } else {
            first = middle + 1;
        }
    }
    first
}

fn count_test(counts: &mut MotionCounts, is_voxel: bool) {
    match is_voxel {
        true => counts.voxel_tests += 1,
        false => counts.cell_tests += 1,
    }
}

/// Cubes as ranges of voxels.
struct Ranges<'a> {
    target: &'a Grid,
    boxes: Vec<[[u32; 2]; 3]>,
    /// The voxels of the cell that was entered last.
    cell: [[u32; 2]; 3],
    is_voxel: bool,
    counts: &'a mut MotionCounts,
}

impl Contents for Ranges<'_> {
    fn enter(&mut self, cell: Cell) {
        let cube = self.target.cube(cell);
        self.cell = cube.at.map(|at| [at, at + cube.size]);
        self.is_voxel = cube.size == 1;
    }

    fn relation(&mut self, cube: u32) -> Relation {
        count_test(self.counts, self.is_voxel);
        let axes = || self.boxes[cube as usize].iter().zip(&self.cell);
        if axes().any(|(own, cell)| own[0].max(cell[0]) >= own[1].min(cell[1])) {
            Relation::None
        } else if axes().all(|(own, cell)| own[0] <= cell[0] && cell[1] <= own[1]) {
            Relation::Complete
        } else {
            Relation::Partial
        }
    }
}

/// Cubes as boxes.
struct Planes<'a> {
    samples: &'a Samples<'a>,
    boxes: Vec<Bounds>,
    /// The coordinates of the entered cell that count: from those of its first voxel to those of its last.
    cell: Bounds,
    is_voxel: bool,
    counts: &'a mut MotionCounts,
}

impl Contents for Planes<'_> {
    fn enter(&mut self, cell: Cell) {
        let cube = self.samples.target.cube(cell);
        let first = |axis: usize| self.samples.span(axis, cube.at[axis])[0];
        let last = |axis: usize| self.samples.span(axis, cube.at[axis] + cube.size - 1)[1];
        self.cell = Bounds {
            min: DVec3::new(first(0), first(1), first(2)),
            max: DVec3::new(last(0), last(1), last(2)),
        };
        self.is_voxel = cube.size == 1;
    }

    fn relation(&mut self, cube: u32) -> Relation {
        count_test(self.counts, self.is_voxel);
        let own = &self.boxes[cube as usize];
        if !own.overlaps(&self.cell) {
            Relation::None
        } else if self.is_voxel || own.contains(self.cell.min) && own.contains(self.cell.max) {
            Relation::Complete
        } else {
            Relation::Partial
        }
    }
}
