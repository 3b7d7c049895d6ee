//! Triangle meshes: positions and faces, validated once on construction.

mod around;
mod columns;
mod extent;
mod fans;
mod report;

pub(crate) use around::FacesAround;
pub(crate) use columns::{ColumnLocation, Columns};
pub(crate) use extent::Extent;
pub use report::{Duplicate, Edge, MeshReport, NotSolid};
pub(crate) use report::{check_solid, edges, first_vertex_at_each_position};

use crate::{Bounds, Threads};
use fans::Fans;
use glam::DVec3;
use std::sync::{Arc, OnceLock};

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
///
/// The faces of a mesh are shared by its copies, so that a body that deforms has one list of faces, however
/// often its vertices move: see [`set_positions`](Self::set_positions) and
/// [`with_positions`](Self::with_positions).
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    positions: Vec<DVec3>,
    connectivity: Arc<Connectivity>,
}

/// The faces of a mesh, and what follows from them alone.
#[derive(Clone, Debug, Default)]
struct Connectivity {
    faces: Vec<[u32; 3]>,
    /// Whether the faces use every vertex; found out when first asked for.
    uses_all: OnceLock<bool>,
    /// The faces around each vertex, in order; found when first asked for.
    fans: OnceLock<Fans>,
}

impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        let (own, its) = (&self.connectivity, &other.connectivity);
        self.positions == other.positions && (Arc::ptr_eq(own, its) || own.faces == its.faces)
    }
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
    /// Other positions were passed for the vertices of a mesh, but not one for each.
    #[error(
        "the mesh has {expected} vertices, but {found} positions were given: give one for each vertex"
    )]
    VertexCount {
        /// The number of vertices of the mesh.
        expected: usize,
        /// The number of positions that were passed.
        found: usize,
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
        check_positions(&positions)?;
        let vertex_count = positions.len();
        for (face, corners) in faces.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= vertex_count) {
                return Err(MeshError::IndexOutOfRange { face, index, vertex_count });
            }
        }
        let connectivity = Arc::new(Connectivity { faces, ..Default::default() });
        Ok(Self { positions, connectivity })
    }

    /// A mesh with the same faces and other positions. Shares the faces instead of copying them.
    ///
    /// Fails if there is not one position for each vertex, or if a coordinate is not a finite number of at
    /// most [`MAX_COORDINATE`].
    ///
    /// ```
    /// use impinge::{generate, glam::DVec3};
    ///
    /// let ball = generate::sphere(960)?;
    /// let flat = ball.with_positions(ball.positions().iter().map(|p| p.with_z(0.5 * p.z)).collect())?;
    /// assert_eq!(flat.faces(), ball.faces());
    /// assert!(ball.with_positions(vec![DVec3::ZERO]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_positions(&self, positions: Vec<DVec3>) -> Result<Self, MeshError> {
        self.check_new_positions(&positions)?;
        Ok(Self { positions, connectivity: Arc::clone(&self.connectivity) })
    }

    /// Moves all vertices to other positions. If it fails, for the same reasons as
    /// [`with_positions`](Self::with_positions), the mesh is unchanged.
    pub fn set_positions(&mut self, positions: &[DVec3]) -> Result<(), MeshError> {
        self.check_new_positions(positions)?;
        self.replace_positions(positions);
        Ok(())
    }

    /// Moves all vertices to positions that were [checked](Self::check_new_positions).
    pub(crate) fn replace_positions(&mut self, positions: &[DVec3]) {
        self.positions.copy_from_slice(positions);
    }

    /// Fails unless these can be the positions of all vertices.
    pub(crate) fn check_new_positions(&self, positions: &[DVec3]) -> Result<(), MeshError> {
        let (expected, found) = (self.positions.len(), positions.len());
        if expected != found {
            return Err(MeshError::VertexCount { expected, found });
        }
        check_positions(positions)
    }

    /// The positions, in the order in which they were passed.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The faces, in the order in which they were passed.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.connectivity.faces
    }

    /// The corners of a face.
    ///
    /// # Panics
    ///
    /// If there is no such face.
    #[inline]
    pub fn triangle(&self, face: u32) -> [DVec3; 3] {
        self.faces()[face as usize].map(|vertex| self.positions[vertex as usize])
    }

    /// The corners of every face, in order.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        self.faces().iter().map(|face| face.map(|vertex| self.positions[vertex as usize]))
    }

    /// The bounding box of all faces; empty if there are none. Vertices that no face uses do not count.
    pub fn bounds(&self) -> Bounds {
        // Reads each vertex once and in order, where that gives the same box.
        if self.uses_all_vertices() {
            return Bounds::enclosing(self.positions.iter().copied());
        }
        Bounds::enclosing(self.triangles().flatten())
    }

    /// Whether the faces use every vertex.
    pub(crate) fn uses_all_vertices(&self) -> bool {
        *self.connectivity.uses_all.get_or_init(|| {
            let mut is_used = vec![false; self.positions.len()];
            for &vertex in self.faces().iter().flatten() {
                is_used[vertex as usize] = true;
            }
            is_used.iter().all(|&is_used| is_used)
        })
    }

    /// For each face, whether it is proven to meet the faces with which it shares vertices in nothing but the common
    /// vertex or edge.
    pub(crate) fn unfolded_faces(&self, threads: Threads) -> Vec<bool> {
        let faces = self.faces();
        let fans = self.connectivity.fans.get_or_init(|| Fans::new(faces, self.positions.len()));
        fans.unfolded(faces, &self.positions, threads)
    }

    /// Converts the mesh back into its positions and faces.
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (self.positions, Arc::unwrap_or_clone(self.connectivity).faces)
    }
}

