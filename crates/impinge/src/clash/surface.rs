//! How the faces of a mesh hang together, and whether they enclose a solid.

use crate::{
    Mesh,
    mesh::{FacesAround, check_solid, edges},
};
use glam::DVec3;

/// What is known of a mesh's surface. Vertices count as the same where their positions are equal, and
/// stand for each other by the lowest number.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    /// The faces, and those around each vertex.
    faces: FacesAround,
    /// Whether the faces enclose a solid: every edge has as many faces on the one side as on the other,
    /// so that how often they go around a point is a whole number, anywhere off the surface.
    pub(super) is_closed: bool,
    /// Whether some edge has more than two faces.
    pub(super) has_crowded_edges: bool,
    /// Which piece each vertex belongs to; no meaning for those without a face.
    piece_of: Vec<u32>,
    /// A vertex of each piece of what is connected.
    pub(super) pieces: Vec<u32>,
    /// The positions that faces use, each once.
    used: Vec<DVec3>,
}

impl Surface {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let faces = FacesAround::new(mesh);
        let edges = edges(faces.all_corners());
        let is_closed = check_solid(&edges).is_ok();
        let has_crowded_edges = edges.iter().any(|edge| edge.forward + edge.backward > 2);
        let (piece_of, pieces) = (vec![u32::MAX; mesh.positions().len()], Vec::new());
        let used =
            (0..).zip(mesh.positions()).filter(|&(vertex, _)| !faces.around(vertex).is_empty());
        let used = used.map(|(_, position)| *position).collect();
        let mut surface = Self { faces, is_closed, has_crowded_edges, piece_of, pieces, used };
        surface.find_pieces();
        surface
    }

    fn find_pieces(&mut self) {
        let mut open = Vec::new();
        for face in self.faces.all_corners() {
            let seed = face[0];
            if self.piece_of[seed as usize] != u32::MAX {
                continue;
            }
            let piece = self.pieces.len() as u32;
            self.pieces.push(seed);
            self.piece_of[seed as usize] = piece;
            open.push(seed);
            while let Some(vertex) = open.pop() {
                for &face in self.faces.around(vertex) {
                    for next in self.faces.corners(face) {
                        if self.piece_of[next as usize] == u32::MAX {
                            self.piece_of[next as usize] = piece;
                            open.push(next);
                        }
                    }
                }
            }
        }
    }

    /// The corners of a face, by vertices that stand for all that are equal.
    pub(super) fn corners(&self, face: u32) -> [u32; 3] {
        self.faces.corners(face)
    }

    /// The faces that have a vertex.
    pub(super) fn around(&self, vertex: u32) -> &[u32] {
        self.faces.around(vertex)
    }

    /// The piece that a face belongs to.
    pub(super) fn piece_of(&self, face: u32) -> u32 {
        self.piece_of[self.corners(face)[0] as usize]
    }

    /// The least and the largest coordinate along a direction.
    pub(super) fn interval(&self, direction: DVec3) -> [f64; 2] {
        let all = [f64::INFINITY, f64::NEG_INFINITY];
        self.used.iter().map(|p| direction.dot(*p)).fold(all, |[l, h], at| [l.min(at), h.max(at)])
    }

    /// How many vertices there are, and faces.
    pub(super) fn counts(&self) -> [usize; 2] {
        [self.piece_of.len(), self.faces.all_corners().len()]
    }
}
