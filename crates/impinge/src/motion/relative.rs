//! The boxes of body b as seen from body a, during a part of a motion.
//!
//! # The frame of body a
//!
//! Let the frame of body a turn by Exp(tω_a) about its pivot, which is at L_a(t), and have the matrix R_a at the start;
//! and the same for b. In the frame of a, whose boxes are at rest there, a point v of b is at
//!
//! > y(t) = c_a + R_aᵀ Exp(−tω_a) [l(t) + w(t)], with l = L_b − L_a and w = Exp(tω_b) R_b (v − c_b),
//!
//! where c are the pivots. L is linear in t. So with Δ = ω_b − ω_a the second derivative of y is as long as
//!
//! > ω_a × (ω_a × l − 2 l′) + Δ × (ω_b × w) − ω_a × (Δ × w).
//!
//! From the middle of an interval of the length 2h on, l changes by at most h |l′| and w by at most h |ω_b| |w|. So the
//! formula at the middle, plus
//!
//! > h |ω_a|² |l′| + h (|ω_a| + |ω_b|) |Δ| |ω_b| |w|,
//!
//! bounds the acceleration in the whole interval, and y departs from the chord between its ends by at most (2h)²/8 times
//! that. Boxes of b turn by at most h |Δ| from how they lie at the middle. Both bounds vanish if the bodies turn alike,
//! as links of an arm do.
//!
//! A body that deforms has its boxes in the world: the frame rests, and l′ is the velocity of the box's center, too.
//! Its boxes at the start and at the end are interpolated, which encloses vertices that move on straight lines. If one
//! body deforms, it must be b.

use super::moving::{FrameMotion, MovingBody, MovingBox};
use crate::method::tree::NodeBox;
use glam::{DMat3, DVec3};

/// What is relative to a length allows for matrices that are rotations only to 2e-6.
const STRETCH: f64 = 1.0 + 1e-5;

/// The motion of body b, seen from body a.
#[derive(Debug)]
pub(super) struct RelativeMotion {
    frames: [FrameMotion; 2],
    /// ω_b − ω_a.
    turn: DVec3,
    /// The transpose of the matrix of a at the start.
    back: DMat3,
    /// How far apart boxes may be to count as close: the distance that is asked for, and a bound on all errors.
    pub(super) slack: f64,
}

/// A part of a motion.
#[derive(Debug)]
pub(super) struct Slice {
    pub(super) times: [f64; 2],
    /// Matrix and offset that map `v − c_b` to the frame of a, at the start and at the end.
    ends: [(DMat3, DVec3); 2],
    /// The rotation from the frame of b to that of a at the middle.
    rotation: DMat3,
    /// How far the boxes of b turn from how they lie at the middle, in radians.
    turn: f64,
    /// The acceleration is `constant + matrix · (v − c_b)`, plus `rest + rest_per_arm · |v − c_b|`; `None` if points
    /// move on straight lines.
    acceleration: Option<Acceleration>,
    /// An eighth of the squared length of the interval.
    eighth: f64,
    /// The numbers of its two halves, once they are known.
    pub(super) halves: Option<[u32; 2]>,
}

#[derive(Debug)]
struct Acceleration {
    constant: DVec3,
    matrix: DMat3,
    rest: f64,
    rest_per_arm: f64,
    /// For bodies that deform: −2 ω_a, and h |ω_a|².
    per_velocity: (DVec3, f64),
}

/// A box of b in the frame of a during a slice.
#[derive(Debug)]
pub(super) struct Seen {
    /// The center at the start and at the end of the slice.
    centers: [DVec3; 2],
    half: DVec3,
    /// The axes at the middle.
    axes: DMat3,
    /// The size, and how far points of the box can be from a box that moves with the center, due to the rotation.
    pub(super) radius: f64,
    pub(super) growth: f64,
}

