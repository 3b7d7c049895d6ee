//! The shape of a cutter, and the discs whose convex hull the cutter is.
//!
//! The readers of specifications and of tool tables call [`Cutter::new`] with lengths in millimetres that they have
//! checked.

use super::{Tool, ToolPart, ToolPartKind};
use impinge::solid::{RevolvedHull, RoundedDisc, SolidError};
use serde::{Deserialize, Serialize};

/// The shape of a cutter's tip. Lengths are in millimetres, angles in degrees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TipShape {
    /// A cylinder that ends in a half ball.
    Ball,
    /// A cylinder with a sharp corner.
    Flat,
    /// A cylinder whose corner is rounded by the tool's corner radius.
    Bull,
    /// A cone, then a cylinder.
    Cone {
        /// The angle between the axis and the side of the cone.
        half_angle: f64,
        /// The diameter of the flat end; 0 for a pointed cone.
        tip_diameter: f64,
    },
    /// A ball of the tool's corner radius, then a cone that touches the ball, then a cylinder.
    Taper {
        /// The angle between the axis and the side of the cone.
        half_angle: f64,
    },
    /// A cone whose full point angle is given, then a cylinder.
    Drill {
        /// The full angle of the point.
        point_angle: f64,
    },
    /// An ellipsoid of revolution.
    Spheroid,
    /// A solid of revolution that was computed from a mesh.
    Mesh,
}

impl TipShape {
    /// The name in reports and specifications: `ball`, `flat`, `bull`, `cone`, `taper`, `drill`, `spheroid`, `mesh`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ball => "ball",
            Self::Flat => "flat",
            Self::Bull => "bull",
            Self::Cone { .. } => "cone",
            Self::Taper { .. } => "taper",
            Self::Drill { .. } => "drill",
            Self::Spheroid => "spheroid",
            Self::Mesh => "mesh",
        }
    }
}

/// A cutter that is the convex hull of discs: the tip, and a cylinder above it.
#[derive(Clone, Debug)]
pub(crate) struct Cutter {
    shape: TipShape,
    diameter: f64,
    corner_radius: f64,
    /// The discs of the tip, from below; the disc at the top of the cylinder is not among them.
    tip: Vec<RoundedDisc>,
}

pub(crate) const fn disc(height: f64, radius: f64, rounding: f64) -> RoundedDisc {
    RoundedDisc { height, radius, rounding }
}

impl Cutter {
    /// The cutter of a shape. `corner_radius` is used for bull and taper only.
    pub(crate) fn new(shape: TipShape, diameter: f64, corner_radius: f64) -> Self {
        let radius = diameter / 2.0;
        let (corner_radius, tip) = match shape {
            TipShape::Ball => (radius, vec![disc(radius, 0.0, radius)]),
            TipShape::Bull => {
                (corner_radius, vec![disc(corner_radius, radius - corner_radius, corner_radius)])
            }
            TipShape::Cone { half_angle, tip_diameter } => {
                let tip = tip_diameter / 2.0;
                let shoulder = (radius - tip) / libm::tan(half_angle.to_radians());
                (0.0, vec![disc(0.0, tip, 0.0), disc(shoulder, radius, 0.0)])
            }
            TipShape::Drill { point_angle } => {
                let shoulder = radius / libm::tan((point_angle / 2.0).to_radians());
                (0.0, vec![disc(0.0, 0.0, 0.0), disc(shoulder, radius, 0.0)])
            }
            TipShape::Taper { half_angle } => {
                let (ball, angle) = (corner_radius, half_angle.to_radians());
                // The side of the cone touches the ball at radius `ball · cos` and height `ball · (1 − sin)`. From
                // there the radius grows by tan(angle) per height.
                let (sin, cos) = (libm::sin(angle), libm::cos(angle));
                let shoulder = ball * (1.0 - sin) + (radius - ball * cos) / (sin / cos);
                (ball, vec![disc(ball, 0.0, ball), disc(shoulder, radius, 0.0)])
            }
            TipShape::Flat | TipShape::Spheroid | TipShape::Mesh => {
                (0.0, vec![disc(0.0, radius, 0.0)])
            }
        };
        Self { shape, diameter, corner_radius, tip }
    }

    /// The cone with a flat or pointed end that reaches its diameter at `shoulder`.
    pub(crate) fn cone_to(shoulder: f64, diameter: f64, tip_diameter: f64) -> Self {
        let (radius, tip) = (diameter / 2.0, tip_diameter / 2.0);
        let half_angle = libm::atan2(radius - tip, shoulder).to_degrees();
        Self {
            shape: TipShape::Cone { half_angle, tip_diameter },
            diameter,
            corner_radius: 0.0,
            tip: vec![disc(0.0, tip, 0.0), disc(shoulder, radius, 0.0)],
        }
    }

