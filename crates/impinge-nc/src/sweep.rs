//! One part of a tool during one move, against one body.
//!
//! A move is enclosed by a translation of the tool ([`Stretch`]), which is exact for straight moves without rotation. Where
//! the enclosure touches the body or is inside, and deviates from the true motion by more than a share of the tolerance, the move is
//! halved. So a stretch that is clear is proven clear, and the stretches that are left reach into the body.
//!
//! The tool is made smaller by the tolerance first, so that a tool that only touches the surface, as a finishing tool
//! does, is clear: every point of the tool is within the tolerance of the smaller one. A tool that reaches deeper than the
//! tolerance is therefore always found.

use crate::{Motion, motion::Stretch, setup::Body};
use impinge::{
    Bounds, Pose,
    glam::DVec3,
    method::{PointScratch, SolidScratch},
    solid::{RevolvedHull, RoundedDisc, Shrinking, SweptSolid},
};
use std::ops::ControlFlow;

/// The share of the tolerance by which an enclosure may deviate from the true motion. Enclosed and enlarged by that much
/// each, a tool that was made smaller by the tolerance is still smaller than the true one, also where a sharp rim gave only
/// 1/√2 of the tolerance in each direction.
const DEVIATION: f64 = 0.2;

/// A convex piece of a tool, as it is and made smaller by the tolerance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) hull: RevolvedHull,
    pub(crate) shrunk: RevolvedHull,
    /// The largest distance of a point of the piece from the tip.
    pub(crate) reach: f64,
}

impl Piece {
    pub(crate) fn new(hull: RevolvedHull, tolerance: f64) -> Self {
        let shrunk = hull.shrunk(tolerance, Shrinking::Everywhere);
        Self { hull, shrunk, reach: hull.reach() }
    }

    /// The piece with all points above it, up to a height: for open surfaces, which have a solid below them. If such a point is
    /// below the surface, so is the point of the piece below it, and it is at least as deep.
    pub(crate) fn raised(hull: &RevolvedHull, height: f64, tolerance: f64) -> Self {
        let radius = hull.largest_radius();
        let top = RoundedDisc { height: height.max(hull.heights()[1]), radius, rounding: 0.0 };
        // Discs above the widest one are inside.
        let widest = hull.discs().iter().position(|disc| disc.radius + disc.rounding == radius);
        let kept = hull.discs().len().min(widest.map_or(3, |place| place + 1)).min(3);
        let discs: Vec<RoundedDisc> = hull.discs()[..kept].iter().copied().chain([top]).collect();
        Self::new(RevolvedHull::new(&discs).unwrap_or(*hull), tolerance)
    }

    /// At most how far a point of the piece, where it can touch a body, is from where the translation of a stretch takes it.
    /// `bounds` is a box around the body, enlarged by the margin.
    ///
    /// The deviation grows with the distance from the tip, and a cutter without a length is very long. But its points above
    /// a height H are outside the box at every time of the stretch, so only those below H count. Let r be the largest
    /// radius of the piece. A point of the tool at height h is p = t + h·a + s, where the tip t is within e (`tip_error`) of
    /// the segment of the translation, the unit vector a is within the angle δ (`turn_error`) of `axis`, so |a − axis| ≤ δ,
    /// and s is across a with |s| ≤ r. H is the least of these bounds:
    ///
    /// - For a unit vector n along a coordinate axis, n·p ≥ n·t + h·n·a − r ≥ (n·segment − e) + h·(n·axis − δ) − r. If the
    ///   last factor is positive, p is beyond the box, whose largest product with n is m, for all
    ///   h > (m + r + e − n·segment) / (n·axis − δ), where the least n·segment counts, which is at an end.
    /// - |p − t| ≥ h, because s is across a. So no point of the box is p, if h exceeds the largest distance of t from a
    ///   point of the box. This is a convex function of t, so it is greatest at an end of the segment and at a corner; e is
    ///   added for the tip's own deviation.
    ///
    /// A point below H is at most √(H² + r²) from the tip. The translated tool is one of the tools above (δ = e = 0), so its
    /// points above H are outside the box, too: an enclosure that is enlarged by less than the tool was made smaller reaches
    /// into the body only with points that are close to points of the true tool.
    pub(crate) fn deviation(&self, stretch: &Stretch, bounds: &Bounds) -> f64 {
        if stretch.turn_error == 0.0 {
            return stretch.deviation(self.reach);
        }
        let ends = [stretch.from, stretch.from + stretch.travel];
        let radius = self.hull.largest_radius();
        let mut height =
            ends.map(|tip| farthest_point(bounds, tip)).into_iter().fold(0.0, f64::max)
                + stretch.tip_error;
        let slack = radius + stretch.tip_error;
        // Per axis: the room up to each side of the box, and the least speed towards it.
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        for (room, speed) in [(bounds.max - low, stretch.axis), (high - bounds.min, -stretch.axis)]
        {
            for axis in 0..3 {
                let speed = speed[axis] - stretch.turn_error;
                if speed > 0.0 {
                    height = height.min((room[axis] + slack).max(0.0) / speed);
                }
            }
        }
        // The factor covers the roundings above.
        let height = height.max(self.hull.heights()[0].abs()) * (1.0 + 1e-9);
        let reach = height.hypot(radius);
        stretch.deviation(if reach < self.reach { reach } else { self.reach })
    }

