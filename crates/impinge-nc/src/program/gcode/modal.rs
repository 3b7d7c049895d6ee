//! The state that lasts from line to line: modes, offsets and the position of the tool.

use super::{codes::g_name, options::GcodeOptions, plane::Plane};
use crate::program::Unit;

/// The modes of a program.
#[derive(Clone, Debug)]
pub(super) struct Modes {
    /// The G code of the motion, in tenths; `None` before the first and after `G80`.
    pub(super) motion: Option<i32>,
    pub(super) plane: Plane,
    /// The unit, and whether the program has stated it.
    pub(super) unit: Unit,
    pub(super) unit_is_stated: bool,
    /// `G90` or `G91`.
    pub(super) absolute: bool,
    /// `G90.1` or `G91.1`.
    pub(super) arc_absolute: bool,
    /// `G93`, `G94` or `G95`, in tenths.
    pub(super) feed_mode: i32,
    /// `G98`: cycles end at the height at which they started.
    pub(super) retract_to_start: bool,
    /// The work offset in use: 1 is `G54`.
    pub(super) system: u8,
    /// The number of the length offset; `None` after `G49`.
    pub(super) length: Option<u32>,
    /// Whether the kinematics keep the tip in place while rotary axes turn: `M428`.
    pub(super) tip_kinematics: bool,
    /// Whether the length offset keeps the tip in place while rotary axes turn: `G43.4`.
    pub(super) tip_offset: bool,
    /// The tool in the spindle.
    pub(super) tool: u32,
    /// The tool that the next `M6` puts in.
    pub(super) selected_tool: Option<u32>,
    pub(super) feed: f64,
    pub(super) speed: f64,
}

impl Modes {
    pub(super) fn new(options: &GcodeOptions) -> Self {
        Self {
            motion: None,
            plane: Plane::Xy,
            unit: options.unit,
            unit_is_stated: false,
            absolute: true,
            arc_absolute: false,
            feed_mode: 940,
            retract_to_start: true,
            system: 1,
            length: None,
            tip_kinematics: options
                .machine
                .as_ref()
                .is_some_and(|machine| machine.is_tip_programmed()),
            tip_offset: false,
            tool: 0,
            selected_tool: None,
            feed: 0.0,
            speed: 0.0,
        }
    }

    /// Whether X, Y, Z are the tip in the coordinates of the part, whatever the rotary axes do.
    pub(super) fn tip_control(&self) -> bool {
        self.tip_kinematics || self.tip_offset
    }

    /// The factor from the program's values of an axis to millimetres or radians.
    pub(super) fn scale(&self, axis: usize) -> f64 {
        if axis < 3 { self.unit.to(Unit::Millimetre) } else { std::f64::consts::PI / 180.0 }
    }
}

/// The offsets between the coordinates of the program and those of the machine.
#[derive(Clone, Debug)]
pub(super) struct Offsets {
    /// The zeros of `G54` to `G59.3`, where they are known.
    systems: [Option<[f64; 6]>; 9],
    /// The first system that the program moves in. If its zero is not known, it is that of the part.
    first: Option<u8>,
    /// The offset of `G92` that applies.
    pub(super) shift: [f64; 6],
    /// The offset that `G92.3` brings back.
    pub(super) saved_shift: [f64; 6],
}

impl Offsets {
    pub(super) fn new(options: &GcodeOptions) -> Self {
        let mut systems = [None; 9];
        for (&number, &offset) in &options.offsets {
            if let Some(system) = systems.get_mut(usize::from(number).wrapping_sub(1)) {
                *system = Some(offset);
            }
        }
        Self { systems, first: None, shift: [0.0; 6], saved_shift: [0.0; 6] }
    }

    /// Whether the zero of a system is known, seen from the machine's zero.
    pub(super) fn is_known(&self, system: u8) -> bool {
        self.system(system).is_some()
    }

    fn system(&self, system: u8) -> Option<[f64; 6]> {
        self.systems.get(usize::from(system).wrapping_sub(1)).copied().flatten()
    }

    /// The zero of a system; 0 if it is not known.
    pub(super) fn zero(&self, system: u8) -> [f64; 6] {
        self.system(system).unwrap_or_default()
    }

    /// Sets the zero of a system in some axes.
    pub(super) fn set(&mut self, system: u8, axis: usize, value: f64) {
        let mut zero = self.zero(system);
        zero[axis] = value;
        if let Some(place) = self.systems.get_mut(usize::from(system).wrapping_sub(1)) {
            *place = Some(zero);
        }
    }

    /// Notes that the program moves in a system. An `Err` says that the program moves in two systems, and that the zero
    /// of one is not known.
    pub(super) fn use_system(&mut self, system: u8) -> Result<(), String> {
        let other = *self.first.get_or_insert(system);
        if other == system || (self.is_known(system) && self.is_known(other)) {
            return Ok(());
        }
        let [new, old] = [system, other].map(system_name);
        Err(format!(
            "the program moves in {old} and {new}, but the distance of their zeros is not known: state both offsets (--offset)"
        ))
    }

    /// From the program's zero to the machine's, in an axis.
    pub(super) fn total(&self, system: u8, axis: usize) -> f64 {
        self.zero(system)[axis] + self.shift[axis]
    }
}

/// The name of a coordinate system.
pub(super) fn system_name(system: u8) -> String {
    let system = i32::from(system);
    g_name(if system <= 6 { 530 + 10 * system } else { 584 + system })
}

/// Where the tool is: positions in the coordinates of the machine, and which of them are known.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) axes: [f64; 6],
    pub(super) known: [bool; 6],
    /// Axes that are not known because a return or `G53` has moved them to a position of the machine. Unlike an axis that
    /// the program has not stated yet, such an axis is not taken as 0.
    pub(super) lost: [bool; 6],
}

impl Position {
    pub(super) fn new(options: &GcodeOptions) -> Self {
        let known = options.start.is_some();
        let [x, y, z] = (options.start.unwrap_or_default() + options.origin).to_array();
        // Rotary axes start at 0: programs without rotary words rely on it.
        Self {
            axes: [x, y, z, 0.0, 0.0, 0.0],
            known: [known, known, known, true, true, true],
            lost: [false; 6],
        }
    }

    /// Whether X, Y and Z are known.
    pub(super) fn is_known(&self) -> bool {
        self.known[..3].iter().all(|&known| known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_have_names() {
        assert_eq!([1, 6, 7, 9].map(system_name), ["G54", "G59", "G59.1", "G59.3"]);
    }

    #[test]
    fn one_system_may_be_unknown_but_not_two() {
        let mut offsets = Offsets::new(&GcodeOptions::default());
        assert!(offsets.use_system(2).is_ok());
        assert!(offsets.use_system(2).is_ok());
        assert!(offsets.use_system(1).unwrap_err().contains("G55 and G54"));
        offsets.set(1, 0, 5.0);
        assert!(offsets.use_system(1).is_err());
        offsets.set(2, 0, 5.0);
        assert!(offsets.use_system(1).is_ok());
        assert_eq!(offsets.total(1, 0), 5.0);
    }
}
