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
    Pose,
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

    /// A point of the piece, at the start of a stretch.
    pub(crate) fn point(&self, stretch: &Stretch) -> DVec3 {
        stretch.from + stretch.axis * self.shrunk.discs()[0].height
    }
}

/// A stretch of a move during which a piece of a tool reaches into a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// The times of the move at which the stretch begins and ends.
    pub(crate) times: [f64; 2],
    pub(crate) stretch: Stretch,
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
    let mut look_at = |times: [f64; 2], is_whole: bool| {
        let stretch = motion.stretch(times[0], times[1]);
        let deviation = stretch.deviation(piece.reach);
        let solid = swept(piece.shrunk, &stretch, margin + deviation);
        let is_hit = body.shape.touches_swept(&Pose::IDENTITY, &solid, scratch)
            || is_whole && is_inside
            || !is_whole && body.contains(piece.point(&stretch), points);
        is_hit.then_some((Touch { times, stretch }, deviation))
    };
    // Nearly all moves are clear, and end here.
    let Some(whole) = look_at([0.0, 1.0], true) else { return false };
    let mut left = vec![whole];
    let mut count = 0_usize;
    while let Some((touch, deviation)) = left.pop() {
        let [start, end] = touch.times;
        let middle = 0.5 * (start + end);
        if deviation <= DEVIATION * tolerance || middle <= start || middle >= end {
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
        let deviation = touch.stretch.deviation(piece.reach);
        let solid = swept(piece.shrunk, &touch.stretch, margin + deviation);
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
