//! Straight moves and arcs: from the words of a line to pieces of the path.
//!
//! Where the tool stands before the program is not known. A move whose start is not known in some axis is therefore not
//! checked, but its end is, as soon as X, Y and Z are known. A program that cuts (`G1`, `G2`, `G3`) without ever having
//! stated an axis relies on the position where the operator has left the tool: that counts as the program's zero.

use super::{
    arc::{ArcShape, RadiusTolerance, Sense},
    block::{AXES, Block},
    fault::{Fault, Result},
    interpreter::Interpreter,
    output::Piece,
};
use crate::{MoveKind, program::Unit};

/// The most turns of one arc.
const MOST_TURNS: u32 = 1_000_000;

/// Why an axis is taken as 0, for notes.
pub(super) const BY_INCREMENTS: &str = "moves by increments (G91) before it states a position";

/// The end of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// X, Y, Z in millimetres, A, B, C in radians, in the coordinates of the machine.
    pub(super) to: [f64; 6],
    /// Which axes the line states.
    pub(super) stated: [bool; 6],
}

impl Interpreter<'_> {
    /// Executes `G0` or `G1`.
    pub(super) fn straight(
        &mut self,
        block: &mut Block,
        kind: MoveKind,
        machine_coordinates: bool,
    ) -> Result<()> {
        if machine_coordinates {
            self.refuse_compensation("G53")?;
            if !self.offsets.is_known(self.modes.system) {
                self.lose_axes(block);
                return Ok(());
            }
        }
        let target = self.target(block, kind, machine_coordinates);
        self.move_to(kind, &target)
    }

    /// The machine's zero is not known: after the move, neither are the axes that it states.
    fn lose_axes(&mut self, block: &mut Block) {
        self.notes.add(
            self.line,
            "G53: where the machine's zero is, is not known: the move is not checked (--offset states it)",
        );
        for (axis, letter) in AXES.into_iter().enumerate() {
            if let Some(value) = block.take(letter) {
                self.forget(axis, value * self.modes.scale(axis));
            }
        }
    }

    /// Takes an axis as unknown from now on. Rotary axes take a value instead.
    pub(super) fn forget(&mut self, axis: usize, value: f64) {
        if axis < 3 {
            self.position.known[axis] = false;
            self.position.lost[axis] = true;
        } else {
            self.position.axes[axis] = value;
        }
    }

    /// Reads the words of the axes.
    pub(super) fn target(
        &mut self,
        block: &mut Block,
        kind: MoveKind,
        machine_coordinates: bool,
    ) -> Target {
        let mut stated = [false; 6];
        for (axis, letter) in AXES.into_iter().enumerate() {
            stated[axis] = block.has_unused(letter);
            if kind == MoveKind::Feed && !stated[axis] {
                self.assume_zero(axis, "cuts before it states every axis");
            }
        }
        let mut to = self.position.axes;
        for (axis, letter) in AXES.into_iter().enumerate() {
            if !stated[axis] {
                continue;
            }
            let value = block.take(letter).unwrap_or_default() * self.modes.scale(axis);
            to[axis] = if machine_coordinates {
                value
            } else if self.modes.absolute {
                value + self.offsets.total(self.modes.system, axis)
            } else {
                if !self.assume_zero(axis, BY_INCREMENTS) {
                    // An increment from a position that is not known leads to another one.
                    stated[axis] = false;
                    continue;
                }
                self.position.axes[axis] + value
            };
        }
        Target { to, stated }
    }

    /// Takes the program's zero as the position of an axis that it has not stated yet. Returns whether the position is
    /// known now.
    pub(super) fn assume_zero(&mut self, axis: usize, why: &str) -> bool {
        if self.position.known[axis] || self.position.lost[axis] {
            return self.position.known[axis];
        }
        self.position.known[axis] = true;
        self.position.axes[axis] = self.offsets.total(self.modes.system, axis);
        let letter = AXES[axis].to_ascii_uppercase() as char;
        self.notes.add(
            self.line,
            &format!("the program {why}: {letter} starts at 0 (--start states another start)"),
        );
        true
    }

    /// Like [`assume_zero`](Self::assume_zero), but an error if the position is not known.
    pub(super) fn require_known(&mut self, axis: usize, why: &str) -> Result<()> {
        if self.assume_zero(axis, why) {
            return Ok(());
        }
        let letter = AXES[axis].to_ascii_uppercase() as char;
        Err(Fault::new(format!(
            "the position of {letter} is not known after the return to a position of the machine: state it before"
        )))
    }

    /// Moves in a straight line, as far as the positions are known.
    pub(super) fn move_to(&mut self, kind: MoveKind, target: &Target) -> Result<()> {
        let from = self.position.axes;
        let was_known = self.position.is_known();
        self.position.axes = target.to;
        for axis in (0..6).filter(|&axis| target.stated[axis]) {
            self.position.known[axis] = true;
            self.position.lost[axis] = false;
        }
        if !was_known && self.compensation.is_some() {
            return Err(Fault::new(
                "cutter compensation needs a position that is known in X, Y and Z",
            ));
        }
        if !was_known {
            self.left_path = None;
            self.notes.add(
                self.line,
                "the tool comes from a position that is not known: the way is not checked, only the end once X, Y and Z are known (--start states the start)",
            );
        }
        if !self.position.is_known() {
            return Ok(());
        }
        let from = if was_known { from } else { target.to };
        if was_known && from == target.to && self.left_path.is_none() {
            return Ok(());
        }
        let piece = self.piece(kind, from, target.to, None);
        self.emit(piece)
    }

    /// Executes `G2` or `G3`.
    pub(super) fn arc(&mut self, block: &mut Block, clockwise: bool) -> Result<()> {
        let plane = self.modes.plane;
        let [u, v, _] = plane.axes();
        let target = self.target(block, MoveKind::Feed, false);
        if !self.position.is_known() {
            return Err(Fault::new(
                "an arc needs a known start: state X, Y and Z before it, or the start of the program (--start)",
            ));
        }
        let turns = block.take_whole_in(b'p', 1..=MOST_TURNS, "the number of turns")?.unwrap_or(1);
        let radius = block.take(b'r');
        let offsets = [u, v].map(|axis| block.take(b"ijk"[axis]));
        let unit = self.modes.unit.to(Unit::Millimetre);
        let sense = Sense { clockwise, turns };
        let tolerance = match self.modes.unit {
            Unit::Inch => RadiusTolerance::INCH,
            _ => RadiusTolerance::METRIC,
        };
        let ends = [plane.flat(&self.position.axes), plane.flat(&target.to)];
        let shape = match (radius, offsets) {
            (None, [None, None]) => {
                let [first, second] = [u, v].map(|axis| b"IJK"[axis] as char);
                return Err(Fault::new(format!(
                    "an arc in the plane {} needs its centre ({first}, {second}) or its radius (R)",
                    plane.name()
                )));
            }
            (Some(_), [Some(_), _] | [_, Some(_)]) => {
                return Err(Fault::new("an arc has either a centre or a radius R, not both"));
            }
            (Some(radius), _) => {
                ArcShape::with_radius(plane, ends, radius * unit, sense, tolerance)?
            }
            (None, [first, second]) if self.modes.arc_absolute => {
                let (Some(first), Some(second)) = (first, second) else {
                    return Err(Fault::new(
                        "with G90.1, an arc needs both coordinates of its centre",
                    ));
                };
                let zero = [u, v].map(|axis| self.offsets.total(self.modes.system, axis));
                let center = [first * unit + zero[0], second * unit + zero[1]];
                ArcShape::around(plane, ends, center.into(), sense, tolerance)?
            }
            (None, offsets) => {
                let [first, second] = offsets.map(|offset| offset.unwrap_or_default() * unit);
                let center = ends[0] + impinge::glam::DVec2::new(first, second);
                ArcShape::around(plane, ends, center, sense, tolerance)?
            }
        };
        let from = std::mem::replace(&mut self.position.axes, target.to);
        let piece = self.piece(MoveKind::Feed, from, target.to, Some(shape));
        self.emit(piece)
    }

    fn piece(
        &mut self,
        kind: MoveKind,
        from: [f64; 6],
        to: [f64; 6],
        arc: Option<ArcShape>,
    ) -> Piece {
        let shift = self.length_shift();
        Piece {
            line: self.line,
            kind,
            tool: self.modes.tool,
            from,
            to,
            arc,
            tip_control: self.modes.tip_control(),
            shift,
        }
    }

    fn emit(&mut self, mut piece: Piece) -> Result<()> {
        if let Some(from) = self.left_path.take() {
            if piece.arc.is_some() {
                return Err(Fault::new("the first move after G40 must be straight"));
            }
            // The plane's coordinates are those of the tool; the others may have changed since.
            piece.from = from;
        }
        match &mut self.compensation {
            Some(compensation) => compensation.push(&piece, &mut self.output),
            None => self.output.push(&piece),
        }
    }
}
