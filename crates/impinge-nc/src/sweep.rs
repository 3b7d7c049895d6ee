//! One part of a tool during one move, against one body.
//!
//! A move is enclosed by a translation of the tool ([`Stretch`]), which is exact for straight moves without rotation. Where
//! the enclosure touches the body, and deviates from the true motion by more than a share of the tolerance, the move is
//! halved. So a stretch that is clear is proven clear, and the stretches that are left reach into the body.
//!
//! The tool is made smaller by the tolerance first, so that a tool that only touches the surface, as a finishing tool
//! does, is clear: every point of the tool is within the tolerance of the smaller one. A tool that reaches deeper than the
//! tolerance is therefore always found.

use crate::{Motion, motion::Stretch, setup::Body};
use impinge::{
    Pose,
    method::SolidScratch,
    solid::{RevolvedHull, Shrinking, SweptSolid},
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
/// a body than a margin. Returns whether there are any.
pub(crate) fn find_touches(
    motion: &Motion,
    piece: &Piece,
    body: &Body,
    (margin, tolerance): (f64, f64),
    scratch: &mut SolidScratch,
    touches: &mut Vec<Touch>,
) -> bool {
    touches.clear();
    let mut is_touching = |times: [f64; 2]| {
        let stretch = motion.stretch(times[0], times[1]);
        let deviation = stretch.deviation(piece.reach);
        let solid = swept(piece.shrunk, &stretch, margin + deviation);
        let touch = Touch { times, stretch };
        body.shape.touches_swept(&Pose::IDENTITY, &solid, scratch).then_some((touch, deviation))
    };
    // Nearly all moves are clear, and end here.
    let Some(whole) = is_touching([0.0, 1.0]) else { return false };
    let mut left = vec![whole];
    while let Some((touch, deviation)) = left.pop() {
        let [start, end] = touch.times;
        let middle = 0.5 * (start + end);
        if deviation <= DEVIATION * tolerance || middle <= start || middle >= end {
            touches.push(touch);
        } else {
            left.extend([[middle, end], [start, middle]].into_iter().filter_map(&mut is_touching));
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
