//! Parameters that mirror the state of the machine: positions, offsets, modes. And the access of expressions to all
//! parameters.

use super::{
    compensation::Compensation, expression::Variables, interpreter::Interpreter,
    parameters::HIGHEST, plane::Plane,
};
use crate::program::Unit;

impl Interpreter<'_> {
    /// The value of a parameter that the machine sets.
    fn mirrored_number(&mut self, index: u32) -> Result<Option<f64>, String> {
        let axis_of =
            |first: u32| (first..first + 6).contains(&index).then(|| (index - first) as usize);
        if let Some(axis) = axis_of(5420) {
            return self.programmed(axis).map(Some);
        }
        for (first, home) in [(5161, self.homes[0]), (5181, self.homes[1])] {
            if let Some(axis) = axis_of(first) {
                return Ok(Some(home.unwrap_or_default()[axis] / self.modes.scale(axis)));
            }
        }
        if let Some(axis) = axis_of(5211) {
            return Ok(Some(self.offsets.shift[axis] / self.modes.scale(axis)));
        }
        for system in 1..=9_u8 {
            if let Some(axis) = axis_of(5201 + 20 * u32::from(system)) {
                return Ok(Some(self.offsets.zero(system)[axis] / self.modes.scale(axis)));
            }
        }
        Ok(match index {
            5210 => Some(f64::from(u8::from(self.offsets.shift != [0.0; 6]))),
            5220 => Some(self.modes.system.into()),
            5400 => Some(self.modes.tool.into()),
            5403 => Some(self.tool_offset(false)),
            5410 => Some(self.tool_offset(true)),
            _ => None,
        })
    }

    /// The position of an axis as the program would state it.
    fn programmed(&mut self, axis: usize) -> Result<f64, String> {
        self.require_known(axis, "asks for a position that it has not stated")
            .map_err(|fault| fault.to_string())?;
        let value = self.position.axes[axis] - self.offsets.total(self.modes.system, axis);
        Ok(value / self.modes.scale(axis))
    }

    /// The diameter or the length of the tool in the spindle, in the unit of the program; 0 if it is not known.
    fn tool_offset(&self, diameter: bool) -> f64 {
        let tool = self.options.tool(self.modes.tool);
        let value = if diameter { tool.diameter } else { tool.length };
        value.unwrap_or_default() / self.modes.unit.to(Unit::Millimetre)
    }

    /// The value of a named parameter that the machine sets.
    fn mirrored_name(&mut self, name: &str) -> Result<Option<f64>, String> {
        let truth = |holds: bool| Some(f64::from(u8::from(holds)));
        let axis = |letter: &str| "xyzabc".find(letter).filter(|_| letter.len() == 1);
        if let Some(axis) = name.strip_prefix("_abs_").and_then(axis) {
            self.programmed(axis)?;
            return Ok(Some(self.position.axes[axis] / self.modes.scale(axis)));
        }
        if let Some(axis) = name.strip_prefix('_').and_then(axis) {
            return self.programmed(axis).map(Some);
        }
        Ok(match name {
            "_metric" => truth(self.modes.unit == Unit::Millimetre),
            "_imperial" => truth(self.modes.unit == Unit::Inch),
            "_absolute" => truth(self.modes.absolute),
            "_incremental" => truth(!self.modes.absolute),
            "_inverse_time" => truth(self.modes.feed_mode == 930),
            "_units_per_minute" => truth(self.modes.feed_mode == 940),
            "_units_per_rev" => truth(self.modes.feed_mode == 950),
            "_ccomp" => Some(self.compensation.as_ref().map_or(400.0, Compensation::code)),
            "_coord_system" => {
                let system = f64::from(self.modes.system);
                Some(if system <= 6.0 { 530.0 + 10.0 * system } else { 584.0 + system })
            }
            "_plane" => Some(match self.modes.plane {
                Plane::Xy => 170.0,
                Plane::Zx => 180.0,
                Plane::Yz => 190.0,
            }),
            "_motion_mode" => Some(self.modes.motion.unwrap_or(800).into()),
            "_feed" => Some(self.modes.feed),
            "_rpm" => Some(self.modes.speed),
            "_current_tool" => Some(self.modes.tool.into()),
            "_selected_tool" => Some(self.modes.selected_tool.map_or(-1.0, f64::from)),
            "_line" => Some(self.line.into()),
            "_call_level" => Some(self.frames.len() as f64),
            _ => None,
        })
    }
}

impl Variables for Interpreter<'_> {
    fn numbered(&mut self, index: u32) -> Result<f64, String> {
        if let Some(value) = self.parameters.numbered(index) {
            return Ok(value);
        }
        if let Some(value) = self.mirrored_number(index)? {
            return Ok(value);
        }
        match index {
            0 => Err("there is no parameter #0".into()),
            1..=HIGHEST => {
                self.notes
                    .add(self.line, &format!("#{index} is used but never set: it counts as 0"));
                Ok(0.0)
            }
            _ => Err(format!("there is no parameter #{index}: the last is #{HIGHEST}")),
        }
    }

    fn named(&mut self, name: &str) -> Result<f64, String> {
        if let Some(value) = self.parameters.named(name) {
            return Ok(value);
        }
        self.mirrored_name(name)?.ok_or_else(|| format!("the parameter #<{name}> has no value"))
    }

    fn has_numbered(&self, index: u32) -> bool {
        self.parameters.numbered(index).is_some() || (5001..=HIGHEST).contains(&index)
    }

    fn has_named(&self, name: &str) -> bool {
        self.parameters.named(name).is_some()
    }
}
