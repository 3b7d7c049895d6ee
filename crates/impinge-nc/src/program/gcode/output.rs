//! Turns pieces of the path into moves of the program: applies the length offset, the machine's kinematics and the path
//! of rapids.

use super::{
    arc::ArcShape,
    fault::{Fault, Result},
    options::{GcodeOptions, Rapids, ToolOffset},
};
use crate::{ArcMotion, Machine, Motion, Move, MoveKind};
use impinge::glam::DVec3;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// A piece of the path in the coordinates of the machine: a segment or an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) line: u32,
    pub(super) kind: MoveKind,
    pub(super) tool: u32,
    /// X, Y, Z in millimetres and A, B, C in radians at the start.
    pub(super) from: [f64; 6],
    /// The same at the end.
    pub(super) to: [f64; 6],
    /// The arc in between; without one, the piece is a segment.
    pub(super) arc: Option<ArcShape>,
    /// Whether X, Y, Z are the tip in the coordinates of the part, whatever the rotary axes do.
    pub(super) tip_control: bool,
    /// How far the tip is above the programmed point, because the length offset is not that of the tool.
    pub(super) shift: f64,
}

/// Collects the moves.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) moves: Vec<Move>,
    pub(super) tools: Vec<u32>,
    seen_tools: BTreeSet<u32>,
    most_moves: usize,
    rapids: Rapids,
    origin: DVec3,
    machine: Option<Arc<Machine>>,
    /// The machine with the length of each tool, for tools whose length is known.
    machines: BTreeMap<u32, Arc<Machine>>,
    /// Whether a rapid of rotary axes was taken as straight though dog-legs were asked for.
    pub(super) straightened: Option<u32>,
}

/// The first three positions as a point.
pub(super) fn linear(position: &[f64; 6]) -> DVec3 {
    DVec3::new(position[0], position[1], position[2])
}

fn with_linear(position: &[f64; 6], point: DVec3) -> [f64; 6] {
    [point.x, point.y, point.z, position[3], position[4], position[5]]
}

impl Output {
    pub(super) fn new(options: &GcodeOptions) -> Self {
        Self {
            moves: Vec::new(),
            tools: Vec::new(),
            seen_tools: BTreeSet::new(),
            most_moves: options.most_moves,
            rapids: options.rapids,
            origin: options.origin,
            machine: options.machine.as_ref().map(|machine| {
                let machine = machine.with_tip_programmed(false);
                Arc::new(match options.other_tools.length {
                    Some(length) => machine.with_tool_length(length),
                    None => machine,
                })
            }),
            machines: machines_of_tools(options),
            straightened: None,
        }
    }

    /// Adds the moves of a piece.
    pub(super) fn push(&mut self, piece: &Piece) -> Result<()> {
        self.convert(piece).map_err(|fault| fault.on_line(piece.line))
    }

    /// The positions of the same pose of the tool after tip control is switched on or off.
    pub(super) fn reinterpreted(&self, tool: u32, axes: &[f64; 6], to_tip: bool) -> [f64; 6] {
        let upright = axes[3..].iter().all(|&angle| angle == 0.0);
        let Some(machine) = self.machine_of(tool).filter(|_| !upright) else { return *axes };
        let place = |point: DVec3| machine.tool_pose(with_linear(axes, point)).tip;
        let point = linear(axes) - self.origin;
        let point = if to_tip {
            place(point)
        } else {
            // The machine turns and shifts the part: the inverse of the turn is its transpose.
            let origin = place(DVec3::ZERO);
            let from_origin = point - origin;
            DVec3::from_array(DVec3::AXES.map(|axis| (place(axis) - origin).dot(from_origin)))
        };
        with_linear(axes, point + self.origin)
    }

    /// The machine with the length of a tool, if the length is known.
    fn machine_of(&self, tool: u32) -> Option<&Arc<Machine>> {
        self.machines.get(&tool).or(self.machine.as_ref())
    }