impl RelativeMotion {
    /// `distance` is how close bodies may come that count as close.
    pub(super) fn new([a, b]: [&MovingBody<'_>; 2], distance: f64) -> Self {
        let frames = [a.frame_motion(), b.frame_motion()];
        let [of_a, of_b] = &frames;
        let back = of_a.rotation.transpose();
        let stretch = norm(back * of_a.rotation - DMat3::IDENTITY) * a.radius;
        // Matrices are products of those of both bodies, and multiply arms and the distance of the pivots. The factor
        // covers sums of three, and that each is used a few times.
        let rounding = 16.0 * (of_a.matrix_error + of_b.matrix_error) * (of_a.size + of_b.size);
        let skew = of_a.skew * a.radius + of_b.skew * b.radius;
        let slack = (distance + stretch + skew) * STRETCH + rounding + f64::MIN_POSITIVE.sqrt();
        let turn = of_b.turn - of_a.turn;
        Self { frames, turn, back, slack }
    }

    pub(super) fn slice(&self, [from, to]: [f64; 2]) -> Slice {
        let [a, b] = &self.frames;
        let middle = 0.5 * (from + to);
        // One half may be longer than the other by a rounding.
        let half = 0.5 * (to - from) + f64::EPSILON;
        let eighth = 0.5 * half * half;
        let map = |time: f64| {
            let back = self.back * a.turned(-time);
            (
                back * b.turned(time) * b.rotation,
                a.pivot + back * (b.pivot_at(time) - a.pivot_at(time)),
            )
        };
        let is_linear = a.turn == DVec3::ZERO && b.turn == DVec3::ZERO;
        let ends = match is_linear {
            // The matrices are all the same.
            true => {
                let matrix = self.back * b.rotation;
                [from, to].map(|t| (matrix, a.pivot + self.back * (b.pivot_at(t) - a.pivot_at(t))))
            }
            false => [map(from), map(to)],
        };
        let rotation = if is_linear { ends[0].0 } else { map(middle).0 };
        let acceleration = (!is_linear).then(|| {
            let speed = (b.track[1] - b.track[0]) - (a.track[1] - a.track[0]);
            let apart = b.pivot_at(middle) - a.pivot_at(middle);
            let turned = b.turned(middle) * b.rotation;
            let of = |arm: DVec3| {
                self.turn.cross(b.turn.cross(arm)) - a.turn.cross(self.turn.cross(arm))
            };
            let [rate_a, rate_b] = [a.turn.length(), b.turn.length()];
            Acceleration {
                constant: a.turn.cross(a.turn.cross(apart) - 2.0 * speed),
                matrix: DMat3::from_cols(of(turned.x_axis), of(turned.y_axis), of(turned.z_axis)),
                rest: half * rate_a * rate_a * speed.length(),
                rest_per_arm: half * (rate_a + rate_b) * self.turn.length() * rate_b,
                per_velocity: (-2.0 * a.turn, half * rate_a * rate_a),
            }
        });
        let turn = half * self.turn.length();
        Slice { times: [from, to], ends, rotation, turn, acceleration, eighth, halves: None }
    }

    /// A box of b as seen from a during a slice.
    #[inline]
    pub(super) fn seen(&self, slice: &Slice, node: &MovingBox) -> Seen {
        let pivot = self.frames[1].pivot;
        let [start, end] = node.between(slice.times);
        let half = start.half.max(end.half);
        let radius = half.length();
        let [from, to] = &slice.ends;
        let centers =
            [from.0 * (start.center - pivot) + from.1, to.0 * (end.center - pivot) + to.1];
        let mut growth = slice.turn * radius;
        if let Some(acceleration) = &slice.acceleration {
            let arm = 0.5 * (start.center + end.center) - pivot;
            let mut at_middle = acceleration.constant + acceleration.matrix * arm;
            let mut rest = acceleration.rest + acceleration.rest_per_arm * arm.length();
            if let Some(velocity) = node.velocity() {
                at_middle += acceleration.per_velocity.0.cross(velocity);
                rest += acceleration.per_velocity.1 * velocity.length();
            }
            growth += slice.eighth * (at_middle.length() + rest);
        }
        let axes = slice.rotation * start.axes;
        Seen { centers, half, axes, radius, growth: growth * STRETCH }
    }

    /// The times of a slice at which a box of a and a box of b may be close; `None` if they are apart throughout.
    ///
    /// Boxes are compared along the axes of the one and along those of the other at the middle. Along each, the distance of the
    /// centers is linear in time, so that it is short enough between two times, as for a ray and a slab.
    #[inline]
    pub(super) fn close(&self, slice: &Slice, a: &MovingBox, b: &Seen) -> Option<[f64; 2]> {
        let [start, end] = a.between(slice.times);
        let half = start.half.max(end.half);
        let radius = half.length() + b.radius;
        // Axes are not quite orthogonal: `STRETCH` of the sizes.
        let slack = self.slack + b.growth + (STRETCH - 1.0) * radius;
        let apart = [b.centers[0] - start.center, b.centers[1] - end.center];
        let mut share = [0.0, 1.0];
        let back = start.axes.transpose();
        let turned = back * b.axes;
        let magnitudes = turned.abs();
        let along = apart.map(|apart| back * apart);
        let reach = half + magnitudes * b.half + slack;
        for axis in 0..3 {
            narrow(&mut share, along[0][axis], along[1][axis], reach[axis])?;
        }
        let back = turned.transpose();
        let along = along.map(|along| back * along);
        let reach = b.half + magnitudes.transpose() * half + slack;
        for axis in 0..3 {
            narrow(&mut share, along[0][axis], along[1][axis], reach[axis])?;
        }
        let [from, to] = slice.times;
        Some(share.map(|share| from + (to - from) * share))
    }
}

/// Restricts a range of shares of an interval to those at which a number that changes linearly is within `reach` of
/// zero; `None` if nothing is left. NaN restricts nothing.
#[inline(always)]
fn narrow(share: &mut [f64; 2], start: f64, end: f64, reach: f64) -> Option<()> {
    let (low, high) = if start < end { (start, end) } else { (end, start) };
    if low > reach || high < -reach {
        return None;
    }
    if low >= -reach && high <= reach {
        return Some(());
    }
    // The slack of `reach` is much larger than the roundings of the quotients.
    let per_unit = (end - start).recip();
    let (first, last) = ((-reach - start) * per_unit, (reach - start) * per_unit);
    let (first, last) = if first < last { (first, last) } else { (last, first) };
    share[0] = share[0].max(first);
    share[1] = share[1].min(last);
    if share[0] > share[1] { None } else { Some(()) }
}

/// The Frobenius norm of a matrix, which is at least its norm.
fn norm(matrix: DMat3) -> f64 {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    columns.map(DVec3::length_squared).into_iter().sum::<f64>().sqrt()
}

impl NodeBox {
    fn between(&self, other: &Self, time: f64) -> Self {
        Self {
            center: self.center * (1.0 - time) + other.center * time,
            half: self.half * (1.0 - time) + other.half * time,
            axes: self.axes,
        }
    }
}

impl MovingBox {
    /// The box at the two ends of an interval of time.
    #[inline]
    fn between(&self, times: [f64; 2]) -> [NodeBox; 2] {
        match self {
            Self::Rigid(node) => [*node; 2],
            Self::Deforming([start, end]) => times.map(|time| start.between(end, time)),
        }
    }

    /// The velocity of the center of a box that deforms.
    fn velocity(&self) -> Option<DVec3> {
        match self {
            Self::Rigid(_) => None,
            Self::Deforming([start, end]) => Some(end.center - start.center),
        }
    }

    /// Half the diagonal at its longest.
    #[inline]
    pub(super) fn radius(&self) -> f64 {
        match self {
            Self::Rigid(node) => node.half.length(),
            Self::Deforming([start, end]) => start.half.length().max(end.half.length()),
        }
    }
}
