//! Arcs: the centre and the angle of `G2` and `G3`, from either format.

use super::{
    fault::{Fault, Result},
    plane::Plane,
};
use impinge::glam::DVec2;
use std::f64::consts::TAU;

/// Start and end of an arc that are closer than this are the same point, in millimetres: the arc is a full circle.
const SAME_POINT: f64 = 1e-9;

/// An arc in a plane, without its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ArcShape {
    pub(super) plane: Plane,
    /// The centre in the plane, in millimetres.
    pub(super) center: DVec2,
    /// The angle that the arc turns around the normal, in radians.
    pub(super) sweep: f64,
}

/// The sense and the number of turns of an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sense {
    /// Whether the arc is `G2`.
    pub(super) clockwise: bool,
    /// The word `P`: how many turns the arc takes, the last of which may be incomplete.
    pub(super) turns: u32,
}

/// How far the radius at the end of an arc may differ from that at its start: the limits of LinuxCNC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RadiusTolerance {
    /// Larger differences are errors, in millimetres.
    most: f64,
    /// Smaller differences are accepted, in millimetres. In between, 0.1 % of the radius is accepted.
    always: f64,
}

impl RadiusTolerance {
    pub(super) const METRIC: Self = Self { most: 0.5, always: 0.005 };
    pub(super) const INCH: Self = Self { most: 0.05 * 25.4, always: 0.0005 * 25.4 };
}

impl ArcShape {
    /// The arc from `start` to `end` around `center`.
    pub(super) fn around(
        plane: Plane,
        [start, end]: [DVec2; 2],
        center: DVec2,
        sense: Sense,
        tolerance: RadiusTolerance,
    ) -> Result<Self> {
        let radii = [start.distance(center), end.distance(center)];
        let [first, last] = radii;
        if first.min(last) < tolerance.always.min(1e-6) {
            return Err(Fault::new(
                "the radius of the arc is 0: its centre is at its start or end",
            ));
        }
        let difference = (first - last).abs();
        if difference > tolerance.most
            || (difference > tolerance.always && difference > 0.001 * first.max(last))
        {
            return Err(Fault::new(format!(
                "the arc starts {first:.6} mm from its centre and ends {last:.6} mm from it: \
                 the difference of {difference:.6} mm is too large"
            )));
        }
        let sweep = sweep([start, end], center, sense);
        Ok(Self { plane, center, sweep })
    }

    /// The arc from `start` to `end` with the given radius. A negative radius means the arc of more than half a turn.
    pub(super) fn with_radius(
        plane: Plane,
        [start, end]: [DVec2; 2],
        radius: f64,
        sense: Sense,
        tolerance: RadiusTolerance,
    ) -> Result<Self> {
        let half_chord = start.distance(end) / 2.0;
        if half_chord < SAME_POINT {
            return Err(Fault::new(
                "an arc with a radius R must end elsewhere than it starts; write a full circle with its centre",
            ));
        }
        if half_chord > radius.abs() + tolerance.always {
            return Err(Fault::new(format!(
                "an arc of radius {:.6} mm cannot reach its end, which is {:.6} mm away",
                radius.abs(),
                2.0 * half_chord
            )));
        }
        let height = (radius * radius - half_chord * half_chord).max(0.0).sqrt();
        let along = (end - start) / (2.0 * half_chord);
        // To the left of the chord lies the centre of a short arc that turns left.
        let side = if sense.clockwise == (radius < 0.0) { 1.0 } else { -1.0 };
        let center = start.midpoint(end) + along.perp() * (side * height);
        Ok(Self { plane, center, sweep: sweep([start, end], center, sense) })
    }
}

