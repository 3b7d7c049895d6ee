//! The faces around each vertex, where vertices at equal positions count as one: so triangle soups have neighbours, too.
//!
//! Clash checks walk over these, and contact regions flood the parts of a surface that lie inside another body.

use super::{Mesh, first_vertex_at_each_position};

/// The faces around each vertex. Vertices at equal positions are represented by the lowest of their numbers.
#[derive(Clone, Debug)]
pub(crate) struct FacesAround {
    /// The faces by vertices that represent all at their position.
    corners: Vec<[u32; 3]>,
    /// The faces around vertex `v` are `around[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    around: Vec<u32>,
}

impl FacesAround {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let first_at = first_vertex_at_each_position(mesh.positions());
        let corners: Vec<[u32; 3]> =
            mesh.faces().iter().map(|face| face.map(|v| first_at[v as usize])).collect();
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
        Self { corners, starts, around }
    }

    /// All faces, by vertices that represent all at their position.
    pub(crate) fn all_corners(&self) -> &[[u32; 3]] {
        &self.corners
    }

    /// The corners of a face, by vertices that represent all at their position.
    pub(crate) fn corners(&self, face: u32) -> [u32; 3] {
        self.corners[face as usize]
    }

    /// The faces that have a vertex; none for a vertex that is represented by another.
    pub(crate) fn around(&self, vertex: u32) -> &[u32] {
        let [start, end] = [vertex as usize, vertex as usize + 1].map(|v| self.starts[v] as usize);
        &self.around[start..end]
    }

    /// The number of vertices of the mesh.
    pub(crate) fn vertex_count(&self) -> usize {
        self.starts.len() - 1
    }
}
