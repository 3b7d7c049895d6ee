//! Drilling, tapping and boring cycles, as the moves that they consist of.

use super::{
    block::{AXES, Block},
    codes::g_name,
    fault::{Fault, Result},
    interpreter::Interpreter,
    travel::{BY_INCREMENTS, Target},
};
use crate::{MoveKind, MoveKind::Feed, MoveKind::Rapid, program::Unit};

/// How far `G73` retracts to break the chip, and how far above the last depth `G83` starts to feed, in millimetres: the
/// value of LinuxCNC, 0.01 inch.
const PECK_CLEARANCE: f64 = 0.254;

/// The words of a cycle, which apply until another cycle or motion. Lengths in millimetres, as the program states them:
/// absolute or incremental.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cycle {
    code: i32,
    /// The plane above the part (the word R).
    retract: Option<f64>,
    /// The bottom (the word of the normal's axis).
    bottom: Option<f64>,
    /// The depth of a peck (Q).
    peck: Option<f64>,
    /// The sideways offset of `G87` (two of I, J, K).
    aside: [f64; 2],
    /// The end of back boring in `G87` (the third of I, J, K).
    back: Option<f64>,
    /// The height at which the cycles started, in the coordinates of the machine.
    initial: Option<f64>,
}

impl Interpreter<'_> {
    /// Executes a cycle, at one position or several.
    pub(super) fn drill(&mut self, block: &mut Block, code: i32) -> Result<()> {
        self.refuse_compensation("a cycle")?;
        let [u, v, w] = self.modes.plane.axes();
        let unit = self.modes.unit.to(Unit::Millimetre);
        let mut cycle = match self.cycle {
            Some(cycle) if cycle.code == code => cycle,
            // Another cycle has words of its own, but the series has started at the same height.
            Some(cycle) => Cycle { code, initial: cycle.initial, ..Cycle::default() },
            None => {
                let initial = self.position.known[w].then_some(self.position.axes[w]);
                Cycle { code, initial, ..Cycle::default() }
            }
        };
        let word = |letter: u8, block: &mut Block| block.take(letter).map(|value| value * unit);
        cycle.retract = word(b'r', block).or(cycle.retract);
        cycle.bottom = word(AXES[w], block).or(cycle.bottom);
        if matches!(code, 730 | 830) {
            cycle.peck = word(b'q', block).or(cycle.peck);
        }
        if code == 870 {
            for (place, axis) in cycle.aside.iter_mut().zip([u, v]) {
                *place = word(b"ijk"[axis], block).unwrap_or(*place);
            }
            cycle.back = word(b"ijk"[w], block).or(cycle.back);
        }
        block.take(b'p');
        let repeats = block.take_whole(b'l')?.unwrap_or(1);
        if repeats == 0 {
            return Err(block.fault_at(b'l', "must be a number of repetitions, from 1"));
        }
        self.cycle = Some(cycle);

        let name = g_name(code);
        let (Some(retract), Some(bottom)) = (cycle.retract, cycle.bottom) else {
            let normal = AXES[w].to_ascii_uppercase() as char;
            return Err(Fault::new(format!("{name} needs the words {normal} and R")));
        };
        let zero = self.offsets.total(self.modes.system, w);
        let (retract, bottom) = if self.modes.absolute {
            (retract + zero, bottom + zero)
        } else {
            self.require_known(w, BY_INCREMENTS)?;
            let retract = retract + self.position.axes[w];
            (retract, retract + bottom)
        };
        if bottom > retract {
            return Err(Fault::new(format!("{name}: the plane R is below the bottom of the hole")));
        }
        let clear = match cycle.initial {
            Some(initial) if self.modes.retract_to_start => initial.max(retract),
            _ => retract,
        };
        let across = self.across(block, [u, v])?;
        if self.position.known[w] && self.position.axes[w] < retract {
            self.step(Rapid, &[(w, retract)])?;
        }
        for _ in 0..repeats {
            let place = [u, v].map(|axis| match across[axis] {
                Some(Across::At(value)) => value,
                Some(Across::By(value)) => self.position.axes[axis] + value,
                None => self.position.axes[axis],
            });
            let stated: Vec<_> = [(u, place[0]), (v, place[1])]
                .into_iter()
                .filter(|&(axis, _)| across[axis].is_some())
                .collect();
            self.step(Rapid, &stated)?;
            self.step(Rapid, &[(w, retract)])?;
            self.hole(&cycle, [retract, bottom, clear], place)?;
        }
        Ok(())
    }

    /// The positions in the plane that the line states.
    fn across(&mut self, block: &mut Block, axes: [usize; 2]) -> Result<[Option<Across>; 3]> {
        let mut across = [None; 3];
        for axis in axes {
            let Some(value) = block.take(AXES[axis]) else { continue };
            let value = value * self.modes.scale(axis);
            across[axis] = Some(if self.modes.absolute {
                Across::At(value + self.offsets.total(self.modes.system, axis))
            } else {
                self.require_known(axis, BY_INCREMENTS)?;
                Across::By(value)
            });
        }
        Ok(across)
    }

    /// The moves of one hole, from the plane R.
    fn hole(&mut self, cycle: &Cycle, heights: [f64; 3], place: [f64; 2]) -> Result<()> {
        let [retract, bottom, clear] = heights;
        let [u, v, w] = self.modes.plane.axes();
        match cycle.code {
            730 | 830 => {
                let Some(peck) = cycle.peck.filter(|&peck| peck > 0.0) else {
                    return Err(Fault::new(format!(
                        "{} needs a depth Q above 0",
                        g_name(cycle.code)
                    )));
                };
                let mut depth = retract - peck;
                while depth > bottom {
                    self.step(Feed, &[(w, depth)])?;
                    if cycle.code == 830 {
                        self.step(Rapid, &[(w, retract)])?;
                    }
                    self.step(Rapid, &[(w, (depth + PECK_CLEARANCE).min(retract))])?;
                    if depth - peck >= depth {
                        return Err(Fault::new("the depth Q is too small"));
                    }
                    depth -= peck;
                }
                self.step(Feed, &[(w, bottom)])?;
                self.step(Rapid, &[(w, clear)])
            }
            // Taps and reamers leave at feed rate, then rise to the clear height at full speed.
            740 | 840 | 850 | 890 => {
                self.step(Feed, &[(w, bottom)])?;
                self.step(Feed, &[(w, retract)])?;
                self.step(Rapid, &[(w, clear)])
            }
            870 => {
                let Some(back) = cycle.back else {
                    return Err(Fault::new(
                        "G87 needs the end of back boring as K (I in G19, J in G18)",
                    ));
                };
                let back = if self.modes.absolute {
                    back + self.offsets.total(self.modes.system, w)
                } else {
                    bottom + back
                };
                let aside = [(u, place[0] + cycle.aside[0]), (v, place[1] + cycle.aside[1])];
                let home = [(u, place[0]), (v, place[1])];
                self.step(Rapid, &aside)?;
                self.step(Rapid, &[(w, bottom)])?;
                self.step(Rapid, &home)?;
                self.step(Feed, &[(w, back)])?;
                self.step(Feed, &[(w, bottom)])?;
                self.step(Rapid, &aside)?;
                self.step(Rapid, &[(w, clear)])?;
                self.step(Rapid, &home)
            }
            _ => {
                self.step(Feed, &[(w, bottom)])?;
                self.step(Rapid, &[(w, clear)])
            }
        }
    }

    /// One straight move of a cycle.
    fn step(&mut self, kind: MoveKind, ends: &[(usize, f64)]) -> Result<()> {
        let mut stated = [false; 6];
        for &(axis, _) in ends {
            stated[axis] = true;
        }
        if kind == Feed {
            for axis in (0..3).filter(|&axis| !stated[axis]) {
                self.assume_zero(axis, "cuts before it states every axis");
            }
        }
        let mut to = self.position.axes;
        for &(axis, end) in ends {
            to[axis] = end;
        }
        if ends.is_empty() {
            return Ok(());
        }
        self.move_to(kind, &Target { to, stated })
    }
}

/// A position in an axis of the plane.
#[derive(Clone, Copy, Debug)]
enum Across {
    /// Absolute, in the coordinates of the machine.
    At(f64),
    /// Relative to the position before.
    By(f64),
}
