//! The kinematics of a machine with rotary axes: where the tool stands, seen from the part.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | [`Machine`] and [`RotaryAxis`]: the pose of the tool for positions of the axes |
//! | `bounds.rs` | bounds on how far a motion of all axes departs from a straight one |
//! | `file.rs` | machines by name, and the reader of kinematics files (TOML) |
//!
//! The reader of G-code calls this for moves with rotary axes, and the checker for every such move. Lengths are in
//! millimetres, angles in radians.

mod bounds;
mod file;

use crate::ToolPose;
use impinge::glam::DVec3;
use serde::{Deserialize, Serialize};

/// A machine with rotary axes. It places the tool, seen from the part, for positions of its axes.
///
/// The linear axes X, Y and Z are at right angles and move the tool. A rotary axis is either below the part (table) or
/// above the tool (head):
///
/// - A table axis at angle θ turns the part by θ around its direction, counterclockwise seen from the tip of the
///   direction vector. Seen from the part, the tool turns by −θ.
/// - A head axis at angle θ turns the tool by θ around its direction.
///
/// The axes of one side are listed from the frame of the machine outwards: each carries the later ones of its side.
/// When all rotary axes are at 0, the coordinates of the part and of the machine are the same, and the tool points along
/// +Z.
///
/// These are the directions of LinuxCNC's `xyzac-trt-kins` and `xyzbc-trt-kins` with their default setting. If a
/// machine follows the rule that the *tool* turns counterclockwise relative to the part (ISO 841, LinuxCNC's
/// `conventional-directions`), the directions of its table axes are negative, such as `[-1, 0, 0]` for A.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    name: String,
    rotary: Vec<RotaryAxis>,
    tool_length: f64,
    tip_programmed: bool,
}

/// A rotary axis of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RotaryAxis {
    /// The letter of the axis: `A`, `B` or `C`.
    pub letter: char,
    /// Whether the axis turns the part or the tool.
    pub side: Side,
    /// The direction of the axis of rotation; of unit length.
    pub direction: DVec3,
    /// A point on the axis of rotation when all axes are at 0, in millimetres. For a table axis, in the coordinates of
    /// the part. For a head axis, relative to the spindle's gauge point: the point from which the length of a tool is
    /// measured.
    pub point: DVec3,
}

/// The side of a machine that a rotary axis turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// The axis turns the part.
    Table,
    /// The axis turns the tool.
    Head,
}

impl RotaryAxis {
    /// The index of the axis among the positions X, Y, Z, A, B, C.
    fn index(&self) -> usize {
        match self.letter {
            'A' => 3,
            'B' => 4,
            _ => 5,
        }
    }
}

impl Machine {
    /// The name of the machine.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rotary axes, from the frame of the machine outwards on each side.
    pub fn rotary_axes(&self) -> &[RotaryAxis] {
        &self.rotary
    }

    /// Whether the machine has the axis of this letter. X, Y and Z are always there.
    pub fn has_axis(&self, letter: char) -> bool {
        let letter = letter.to_ascii_uppercase();
        matches!(letter, 'X' | 'Y' | 'Z') || self.rotary.iter().any(|axis| axis.letter == letter)
    }

    /// Whether X, Y and Z are the position of the tip in the coordinates of the part, whatever the rotary axes do. This
    /// is called tool centre point control: G43.4 on many controllers, and `M428` in LinuxCNC's example machines.
    /// Otherwise X, Y and Z are the positions of the linear axes.
    pub fn is_tip_programmed(&self) -> bool {
        self.tip_programmed
    }

    /// The machine with [tool centre point control](Self::is_tip_programmed) switched on or off.
    #[must_use]
    pub fn with_tip_programmed(&self, tip_programmed: bool) -> Self {
        Self { tip_programmed, ..self.clone() }
    }

    /// The distance from the spindle's gauge point to the tip of the tool, in millimetres. It matters for head axes
    /// only, and only without tool centre point control.
    pub fn tool_length(&self) -> f64 {
        self.tool_length
    }

