//! The octree of a part, at rest and moved, and what both have in common. Run with
//! `cargo run -p impinge --example octree`.
#![expect(clippy::print_stdout, reason = "examples show their results")]

use impinge::{
    Pose, generate,
    glam::{DMat3, DVec3},
    octree::{Compaction, Grid, MotionOptions, MovingOctree, Octree, Operation, VoxelRule},
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let shuttle = generate::shuttle();
    // A cube around the shuttle with room to turn, 64 voxels along each side.
    let grid = Grid::new(DVec3::splat(-24.0), 48.0, 6)?;
    let octree = Octree::from_solid(&shuttle, grid, VoxelRule::CenterInside)?;
    println!("{} nodes in {} bytes", octree.node_count(), octree.bytes());
    println!(
        "volume {:.0}, of the mesh {:.0}",
        octree.volume(),
        shuttle.report().volume.unwrap_or(0.0)
    );
    assert!(octree.contains(DVec3::ZERO) && !octree.contains(DVec3::new(0.0, 0.0, 20.0)));

    // Fewer cubes make each pose faster. Errors do not add up: each octree is made from the first.
    let moving = MovingOctree::compacted(&octree, &Compaction::default())?;
    println!("{} black cells, {} cubes", octree.color_counts().black, moving.cubes().len());
    let options = MotionOptions::default().rule(VoxelRule::CenterInside);
    let quarter = Pose::new(DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z), DVec3::ZERO)?;
    let turned = moving.at(&quarter, &grid, &options)?.octree;
    // A quarter turn about the centre of the grid maps voxels to voxels.
    assert_eq!(turned.black_voxels(), octree.black_voxels());

    let common = octree.combined(&turned, Operation::Intersection)?;
    println!("{} of {} voxels are common", common.black_voxels(), octree.black_voxels());
    Ok(())
}
