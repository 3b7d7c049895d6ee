//! Tools: cutter, shank and holder as solids of revolution.
//!
//! | file | what it holds |
//! |---|---|
//! | `shape.rs` | [`TipShape`]: the shape of a cutter's tip, and the discs of the cutter |
//! | `spec/` | reads a tool from a specification such as `ball:d=6,length=20` |
//! | `outline.rs` | the outline of a tool, for pictures |
//! | `table/` | [`ToolTable`]: tool tables of LinuxCNC and CAMotics, and tool files in TOML |
//! | `mesh/` | tools from meshes, as solids of revolution |
//! | `load.rs` | [`load`]: reads a specification, a tool table or a mesh file |
//!
//! All lengths are in millimetres. Heights are measured along the axis from the tip.

mod load;
mod mesh;
mod outline;
mod shape;
mod spec;
mod table;

pub use load::{Tools, load};
pub use mesh::{MeshToolError, MeshToolOptions};
pub use shape::TipShape;
pub use spec::{SpecError, is_spec};
pub use table::{TableFormat, ToolTable};

use crate::state;
use impinge::solid::{RevolvedHull, RoundedDisc};
use serde::{Deserialize, Serialize};

/// A tool. Every part of it is a convex solid of revolution around the tool's axis. Heights are measured from the tip.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// How the tool is named in reports.
    pub name: String,
    /// The number of the tool in its tool table.
    pub number: Option<u32>,
    /// The shape of the tip.
    pub shape: TipShape,
    /// The diameter of the cutter, in millimetres.
    pub diameter: f64,
    /// The radius of the rounded corner, in millimetres: half the diameter for a ball, 0 for a sharp corner.
    pub corner_radius: f64,
    /// The length of the cutter, in millimetres. `None` if it is not known: the cutter is then
    /// [`DEFAULT_REACH`](Self::DEFAULT_REACH) long until [`with_reach`](Self::with_reach) sets its length.
    pub length: Option<f64>,
    /// The distance from the gauge line of the spindle to the tip, in millimetres, if a tool table states it. G43
    /// applies it.
    pub length_offset: Option<f64>,
    /// The convex pieces of the tool, from the tip upwards.
    pub parts: Vec<ToolPart>,
}

/// A convex piece of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolPart {
    /// Which part of the tool the piece belongs to.
    pub kind: ToolPartKind,
    /// The piece, with heights along its axis measured from the tip of the tool, in millimetres.
    #[serde(with = "state::hull")]
    pub solid: RevolvedHull,
}

/// The parts of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ToolPartKind {
    /// The part with cutting edges.
    Cutter,
    /// The part without cutting edges between cutter and holder.
    Shank,
    /// The part that holds the shank in the spindle.
    Holder,
}

impl ToolPartKind {
    /// The name in reports: `cutter`, `shank` or `holder`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cutter => "cutter",
            Self::Shank => "shank",
            Self::Holder => "holder",
        }
    }
}

impl Tool {
    /// The length of a cutter whose length is not known, in millimetres. It is far longer than any real cutter, so that a
    /// check reports too much rather than too little.
    pub const DEFAULT_REACH: f64 = 10_000.0;

    /// The tool with its cutter extended or shortened to end at `height`, in millimetres from the tip, if the length of
    /// the cutter is not known. A tool of known length is returned unchanged. The cutter never gets shorter than the
    /// shape of its tip.
    #[must_use]
    pub fn with_reach(&self, height: f64) -> Self {
        let mut tool = self.clone();
        if self.length.is_some() || !height.is_finite() {
            return tool;
        }
        if let Some(part) = tool.parts.last_mut()
            && let [tip @ .., top] = part.solid.discs()
        {
            let least = tip.iter().map(|disc| disc.height + disc.rounding).fold(0.0, f64::max);
            let top = RoundedDisc { height: height.clamp(least, 1e100), ..*top };
            let discs: Vec<_> = tip.iter().copied().chain([top]).collect();
            if let Ok(solid) = RevolvedHull::new(&discs) {
                part.solid = solid;
            }
        }
        tool
    }

    /// The height of the tool from the tip to the top of its last part, in millimetres; `None` if the length of the
    /// cutter is not known.
    pub fn overall_length(&self) -> Option<f64> {
        self.length?;
        Some(self.top())
    }

    /// The greatest distance of a point of the tool from its axis, in millimetres.
    pub fn greatest_radius(&self) -> f64 {
        self.discs().map(|disc| disc.radius + disc.rounding).fold(0.0, f64::max)
    }

    /// The solids of one part of the tool, from the tip upwards.
    pub fn solids(&self, kind: ToolPartKind) -> impl Iterator<Item = &RevolvedHull> {
        self.parts.iter().filter(move |part| part.kind == kind).map(|part| &part.solid)
    }

    /// The height of the highest point.
    fn top(&self) -> f64 {
        self.discs().map(|disc| disc.height + disc.rounding).fold(0.0, f64::max)
    }

    fn discs(&self) -> impl Iterator<Item = &RoundedDisc> {
        self.parts.iter().flat_map(|part| part.solid.discs())
    }
}
