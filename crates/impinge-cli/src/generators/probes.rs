//! The generators of points and rays, as `impinge generate`, `impinge points` and `impinge rays` take them.

use super::Load;
use crate::failure::Failure;
use clap::Subcommand;
use impinge::{Bounds, Ray, generate, glam::DVec3};

/// Points to make.
#[derive(Debug, Subcommand)]
pub(crate) enum Points {
    /// Random points in a box around a mesh
    Points {
        /// Mesh: a file, or gen:NAME. As the points of `impinge points`, by default its mesh
        #[arg(long, value_name = "MESH")]
        mesh: Option<String>,
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Size of the box, relative to the bounding box of the mesh
        #[arg(long, default_value_t = 1.5, allow_negative_numbers = true)]
        scale: f64,
        /// Number of points
        #[arg(long, default_value_t = 1000)]
        count: u32,
    },
}

impl Points {
    /// Makes the points. `room` is the bounding box of the mesh that they are for, if that is known; `load` loads
    /// another mesh.
    pub(crate) fn make(&self, room: Option<Bounds>, load: Load<'_>) -> Result<Vec<DVec3>, Failure> {
        let Self::Points { mesh, seed, scale, count } = self;
        let room = self::room(mesh.as_deref(), room, load)?;
        if !(*scale > 0.0 && scale.is_finite()) {
            return Err(Failure::input(format!(
                "--scale {scale}: must be a finite number above 0"
            )));
        }
        let half = room.size() * (0.5 * scale);
        let room = Bounds { min: room.center() - half, max: room.center() + half };
        generate::random_points(*seed, room, *count).map_err(Failure::input)
    }
}

/// Rays to make.
#[derive(Debug, Subcommand)]
pub(crate) enum Rays {
    /// Random rays from around a mesh to points in its bounding box
    Rays {
        /// Mesh: a file, or gen:NAME. As the rays of `impinge rays`, by default its mesh
        #[arg(long, value_name = "MESH")]
        mesh: Option<String>,
        /// Seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Start at points in the bounding box instead, in all directions
        #[arg(long)]
        from_inside: bool,
        /// Number of rays
        #[arg(long, default_value_t = 1000)]
        count: u32,
    },
}

impl Rays {
    /// Makes the rays; as for [`Points::make`].
    pub(crate) fn make(&self, room: Option<Bounds>, load: Load<'_>) -> Result<Vec<Ray>, Failure> {
        let Self::Rays { mesh, seed, from_inside, count } = self;
        let room = self::room(mesh.as_deref(), room, load)?;
        let rays = match from_inside {
            true => generate::random_rays_within(*seed, room, *count),
            false => generate::random_rays(*seed, room, *count),
        };
        rays.map_err(Failure::input)
    }
}

/// The bounding box of the mesh that is named, or else the one that is known.
fn room(mesh: Option<&str>, known: Option<Bounds>, load: Load<'_>) -> Result<Bounds, Failure> {
    let room = match (mesh, known) {
        (Some(source), _) => load(source)?.bounds(),
        (None, Some(room)) => room,
        (None, None) => {
            return Err(Failure::input("no mesh: name it with --mesh MESH"));
        }
    };
    match room.is_empty() {
        true => Err(Failure::input("the mesh has no faces, so it has no bounding box")),
        false => Ok(room),
    }
}
