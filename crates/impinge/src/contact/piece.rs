//! The intersection of two faces that touch: a point, a segment or a polygon.

use super::{ContactRegions, Patch, curve::Segment, unit_normal};
use crate::{
    FacePair, Pose, Shape,
    narrow::{Crossed, Meeting, Triangle, triangles_cross, triangles_distance, triangles_meet},
};
use glam::DVec3;

/// The intersection of the two faces of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The joint at an end.
    pub(super) joint: u32,
    pub(super) kind: Kind,
    /// The normal of the second face less that of the first.
    pub(super) lean: DVec3,
}

/// The shape of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Point,
    Segment([DVec3; 2]),
    /// The area of a polygon, and its centre.
    Patch(f64, DVec3),
}

/// Faces that enclose a smaller angle than this sine are looked at as if they were coplanar first.
const NEARLY_PARALLEL: f64 = 1e-3;

impl ContactRegions {
    /// Adds the piece of a contact, its segment, and the crossings of its edges.
    pub(super) fn add_piece(&mut self, bodies: [(&Shape, &Pose); 2], number: u32, pair: &FacePair) {
        let faces = [pair.a, pair.b];
        let [a, b] = [0, 1].map(|body| {
            let (shape, pose): (&Shape, &Pose) = bodies[body];
            pose.place_triangle(shape.mesh().triangle(faces[body]))
        });
        let vertices = [0, 1].map(|body| bodies[body].0.faces_around().corners(faces[body]));
        let (n, m) = (unit_normal(&a), unit_normal(&b));
        let (lean, along) = (m - n, m.cross(n));
        let tolerance = self.joints.tolerance();
        let patch = match along.length_squared() < NEARLY_PARALLEL * NEARLY_PARALLEL {
            true => Patch::of(&a, &b, tolerance),
            false => None,
        };
        let (joint, kind) = if let Some(patch) = patch {
            self.exclude_corners(patch.corners(), [(&a, vertices[0]), (&b, vertices[1])]);
            let joint = self.connected(patch.corners());
            let (area, center) = patch.area();
            (joint, Kind::Patch(area, center))
        } else if let Some(crossed) = triangles_cross(&a, &b, tolerance / 8.0) {
            let joints = crossed.ends.map(|end| self.joints.joint(end));
            self.joints.connect(joints[0], joints[1]);
            self.add_crossings(&crossed, joints, [(&a, vertices[0]), (&b, vertices[1])]);
            match crossed.is_point || joints[0] == joints[1] {
                true => (joints[0], Kind::Point),
                false => (joints[0], self.segment(number, crossed.ends, joints, along)),
            }
        } else {
            let meeting = triangles_meet(&a, &b).unwrap_or_else(|| {
                let closest = triangles_distance(&a, &b);
                Meeting::Point(closest.a * 0.5 + closest.b * 0.5)
            });
            self.exclude_corners(&meeting, [(&a, vertices[0]), (&b, vertices[1])]);
            let joint = self.connected(&meeting);
            match meeting {
                Meeting::Segment(ends) => {
                    let joints = ends.map(|end| self.joints.joint(end));
                    match joints[0] == joints[1] {
                        true => (joint, Kind::Point),
                        false => (joint, self.segment(number, ends, joints, along)),
                    }
                }
                // Coplanar faces are patches, so this is a polygon only by rounding.
                _ => (joint, Kind::Point),
            }
        };
        self.pieces.push(Piece { joint, kind, lean });
    }

    fn segment(&mut self, contact: u32, ends: [DVec3; 2], joints: [u32; 2], along: DVec3) -> Kind {
        let flow = along.dot((ends[1] - ends[0]).normalize_or_zero());
        let [i, j] = joints;
        let (joints, flow) = if i < j { ([i, j], flow) } else { ([j, i], -flow) };
        self.segments.push(Segment { joints, flow, contact });
        Kind::Segment(ends)
    }

    /// The joint at the first of some points, connected with those at the others.
    fn connected(&mut self, points: &[DVec3]) -> u32 {
        let first = self.joints.joint(points[0]);
        for &point in &points[1..] {
            let other = self.joints.joint(point);
            self.joints.connect(first, other);
        }
        first
    }

    /// Marks the corners of two faces that lie on both of them: among the corners of their intersection.
    fn exclude_corners(&mut self, points: &[DVec3], faces: [(&Triangle, [u32; 3]); 2]) {
        let near = 2.0 * self.joints.tolerance();
        for (body, (triangle, vertices)) in faces.into_iter().enumerate() {
            for (corner, vertex) in triangle.iter().zip(vertices) {
                if points.iter().any(|point| (*point - *corner).abs().max_element() <= near) {
                    self.inside.exclude(body, vertex);
                }
            }
        }
    }

    /// Adds the edges of both faces that cross the other face.
    fn add_crossings(
        &mut self,
        crossed: &Crossed,
        joints: [u32; 2],
        faces: [(&Triangle, [u32; 3]); 2],
    ) {
        for (end, edges) in crossed.edges.iter().enumerate() {
            for (body, edge) in edges.iter().enumerate() {
                let Some(edge) = edge.map(|edge| edge.map(usize::from)) else { continue };
                let (triangle, vertices) = faces[body];
                let sides = edge.map(|corner| crossed.sides[body][corner]);
                let reached = edge.map(|corner| vertices[corner]);
                for (side, vertex) in sides.into_iter().zip(reached) {
                    if side == 0 {
                        self.inside.exclude(body, vertex);
                    }
                }
                if sides[0] * sides[1] < 0 {
                    let away = edge.map(|corner| triangle[corner].distance(crossed.ends[end]));
                    self.inside.cross(body, reached, away, sides[0] > 0, joints[end]);
                }
            }
        }
    }
}
