//! The outline of a convex solid of revolution in a half plane through its axis: arcs of its discs' rounded rims, and
//! the straight lines between them.
//!
//! A direction in the half plane has an angle, 0 upward along the axis, π/2 outward, π downward. The point of the solid
//! that is furthest along it lies on the disc with the largest product. The products of two discs are equal at most at
//! two angles, so these angles divide the half circle into parts with one disc each.

use super::{RevolvedHull, RoundedDisc};
use std::f64::consts::PI;

/// The part of the outline on the rim of one disc, between two angles.
#[derive(Clone, Copy, Debug)]
pub(super) struct RimArc {
    pub(super) disc: RoundedDisc,
    pub(super) angles: [f64; 2],
}

impl RimArc {
    /// The point of the outline at an angle: the distance from the axis, and the height.
    pub(super) fn point(&self, angle: f64) -> [f64; 2] {
        let RoundedDisc { height, radius, rounding } = self.disc;
        // The ends of the axis are on it in spite of rounding.
        let sine = if angle == PI { 0.0 } else { angle.sin() };
        [radius + rounding * sine, height + rounding * angle.cos()]
    }

    /// The volume between the arc and the axis.
    fn volume(&self) -> f64 {
        let RoundedDisc { radius, rounding, .. } = self.disc;
        let [from, to] = self.angles;
        // The integrals of the sine, its square and its cube.
        let sine = from.cos() - to.cos();
        let square = 0.5 * (to - from) - 0.25 * ((2.0 * to).sin() - (2.0 * from).sin());
        let cube = sine - (from.cos().powi(3) - to.cos().powi(3)) / 3.0;
        let terms =
            radius * radius * sine + 2.0 * radius * rounding * square + rounding * rounding * cube;
        PI * rounding * terms
    }
}

/// The arcs of the outline, from the upper end of the axis to the lower one. A straight line leads from each to the next, and
/// from the first and the last to the axis.
pub(super) fn outline(hull: &RevolvedHull) -> Vec<RimArc> {
    let discs = hull.discs();
    let extent = |disc: &RoundedDisc, angle: f64| {
        disc.height * angle.cos() + disc.radius * angle.sin() + disc.rounding
    };
    let mut angles = vec![0.0, PI];
    for (i, a) in discs.iter().enumerate() {
        for b in &discs[..i] {
            // Where `height cos + radius sin = −rounding`, all differences of the two discs.
            let (height, radius) = (a.height - b.height, a.radius - b.radius);
            let cosine = (b.rounding - a.rounding) / height.hypot(radius);
            if cosine.abs() <= 1.0 {
                let (middle, half) = (radius.atan2(height), cosine.acos());
                let both = [middle - half, middle + half].map(|angle| angle.rem_euclid(2.0 * PI));
                angles.extend(both.into_iter().filter(|&angle| angle < PI));
            }
        }
    }
    angles.sort_by(f64::total_cmp);
    let mut arcs: Vec<RimArc> = Vec::new();
    for pair in angles.windows(2) {
        let middle = 0.5 * (pair[0] + pair[1]);
        let by_extent =
            |a: &&RoundedDisc, b: &&RoundedDisc| extent(a, middle).total_cmp(&extent(b, middle));
        let Some(&disc) = discs.iter().max_by(by_extent) else { continue };
        match arcs.last_mut() {
            Some(last) if last.disc == disc => last.angles[1] = pair[1],
            _ => arcs.push(RimArc { disc, angles: [pair[0], pair[1]] }),
        }
    }
    arcs
}

/// The volume of a convex solid of revolution, rounded.
pub(super) fn volume(hull: &RevolvedHull) -> f64 {
    let arcs = outline(hull);
    let lines = arcs.windows(2).map(|pair| {
        let [from, from_height] = pair[0].point(pair[0].angles[1]);
        let [to, to_height] = pair[1].point(pair[1].angles[0]);
        // The frustum of a cone.
        PI / 3.0 * (from_height - to_height) * (from * from + from * to + to * to)
    });
    lines.sum::<f64>() + arcs.iter().map(RimArc::volume).sum::<f64>()
}
