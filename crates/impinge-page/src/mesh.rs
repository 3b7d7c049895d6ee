//! Meshes in the data of a page.

use crate::pack;
use impinge::{Mesh, glam::DVec3};
use serde::Serialize;
use std::io::{self, Write};

/// A mesh in the header of a page: what the page needs to place its positions.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MeshInfo {
    vertices: usize,
    faces: usize,
    has_faces: bool,
    center: [f64; 3],
    half: [f64; 3],
    scale: f64,
}

impl MeshInfo {
    /// The numbers of a mesh. `has_faces` says whether [`write_mesh`] writes its geometry; if not, the page shows a box.
    pub fn new(mesh: &Mesh, has_faces: bool) -> Self {
        let frame = Frame::of(mesh);
        Self {
            vertices: mesh.positions().len(),
            faces: mesh.faces().len(),
            has_faces,
            center: frame.center.into(),
            half: frame.half.into(),
            scale: frame.scale,
        }
    }
}

/// Writes positions scaled to -1..1 within the bounds of the mesh, so that single precision does not lose
/// digits to the offset from the origin; then faces.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_mesh(mesh: &Mesh, out: &mut dyn Write) -> io::Result<()> {
    let frame = Frame::of(mesh);
    let positions = mesh.positions().iter();
    let positions = positions.flat_map(|&p| ((p - frame.center) / frame.scale).to_array());
    pack::singles(out, positions)?;
    pack::indices(out, mesh.faces().iter().flatten().copied())
}

/// The position and size of a mesh in its own coordinates.
struct Frame {
    center: DVec3,
    /// Half the size along each axis.
    half: DVec3,
    /// The divisor of positions.
    scale: f64,
}

impl Frame {
    fn of(mesh: &Mesh) -> Self {
        let bounds = mesh.bounds();
        if bounds.is_empty() {
            return Self { center: DVec3::ZERO, half: DVec3::ZERO, scale: 1.0 };
        }
        let half = bounds.size() * 0.5;
        let longest = half.max_element();
        Self { center: bounds.center(), half, scale: if longest > 0.0 { longest } else { 1.0 } }
    }
}
