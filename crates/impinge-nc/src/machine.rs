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
}