    /// The machine with a tool of this length; see [`tool_length`](Self::tool_length).
    #[must_use]
    pub fn with_tool_length(&self, tool_length: f64) -> Self {
        Self { tool_length, ..self.clone() }
    }

    /// Where the tool stands in the coordinates of the part, for positions of the axes X, Y, Z (in millimetres) and A, B,
    /// C (in radians).
    ///
    /// Without [tool centre point control](Self::is_tip_programmed), X, Y and Z place the tip while all head axes are at
    /// 0. When a head axis turns, the tip turns around the axis, and X, Y and Z do not change. The part turns with the
    /// table axes, so the tip seen from the part turns by the inverse.
    pub fn tool_pose(&self, axes: [f64; 6]) -> ToolPose {
        let axis = self.tool_axis([axes[3], axes[4], axes[5]]);
        let position = DVec3::new(axes[0], axes[1], axes[2]);
        if self.tip_programmed {
            return ToolPose { tip: position, axis };
        }
        let mut tip = DVec3::ZERO;
        for head in self.heads() {
            let pivot = self.pivot(head);
            tip = pivot + turned(tip - pivot, head.direction, axes[head.index()]);
        }
        tip += position;
        for table in self.tables() {
            let turned = turned(tip - table.point, table.direction, -axes[table.index()]);
            tip = table.point + turned;
        }
        ToolPose { tip, axis }
    }

    /// The direction of the tool, from the tip towards the spindle, in the coordinates of the part; of unit length. For
    /// positions of the axes A, B and C in radians.
    pub fn tool_axis(&self, rotary: [f64; 3]) -> DVec3 {
        let mut axis = DVec3::Z;
        for head in self.heads() {
            axis = turned(axis, head.direction, rotary[head.index() - 3]);
        }
        for table in self.tables() {
            axis = turned(axis, table.direction, -rotary[table.index() - 3]);
        }
        axis
    }

    /// The head axes in the order in which they act on the tool: the innermost first.
    fn heads(&self) -> impl Iterator<Item = &RotaryAxis> {
        self.rotary.iter().rev().filter(|axis| axis.side == Side::Head)
    }

    /// The table axes in the order in which their inverse acts on the tool: the one nearest the frame first.
    fn tables(&self) -> impl Iterator<Item = &RotaryAxis> {
        self.rotary.iter().filter(|axis| axis.side == Side::Table)
    }

    /// A point on a head axis, relative to the tip, when all axes are at 0.
    fn pivot(&self, head: &RotaryAxis) -> DVec3 {
        head.point + DVec3::Z * self.tool_length
    }
}

