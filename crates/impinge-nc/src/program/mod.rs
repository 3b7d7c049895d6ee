//! Programs: the moves of a tool, line by line, and the readers that make them.
//!
//! | file | what it holds |
//! |---|---|
//! | `csv.rs` | the reader of paths in CSV files |
//! | `gcode/` | [`Program::read_gcode`]: the interpreter of G-code |

mod csv;
pub mod gcode;

pub use csv::is_csv_path;
pub use impinge_io::assembly::Unit;

use crate::Motion;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A program as a list of moves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Program {
    /// The moves in the order in which they are executed.
    pub moves: Vec<Move>,
    /// The unit that the file uses at its first motion. The moves are in millimetres whatever it is.
    pub unit: Unit,
    /// The numbers of the tools that move, each once, in the order of their first move.
    pub tools: Vec<u32>,
    /// What was accepted but not modelled, and what had to be assumed.
    pub notes: Vec<Note>,
    /// How many lines the file has.
    pub lines: u32,
}

/// A program without moves, in millimetres.
impl Default for Program {
    fn default() -> Self {
        let unit = Unit::Millimetre;
        Self { moves: Vec::new(), unit, tools: Vec::new(), notes: Vec::new(), lines: 0 }
    }
}

/// One move of a tool.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MoveKind {
    /// A move at full speed, which must not cut anything.
    Rapid,
    /// A move at a feed rate, which may cut the stock.
    Feed,
}

/// A remark about a program: something that was accepted but not modelled, or that had to be assumed.
///
/// Displays as `line 12: G64: blending is not modelled` and, if it applies to more lines, their number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The first line that the note is about, from 1.
    pub line: u32,
    /// How often the same remark applies, at least once.
    pub count: u32,
    /// The remark.
    pub message: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)?;
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        Ok(())
    }
}
