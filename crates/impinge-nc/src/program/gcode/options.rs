//! What a reader of G-code must know that the program does not say.

use crate::{Machine, Tool, Tools, program::Unit};
use impinge::glam::DVec3;
use std::{collections::BTreeMap, sync::Arc};

/// Options of [`Program::read_gcode`](crate::Program::read_gcode).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GcodeOptions {
    /// Whether words that the reader does not know are passed over with a note. By default they are errors.
    pub allow_unknown: bool,
    /// Whether lines that start with `/` are passed over, as if the switch "block delete" were on.
    pub block_delete: bool,
    /// The path of rapid moves.
    pub rapids: Rapids,
    /// The unit of a program that uses neither `G20` nor `G21`.
    pub unit: Unit,
    /// Where the tip of the tool is before the first move, in the coordinates of the part, in millimetres. By default it
    /// is not known: see `docs/nc-programs.md`.
    pub start: Option<DVec3>,
    /// Work offsets by the number of the coordinate system: 1 is `G54`, 6 is `G59`, 9 is `G59.3`. Each is the place of
    /// the program's zero, seen from the machine's zero: X, Y, Z in millimetres, A, B, C in radians.
    pub offsets: BTreeMap<u8, [f64; 6]>,
    /// The zero of the part, seen from the machine's zero, in millimetres. It is subtracted from all positions, so
    /// that the moves are in the coordinates of the part.
    pub origin: DVec3,
    /// The position that `G28` returns to, seen from the machine's zero, in millimetres and radians.
    pub home: Option<[f64; 6]>,
    /// The position that `G30` returns to, seen from the machine's zero, in millimetres and radians.
    pub second_home: Option<[f64; 6]>,
    /// Lengths and diameters by the number of the tool or offset, for `G43 H` and `G41 D`. See
    /// [`use_tools`](Self::use_tools).
    pub tools: BTreeMap<u32, ToolOffset>,
    /// Length and diameter for all numbers that `tools` does not have.
    pub other_tools: ToolOffset,
    /// The kinematics of the machine. Programs that turn rotary axes need it. If X, Y and Z are the tip on this machine,
    /// they are so from the start of the program; `M428` and `G43.4` switch this on, `M429` and `G49` off.
    pub machine: Option<Arc<Machine>>,
    /// A program of more moves is refused. Bounds the memory: a move takes about 160 bytes.
    pub most_moves: usize,
    /// A program that executes more lines is refused. Ends endless loops.
    pub most_lines: u64,
}

impl Default for GcodeOptions {
    fn default() -> Self {
        Self {
            allow_unknown: false,
            block_delete: false,
            rapids: Rapids::Straight,
            unit: Unit::Millimetre,
            start: None,
            offsets: BTreeMap::new(),
            origin: DVec3::ZERO,
            home: None,
            second_home: None,
            tools: BTreeMap::new(),
            other_tools: ToolOffset::default(),
            machine: None,
            most_moves: 10_000_000,
            most_lines: 20_000_000,
        }
    }
}

impl GcodeOptions {
    /// Takes lengths and diameters from the tools of the check. A single tool stands for every number.
    pub fn use_tools(&mut self, tools: &Tools) {
        match tools {
            Tools::One(tool) => self.other_tools = tool.as_ref().into(),
            Tools::Table(table) => {
                self.tools =
                    table.tools.iter().map(|(&number, tool)| (number, tool.into())).collect();
            }
        }
    }

    /// Length and diameter of a tool or offset.
    pub(super) fn tool(&self, number: u32) -> ToolOffset {
        self.tools.get(&number).copied().unwrap_or(self.other_tools)
    }
}

/// The path of a rapid move in several axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rapids {
    /// All axes arrive together: the path is a segment.
    #[default]
    Straight,
    /// All linear axes start together at the same speed, and each stops when it arrives: the path has up to three
    /// segments.
    Dogleg,
    /// Both paths are checked, one after the other.
    Both,
}

/// The entry of a tool table that offsets use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ToolOffset {
    /// The length of the tool from the spindle to the tip, in millimetres.
    pub length: Option<f64>,
    /// The diameter of the tool, in millimetres.
    pub diameter: Option<f64>,
}

impl From<&Tool> for ToolOffset {
    fn from(tool: &Tool) -> Self {
        Self { length: tool.length_offset, diameter: Some(tool.diameter) }
    }
}

/// The number of a coordinate system in [`GcodeOptions::offsets`], from its name: `G54` is 1, `G59.3` is 9. The case of
/// the letter does not matter.
pub fn work_offset_number(name: &str) -> Option<u8> {
    const NAMES: [&str; 9] = ["G54", "G55", "G56", "G57", "G58", "G59", "G59.1", "G59.2", "G59.3"];
    let index = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name.trim()))?;
    Some(index as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolTable;

    #[test]
    fn tools_give_their_offsets() {
        let mut options = GcodeOptions::default();
        let tool = Tool::from_spec("ball:d=6,length=20", 1.0).unwrap();
        options.use_tools(&Tools::One(Box::new(tool)));
        assert_eq!(options.tool(7), ToolOffset { length: None, diameter: Some(6.0) });
        let table = ToolTable::read("T1 P1 Z50 D4\nT2 P2 Z80 D6\n", "tool.tbl", 1.0).unwrap();
        options.use_tools(&Tools::Table(table));
        assert_eq!(options.tool(2), ToolOffset { length: Some(80.0), diameter: Some(6.0) });
        assert_eq!(options.tool(1).diameter, Some(4.0));
    }

    #[test]
    fn work_offsets_have_numbers() {
        assert_eq!(work_offset_number("G54"), Some(1));
        assert_eq!(work_offset_number(" g59.3"), Some(9));
        assert_eq!(work_offset_number("G53"), None);
    }
}