    fn convert(&mut self, piece: &Piece) -> Result<()> {
        if ![piece.from, piece.to].iter().flatten().all(|value| value.abs() < 1e9) {
            return Err(Fault::new("the tool moves further than 1e9 mm"));
        }
        let shift = DVec3::new(0.0, 0.0, piece.shift) - self.origin;
        let from = with_linear(&piece.from, linear(&piece.from) + shift);
        let to = with_linear(&piece.to, linear(&piece.to) + shift);
        let arc = piece.arc.map(|mut arc| {
            arc.center += arc.plane.flat(&shift.to_array());
            arc
        });
        let dogleg = piece.kind == MoveKind::Rapid && self.rapids != Rapids::Straight;
        if from[3..] == to[3..] && dogleg {
            let path = dogleg_path(linear(&from), linear(&to));
            if path.len() == 2 || self.rapids == Rapids::Both {
                self.add(piece, from, to, arc)?;
            }
            if path.len() > 2 {
                for ends in path.windows(2) {
                    let ends = [ends[0], ends[1]].map(|point| with_linear(&from, point));
                    self.add(piece, ends[0], ends[1], None)?;
                }
            }
            return Ok(());
        }
        if dogleg {
            self.straightened.get_or_insert(piece.line);
        }
        self.add(piece, from, to, arc)
    }

    fn add(
        &mut self,
        piece: &Piece,
        from: [f64; 6],
        to: [f64; 6],
        arc: Option<ArcShape>,
    ) -> Result<()> {
        if self.moves.len() >= self.most_moves {
            return Err(Fault::new(format!("the program has more than {} moves", self.most_moves)));
        }
        let motion = self.motion(piece, from, to, arc)?;
        if self.moves.last().is_none_or(|last| last.tool != piece.tool)
            && self.seen_tools.insert(piece.tool)
        {
            self.tools.push(piece.tool);
        }
        self.moves.push(Move { line: piece.line, kind: piece.kind, tool: piece.tool, motion });
        Ok(())
    }

    fn motion(
        &self,
        piece: &Piece,
        from: [f64; 6],
        to: [f64; 6],
        arc: Option<ArcShape>,
    ) -> Result<Motion> {
        let turns = from[3..] != to[3..];
        let upright = !turns && from[3..].iter().all(|&angle| angle == 0.0);
        if upright {
            return Ok(plain(from, to, arc, DVec3::Z));
        }
        let Some(machine) = self.machine_of(piece.tool) else {
            return Err(Fault::new(
                "the move uses rotary axes: a kinematics file is needed to place the tool (--machine)",
            ));
        };
        for (index, letter) in [(3, 'A'), (4, 'B'), (5, 'C')] {
            if (from[index] != 0.0 || to[index] != 0.0) && !machine.has_axis(letter) {
                return Err(Fault::new(format!(
                    "the move uses the axis {letter}, which the machine '{}' does not have",
                    machine.name()
                )));
            }
        }
        if piece.shift != 0.0 {
            return Err(Fault::new(
                "a length offset that is not that of the tool is not modelled for moves of rotary axes",
            ));
        }
        if turns && arc.is_some() {
            return Err(Fault::new("an arc during which rotary axes turn is not modelled"));
        }
        if turns {
            let machine = Arc::clone(machine);
            return Ok(if piece.tip_control {
                Motion::TipControlled { machine, from, to }
            } else {
                Motion::Machine { machine, from, to }
            });
        }
        let place = |point: DVec3| machine.tool_pose(with_linear(&from, point));
        let axis = machine.tool_axis([from[3], from[4], from[5]]);
        if piece.tip_control {
            return Ok(plain(from, to, arc, axis));
        }
        // The rotary axes stand still, so that the machine turns and shifts the whole path.
        let origin = place(DVec3::ZERO).tip;
        let turned = |vector: DVec3| place(vector).tip - origin;
        Ok(match plain(from, to, arc, axis) {
            Motion::Arc(arc) => Motion::Arc(ArcMotion {
                center: place(arc.center).tip,
                radius: turned(arc.radius),
                normal: turned(arc.normal),
                rise: turned(arc.rise),
                ..arc
            }),
            _ => Motion::Straight {
                from: place(linear(&from)).tip,
                to: place(linear(&to)).tip,
                axis,
            },
        })
    }
}

/// The machine with the length of each tool in the table. Tip control is off: the reader follows the codes that switch it.
fn machines_of_tools(options: &GcodeOptions) -> BTreeMap<u32, Arc<Machine>> {
    let Some(machine) = &options.machine else { return BTreeMap::new() };
    let with_length = |(&tool, offset): (&u32, &ToolOffset)| {
        let machine = machine.with_tip_programmed(false).with_tool_length(offset.length?);
        Some((tool, Arc::new(machine)))
    };
    options.tools.iter().filter_map(with_length).collect()
}

