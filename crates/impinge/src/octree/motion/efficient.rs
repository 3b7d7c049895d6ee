//! The efficient algorithm for arbitrary motion (sections 2.4.3 and 2.4.4 of Smith and Kitamura).
//!
//! The target's cells are visited in preorder, each with the source cubes that meet its parent, and written straight
//! into the linear octree. In parallel, the cubes are dealt out, and the partial octrees are united.

use super::{
    super::{
        Cell, Octree, OctreeError,
        nodes::Nodes,
        subdivide::{Contents, Relation, subdivide},
    },
    MotionCounts,
    cubes::{PlacedCell, PlacedCubes},
};
use crate::Threads;
use rayon::prelude::*;

/// Makes the nodes of the octree of placed cubes.
pub(super) fn moved(
    cubes: &PlacedCubes<'_>,
    threads: Threads,
    counts: &mut MotionCounts,
) -> Result<Nodes, OctreeError> {
    let workers = match threads {
        Threads::One => 1,
        Threads::Pool => (rayon::current_num_threads() as u32).clamp(1, cubes.len().max(1)),
    };
    if workers == 1 {
        return part(cubes, 0, 1, counts);
    }
    // Cubes are dealt out in turn, so that large and small ones are spread evenly.
    let parts: Vec<Result<(Octree, MotionCounts), OctreeError>> = (0..workers)
        .into_par_iter()
        .map(|worker| {
            let mut counts = MotionCounts::default();
            let nodes = part(cubes, worker, workers, &mut counts)?;
            Ok((Octree { grid: *cubes.target, nodes }, counts))
        })
        .collect();
    let mut whole = Octree::empty(*cubes.target);
    for part in parts {
        let (octree, of_part) = part?;
        whole = whole.union(&octree)?;
        counts.cell_tests += of_part.cell_tests;
        counts.voxel_tests += of_part.voxel_tests;
    }
    Ok(whole.nodes)
}

/// Makes the nodes of every `of`-th cube, from number `first` on.
fn part(
    cubes: &PlacedCubes<'_>,
    first: u32,
    of: u32,
    counts: &mut MotionCounts,
) -> Result<Nodes, OctreeError> {
    let all = (first..cubes.len()).step_by(of as usize);
    let mut contents =
        Placed { cubes, cell: cubes.place(Cell::ROOT), is_voxel: false, tests: [0; 2] };
    let nodes = subdivide(cubes.target, all, &mut contents);
    let [cell_tests, voxel_tests] = contents.tests;
    *counts = MotionCounts { cell_tests, voxel_tests };
    nodes
}

/// Placed cubes as items of the target's cells.
struct Placed<'a> {
    cubes: &'a PlacedCubes<'a>,
    cell: PlacedCell,
    is_voxel: bool,
    /// The numbers of tests of cells and of voxels.
    tests: [u64; 2],
}

impl Contents for Placed<'_> {
    #[inline]
    fn enter(&mut self, cell: Cell) {
        self.cell = self.cubes.place(cell);
        self.is_voxel = self.cubes.is_voxel(cell);
    }

    #[inline]
    fn relation(&mut self, cube: u32) -> Relation {
        self.tests[usize::from(self.is_voxel)] += 1;
        self.cubes.relation(&self.cell, cube)
    }
}
