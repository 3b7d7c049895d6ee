//! Executes a program line by line. The order of execution within a line is that of RS274/NGC.

use super::{
    block::{AXES, Block},
    codes::{Group, g_name},
    compensation::Compensation,
    control::Controls,
    cycle::Cycle,
    expression::Parameter,
    fault::{Fault, Result},
    flow::Frame,
    modal::{Modes, Offsets, Position},
    notes::Notes,
    options::GcodeOptions,
    output::Output,
    parameters::Parameters,
    source::{Source, Text},
};
use crate::{MoveKind, Program, program::Unit};
use std::collections::HashMap;

/// The state of a running program.
#[derive(Debug)]
pub(super) struct Interpreter<'a> {
    pub(super) options: &'a GcodeOptions,
    pub(super) source: &'a Source<'a>,
    pub(super) controls: &'a Controls,
    pub(super) parameters: Parameters,
    pub(super) modes: Modes,
    pub(super) offsets: Offsets,
    pub(super) position: Position,
    pub(super) output: Output,
    pub(super) notes: Notes,
    pub(super) compensation: Option<Compensation>,
    /// Where the tool is after compensation has ended, until the next move brings it back to the programmed path.
    pub(super) left_path: Option<[f64; 6]>,
    /// The cycle that is repeated at each new position.
    pub(super) cycle: Option<Cycle>,
    /// The calls that are active.
    pub(super) frames: Vec<Frame>,
    /// For each `repeat` of the main program that runs: its line and the repetitions left.
    pub(super) repeats: HashMap<usize, u64>,
    /// The positions of `G28` and `G30`.
    pub(super) homes: [Option<[f64; 6]>; 2],
    /// The line that is executed, from 1.
    pub(super) line: u32,
    executed: u64,
    pub(super) first_unit: Option<Unit>,
    /// The first line that selects a tool, if no `M6` has followed.
    pub(super) tool_not_put_in: Option<u32>,
}

