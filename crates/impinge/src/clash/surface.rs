//! How the faces of a mesh hang together, and whether they enclose a solid.

use crate::{
    Mesh,
    mesh::{check_solid, edges, first_vertex_at_each_position},
};
use glam::DVec3;

/// What is known of a mesh's surface. Vertices count as the same where their positions are equal, and
/// stand for each other by the lowest number.
#[derive(Clone, Debug)]
pub(super) struct Surface {
    /// The faces by vertices that stand for all that are equal.
    corners: Vec<[u32; 3]>,
    /// Whether the faces enclose a solid: every edge has as many faces on the one side as on the other,
    /// so that how often they go around a point is a whole number, anywhere off the surface.
    pub(super) is_closed: bool,
    /// Whether some edge has more than two faces.
    pub(super) has_crowded_edges: bool,
    /// The faces around vertex `v` are `around[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    around: Vec<u32>,
    /// Which piece each vertex belongs to; no meaning for those without a face.
    piece_of: Vec<u32>,
    /// A vertex of each piece of what is connected.
    pub(super) pieces: Vec<u32>,
    /// The positions that faces use, each once.
    used: Vec<DVec3>,
}

impl Surface {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let first_at = first_vertex_at_each_position(mesh.positions());
        let corners: Vec<[u32; 3]> =
            mesh.faces().iter().map(|face| face.map(|v| first_at[v as usize])).collect();
        let edges = edges(&corners);
        let is_closed = check_solid(&edges).is_ok();
        let has_crowded_edges = edges.iter().any(|edge| edge.forward + edge.backward > 2);

        let mut starts = vec![0u32; mesh.positions().len() + 1];
        for &vertex in corners.iter().flatten() {
            starts[vertex as usize + 1] += 1;
        }
        for vertex in 1..starts.len() {
            starts[vertex] += starts[vertex - 1];
        }
        let mut next = starts.clone();
        let mut around = vec![0; corners.len() * 3];
        for (face, corners) in (0..).zip(&corners) {
            for &vertex in corners {
                around[next[vertex as usize] as usize] = face;
                next[vertex as usize] += 1;
            }
        }
        let (piece_of, pieces) = (vec![u32::MAX; mesh.positions().len()], Vec::new());
        let is_used = |vertex: &usize| starts[vertex + 1] > starts[*vertex];
        let used =
            (0..mesh.positions().len()).filter(is_used).map(|v| mesh.positions()[v]).collect();
        let mut surface =
            Self { corners, is_closed, has_crowded_edges, starts, around, piece_of, pieces, used };
        surface.find_pieces();
        surface
    }

    fn find_pieces(&mut self) {
        let mut open = Vec::new();
        for face in 0..self.corners.len() {
            let seed = self.corners[face][0];
            if self.piece_of[seed as usize] != u32::MAX {
                continue;
            }
            let piece = self.pieces.len() as u32;
            self.pieces.push(seed);
            self.piece_of[seed as usize] = piece;
            open.push(seed);
            while let Some(vertex) = open.pop() {
                let (start, end) = self.range(vertex);
                for i in start..end {
                    for next in self.corners[self.around[i] as usize] {
                        if self.piece_of[next as usize] == u32::MAX {
                            self.piece_of[next as usize] = piece;
                            open.push(next);
                        }
                    }
                }
            }
        }
    }

    fn range(&self, vertex: u32) -> (usize, usize) {
        (self.starts[vertex as usize] as usize, self.starts[vertex as usize + 1] as usize)
    }

    /// The corners of a face, by vertices that stand for all that are equal.
    pub(super) fn corners(&self, face: u32) -> [u32; 3] {
        self.corners[face as usize]
    }

    /// The faces that have a vertex.
    pub(super) fn around(&self, vertex: u32) -> &[u32] {
        let (start, end) = self.range(vertex);
        &self.around[start..end]
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
        [self.piece_of.len(), self.corners.len()]
    }
}
