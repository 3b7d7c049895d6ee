//! Bodies that deform: built-in deformations, and sequences of meshes with the same faces.
//!
//! `build.rs` makes a [`Deforming`] for each body with `deform` or `sequence`; `run.rs` asks it at each cycle for the
//! positions of the vertices, and passes them to the world. The positions depend only on the number of the cycle.

use crate::document::{AtEnd, Axis, DeformKind};
use impinge::{Bounds, Shape, glam::DVec3};
use std::{f64::consts::TAU, sync::Arc};

/// A body that deforms.
#[derive(Debug)]
pub(super) struct Deforming {
    /// The number of the body.
    pub(super) body: usize,
    /// The body as its mesh has it.
    pub(super) rest: Shape,
    pub(super) deformation: Arc<Deformation>,
    /// Positions at the current cycle.
    pub(super) positions: Vec<DVec3>,
}

/// How a body deforms.
#[derive(Debug)]
pub(super) enum Deformation {
    Built(Built),
    Sequence(Frames),
}

/// A built-in deformation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Built {
    pub(super) kind: DeformKind,
    /// The box of the mesh.
    pub(super) bounds: Bounds,
    /// The axis along which the mesh is bent or twisted, or along which waves run.
    pub(super) along: Axis,
    /// The axis towards which the mesh is bent, or along which waves swing.
    pub(super) toward: Axis,
    /// The largest angle, in radians.
    pub(super) angle: f64,
    pub(super) amplitude: f64,
    /// The number of waves on the mesh.
    pub(super) waves: f64,
    /// Cycles of one swing.
    pub(super) period: f64,
}

/// Positions to be played one after another.
#[derive(Debug)]
pub(super) struct Frames {
    pub(super) positions: Vec<Vec<DVec3>>,
    /// Cycles for each frame.
    pub(super) every: u64,
    /// Whether positions move evenly from frame to frame.
    pub(super) interpolate: bool,
    pub(super) end: AtEnd,
}

impl Deforming {
    pub(super) fn new(body: usize, rest: Shape, deformation: Arc<Deformation>) -> Self {
        Self { body, rest, deformation, positions: Vec::new() }
    }

    /// Computes the positions at a cycle.
    pub(super) fn advance(&mut self, cycle: u64) {
        let Self { rest, deformation, positions, .. } = self;
        positions.clear();
        match &**deformation {
            Deformation::Built(built) => {
                let place = built.at(cycle);
                positions.extend(rest.mesh().positions().iter().map(|&point| place(point)));
            }
            Deformation::Sequence(frames) => frames.at(cycle, positions),
        }
    }
}

impl Built {
    /// The place of each point at a cycle. All numbers come from `libm`, so they are the same on every platform.
    fn at(&self, cycle: u64) -> impl Fn(DVec3) -> DVec3 + use<> {
        let Self { kind, bounds, angle, amplitude, waves, period, .. } = *self;
        let (along, toward) = (self.along.index(), self.toward.index());
        let (center, size) = (bounds.center(), bounds.size());
        let length = size[along].max(f64::MIN_POSITIVE);
        let phase = TAU * (cycle as f64 / period).fract();
        let swing = angle * libm::sin(phase);
        move |point: DVec3| {
            let mut place = point;
            // From −0.5 at one end to 0.5 at the other.
            let share = (point[along] - center[along]) / length;
            match kind {
                DeformKind::Bend => {
                    // The axis becomes an arc of the same length; sections stay plane and across the arc.
                    let (sin, cos) = libm::sincos(swing * share);
                    let (half_sin, height) =
                        (libm::sin(0.5 * swing * share), point[toward] - center[toward]);
                    let (reach, rise) = match swing.abs() < 1e-9 {
                        true => (length * share, 0.0),
                        // 1 − cos(a) is 2 sin²(a/2), which loses no digits.
                        false => (length / swing * sin, length / swing * 2.0 * half_sin * half_sin),
                    };
                    place[along] = center[along] + reach - height * sin;
                    place[toward] = center[toward] + rise + height * cos;
                }
                DeformKind::Twist => {
                    let (u, v) = ((along + 1) % 3, (along + 2) % 3);
                    let (sin, cos) = libm::sincos(swing * share);
                    let (x, y) = (point[u] - center[u], point[v] - center[v]);
                    place[u] = center[u] + (cos * x - sin * y);
                    place[v] = center[v] + (sin * x + cos * y);
                }
                DeformKind::Flag => {
                    // The end at the pole does not move.
                    let share = share + 0.5;
                    place[toward] += amplitude * share * libm::sin(TAU * waves * share - phase);
                }
            }
            place
        }
    }
}