    /// A point of the piece, at the start of a stretch.
    pub(crate) fn point(&self, stretch: &Stretch) -> DVec3 {
        stretch.from + stretch.axis * self.shrunk.discs()[0].height
    }
}

/// The largest distance of a point from a point of a box.
fn farthest_point(bounds: &Bounds, from: DVec3) -> f64 {
    (bounds.max - from).abs().max((from - bounds.min).abs()).length()
}

/// A stretch of a move during which a piece of a tool reaches into a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// The times of the move at which the stretch begins and ends.
    pub(crate) times: [f64; 2],
    pub(crate) stretch: Stretch,
    /// At most how far the points of the piece that can touch the body are from where the stretch takes them.
    pub(crate) deviation: f64,
}

/// A piece of a tool, swept along a stretch.
pub(crate) fn swept(hull: RevolvedHull, stretch: &Stretch, margin: f64) -> SweptSolid {
    SweptSolid::new(hull, stretch.from, stretch.axis).swept(stretch.travel).enlarged(margin)
}

/// Finds the stretches of a motion during which a piece of a tool, made smaller by the tolerance, comes closer to the faces of
/// a body than a margin, or is inside. A piece that touches no face during the whole motion is taken for outside, unless
/// `is_inside` is set. Returns whether there are any. Stops when the work is to be ended.
pub(crate) fn find_touches(
    motion: &Motion,
    piece: &Piece,
    body: &Body,
    (margin, tolerance): (f64, f64),
    is_inside: bool,
    memory: (&mut SolidScratch, &mut PointScratch, &mut Vec<Touch>),
    is_ended: &dyn Fn() -> bool,
) -> bool {
    let (scratch, points, touches) = memory;
    touches.clear();
    let bounds = body.mesh().bounds().grown(margin);
    let mut look_at = |times: [f64; 2], is_whole: bool| {
        let stretch = motion.stretch(times[0], times[1]);
        let deviation = piece.deviation(&stretch, &bounds);
        let solid = swept(piece.shrunk, &stretch, margin + deviation);
        let is_hit = body.shape.touches_swept(&Pose::IDENTITY, &solid, scratch)
            || is_whole && is_inside
            || !is_whole && body.contains(piece.point(&stretch), points);
        is_hit.then_some(Touch { times, stretch, deviation })
    };
    // Nearly all moves are clear, and end here.
    let Some(whole) = look_at([0.0, 1.0], true) else { return false };
    let mut left = vec![whole];
    let mut count = 0_usize;
    while let Some(touch) = left.pop() {
        let [start, end] = touch.times;
        let middle = 0.5 * (start + end);
        if touch.deviation <= DEVIATION * tolerance || middle <= start || middle >= end {
            touches.push(touch);
        } else {
            let halves = [[middle, end], [start, middle]];
            left.extend(halves.into_iter().filter_map(|times| look_at(times, false)));
        }
        count += 1;
        if count.is_multiple_of(256) && is_ended() {
            break;
        }
    }
    !touches.is_empty()
}

/// The faces of a body that a piece of a tool reaches into during some stretches: the numbers of all, sorted.
pub(crate) fn faces_touched(
    piece: &Piece,
    body: &Body,
    margin: f64,
    scratch: &mut SolidScratch,
    touches: &[Touch],
) -> Vec<u32> {
    let mut faces = Vec::new();
    for touch in touches {
        let solid = swept(piece.shrunk, &touch.stretch, margin + touch.deviation);
        body.shape.visit_near_solid(&Pose::IDENTITY, &solid, scratch, |face, triangle| {
            if solid.touches(triangle) {
                faces.push(face);
            }
            ControlFlow::Continue(())
        });
    }
    faces.sort_unstable();
    faces.dedup();
    faces
}
