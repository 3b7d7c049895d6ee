//! The normals of one body's volumes in the frame of the other, along which nodes are measured that are placed by
//! their convex hulls or vertices.

use super::Relative;
use crate::convex::{ClimbDirection, ClimbEnds, Climber};
use glam::DVec3;

/// A normal of the planes of placed volumes, turned into the frame of the body whose volumes are placed. Made once
/// for a query, and used for all its nodes.
#[derive(Clone, Copy, Debug)]
pub struct TurnedNormal {
    direction: ClimbDirection,
    /// The direction in `f32`.
    pub(super) narrowed: [f32; 3],
    /// The sum of the magnitudes of the direction's components.
    pub(super) length: f64,
    /// The extent of the origin of that frame.
    pub(super) offset: f64,
    /// The slack of the extents of vertices, without what the vertices themselves and `f32` add.
    pub(super) vertex_margin: f64,
    /// The slack of the extents of hulls.
    hull_margin: f64,
}

impl TurnedNormal {
    /// Turns a normal of the frame of `a` into the frame of `b`. Its components are at most 1.
    ///
    /// A point of `b` is off by at most the uncertainty along each axis of the frame of `a`, so by three times
    /// that along the normal. The uncertainty also covers the rounding of the turned direction. A distance up
    /// to which points count as touching adds as many lengths of the normal.
    pub fn new(relative: &Relative, normal: DVec3) -> Self {
        let direction = relative.matrix.transpose() * normal;
        let length = direction.abs().element_sum();
        let margin =
            |reach: f64| 3.0 * relative.uncertainty(reach) + normal.length() * relative.buffer;
        // Larger values might overflow `f32`.
        let is_in_range = length < 1e30;
        Self {
            direction: ClimbDirection::new(direction),
            narrowed: direction.as_vec3().to_array(),
            length,
            offset: normal.dot(relative.offset),
            // Vertices of a DOP within ±1 may lie outside, but not as far as ±32.
            vertex_margin: if is_in_range { margin(32.0) } else { f64::INFINITY },
            hull_margin: margin(2.0),
        }
    }

    /// The extent of a hull of points of `b` along the normal in the frame of `a`, slack included.
    pub fn extent_of_hull(&self, climber: &Climber, ends: &mut ClimbEnds) -> [f64; 2] {
        let [low, high] = climber.extent(ends, &self.direction);
        [low + self.offset - self.hull_margin, high + self.offset + self.hull_margin]
    }
}