impl Frames {
    fn at(&self, cycle: u64, positions: &mut Vec<DVec3>) {
        let count = self.positions.len() as u64;
        let frame = |step| &self.positions[self.end.index(step, count)];
        let step = cycle / self.every;
        positions.extend_from_slice(frame(step));
        let part = (cycle % self.every) as f64 / self.every as f64;
        if self.interpolate && part > 0.0 {
            for (place, &next) in positions.iter_mut().zip(frame(step + 1)) {
                *place += (next - *place) * part;
            }
        }
    }
}

impl Axis {
    pub(super) fn index(self) -> usize {
        match self {
            Self::X => 0,
            Self::Y => 1,
            Self::Z => 2,
        }
    }

    /// The axes in the order of a box's sides, the longest first.
    pub(super) fn by_length(size: DVec3) -> [Self; 3] {
        let mut axes = [Self::X, Self::Y, Self::Z];
        axes.sort_by(|a, b| size[b.index()].total_cmp(&size[a.index()]));
        axes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge::generate;

    fn built(kind: DeformKind) -> Built {
        let bounds = Bounds { min: DVec3::new(-2.0, -0.2, -0.1), max: DVec3::new(2.0, 0.2, 0.1) };
        let (along, toward) = (Axis::X, Axis::Z);
        let angle = std::f64::consts::PI;
        Built { kind, bounds, along, toward, angle, amplitude: 0.3, waves: 1.5, period: 40.0 }
    }

    #[test]
    fn a_bent_bar_is_an_arc_of_its_length() {
        let place = built(DeformKind::Bend).at(10);
        // Half a circle of length 4, whose ends are at the same height.
        let [left, middle, right] = [-2.0, 0.0, 2.0].map(|x| place(DVec3::new(x, 0.1, 0.0)));
        let radius = 4.0 / std::f64::consts::PI;
        assert!(middle.distance(DVec3::new(0.0, 0.1, 0.0)) < 1e-12, "{middle}");
        assert!(left.distance(DVec3::new(-radius, 0.1, radius)) < 1e-12, "{left}");
        assert!(right.distance(DVec3::new(radius, 0.1, radius)) < 1e-12, "{right}");
        // Straight at the start, and bent the other way after half a swing.
        let rest = DVec3::new(1.0, 0.2, -0.1);
        assert_eq!(built(DeformKind::Bend).at(0)(rest), rest);
        assert!(built(DeformKind::Bend).at(30)(DVec3::X).z < -0.1);
    }

    #[test]
    fn a_twist_turns_the_ends_and_a_flag_keeps_its_pole() {
        let place = built(DeformKind::Twist).at(10);
        let (end, rest) = (DVec3::new(2.0, 0.2, 0.0), DVec3::new(0.0, 0.2, 0.0));
        assert!(place(end).distance(DVec3::new(2.0, 0.0, 0.2)) < 1e-12, "{}", place(end));
        assert!(place(rest).distance(rest) < 1e-12);
        let flag = built(DeformKind::Flag).at(10);
        let pole = DVec3::new(-2.0, 0.1, 0.0);
        assert_eq!(flag(pole), pole);
        assert!(flag(DVec3::X).z.abs() > 0.01);
    }

    #[test]
    fn sequences_are_played_as_the_scene_says() {
        let frame = |x: f64| vec![DVec3::splat(x)];
        let frames = |every, interpolate, end| Frames {
            positions: vec![frame(0.0), frame(1.0), frame(2.0)],
            every,
            interpolate,
            end,
        };
        let played = |frames: Frames| {
            let mut places = Vec::new();
            (0..7)
                .map(|cycle| {
                    places.clear();
                    frames.at(cycle, &mut places);
                    places[0].x
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(played(frames(1, false, AtEnd::Stay)), [0.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0]);
        assert_eq!(played(frames(2, false, AtEnd::Again)), [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0]);
        assert_eq!(played(frames(2, true, AtEnd::Back)), [0.0, 0.5, 1.0, 1.5, 2.0, 1.5, 1.0]);
    }

    #[test]
    fn a_deforming_body_has_a_position_for_each_vertex() {
        let rest = Shape::new(generate::bar(DVec3::new(4.0, 0.4, 0.2), [8, 2, 1]).unwrap());
        let deformation = Arc::new(Deformation::Built(built(DeformKind::Bend)));
        let mut body = Deforming::new(0, rest.clone(), deformation);
        for cycle in 0..5 {
            body.advance(cycle);
            assert_eq!(body.positions.len(), rest.mesh().positions().len());
        }
    }
}