    /// The least length of the cutter: all of the tip's shape, with the whole ball or torus of a rounded corner, lies
    /// below this height. A shorter cutter would be no convex hull of rounded discs.
    pub(crate) fn least_length(&self) -> f64 {
        self.tip.iter().map(|disc| disc.height + disc.rounding).fold(0.0, f64::max)
    }

    /// The tool whose cutter is this one, without shank and holder.
    pub(crate) fn tool(&self, name: String, length: Option<f64>) -> Result<Tool, SolidError> {
        let top = length.unwrap_or(self.least_length().max(Tool::DEFAULT_REACH));
        let mut discs = self.tip.clone();
        let top = disc(top, self.diameter / 2.0, 0.0);
        if discs.last() != Some(&top) {
            discs.push(top);
        }
        let solid = RevolvedHull::new(&discs)?;
        Ok(Tool {
            name,
            number: None,
            shape: self.shape,
            diameter: self.diameter,
            corner_radius: self.corner_radius,
            length,
            length_offset: None,
            parts: vec![ToolPart { kind: ToolPartKind::Cutter, solid }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discs(shape: TipShape, diameter: f64, corner: f64, length: f64) -> Vec<RoundedDisc> {
        let tool = Cutter::new(shape, diameter, corner).tool(String::new(), Some(length)).unwrap();
        tool.parts[0].solid.discs().to_vec()
    }

    #[test]
    fn simple_shapes_have_the_discs_of_the_documentation() {
        assert_eq!(discs(TipShape::Ball, 6.0, 0.0, 20.0), [disc(3., 0., 3.), disc(20., 3., 0.)]);
        assert_eq!(discs(TipShape::Flat, 6.0, 0.0, 20.0), [disc(0., 3., 0.), disc(20., 3., 0.)]);
        assert_eq!(discs(TipShape::Bull, 6.0, 1.0, 20.0), [disc(1., 2., 1.), disc(20., 3., 0.)]);
    }

    /// The distance of the ball's centre from the cone's side must be the ball's radius, and the side must have the
    /// half angle.
    #[test]
    fn the_side_of_a_taper_touches_its_ball() {
        for (diameter, half_angle, ball) in
            [(3.0, 5.0, 0.5), (6.0, 80.0, 3.0), (6.0, 0.5, 2.99), (10.0, 45.0, 1.0)]
        {
            let tip = Cutter::new(TipShape::Taper { half_angle }, diameter, ball).tip;
            let (rim, center) = (tip[1], tip[0]);
            let (sin, cos) = half_angle.to_radians().sin_cos();
            // The normal of the side in the plane of radius and height is (cos, −sin).
            let distance = rim.radius * cos - (rim.height - center.height) * sin;
            assert!((distance - ball).abs() < 1e-12, "{diameter} {half_angle} {ball}: {distance}");
            assert!(
                rim.height >= ball * (1.0 - sin) - 1e-12,
                "the rim is above the touching circle"
            );
        }
    }

    #[test]
    fn a_drill_is_a_cone_of_half_its_point_angle() {
        let drill = discs(TipShape::Drill { point_angle: 118.0 }, 5.0, 0.0, 40.0);
        let cone = discs(TipShape::Cone { half_angle: 59.0, tip_diameter: 0.0 }, 5.0, 0.0, 40.0);
        assert_eq!(drill, cone);
        assert!((drill[1].height - 2.5 / 59f64.to_radians().tan()).abs() < 1e-15);
    }

    #[test]
    fn a_cone_that_ends_at_its_shoulder_has_two_discs() {
        let cone = Cutter::cone_to(10.0, 4.0, 1.0);
        let tool = cone.tool(String::new(), Some(10.0)).unwrap();
        assert_eq!(tool.parts[0].solid.discs(), [disc(0.0, 0.5, 0.0), disc(10.0, 2.0, 0.0)]);
    }

    #[test]
    fn only_a_cutter_without_length_follows_the_reach() {
        let ball = Cutter::new(TipShape::Ball, 6.0, 0.0);
        let endless = ball.tool(String::new(), None).unwrap();
        assert_eq!(endless.with_reach(50.0).parts[0].solid.discs()[1].height, 50.0);
        assert_eq!(endless.with_reach(1.0).parts[0].solid.discs()[1].height, 6.0);
        assert_eq!(endless.overall_length(), None);
        let finite = ball.tool(String::new(), Some(20.0)).unwrap();
        assert_eq!(finite.with_reach(50.0), finite);
        assert_eq!(finite.overall_length(), Some(20.0));
    }
}
