//! Programs: the moves of a tool, line by line.

mod csv;

pub use csv::is_csv_path;

use crate::Motion;

/// A program as a list of moves.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The moves in the order in which they are executed.
    pub moves: Vec<Move>,
}

/// One move of a tool.
#[derive(Clone, Debug)]
pub struct Move {
    /// The line of the program's file that commands the move, from 1.
    pub line: u32,
    /// Whether the tool cuts or travels.
    pub kind: MoveKind,
    /// The number of the tool in the spindle; 0 if the program selects none.
    pub tool: u32,
    /// How the tool moves.
    pub motion: Motion,
}

/// Whether a tool cuts during a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// A move at full speed, which must not cut anything.
    Rapid,
    /// A move at a feed rate, which may cut the stock.
    Feed,
}
