//! Triangle meshes: positions and faces, validated once on construction.

mod extent;
mod report;

pub(crate) use extent::Extent;
pub use report::{Duplicate, Edge, MeshReport, NotSolid};
pub(crate) use report::{check_solid, edges, first_vertex_at_each_position};

use crate::Bounds;
use glam::DVec3;

/// The largest magnitude of a coordinate that a mesh accepts.
pub const MAX_COORDINATE: f64 = 1e100;

/// A triangle soup: `f64` positions, and faces of three vertex indices each.
///
/// No further structure is required: cracks, T-junctions, duplicate, degenerate and self-intersecting faces
/// are all accepted, and nothing is welded, reordered or dropped. Construction checks that every coordinate
/// is a finite number of at most [`MAX_COORDINATE`], and that every face uses existing vertices. After that
/// no query can fail.
///
/// ```
/// use impinge::{Mesh, glam::DVec3};
///
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
/// let mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]])?;
/// assert_eq!(mesh.triangle(0), [DVec3::ZERO, DVec3::X, DVec3::Y]);
///
/// let error = Mesh::new(corners, vec![[0, 1, 3]]).unwrap_err();
/// assert_eq!(error.to_string(), "face 0 uses vertex 3, but the mesh has 3 vertices");
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    positions: Vec<DVec3>,
    faces: Vec<[u32; 3]>,
}

/// Why positions and faces are not a [`Mesh`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has the {} coordinate {value}, which is not a finite number", axis_name(*axis))]
    NotFinite {
        /// The vertex, from 0.
        vertex: usize,
        /// 0, 1 or 2 for x, y or z.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// A coordinate is finite but larger than [`MAX_COORDINATE`].
    #[error("vertex {vertex} has the {} coordinate {value:e}, which is beyond ±1e100", axis_name(*axis))]
    TooLarge {
        /// The vertex, from 0.
        vertex: usize,
        /// 0, 1 or 2 for x, y or z.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// A face uses a vertex that does not exist.
    #[error("face {face} uses vertex {index}, but the mesh has {vertex_count} vertices")]
    IndexOutOfRange {
        /// The face, from 0.
        face: usize,
        /// The vertex index in the face.
        index: u32,
        /// The number of vertices.
        vertex_count: usize,
    },
    /// A vertex index has 32 bits, so the mesh cannot have more vertices.
    #[error("the mesh has {vertex_count} vertices; at most 4294967295 can be numbered")]
    TooManyVertices {
        /// The number of vertices that were passed.
        vertex_count: usize,
    },
    /// A face index has 32 bits, so the mesh cannot have more faces.
    #[error("the mesh has {face_count} faces; at most 4294967295 can be numbered")]
    TooManyFaces {
        /// The number of faces that were passed.
        face_count: usize,
    },
}

fn axis_name(axis: usize) -> char {
    ['x', 'y', 'z'][axis]
}

impl MeshError {
    /// Checks one position like [`Mesh::new`]. File readers use it to report the place in the file.
    pub fn check_position(vertex: usize, position: DVec3) -> Result<(), Self> {
        for (axis, value) in position.to_array().into_iter().enumerate() {
            if !value.is_finite() {
                return Err(Self::NotFinite { vertex, axis, value });
            }
            if value.abs() > MAX_COORDINATE {
                return Err(Self::TooLarge { vertex, axis, value });
            }
        }
        Ok(())
    }
}

impl Mesh {
    /// Creates a mesh. The error names the vertex or face that is wrong.
    pub fn new(positions: Vec<DVec3>, faces: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if u32::try_from(faces.len()).is_err() {
            return Err(MeshError::TooManyFaces { face_count: faces.len() });
        }
        if u32::try_from(positions.len()).is_err() {
            return Err(MeshError::TooManyVertices { vertex_count: positions.len() });
        }
        for (vertex, &position) in positions.iter().enumerate() {
            MeshError::check_position(vertex, position)?;
        }
        let vertex_count = positions.len();
        for (face, corners) in faces.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= vertex_count) {
                return Err(MeshError::IndexOutOfRange { face, index, vertex_count });
            }
        }
        Ok(Self { positions, faces })
    }

    /// The positions, in the order in which they were passed.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The faces, in the order in which they were passed.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The corners of a face.
    ///
    /// # Panics
    ///
    /// If there is no such face.
    #[inline]
    pub fn triangle(&self, face: u32) -> [DVec3; 3] {
        self.faces[face as usize].map(|vertex| self.positions[vertex as usize])
    }

    /// The corners of every face, in order.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        self.faces.iter().map(|face| face.map(|vertex| self.positions[vertex as usize]))
    }

    /// The bounding box of all faces; empty if there are none. Vertices that no face uses do not count.
    pub fn bounds(&self) -> Bounds {
        Bounds::enclosing(self.triangles().flatten())
    }

    /// Converts the mesh back into its positions and faces.
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (self.positions, self.faces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_vertex_or_face() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let with = |position: DVec3| {
            let mut positions = corners.clone();
            positions[1] = position;
            Mesh::new(positions, vec![[0, 1, 2]])
        };
        assert!(matches!(
            with(DVec3::new(0.0, f64::NAN, 0.0)),
            Err(MeshError::NotFinite { vertex: 1, axis: 1, .. })
        ));
        assert!(matches!(
            with(DVec3::new(0.0, 0.0, f64::NEG_INFINITY)),
            Err(MeshError::NotFinite { vertex: 1, axis: 2, .. })
        ));
        assert_eq!(
            with(DVec3::new(-1.5e100, 0.0, 0.0)).unwrap_err().to_string(),
            "vertex 1 has the x coordinate -1.5e100, which is beyond ±1e100"
        );
        assert!(with(DVec3::splat(1e100)).is_ok());
        assert_eq!(
            Mesh::new(corners, vec![[0, 1, 2], [2, 7, 0]]),
            Err(MeshError::IndexOutOfRange { face: 1, index: 7, vertex_count: 3 })
        );
    }

    #[test]
    fn unused_vertices_do_not_count_for_bounds() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::splat(9.0)];
        let mesh = Mesh::new(positions, vec![[0, 1, 2]]).unwrap();
        assert_eq!(mesh.bounds(), Bounds { min: DVec3::ZERO, max: DVec3::new(1.0, 1.0, 0.0) });
        assert!(Mesh::default().bounds().is_empty());
    }
}
