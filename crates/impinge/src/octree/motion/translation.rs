//! Motion without rotation (section 2.5 of Smith and Kitamura).
//!
//! A source cube that is only translated stays upright, so its black voxels are a box of voxels: along each axis, those
//! between two planes. `TranslationByAxes` finds them by binary subdivision of each axis, once for each cube, and
//! compares whole numbers from then on. `TranslationByCells` is the conventional algorithm: it enters one cube after the
//! other into an octree with pointers, and compares it with the planes of each cell.

use super::{
    super::{
        Cell, Grid, OctreeError, VoxelCube, VoxelRule,
        nodes::Nodes,
        subdivide::{Contents, Relation, subdivide},
    },
    MotionCounts,
    pointers::Pointers,
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
    if by_axes {
        let boxes = moved.map(|bounds| samples.voxels(&bounds)).collect();
        let mut contents = Ranges { target, boxes, cell: [[0; 2]; 3], is_voxel: false, counts };
        return subdivide(target, 0..cubes.len() as u32, &mut contents);
    }
    let mut tree = Pointers::default();
    for cube in moved {
        tree.enter(&mut |cell| {
            counts.count(cell.level == target.level());
            samples.relation(&cube, cell)
        })?;
    }
    tree.linear()
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

    /// The relation of a cell and a cube's box.
    fn relation(&self, own: &Bounds, cell: Cell) -> Relation {
        let cube = self.target.cube(cell);
        // From the coordinates of the cell's first voxel to those of its last.
        let first = |axis: usize| self.span(axis, cube.at[axis])[0];
        let last = |axis: usize| self.span(axis, cube.at[axis] + cube.size - 1)[1];
        let min = DVec3::new(first(0), first(1), first(2));
        let max = DVec3::new(last(0), last(1), last(2));
        if !own.overlaps(&Bounds { min, max }) {
            Relation::None
        } else if cube.size == 1 || own.contains(min) && own.contains(max) {
            Relation::Complete
        } else {
            Relation::Partial
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
        self.counts.count(self.is_voxel);
        let ([x, y, z], [u, v, w]) = (&self.boxes[cube as usize], &self.cell);
        // Without branches: which of the three axes decides is hard to predict.
        let meets = |own: &[u32; 2], cell: &[u32; 2]| own[0].max(cell[0]) < own[1].min(cell[1]);
        let contains = |own: &[u32; 2], cell: &[u32; 2]| own[0] <= cell[0] && cell[1] <= own[1];
        if !(meets(x, u) & meets(y, v) & meets(z, w)) {
            Relation::None
        } else if contains(x, u) & contains(y, v) & contains(z, w) {
            Relation::Complete
        } else {
            Relation::Partial
        }
    }
}