/// A segment or an arc with a constant axis of the tool.
fn plain(from: [f64; 6], to: [f64; 6], arc: Option<ArcShape>, axis: DVec3) -> Motion {
    let (from, to) = (linear(&from), linear(&to));
    let Some(arc) = arc else { return Motion::Straight { from, to, axis } };
    let normal = arc.plane.normal();
    let height = from.dot(normal);
    let center = arc.plane.raised(arc.center) + normal * height;
    let radii = [from, to].map(|end| arc.plane.flat(&end.to_array()).distance(arc.center));
    Motion::Arc(ArcMotion {
        center,
        radius: from - center,
        normal,
        sweep: arc.sweep,
        rise: normal * (to.dot(normal) - height),
        growth: radii[1] / radii[0] - 1.0,
        axis,
    })
}

/// The corners of the path if the linear axes move at the same speed and each stops when it arrives.
fn dogleg_path(from: DVec3, to: DVec3) -> Vec<DVec3> {
    let way = to - from;
    let mut stops = way.abs().to_array();
    stops.sort_by(f64::total_cmp);
    let mut path = vec![from];
    for stop in stops {
        let point = from + way.clamp(DVec3::splat(-stop), DVec3::splat(stop));
        // The last corner is the end itself, without rounding.
        let point = if stop == stops[2] { to } else { point };
        if path.last() != Some(&point) {
            path.push(point);
        }
    }
    if path.len() == 1 {
        path.push(to);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(from: [f64; 6], to: [f64; 6]) -> Piece {
        let kind = MoveKind::Rapid;
        Piece { line: 7, kind, tool: 1, from, to, arc: None, tip_control: false, shift: 0.0 }
    }

    #[test]
    fn a_dogleg_drops_one_axis_after_the_other() {
        let path = dogleg_path(DVec3::ZERO, DVec3::new(10.0, -4.0, 7.0));
        let expected = [[0.0; 3], [4.0, -4.0, 4.0], [7.0, -4.0, 7.0], [10.0, -4.0, 7.0]];
        assert_eq!(path, expected.map(DVec3::from_array));
        let straight = [DVec3::ZERO, DVec3::new(3.0, 3.0, 0.0)];
        assert_eq!(dogleg_path(straight[0], straight[1]), straight);
        assert_eq!(dogleg_path(DVec3::ZERO, DVec3::ZERO).len(), 2);
    }

    #[test]
    fn rapids_take_the_path_that_the_options_ask_for() {
        for (rapids, count) in [(Rapids::Straight, 1), (Rapids::Dogleg, 3), (Rapids::Both, 4)] {
            let options = GcodeOptions { rapids, ..GcodeOptions::default() };
            let mut output = Output::new(&options);
            output.push(&piece([0.0; 6], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0])).unwrap();
            assert_eq!(output.moves.len(), count, "{rapids:?}");
        }
    }

    #[test]
    fn limits_and_missing_kinematics_name_the_line() {
        let options = GcodeOptions { most_moves: 0, ..GcodeOptions::default() };
        let fault = Output::new(&options).push(&piece([0.0; 6], [1.0; 6])).unwrap_err();
        assert_eq!(fault, Fault::new("the program has more than 0 moves").on_line(7));
        let mut output = Output::new(&GcodeOptions::default());
        let fault = output.push(&piece([0.0; 6], [1.0; 6])).unwrap_err();
        assert!(fault.to_string().contains("--machine"), "{fault}");
    }

    #[test]
    fn origin_and_shift_move_the_path() {
        let options = GcodeOptions { origin: DVec3::new(1.0, 2.0, 3.0), ..GcodeOptions::default() };
        let mut output = Output::new(&options);
        let mut piece = piece([0.0; 6], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        piece.shift = 0.5;
        output.push(&piece).unwrap();
        let Motion::Straight { from, to, .. } = output.moves[0].motion else { panic!("straight") };
        assert_eq!(from, DVec3::new(-1.0, -2.0, -2.5));
        assert_eq!(to, DVec3::new(0.0, -2.0, -2.5));
    }
}