fn sweep([start, end]: [DVec2; 2], center: DVec2, sense: Sense) -> f64 {
    let (from, to) = (start - center, end - center);
    let whole_turns = f64::from(sense.turns.saturating_sub(1)) * TAU;
    let angle = if start.distance(end) < SAME_POINT {
        TAU
    } else {
        let angle = libm::atan2(from.perp_dot(to), from.dot(to));
        let angle = if sense.clockwise { -angle } else { angle };
        if angle > 0.0 { angle } else { angle + TAU }
    };
    if sense.clockwise { -(angle + whole_turns) } else { angle + whole_turns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    const CW: Sense = Sense { clockwise: true, turns: 1 };
    const CCW: Sense = Sense { clockwise: false, turns: 1 };

    fn around(ends: [[f64; 2]; 2], center: [f64; 2], sense: Sense) -> Result<ArcShape> {
        let ends = ends.map(DVec2::from_array);
        ArcShape::around(Plane::Xy, ends, center.into(), sense, RadiusTolerance::METRIC)
    }

    fn with_radius(ends: [[f64; 2]; 2], radius: f64, sense: Sense) -> Result<ArcShape> {
        let ends = ends.map(DVec2::from_array);
        ArcShape::with_radius(Plane::Xy, ends, radius, sense, RadiusTolerance::METRIC)
    }

    #[test]
    fn the_sense_chooses_the_way() {
        let quarter = [[1.0, 0.0], [0.0, 1.0]];
        assert!((around(quarter, [0.0, 0.0], CCW).unwrap().sweep - FRAC_PI_2).abs() < 1e-15);
        assert!((around(quarter, [0.0, 0.0], CW).unwrap().sweep + 1.5 * PI).abs() < 1e-15);
    }

    #[test]
    fn equal_ends_are_a_full_circle_and_turns_add_up() {
        let circle = [[1.0, 0.0], [1.0, 0.0]];
        assert_eq!(around(circle, [0.0, 0.0], CCW).unwrap().sweep, TAU);
        assert_eq!(around(circle, [0.0, 0.0], CW).unwrap().sweep, -TAU);
        let three = Sense { clockwise: true, turns: 3 };
        assert_eq!(around(circle, [0.0, 0.0], three).unwrap().sweep, -3.0 * TAU);
        let quarter =
            around([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], Sense { clockwise: false, turns: 2 });
        assert!((quarter.unwrap().sweep - TAU - FRAC_PI_2).abs() < 1e-15);
    }

    #[test]
    fn the_radius_finds_the_same_centre() {
        let ends = [[1.0, 0.0], [0.0, 1.0]];
        for (radius, sense, center) in [
            (1.0, CCW, [0.0, 0.0]),
            (-1.0, CCW, [1.0, 1.0]),
            (1.0, CW, [1.0, 1.0]),
            (-1.0, CW, [0.0, 0.0]),
        ] {
            let arc = with_radius(ends, radius, sense).unwrap();
            assert!(arc.center.distance(center.into()) < 1e-15, "{radius} {sense:?}: {arc:?}");
            assert_eq!(arc.sweep.abs() > PI, radius < 0.0, "{radius} {sense:?}: {arc:?}");
            assert_eq!(arc.sweep < 0.0, sense.clockwise, "{radius} {sense:?}: {arc:?}");
        }
    }

    #[test]
    fn impossible_arcs_are_refused() {
        assert!(around([[1.0, 0.0], [0.0, 1.004]], [0.0, 0.0], CCW).is_ok());
        assert!(around([[1.0, 0.0], [0.0, 1.006]], [0.0, 0.0], CCW).is_err());
        assert!(around([[1000.0, 0.0], [0.0, 1000.4]], [0.0, 0.0], CCW).is_ok());
        assert!(around([[1000.0, 0.0], [0.0, 1000.6]], [0.0, 0.0], CCW).is_err());
        assert!(around([[1.0, 0.0], [0.0, 1.0]], [1.0, 0.0], CCW).is_err());
        assert!(with_radius([[0.0, 0.0], [2.0, 0.0]], 1.0, CCW).is_ok());
        assert!(with_radius([[0.0, 0.0], [2.0, 0.0]], 0.99, CCW).is_err());
        assert!(with_radius([[0.0, 0.0], [0.0, 0.0]], 1.0, CCW).is_err());
    }
}
