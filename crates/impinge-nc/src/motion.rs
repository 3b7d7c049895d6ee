//! How a tool moves during one command of a program.

use crate::Machine;
use impinge::glam::DVec3;
use std::sync::Arc;

/// Where a tool stands: the point of its tip, and the unit vector from the tip towards the spindle. In the coordinates of
/// the part, in millimetres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolPose {
    /// The lowest point on the axis of the tool.
    pub tip: DVec3,
    /// The direction of the axis, from the tip towards the spindle; of unit length.
    pub axis: DVec3,
}

/// The motion of a tool during one move of a program, from time 0 to time 1.
#[derive(Clone, Debug)]
pub enum Motion {
    /// The tip moves along a segment, and the axis keeps its direction.
    Straight {
        /// Where the tip starts.
        from: DVec3,
        /// Where the tip ends.
        to: DVec3,
        /// The direction of the axis.
        axis: DVec3,
    },
    /// The tip moves along an arc, a helix or a spiral, and the axis keeps its direction.
    Arc(ArcMotion),
    /// The tip moves along a segment, while the axis turns along the great circle from one direction to the other, at a
    /// constant rate.
    Tilting {
        /// Where the tool starts.
        from: ToolPose,
        /// Where the tool ends.
        to: ToolPose,
    },
    /// All axes of a machine move linearly in time.
    Machine {
        /// The machine, which places the tool.
        machine: Arc<Machine>,
        /// The positions of the axes X, Y, Z (in millimetres) and A, B, C (in radians) at the start.
        from: [f64; 6],
        /// The positions of the axes at the end.
        to: [f64; 6],
    },
    /// The tip moves along a segment from the first three positions to the first three, in the coordinates of the part,
    /// while the rotary axes of a machine move linearly and turn the axis of the tool.
    TipControlled {
        /// The machine, whose rotary axes give the axis of the tool.
        machine: Arc<Machine>,
        /// The tip X, Y, Z (in millimetres) and the rotary axes A, B, C (in radians) at the start.
        from: [f64; 6],
        /// The same at the end.
        to: [f64; 6],
    },
}

/// An arc, a helix or a spiral. At time t the tip is at
/// `center + t · rise + (1 + t · growth) · R(t · sweep) · radius`, where R turns around `normal`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcMotion {
    /// The centre at the start.
    pub center: DVec3,
    /// From the centre to the tip at the start; at a right angle to the normal.
    pub radius: DVec3,
    /// The unit normal of the arc's plane.
    pub normal: DVec3,
    /// The angle that the arc turns around the normal, in radians; negative for the other sense.
    pub sweep: f64,
    /// How far a helix rises along the normal, as a vector.
    pub rise: DVec3,
    /// The change of the radius, relative to its length at the start: 0 for a true arc.
    pub growth: f64,
    /// The direction of the tool's axis.
    pub axis: DVec3,
}