/// Where the program continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    /// At a line, from 0.
    Jump(usize),
    End,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(
        options: &'a GcodeOptions,
        source: &'a Source<'a>,
        controls: &'a Controls,
    ) -> Self {
        Self {
            options,
            source,
            controls,
            parameters: Parameters::default(),
            modes: Modes::new(options),
            offsets: Offsets::new(options),
            position: Position::new(options),
            output: Output::new(options),
            notes: Notes::default(),
            compensation: None,
            left_path: None,
            cycle: None,
            frames: Vec::new(),
            repeats: HashMap::new(),
            homes: [options.home, options.second_home],
            line: 0,
            executed: 0,
            first_unit: None,
            tool_not_put_in: None,
        }
    }

    /// Executes the program to its end.
    pub(super) fn run(mut self) -> Result<Program> {
        // Kept from line to line, so that their memory is allocated once.
        let (mut text, mut block) = (Text::default(), Block::default());
        let mut line = 0;
        let mut end = self.source.program_lines();
        while line < self.source.program_lines() {
            self.line = line as u32 + 1;
            match self
                .execute_line(line, &mut text, &mut block)
                .map_err(|fault| fault.on_line(self.line))?
            {
                Flow::Next => line += 1,
                Flow::Jump(target) => line = target,
                Flow::End => {
                    end = line + 1;
                    break;
                }
            }
        }
        if line >= self.source.program_lines() && !self.frames.is_empty() {
            return Err(
                Fault::new("the file ends inside a subprogram: M99 is missing").on_line(self.line)
            );
        }
        if let Some(compensation) = self.compensation.take() {
            compensation.finish(&mut self.output)?;
        }
        self.remark_on_rest(end);
        if let Some(line) = self.tool_not_put_in {
            self.notes.add(line, "T selects a tool, but no M6 puts it into the spindle");
        }
        if let Some(line) = self.output.straightened {
            self.notes.add(
                line,
                "rapids of rotary axes are straight: dog-legs are not modelled for them",
            );
        }
        Ok(Program {
            moves: self.output.moves,
            unit: self.first_unit.unwrap_or(self.modes.unit),
            tools: self.output.tools,
            notes: self.notes.into_vec(),
            lines: self.source.line_count() as u32,
        })
    }

    /// Notes if lines follow the end of the program that no call can reach.
    fn remark_on_rest(&mut self, end: usize) {
        let Some(next) = self.source.next_command(end) else { return };
        let is_percent = self.source.line(next).trim_ascii() == b"%";
        let next = if is_percent { self.source.next_command(next + 1) } else { Some(next) };
        let Some(next) = next else { return };
        if is_percent || self.controls.at(next).is_none() {
            self.notes
                .add(next as u32 + 1, "the lines after the end of the program are not executed");
        }
    }

    /// Counts a line against the limit.
    pub(super) fn count_line(&mut self) -> Result<()> {
        self.executed += 1;
        if self.executed > self.options.most_lines {
            return Err(Fault::new(format!(
                "the program has executed {} lines and has not ended: it may loop without end",
                self.options.most_lines
            )));
        }
        Ok(())
    }

    fn execute_line(&mut self, line: usize, text: &mut Text, block: &mut Block) -> Result<Flow> {
        self.count_line()?;
        text.read(self.source.line(line))?;
        if text.bytes.is_empty() || text.bytes == b"%" {
            return Ok(Flow::Next);
        }
        let (at, deleted) = text.after_line_number();
        if deleted && self.options.block_delete {
            self.notes.add(self.line, "lines that start with '/' are passed over");
            return Ok(Flow::Next);
        }
        if text.bytes.get(at) == Some(&b'o') {
            return self.control(line, text);
        }
        block.read(text, at, self)?;
        if block.is_empty {
            return Ok(Flow::Next);
        }
        self.execute(block)
    }

    fn execute(&mut self, block: &mut Block) -> Result<Flow> {
        for (word, column) in &block.unknown {
            self.unknown(word, *column, "is not known")?;
        }
        for (parameter, value, column) in block.settings.drain(..) {
            let set = match parameter {
                Parameter::Numbered(index) => self.parameters.set_numbered(index, value),
                Parameter::Named(name) => self.parameters.set_named(&name, value),
            };
            set.map_err(|message| Fault::at(column, message))?;
        }
        self.feed_and_tool(block)?;
        self.switches(block)?;
        self.modes(block)?;
        let one_shot = block.code(Group::OneShot);
        match one_shot {
            Some(40) => self.dwell(block)?,
            Some(100) => self.set_offsets(block)?,
            Some(code @ (280 | 300)) => self.return_home(block, code)?,
            Some(code @ (281 | 301)) => {
                self.homes[usize::from(code == 301)] = Some(self.position.axes);
            }
            Some(code @ (520 | 920..=923)) => self.shift_coordinates(block, code)?,
            _ => {}
        }
        self.motion(block, one_shot == Some(530))?;
        let flow = self.stop(block)?;
        let unused: Vec<_> = block.unused().collect();
        for (word, column) in unused {
            self.unknown(&word, column, "is not used by any code of the line")?;
        }
        Ok(flow)
    }

    /// Refuses a word, or notes it if the options allow it.
    fn unknown(&mut self, word: &str, column: u32, why: &str) -> Result<()> {
        if self.options.allow_unknown {
            self.notes.add(self.line, &format!("{word} {why}: passed over"));
            return Ok(());
        }
        Err(Fault::at(column, format!("{word} {why}; --allow-unknown passes such words over")))
    }

    /// Executes the motion that the words of the line command.
    fn motion(&mut self, block: &mut Block, machine_coordinates: bool) -> Result<()> {
        let code = block.code(Group::Motion);
        if let Some(code) = code {
            self.modes.motion = (code != 800).then_some(code);
            if !(730..=890).contains(&code) || code == 800 {
                self.cycle = None;
            }
        }
        let has_center = [b'i', b'j', b'k', b'r'].iter().any(|&letter| block.has_unused(letter));
        let is_arc = matches!(self.modes.motion, Some(20 | 30));
        let moves = block.has_unused_axis() || (is_arc && has_center);
        if !moves {
            if machine_coordinates {
                return Err(block.fault_at_code(Group::OneShot, "G53 needs the word of an axis"));
            }
            if let Some(code @ (20 | 30 | 730..=790 | 810..=890)) = code {
                // A line such as `G1 G28 Z0` has spent its words on the return.
                let name = g_name(code);
                return Err(
                    block.fault_at_code(Group::Motion, format!("{name} needs words of axes"))
                );
            }
            return Ok(());
        }
        let Some(motion) = self.modes.motion else {
            let letter = AXES.into_iter().find(|&axis| block.has_unused(axis)).unwrap_or(b'x');
            return Err(block
                .fault_at(letter, "has no motion to belong to: state G0, G1, G2, G3 or a cycle"));
        };
        if machine_coordinates && !matches!(motion, 0 | 10) {
            return Err(block.fault_at_code(Group::OneShot, "G53 needs G0 or G1"));
        }
        self.note_first_motion();
        if !machine_coordinates {
            self.offsets.use_system(self.modes.system).map_err(Fault::new)?;
        }
        match motion {
            0 => self.straight(block, MoveKind::Rapid, machine_coordinates),
            10 => self.straight(block, MoveKind::Feed, machine_coordinates),
            20 | 30 => self.arc(block, motion == 20),
            _ => self.drill(block, motion),
        }
    }

    pub(super) fn note_first_motion(&mut self) {
        if self.first_unit.is_some() {
            return;
        }
        self.first_unit = Some(self.modes.unit);
        if !self.modes.unit_is_stated {
            let unit = match self.modes.unit {
                Unit::Millimetre => "millimetres",
                Unit::Inch => "inches",
                other => other.symbol(),
            };
            let note =
                format!("the program states no unit before its first motion: {unit} are assumed");
            self.notes.add(self.line, &note);
        }
    }

    /// Stops and calls of subprograms, which come after the motion.
    fn stop(&mut self, block: &mut Block) -> Result<Flow> {
        match block.code(Group::Stop) {
            Some(2 | 30) => Ok(Flow::End),
            Some(98) => self.call_subprogram(block),
            Some(99) => self.return_from_subprogram(block),
            _ => Ok(Flow::Next),
        }
    }
}
