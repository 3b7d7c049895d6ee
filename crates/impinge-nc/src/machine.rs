//! The kinematics of a machine with rotary axes.

use crate::ToolPose;
use impinge::glam::DVec3;

/// A machine with rotary axes. It places the tool, seen from the part, for positions of its axes.
#[derive(Clone, Debug)]
pub struct Machine {}

impl Machine {
    /// Where the tool stands in the coordinates of the part, for positions of the axes X, Y, Z (in millimetres) and A, B,
    /// C (in radians).
    pub fn tool_pose(&self, axes: [f64; 6]) -> ToolPose {
        ToolPose { tip: DVec3::new(axes[0], axes[1], axes[2]), axis: DVec3::Z }
    }

    /// The direction of the tool's axis for positions of the rotary axes A, B, C.
    pub fn tool_axis(&self, _rotary: [f64; 3]) -> DVec3 {
        DVec3::Z
    }

    /// At most how far, in radians, the axis of the tool turns while all axes move linearly.
    pub fn turning(&self, _from: [f64; 6], _to: [f64; 6]) -> f64 {
        0.0
    }

    /// At most how far the tip is from the point that moves along the chord at a constant speed.
    pub fn sagitta(&self, _from: [f64; 6], _to: [f64; 6]) -> f64 {
        0.0
    }
}
