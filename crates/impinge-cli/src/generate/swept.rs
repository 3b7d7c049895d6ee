//! `impinge generate swept`: obstacles close to and in the way of a moving body.

use super::scenario::{self, Scenario};
use crate::{failure::Failure, grids::Grids, progress, source};
use clap::value_parser;
use impinge::scenario::{SweptOptions, swept};
use std::path::Path;

/// A folder with obstacles close to and in the way of a moving body, the body, and its random path
///
/// Lengths are in the unit of the body. Obstacles are tetrahedra, four faces each. The obstacles that do not cut
/// touch the body at no pose; this is verified with exact queries.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Moving body: a file, or gen:NAME
    body: String,
    /// Scale the body so that the longest side of its bounding box has this length, and move its centre to the
    /// origin
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    size: Option<f64>,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of poses
    #[arg(long, default_value_t = 500, value_parser = value_parser!(u32).range(1..))]
    steps: u32,
    /// Distance between consecutive poses [default: 0.05 of the longest side of the body]
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    stride: Option<f64>,
    /// Rotation between consecutive poses, in degrees
    #[arg(long, value_name = "ANGLE", default_value_t = 2.0, allow_negative_numbers = true)]
    turn: f64,
    /// Number of obstacles
    #[arg(long, default_value_t = 1000)]
    obstacles: u32,
    /// Number of obstacles that touch the body at one pose or more [default: one in twenty]
    #[arg(long, value_name = "OBSTACLES")]
    cutting: Option<u32>,
    /// Largest distance of all other obstacles from the body at its nearest pose [default: 0.05 of the longest
    /// side of the body]
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    clearance: Option<f64>,
    /// Side of the cube that an obstacle fits into [default: 0.2 of the longest side of the body]
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    obstacle_size: Option<f64>,
    #[command(flatten)]
    grids: Grids,
}

pub(super) fn run(arguments: &Arguments, folder: &Path) -> Result<(), Failure> {
    let cutting = arguments.cutting.unwrap_or(arguments.obstacles / 20);
    let remark = format!(", {cutting} of {} obstacles are touched", arguments.obstacles);
    scenario::write(folder, &[&arguments.body], &remark, || {
        let body = source::mesh_with(&arguments.body, &arguments.grids.options())?;
        let body = scenario::sized(body, "--size", arguments.size)?;
        let mut options = SweptOptions::for_body(&body);
        options.steps = arguments.steps;
        options.stride = arguments.stride.unwrap_or(options.stride);
        options.turn = arguments.turn;
        (options.obstacles, options.cutting) = (arguments.obstacles, cutting);
        options.clearance = arguments.clearance.unwrap_or(options.clearance);
        options.obstacle_size = arguments.obstacle_size.unwrap_or(options.obstacle_size);
        let making = || swept(arguments.seed, &body, options);
        let scene = progress::with_spinner("placing obstacles", making).map_err(Failure::input)?;
        Ok(Scenario { a: scene.environment, b: body, poses: scene.poses })
    })
}