/// The vector turned by an angle in radians around a unit vector, counterclockwise seen from the vector's tip.
fn turned(vector: DVec3, around: DVec3, angle: f64) -> DVec3 {
    if angle == 0.0 {
        return vector;
    }
    let (sin, cos) = libm::sincos(angle);
    vector * cos + around.cross(vector) * sin + around * (around.dot(vector) * (1.0 - cos))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str) -> Machine {
        Machine::built_in(name).expect(name)
    }

    fn assert_near(found: DVec3, expected: DVec3, what: &str) {
        assert!(found.distance(expected) < 1e-12, "{what}: {found} instead of {expected}");
    }

    /// The direction of the tool on LinuxCNC's xyzac-trt is (sin A · sin C, sin A · cos C, cos A): the third column of
    /// Rz(−C) · Rx(−A), the rotation of its forward kinematics. With A = −90° and C = 0 the tool points to −Y.
    #[test]
    fn the_tool_of_a_trunnion_points_as_in_linuxcnc() {
        for (a, c) in [(-1.2f64, 0.7f64), (-0.3, -2.5), (0.5, 4.0), (-90f64.to_radians(), 0.0)] {
            let expected = DVec3::new(a.sin() * c.sin(), a.sin() * c.cos(), a.cos());
            assert_near(machine("xyzac").tool_axis([a, 0.0, c]), expected, "xyzac");
        }
        for (b, c) in [(-1.2f64, 0.7f64), (0.4, 3.0)] {
            // The third column of Rz(−C) · Ry(−B).
            let expected = DVec3::new(-b.sin() * c.cos(), b.sin() * c.sin(), b.cos());
            assert_near(machine("xyzbc").tool_axis([0.0, b, c]), expected, "xyzbc");
        }
    }

    /// The tip on LinuxCNC's xyzac-trt without tool centre point control, with the rotation point p:
    /// x = cos C (X−px) + sin C cos A (Y−py) + sin C sin A (Z−pz) + px, and so on.
    #[test]
    fn the_part_of_a_trunnion_turns_around_its_point() {
        let text = "[[rotary]]\naxis='A'\nside='table'\npoint=[0,2,3]\n\
                    [[rotary]]\naxis='C'\nside='table'\npoint=[1,2,0]";
        let machine = Machine::read(text, "m.toml").unwrap();
        let (a, c): (f64, f64) = (-0.8, 2.2);
        let p = DVec3::new(1.0, 2.0, 3.0);
        let q = DVec3::new(10.0, 20.0, 30.0) - p;
        let ((sa, ca), (sc, cc)) = (a.sin_cos(), c.sin_cos());
        let expected = DVec3::new(
            cc * q.x + sc * ca * q.y + sc * sa * q.z,
            -sc * q.x + cc * ca * q.y + cc * sa * q.z,
            -sa * q.y + ca * q.z,
        );
        assert_near(machine.tool_pose([10.0, 20.0, 30.0, a, 0.0, c]).tip, p + expected, "xyzac");
        let programmed = machine.with_tip_programmed(true).tool_pose([10.0, 20.0, 30.0, a, 0.0, c]);
        assert_eq!(programmed.tip, DVec3::new(10.0, 20.0, 30.0));
        assert_eq!(programmed.axis, machine.tool_axis([a, 0.0, c]));
    }

    /// A head whose pivot is 100 mm above the tip, turned by 90° around +Y: the tool, which hung below the pivot, then
    /// points from the tip at −X of the pivot to the pivot.
    #[test]
    fn the_tip_of_a_head_turns_around_the_pivot() {
        let text = "tool_length=60\n[[rotary]]\naxis='B'\nside='head'\npoint=[0,0,40]";
        let machine = Machine::read(text, "m.toml").unwrap();
        let pose = machine.tool_pose([1.0, 2.0, 3.0, 0.0, 90f64.to_radians(), 0.0]);
        assert_near(pose.axis, DVec3::X, "axis");
        assert_near(pose.tip, DVec3::new(1.0 - 100.0, 2.0, 103.0), "tip");
        let longer = machine.with_tool_length(70.0);
        let pose = longer.tool_pose([0.0, 0.0, 0.0, 0.0, 90f64.to_radians(), 0.0]);
        assert_near(pose.tip, DVec3::new(-110.0, 0.0, 110.0), "tip of the longer tool");
    }

    /// C carries B: the tool turns around Y first, then with C.
    #[test]
    fn an_axis_carries_the_later_ones_of_its_side() {
        let turn = [0.0, 90f64.to_radians(), 90f64.to_radians()];
        assert_near(machine("xyzcb-head").tool_axis(turn), DVec3::Y, "head");
        // Mixed: the head turns the tool to +X, and the table turns the part by 90° below it.
        assert_near(machine("xyzbc-head-table").tool_axis(turn), DVec3::NEG_Y, "head and table");
    }

    #[test]
    fn a_machine_knows_its_axes() {
        let machine = machine("xyzac");
        let has: String = "xyzabcuvw".chars().filter(|&letter| machine.has_axis(letter)).collect();
        assert_eq!(has, "xyzac");
    }

    /// All poses must keep the distances of a rigid body: axes of unit length, tips at the same distance from a pivot.
    #[test]
    fn directions_keep_unit_length() {
        for name in Machine::BUILT_IN {
            for step in 0..100 {
                let t = f64::from(step) * 0.37;
                let axis = machine(name).tool_axis([t, -2.0 * t, 3.0 * t]);
                assert!((axis.length() - 1.0).abs() < 1e-14, "{name} {step}: {axis}");
            }
        }
    }
}
