//! The codes that set modes and choose tools, in the order in which a line executes them.

use super::{
    block::Block,
    codes::Group,
    fault::{Fault, Result},
    interpreter::Interpreter,
    plane::Plane,
};
use crate::program::Unit;

impl Interpreter<'_> {
    pub(super) fn feed_and_tool(&mut self, block: &mut Block) -> Result<()> {
        if let Some(mode) = block.code(Group::FeedMode) {
            self.modes.feed_mode = mode;
        }
        if let Some(feed) = block.take(b'f') {
            self.modes.feed = feed;
        }
        if let Some(speed) = block.take(b's') {
            self.modes.speed = speed;
        }
        if let Some(tool) = block.take_whole(b't')? {
            self.modes.selected_tool = Some(tool);
            self.tool_not_put_in.get_or_insert(self.line);
        }
        match block.code(Group::ToolChange) {
            Some(6) => match self.modes.selected_tool {
                Some(tool) => self.put_in(tool)?,
                None => self.notes.add(self.line, "M6 without a number T: the tool stays as it is"),
            },
            Some(_) => match block.take_whole(b'q')? {
                Some(tool) => self.put_in(tool)?,
                None => return Err(Fault::new("M61 needs the number of the tool as Q")),
            },
            None => {}
        }
        Ok(())
    }

    fn put_in(&mut self, tool: u32) -> Result<()> {
        self.refuse_compensation("a tool change")?;
        self.modes.tool = tool;
        self.tool_not_put_in = None;
        Ok(())
    }

    /// Spindle, coolant, signals and kinematics.
    pub(super) fn switches(&mut self, block: &mut Block) -> Result<()> {
        if block.code(Group::Spindle) == Some(19) {
            for letter in *b"rpq" {
                block.take(letter);
            }
        }
        if block.code(Group::Override).is_some() {
            block.take(b'p');
        }
        if block.code(Group::SpindleMode).is_some() {
            block.take(b'd');
        }
        if block.code(Group::Signal).is_some() {
            for letter in *b"peql" {
                block.take(letter);
            }
        }
        if let Some(code) = block.code(Group::Kinematics) {
            let was_on = self.modes.tip_control();
            self.modes.tip_kinematics = code == 428;
            self.switch_tip_control(was_on);
        }
        Ok(())
    }

    pub(super) fn modes(&mut self, block: &mut Block) -> Result<()> {
        if let Some(code) = block.code(Group::Plane) {
            let plane = match code {
                170 => Plane::Xy,
                180 => Plane::Zx,
                _ => Plane::Yz,
            };
            if plane != self.modes.plane {
                self.refuse_compensation("a change of the plane")?;
                self.modes.plane = plane;
                self.cycle = None;
            }
        }
        if let Some(code) = block.code(Group::Unit) {
            self.modes.unit = if code == 200 { Unit::Inch } else { Unit::Millimetre };
            self.modes.unit_is_stated = true;
        }
        // A cycle on the same line uses D and H of no code; compensation and length offset take theirs first.
        if let Some(code) = block.code(Group::Compensation) {
            self.compensate(block, code)?;
        }
        self.length_offset(block)?;
        if let Some(code) = block.code(Group::WorkOffset) {
            let system = if code >= 591 { code - 584 } else { (code - 530) / 10 } as u8;
            if system != self.modes.system {
                self.refuse_compensation("a change of the work offset")?;
                self.modes.system = system;
            }
        }
        if block.code(Group::PathControl) == Some(640) {
            block.take(b'p');
            block.take(b'q');
            self.notes
                .add(self.line, "G64: path blending is not modelled: the exact path is checked");
        }
        if let Some(code) = block.code(Group::Distance) {
            self.modes.absolute = code == 900;
        }
        if let Some(code) = block.code(Group::ArcDistance) {
            self.modes.arc_absolute = code == 901;
        }
        if let Some(code) = block.code(Group::Retract) {
            self.modes.retract_to_start = code == 980;
        }
        Ok(())
    }

    pub(super) fn dwell(&mut self, block: &mut Block) -> Result<()> {
        // Some controls write the time as X.
        if block.take(b'p').is_none() && block.take(b'x').is_none() {
            return Err(block.fault_at_code(Group::OneShot, "G4 needs a time as P"));
        }
        Ok(())
    }
}
