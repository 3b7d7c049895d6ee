//! The codes that change offsets: work offsets, tool lengths, cutter compensation and returns to fixed points.

use super::{
    block::{AXES, Block},
    codes::Group,
    compensation::Compensation,
    fault::{Fault, Result},
    interpreter::Interpreter,
    modal::system_name,
    travel::{BY_INCREMENTS, Target},
};
use crate::{MoveKind, program::Unit};

impl Interpreter<'_> {
    /// Refuses what cannot be done during cutter compensation.
    pub(super) fn refuse_compensation(&self, what: &str) -> Result<()> {
        match &self.compensation {
            None => Ok(()),
            Some(_) => Err(Fault::new(format!(
                "{what} is not allowed during cutter compensation: G40 ends it"
            ))),
        }
    }

    /// Executes `G40`, `G41`, `G42`, `G41.1` and `G42.1`.
    pub(super) fn compensate(&mut self, block: &mut Block, code: i32) -> Result<()> {
        if code == 400 {
            if let Some(compensation) = self.compensation.take()
                && let Some(flat) = compensation.finish(&mut self.output)?
            {
                let [u, v, _] = self.modes.plane.axes();
                let mut position = self.position.axes;
                (position[u], position[v]) = (flat.x, flat.y);
                self.left_path = Some(position);
            }
            return Ok(());
        }
        let diameter = if matches!(code, 411 | 421) {
            let Some(diameter) = block.take(b'd') else {
                return Err(block
                    .fault_at_code(Group::Compensation, "G41.1 and G42.1 need the diameter as D"));
            };
            diameter * self.modes.unit.to(Unit::Millimetre)
        } else {
            let number = block.take_whole(b'd')?;
            match number.unwrap_or(self.modes.tool) {
                0 if number.is_some() => 0.0,
                number => {
                    let offset = self.options.tool(number).diameter;
                    offset.ok_or_else(|| {
                        block.fault_at_code(
                            Group::Compensation,
                            format!("cutter compensation needs the diameter of tool {number}: state it in a tool table (--tool, --tool-table)"),
                        )
                    })?
                }
            }
        };
        // A negative diameter moves the tool to the other side.
        let left = matches!(code, 410 | 411) == (diameter >= 0.0);
        let new = Compensation::new(self.modes.plane, left, diameter.abs() / 2.0);
        match &self.compensation {
            Some(active) if active.is_like(&new) => return Ok(()),
            Some(_) => {
                return Err(block.fault_at_code(
                    Group::Compensation,
                    "cutter compensation is on already: G40 must end it before it changes",
                ));
            }
            None => {}
        }
        if diameter != 0.0 {
            self.compensation = Some(new);
        }
        Ok(())
    }

    /// Executes `G43`, `G43.4` and `G49`, and an H word while a length offset applies.
    pub(super) fn length_offset(&mut self, block: &mut Block) -> Result<()> {
        let code = block.code(Group::Length);
        if code.is_none() && self.modes.length.is_none() {
            return Ok(());
        }
        let number = block.take_whole(b'h')?;
        let was_on = self.modes.tip_control();
        match code {
            Some(490) => {
                self.modes.length = None;
                self.modes.tip_offset = false;
            }
            Some(code) => {
                self.modes.length = Some(number.unwrap_or(self.modes.tool));
                self.modes.tip_offset = code == 434;
            }
            None => self.modes.length = number.or(self.modes.length),
        }
        if self.modes.length == Some(0) && number == Some(0) {
            self.modes.length = None;
        }
        self.switch_tip_control(was_on);
        Ok(())
    }

    /// Keeps the tool in place if tip control was switched on or off: X, Y and Z have another meaning afterwards.
    pub(super) fn switch_tip_control(&mut self, was_on: bool) {
        let is_on = self.modes.tip_control();
        if is_on != was_on {
            self.position.axes =
                self.output.reinterpreted(self.modes.tool, &self.position.axes, is_on);
        }
    }

    /// How far the tip is above the programmed point: the length that the control reckons with, less the length of the
    /// tool in the spindle.
    pub(super) fn length_shift(&mut self) -> f64 {
        let Some(number) = self.modes.length.filter(|&number| number != self.modes.tool) else {
            return 0.0;
        };
        let length = |number: u32| self.options.tool(number).length;
        match (length(number), length(self.modes.tool)) {
            (Some(offset), Some(tool)) => offset - tool,
            _ => {
                let tool = self.modes.tool;
                self.notes.add(
                    self.line,
                    &format!(
                        "the length offset H{number} is used with tool {tool}, but their lengths are not known: they count as equal (--tool-table states them)"
                    ),
                );
                0.0
            }
        }
    }

    /// Executes `G10 L2` and `G10 L20`.
    pub(super) fn set_offsets(&mut self, block: &mut Block) -> Result<()> {
        self.refuse_compensation("G10")?;
        let kind = block.take_whole(b'l')?;
        let number = block.take_whole_in(b'p', 0..=9, "the number of a work offset")?;
        let (Some(kind @ (2 | 20)), Some(number)) = (kind, number) else {
            return Err(block.fault_at_code(
                Group::OneShot,
                "of G10, only L2 and L20 with the number of a work offset as P are supported",
            ));
        };
        if block.take(b'r').is_some_and(|angle| angle != 0.0) {
            return Err(block.fault_at(b'r', "turns the coordinate system: not supported"));
        }
        let system = if number == 0 { self.modes.system } else { number as u8 };
        self.notes.add(self.line, &format!("G10 sets the work offset {}", system_name(system)));
        for (axis, letter) in AXES.into_iter().enumerate() {
            let Some(value) = block.take(letter) else { continue };
            let value = value * self.modes.scale(axis);
            let zero = if kind == 20 {
                self.require_known(axis, "sets an offset from a position that it has not stated")?;
                self.position.axes[axis] - self.offsets.shift[axis] - value
            } else if self.modes.absolute {
                value
            } else {
                self.offsets.zero(system)[axis] + value
            };
            self.offsets.set(system, axis, zero);
        }
        Ok(())
    }

    /// Executes `G52`, `G92`, `G92.1`, `G92.2` and `G92.3`.
    pub(super) fn shift_coordinates(&mut self, block: &mut Block, code: i32) -> Result<()> {
        self.refuse_compensation("G92")?;
        match code {
            921 => (self.offsets.shift, self.offsets.saved_shift) = ([0.0; 6], [0.0; 6]),
            922 => self.offsets.shift = [0.0; 6],
            923 => self.offsets.shift = self.offsets.saved_shift,
            _ => {
                if !block.has_unused_axis() {
                    return Err(block.fault_at_code(Group::OneShot, "needs the word of an axis"));
                }
                for (axis, letter) in AXES.into_iter().enumerate() {
                    let Some(value) = block.take(letter) else { continue };
                    let value = value * self.modes.scale(axis);
                    let zero = self.offsets.zero(self.modes.system)[axis];
                    if code == 520 {
                        self.offsets.shift[axis] = value;
                    } else if self.position.known[axis] {
                        self.offsets.shift[axis] = self.position.axes[axis] - zero - value;
                    } else {
                        if self.position.lost[axis] {
                            self.require_known(axis, "")?;
                        }
                        // The program says where the tool is. Its coordinates are those of the part.
                        self.offsets.shift[axis] = 0.0;
                        self.position.axes[axis] = zero + value;
                        self.position.known[axis] = true;
                        self.notes.add(
                            self.line,
                            "G92 before the first position: the tool is where the program says",
                        );
                    }
                }
                self.offsets.saved_shift = self.offsets.shift;
            }
        }
        Ok(())
    }

    /// Executes `G28` and `G30`: by way of a point, if the line states one, to a fixed position of the machine.
    pub(super) fn return_home(&mut self, block: &mut Block, code: i32) -> Result<()> {
        self.refuse_compensation("a return to a fixed point")?;
        self.note_first_motion();
        let named = AXES.map(|letter| block.has_unused(letter));
        let returning = if named.contains(&true) { named } else { [true; 6] };
        let mut by_way = Target { to: self.position.axes, stated: [false; 6] };
        for (axis, letter) in AXES.into_iter().enumerate() {
            let Some(value) = block.take(letter) else { continue };
            let value = value * self.modes.scale(axis);
            if self.modes.absolute {
                by_way.to[axis] = value + self.offsets.total(self.modes.system, axis);
                by_way.stated[axis] = true;
            } else if value != 0.0 {
                if !self.assume_zero(axis, BY_INCREMENTS) {
                    continue;
                }
                by_way.to[axis] = self.position.axes[axis] + value;
                by_way.stated[axis] = true;
            }
        }
        if by_way.stated.contains(&true) {
            self.move_to(MoveKind::Rapid, &by_way)?;
        }
        let Some(home) = self.homes[usize::from(code == 300)] else {
            let message = if code == 280 {
                "G28: where the machine returns to is not known: the way there is not checked (--home states it)"
            } else {
                "G30: where the machine returns to is not known: the way there is not checked"
            };
            self.notes.add(self.line, message);
            for axis in (0..6).filter(|&axis| returning[axis]) {
                self.forget(axis, 0.0);
            }
            return Ok(());
        };
        let mut target = Target { to: self.position.axes, stated: returning };
        for axis in (0..6).filter(|&axis| returning[axis]) {
            target.to[axis] = home[axis];
        }
        self.move_to(MoveKind::Rapid, &target)
    }
}
