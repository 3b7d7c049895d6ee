//! Tools from meshes.
//!
//! A tool spins, so it cuts what its revolved mesh encloses. A mesh becomes a stack of convex solids of revolution
//! around its z axis. The stack encloses the revolved mesh and is nowhere further from it than a tolerance.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | [`Tool::from_mesh`] |
//! | `profile.rs` | the greatest radius of the mesh at each height, as a chain of points |
//! | `pieces.rs` | a chain of points as few convex pieces that enclose it |

mod pieces;
mod profile;

use super::{TipShape, Tool, ToolPart, ToolPartKind, shape::disc};
use impinge::{
    Mesh,
    glam::DVec2,
    solid::{RevolvedHull, SolidError},
};

/// How a mesh is made into a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshToolOptions {
    /// How far the tool may exceed the revolved mesh, in millimetres. `None` is 0.001 of the diameter, and at most
    /// 0.001 mm.
    pub tolerance: Option<f64>,
    /// The length of the cutter, in millimetres. The mesh above it counts as the shank. `None` if all of the mesh is the
    /// cutter.
    pub cutter_length: Option<f64>,
}

impl MeshToolOptions {
    /// Sets how far the tool may exceed the revolved mesh, in millimetres.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = Some(tolerance);
        self
    }

    /// Sets the length of the cutter, in millimetres.
    #[must_use]
    pub fn cutter_length(mut self, length: f64) -> Self {
        self.cutter_length = Some(length);
        self
    }
}

/// Why a mesh makes no tool.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshToolError {
    /// The mesh has no faces, or all of them are at one height or on the axis.
    #[error(
        "the mesh encloses no space around its z axis: the axis of a tool is the z axis, and its \
         tip is the lowest point"
    )]
    Flat,
    /// The tolerance is not positive.
    #[error("the tolerance is {0} mm: it must be a number greater than 0")]
    Tolerance(f64),
    /// The cutter would be longer than the mesh, or it has no length.
    #[error(
        "the length of the cutter is {length} mm: it must be from 0 to {height} mm, the height of the mesh"
    )]
    CutterLength {
        /// The length of the cutter.
        length: f64,
        /// The height of the mesh.
        height: f64,
    },
    /// A coordinate in millimetres is out of range.
    #[error("the mesh in millimetres is out of range: {0}")]
    Solid(#[from] SolidError),
}

impl Tool {
    /// The tool that a mesh sweeps while it spins around its z axis. Its tip is the lowest point of the mesh, which is
    /// moved to height 0. Coordinates are multiplied by `factor`: the number of millimetres in their unit.
    ///
    /// The mesh need not be closed. Space that the spinning mesh encloses on the outside only, such as a bore, counts as
    /// solid.
    pub fn from_mesh(
        mesh: &Mesh,
        name: &str,
        factor: f64,
        options: &MeshToolOptions,
    ) -> Result<Self, MeshToolError> {
        let bounds = profile::size(mesh, factor).ok_or(MeshToolError::Flat)?;
        let diameter = 2.0 * bounds.radius;
        let tolerance = options.tolerance.unwrap_or((1e-3 * diameter).min(1e-3));
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            return Err(MeshToolError::Tolerance(tolerance));
        }
        let chain = profile::profile(mesh, factor, tolerance);
        let height = bounds.height;
        let length = match options.cutter_length {
            Some(length) if !(length > 0.0 && length <= height) => {
                return Err(MeshToolError::CutterLength { length, height });
            }
            length => length.unwrap_or(height),
        };
        let (cutter, shank) = pieces::split(&chain, length);
        let mut parts = Vec::new();
        let mut cutter_radius: f64 = 0.0;
        for (kind, chain) in [(ToolPartKind::Cutter, cutter), (ToolPartKind::Shank, shank)] {
            for piece in pieces::convex_pieces(&chain, tolerance) {
                let solid = solid(&piece, 1e-12 * bounds.radius.max(height))?;
                parts.push(ToolPart { kind, solid });
            }
            if kind == ToolPartKind::Cutter {
                cutter_radius = chain.iter().map(|point| point.y).fold(0.0, f64::max);
            }
        }
        Ok(Self {
            name: name.to_string(),
            number: None,
            shape: TipShape::Mesh,
            diameter: 2.0 * cutter_radius,
            corner_radius: 0.0,
            length: Some(length),
            length_offset: None,
            parts,
        })
    }
}

/// The solid of a convex piece, with radii grown by `margin` for the rounding errors of the profile.
fn solid(piece: &[DVec2], margin: f64) -> Result<RevolvedHull, SolidError> {
    let discs: Vec<_> = piece.iter().map(|point| disc(point.x, point.y + margin, 0.0)).collect();
    RevolvedHull::new(&discs)
}

/// An ellipsoid of revolution with its lowest point at the tip, as convex pieces that enclose it: the polygon around its
/// ellipse. It exceeds the ellipsoid by at most 0.0002 of its longer axis.
pub(super) fn spheroid_parts(diameter: f64, length: f64) -> Result<Vec<ToolPart>, SolidError> {
    const SIDES: u32 = 81;
    let step = std::f64::consts::PI / f64::from(SIDES);
    let grow = 1.0 / libm::cos(step / 2.0);
    let chain: Vec<_> = (0..SIDES)
        .map(|side| {
            let (sin, cos) = libm::sincos((f64::from(side) + 0.5) * step);
            let height = match side {
                0 => 0.0,
                _ if side == SIDES - 1 => length,
                _ => length / 2.0 * (1.0 - cos * grow),
            };
            DVec2::new(height, diameter / 2.0 * sin * grow)
        })
        .collect();
    let solids = pieces::grouped(&chain).map(|piece| solid(piece, 0.0));
    solids.map(|solid| Ok(ToolPart { kind: ToolPartKind::Cutter, solid: solid? })).collect()
}
