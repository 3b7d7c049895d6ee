//! Tools: cutter, shank and holder as solids of revolution.

use impinge::solid::RevolvedHull;

/// A tool. Every part of it is a convex solid of revolution around the tool's axis. Heights are measured from the tip.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// How the tool is named in reports.
    pub name: String,
    /// The convex pieces of the tool, from the tip upwards.
    pub parts: Vec<ToolPart>,
}

/// A convex piece of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolPart {
    /// Which part of the tool the piece belongs to.
    pub kind: ToolPartKind,
    /// The piece, with heights along its axis measured from the tip of the tool, in millimetres.
    pub solid: RevolvedHull,
}

/// The parts of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolPartKind {
    /// The part with cutting edges.
    Cutter,
    /// The part without cutting edges between cutter and holder.
    Shank,
    /// What holds the shank in the spindle.
    Holder,
}
