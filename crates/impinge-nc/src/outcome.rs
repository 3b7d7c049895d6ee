//! What a check has found.

use crate::{MoveKind, ToolPartKind};
use impinge::glam::DVec3;
use serde::{Deserialize, Serialize};

/// A part of a tool that reaches into a body during a move. Lengths in millimetres, in the coordinates of the part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gouge {
    /// The number of the move in the program, from 0.
    pub move_index: usize,
    /// The line of the program.
    pub line: u32,
    /// Whether the tool travels or cuts.
    pub kind: MoveKind,
    /// The number of the tool.
    pub tool: u32,
    /// The part of the tool that hits.
    pub with: ToolPartKind,
    /// The body that is hit, by its number in the setup.
    pub body: usize,
    /// How far the tool reaches into the body: the distance of the tool's deepest point from the body's surface. Off by at
    /// most the tolerance, unless [`depth_at_most`](Self::depth_at_most) is larger. Includes the allowance or the clearance
    /// that had to remain.
    pub depth: f64,
    /// A proven bound: the tool reaches no deeper. At most the tolerance above the depth, except for shapes so intricate that
    /// the search for the deepest point was ended.
    pub depth_at_most: f64,
    /// How far the tool must be lifted along its axis to be free of the faces that it touches. If it would then still be in
    /// the body, it is lifted through all faces above it.
    pub lift: f64,
    /// The deepest point.
    pub at: DVec3,
    /// When the tool reaches the deepest point: 0 at the start of the move, 1 at its end.
    pub time: f64,
    /// Where the tip of the tool is at that time.
    pub tip: DVec3,
    /// The direction of the tool's axis at that time.
    pub axis: DVec3,
    /// The faces of the body that the tool reaches into deeper than the tolerance, sorted; at most
    /// [`most_faces`](crate::Options::most_faces).
    pub faces: Vec<u32>,
    /// The number of these faces.
    pub face_count: usize,
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The number of moves that were checked.
    pub moves: usize,
    /// The number of moves with a gouge.
    pub gouging_moves: usize,
    /// The largest depth; 0 if there is no gouge.
    pub worst_depth: f64,
    /// All gouges: by move, then by body, then by the part of the tool.
    pub gouges: Vec<Gouge>,
}

impl Outcome {
    /// The result of checking some moves.
    pub(crate) fn new(moves: usize, gouges: Vec<Gouge>) -> Self {
        let worst_depth = gouges.iter().map(|gouge| gouge.depth).fold(0.0, f64::max);
        let gouging_moves = gouges.chunk_by(|a, b| a.move_index == b.move_index).count();
        Self { moves, gouging_moves, worst_depth, gouges }
    }
}
