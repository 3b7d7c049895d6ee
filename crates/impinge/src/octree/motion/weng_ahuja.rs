//! The algorithm of Weng and Ahuja (1987), with which Smith and Kitamura compare theirs.
//!
//! Each source cube is entered into an octree with pointers, from the root down, and voxels become black by the rule.
//! Cells are compared with the box around the sphere around the placed cube (section 2.4.1), or by the exact test (section
//! 2.4.2), which can also find a cell completely inside.

use super::{
    super::{Cell, OctreeError, nodes::Nodes, subdivide::Relation},
    MotionCounts,
    cubes::PlacedCubes,
    pointers::Pointers,
};

/// Makes the nodes of the octree of placed cubes.
pub(super) fn moved(
    cubes: &PlacedCubes<'_>,
    is_exact: bool,
    counts: &mut MotionCounts,
) -> Result<Nodes, OctreeError> {
    let mut tree = Pointers::default();
    for cube in 0..cubes.len() {
        let center = cubes.center_in_target(cube);
        tree.enter(&mut |cell: Cell| {
            let is_voxel = cubes.is_voxel(cell);
            counts.count(is_voxel);
            if is_voxel || is_exact {
                return cubes.relation(&cubes.place(cell), cube);
            }
            match cubes.sphere_box_overlaps(cell, cube, center) {
                true => Relation::Partial,
                false => Relation::None,
            }
        })?;
    }
    tree.linear()
}