/// Fails at the first position that is not finite or too large.
fn check_positions(positions: &[DVec3]) -> Result<(), MeshError> {
    // Without a branch for each coordinate; NaN fails the comparison.
    let is_fine = |position: &DVec3| position.abs().cmple(DVec3::splat(MAX_COORDINATE)).all();
    if positions.iter().fold(true, |all, position| all & is_fine(position)) {
        return Ok(());
    }
    let mut numbered = positions.iter().enumerate();
    numbered.try_for_each(|(vertex, &position)| MeshError::check_position(vertex, position))
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
    fn other_positions_are_checked_before_any_is_taken() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let mut mesh = Mesh::new(corners.clone(), vec![[0, 1, 2]]).unwrap();
        let before = mesh.clone();
        let bad = [
            (
                vec![DVec3::Z; 2],
                "the mesh has 3 vertices, but 2 positions were given: give one for each vertex",
            ),
            (
                vec![DVec3::Z; 4],
                "the mesh has 3 vertices, but 4 positions were given: give one for each vertex",
            ),
            (
                vec![DVec3::Z, DVec3::Z.with_x(f64::NAN), DVec3::Z],
                "vertex 1 has the x coordinate NaN, which is not a finite number",
            ),
            (
                vec![DVec3::Z, DVec3::Z, DVec3::splat(2e100)],
                "vertex 2 has the x coordinate 2e100, which is beyond ±1e100",
            ),
        ];
        for (positions, message) in bad {
            assert_eq!(mesh.set_positions(&positions).unwrap_err().to_string(), message);
            assert_eq!(mesh.with_positions(positions).unwrap_err().to_string(), message);
            assert_eq!(mesh, before, "{message}");
        }
        mesh.set_positions(&[DVec3::Z; 3]).unwrap();
        assert_eq!(mesh.triangle(0), [DVec3::Z; 3]);
        assert_eq!(before.triangle(0), [DVec3::ZERO, DVec3::X, DVec3::Y], "a copy keeps its own");
        assert_ne!(mesh, before);
        assert_eq!(mesh.with_positions(corners).unwrap(), before);
    }

    #[test]
    fn unused_vertices_do_not_count_for_bounds() {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::splat(9.0)];
        let mesh = Mesh::new(positions, vec![[0, 1, 2]]).unwrap();
        assert_eq!(mesh.bounds(), Bounds { min: DVec3::ZERO, max: DVec3::new(1.0, 1.0, 0.0) });
        assert!(Mesh::default().bounds().is_empty());
    }
}
