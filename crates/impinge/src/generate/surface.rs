//! A mesh under construction: rings of vertices, and the strips, fans and caps between them.

use super::GenerateError;
use crate::Mesh;
use glam::DVec3;

/// Positions and faces of a mesh under construction.
///
/// A ring runs counter-clockwise as seen from the side towards which the surface grows. Then all faces that
/// these methods add have outward normals.
#[derive(Default)]
pub(super) struct Surface {
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
}

impl Surface {
    /// An empty surface with capacity for this many faces of a closed mesh.
    pub(super) fn with_faces(faces: u64) -> Self {
        let faces = faces as usize;
        Self { positions: Vec::with_capacity(faces / 2 + 2), faces: Vec::with_capacity(faces) }
    }

    /// Adds a vertex and returns its index.
    ///
    /// Callers check their face count first, so indices stay far below 2³².
    pub(super) fn vertex(&mut self, position: DVec3) -> u32 {
        self.positions.push(position);
        (self.positions.len() - 1) as u32
    }

    /// Adds vertices and returns their indices.
    pub(super) fn ring(&mut self, positions: impl IntoIterator<Item = DVec3>) -> Vec<u32> {
        positions.into_iter().map(|position| self.vertex(position)).collect()
    }

    /// The position of a vertex.
    pub(super) fn position(&self, vertex: u32) -> DVec3 {
        self.positions[vertex as usize]
    }

    /// Adds a triangle, counter-clockwise seen from outside.
    pub(super) fn face(&mut self, corners: [u32; 3]) {
        self.faces.push(corners);
    }

    /// Adds two triangles that share the diagonal from the first corner to the third.
    pub(super) fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.faces.extend([[a, b, c], [a, c, d]]);
    }

    /// Joins two closed rings of the same length, from `lower` up to `upper`.
    pub(super) fn strip(&mut self, lower: &[u32], upper: &[u32]) {
        debug_assert_eq!(lower.len(), upper.len());
        for (i, j) in edges(lower.len()) {
            self.quad([lower[i], lower[j], upper[j], upper[i]]);
        }
    }

    /// Joins a closed ring to an apex above it.
    pub(super) fn fan_above(&mut self, ring: &[u32], apex: u32) {
        for (i, j) in edges(ring.len()) {
            self.face([ring[i], ring[j], apex]);
        }
    }

    /// Joins a closed ring to an apex below it.
    pub(super) fn fan_below(&mut self, ring: &[u32], apex: u32) {
        for (i, j) in edges(ring.len()) {
            self.face([ring[j], ring[i], apex]);
        }
    }

    /// Closes a convex ring from above, without a new vertex.
    pub(super) fn cap_above(&mut self, ring: &[u32]) {
        for pair in ring[1..].windows(2) {
            self.face([ring[0], pair[0], pair[1]]);
        }
    }

    /// Closes a convex ring from below, without a new vertex.
    pub(super) fn cap_below(&mut self, ring: &[u32]) {
        for pair in ring[1..].windows(2) {
            self.face([ring[0], pair[1], pair[0]]);
        }
    }

    /// Adds a closed body of 12 faces between two four-sided rings.
    pub(super) fn block(&mut self, lower: [DVec3; 4], upper: [DVec3; 4]) {
        let lower = self.ring(lower);
        let upper = self.ring(upper);
        self.cap_below(&lower);
        self.strip(&lower, &upper);
        self.cap_above(&upper);
    }

    /// The finished mesh. Fails only if a coordinate is not finite or too large.
    pub(super) fn finish(self) -> Result<Mesh, GenerateError> {
        Ok(Mesh::new(self.positions, self.faces)?)
    }
}

/// The index pairs of neighbours on a closed ring.
fn edges(len: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len).map(move |i| (i, if i + 1 == len { 0 } else { i + 1 }))
}
