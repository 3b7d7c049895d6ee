//! Options for the grid of an octree, and for its voxels.

use crate::trees::Names;
use impinge::{glam::DVec3, octree::VoxelRule};
use std::str::FromStr;

/// Rules for voxels by name.
pub(super) const RULES: Names<VoxelRule> =
    &[("touch", VoxelRule::AnyTouch), ("center", VoxelRule::CenterInside)];

/// A root cube on the command line: `X,Y,Z,SIDE`, the corner with the least coordinates and the side.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootCube {
    pub(super) min: DVec3,
    pub(super) side: f64,
}

impl FromStr for RootCube {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [x, y, z, side] = numbers(text).ok_or("expected X,Y,Z,SIDE, as in -1,-1,-1,2")?;
        Ok(Self { min: DVec3::new(x, y, z), side })
    }
}

/// Parses numbers that are separated by commas.
pub(super) fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|word| word.trim().parse().ok().filter(|number: &f64| number.is_finite()))
        .collect();
    numbers?.try_into().ok()
}
