//! A report on the structure of a mesh: counts, defects, closedness, volume.

use super::Mesh;
use crate::{Bounds, narrow::is_collinear};
use glam::DVec3;

/// The structure of a mesh. Nothing is repaired, and no query depends on it.
///
/// Vertices with equal positions count as the same vertex, as in files that repeat a position for every face
/// that uses it. Everything is decided exactly, without a tolerance.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshReport {
    /// The number of vertices.
    pub vertices: usize,
    /// The number of faces.
    pub faces: usize,
    /// The number of different positions that faces use.
    pub distinct_positions: usize,
    /// The number of vertices that no face uses.
    pub unused_vertices: usize,
    /// The bounding box of all faces; empty if there are none.
    pub bounds: Bounds,
    /// Faces that are a segment or a point.
    pub degenerate_faces: Vec<u32>,
    /// Faces with the same three positions as an earlier face, in any order. Faces with a repeated corner are
    /// not counted.
    pub duplicate_faces: Vec<Duplicate>,
    /// Edges that belong to a single face.
    pub open_edges: Vec<Edge>,
    /// Edges that belong to more than two faces.
    pub non_manifold_edges: Vec<Edge>,
    /// Edges of two faces that both run along the edge in the same direction, so that one of the faces is
    /// inside out.
    pub misoriented_edges: Vec<Edge>,
    /// Whether the faces enclose a solid: there are faces, and every edge belongs to exactly two of them, in
    /// opposite directions. Faces with a repeated corner are not counted.
    pub is_closed: bool,
    /// The enclosed volume, if the mesh is [closed](Self::is_closed); negative if the faces are inside out.
    pub volume: Option<f64>,
}

/// A face with the same corners as an earlier face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The face.
    pub face: u32,
    /// The first face with the same corners.
    pub of: u32,
}

/// An edge: the vertices at its ends, and the number of faces that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The lowest vertex at either end. Other vertices may have the same position.
    pub vertices: [u32; 2],
    /// The number of faces that run along the edge from the first vertex to the second.
    pub forward: u32,
    /// The number of faces that run along it in the other direction.
    pub backward: u32,
}

impl Mesh {
    /// Examines the mesh. Takes time n log n in the number of vertices and faces.
    pub fn report(&self) -> MeshReport {
        let first_at = first_vertex_at_each_position(self.positions());
        let corners: Vec<[u32; 3]> =
            self.faces().iter().map(|face| face.map(|v| first_at[v as usize])).collect();

        let mut is_used = vec![false; self.positions().len()];
        for &vertex in self.faces().iter().flatten() {
            is_used[vertex as usize] = true;
        }
        let mut is_used_position = vec![false; self.positions().len()];
        for &vertex in corners.iter().flatten() {
            is_used_position[vertex as usize] = true;
        }
        let count = |flags: &[bool], value: bool| flags.iter().filter(|&&f| f == value).count();

        let degenerate_faces =
            (0..self.faces().len() as u32).filter(|&f| is_collinear(self.triangle(f))).collect();
        let edges = edges(&corners);
        let select = |predicate: fn(&Edge) -> bool| -> Vec<Edge> {
            edges.iter().copied().filter(predicate).collect()
        };
        let is_closed =
            !edges.is_empty() && edges.iter().all(|edge| (edge.forward, edge.backward) == (1, 1));
        let bounds = self.bounds();
        MeshReport {
            vertices: self.positions().len(),
            faces: self.faces().len(),
            distinct_positions: count(&is_used_position, true),
            unused_vertices: count(&is_used, false),
            bounds,
            degenerate_faces,
            duplicate_faces: duplicates(&corners),
            open_edges: select(|edge| edge.forward + edge.backward == 1),
            non_manifold_edges: select(|edge| edge.forward + edge.backward > 2),
            misoriented_edges: select(|edge| {
                matches!((edge.forward, edge.backward), (2, 0) | (0, 2))
            }),
            is_closed,
            volume: is_closed.then(|| self.signed_volume(bounds.center())),
        }
    }

    /// The sum of the signed volumes of the tetrahedra from `apex` to each face: the enclosed volume, if the
    /// mesh is closed.
    fn signed_volume(&self, apex: DVec3) -> f64 {
        let six_fold = self.triangles().map(|t| {
            let [a, b, c] = t.map(|corner| corner - apex);
            a.cross(b).dot(c)
        });
        six_fold.sum::<f64>() / 6.0
    }
}

/// For each vertex the lowest vertex with an equal position.
pub(crate) fn first_vertex_at_each_position(positions: &[DVec3]) -> Vec<u32> {
    // Integers in the same order as the coordinates, stored beside the vertex so that sorting needs no
    // indirect access. Adding +0.0 turns −0.0 into +0.0, so that equal positions have equal keys.
    let key = |coordinate: f64| {
        let bits = (coordinate + 0.0).to_bits();
        if bits >> 63 == 0 { bits | (1 << 63) } else { !bits }
    };
    let mut order: Vec<([u64; 3], u32)> =
        positions.iter().zip(0..).map(|(p, vertex)| (p.to_array().map(key), vertex)).collect();
    order.sort_unstable();
    let mut first_at = vec![0; positions.len()];
    for same in order.chunk_by(|p, q| p.0 == q.0) {
        for &(_, vertex) in same {
            first_at[vertex as usize] = same[0].1;
        }
    }
    first_at
}

/// Faces with the same corners as an earlier face.
fn duplicates(corners: &[[u32; 3]]) -> Vec<Duplicate> {
    let faces = (0..).zip(corners).filter(|(_, corners)| has_distinct_corners(corners));
    let mut keyed: Vec<([u32; 3], u32)> = faces.map(|(f, c)| (sorted(*c), f)).collect();
    keyed.sort_unstable();
    let mut duplicates: Vec<Duplicate> = keyed
        .chunk_by(|p, q| p.0 == q.0)
        .flat_map(|same| same[1..].iter().map(|&(_, face)| Duplicate { face, of: same[0].1 }))
        .collect();
    duplicates.sort_unstable_by_key(|duplicate| duplicate.face);
    duplicates
}

fn has_distinct_corners([a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

/// The edges of all faces without a repeated corner, sorted by vertices.
pub(crate) fn edges(corners: &[[u32; 3]]) -> Vec<Edge> {
    // A counting sort by the lower of the two vertices.
    let faces = || corners.iter().filter(|corners| has_distinct_corners(corners));
    let around = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]];
    let vertices = corners.iter().flatten().max().map_or(0, |&last| last as usize + 1);
    let mut ends = vec![0usize; vertices + 1];
    for [from, to] in faces().flat_map(around) {
        ends[from.min(to) as usize + 1] += 1;
    }
    for vertex in 1..ends.len() {
        ends[vertex] += ends[vertex - 1];
    }
    let mut directed = vec![(0, false); ends[vertices]];
    for [from, to] in faces().flat_map(around) {
        let end = &mut ends[from.min(to) as usize];
        directed[*end] = (from.max(to), from < to);
        *end += 1;
    }
    let mut edges = Vec::with_capacity(directed.len() / 2);
    let mut start = 0;
    for (vertex, &end) in (0..).zip(&ends[..vertices]) {
        let from_here = &mut directed[start..end];
        from_here.sort_unstable();
        for same in from_here.chunk_by(|p, q| p.0 == q.0) {
            let forward = same.iter().filter(|(_, is_forward)| *is_forward).count() as u32;
            let backward = same.len() as u32 - forward;
            edges.push(Edge { vertices: [vertex, same[0].0], forward, backward });
        }
        start = end;
    }
    edges
}

/// Why the faces of a mesh enclose no solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotSolid {
    /// There are no faces, or none with three different corners.
    #[error("the mesh has no faces that could enclose a solid")]
    NoFaces,
    /// An edge has more faces on one side than on the other.
    #[error(
        "the mesh is not closed: of the faces at the edge between vertices {} and {}, {} run \
         along it one way and {} the other",
        .edge.vertices[0], .edge.vertices[1], .edge.forward, .edge.backward
    )]
    OpenEdge {
        /// The first such edge.
        edge: Edge,
    },
}

/// Checks that faces enclose a solid: every edge has as many faces that run along it one way as the other, so that
/// the winding number of any point off the surface is a whole number. Solids may share edges and overlap.
pub(crate) fn check_solid(edges: &[Edge]) -> Result<(), NotSolid> {
    if edges.is_empty() {
        return Err(NotSolid::NoFaces);
    }
    match edges.iter().find(|edge| edge.forward != edge.backward) {
        Some(&edge) => Err(NotSolid::OpenEdge { edge }),
        None => Ok(()),
    }
}

impl Mesh {
    /// Checks that the faces enclose a solid, or several: every edge has as many faces that run along it one way as
    /// the other. Vertices count as the same where their positions are equal. Takes time n log n.
    ///
    /// This is what it takes to tell points inside from points outside. [`MeshReport::is_closed`] asks for more: exactly
    /// two faces at each edge.
    pub fn check_solid(&self) -> Result<(), NotSolid> {
        let first_at = first_vertex_at_each_position(self.positions());
        let corners: Vec<[u32; 3]> =
            self.faces().iter().map(|face| face.map(|v| first_at[v as usize])).collect();
        check_solid(&edges(&corners))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        (corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    }

    #[test]
    fn a_tetrahedron_is_closed_and_has_its_volume() {
        let (positions, faces) = tetrahedron();
        let report = Mesh::new(positions, faces).unwrap().report();
        assert!(report.is_closed);
        assert!((report.volume.unwrap() - 1.0 / 6.0).abs() < 1e-15);
        assert_eq!(report.distinct_positions, 4);
    }

    #[test]
    fn vertices_with_equal_positions_count_as_one() {
        // Every face has vertices of its own, as in STL files, and one zero is negative.
        let (positions, faces) = tetrahedron();
        let mut soup: Vec<DVec3> = faces.iter().flatten().map(|&v| positions[v as usize]).collect();
        soup[0] = -soup[0];
        soup.push(DVec3::ONE);
        let faces = (0..4).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect();
        let report = Mesh::new(soup, faces).unwrap().report();
        assert!(report.is_closed);
        assert_eq!((report.vertices, report.distinct_positions), (13, 4));
        assert_eq!(report.unused_vertices, 1);
    }

    #[test]
    fn defects_are_listed() {
        let (mut positions, mut faces) = tetrahedron();
        positions.push(DVec3::new(0.25, 0.0, 0.0));
        faces.remove(3); // opens three edges
        faces.push([0, 4, 1]); // collinear corners
        faces.push([3, 1, 0]); // face 1 with the opposite orientation
        let report = Mesh::new(positions, faces).unwrap().report();
        assert_eq!(report.degenerate_faces, [3]);
        assert_eq!(report.duplicate_faces, [Duplicate { face: 4, of: 1 }]);
        assert!(!report.is_closed && report.volume.is_none());
        let non_manifold: Vec<_> = report.non_manifold_edges.iter().map(|e| e.vertices).collect();
        assert_eq!(non_manifold, [[0, 1], [1, 3]]);
        let open: Vec<_> = report.open_edges.iter().map(|e| e.vertices).collect();
        assert_eq!(open, [[0, 2], [0, 4], [1, 4], [2, 3]]);
    }

    #[test]
    fn a_face_that_is_inside_out_is_reported() {
        let (positions, mut faces) = tetrahedron();
        faces[2].swap(0, 1);
        let report = Mesh::new(positions, faces).unwrap().report();
        assert!(!report.is_closed);
        assert_eq!(report.misoriented_edges.len(), 3);
        assert!(report.open_edges.is_empty() && report.non_manifold_edges.is_empty());
    }

    #[test]
    fn an_empty_mesh_encloses_nothing() {
        let report = Mesh::default().report();
        assert!(!report.is_closed && report.bounds.is_empty());
    }

    #[test]
    fn solids_may_share_edges_but_not_be_open() {
        let (positions, faces) = tetrahedron();
        let mesh = |positions: &[DVec3], faces: &[[u32; 3]]| {
            Mesh::new(positions.to_vec(), faces.to_vec()).unwrap()
        };
        assert_eq!(mesh(&positions, &faces).check_solid(), Ok(()));
        // A second one below that shares an edge: four faces there.
        let mut more = positions.clone();
        more.extend([DVec3::NEG_Y, DVec3::NEG_Z]);
        let mut twice = faces.clone();
        twice.extend([[0, 1, 4], [0, 5, 1], [1, 5, 4], [4, 5, 0]]);
        let both = mesh(&more, &twice);
        assert!(!both.report().is_closed);
        assert_eq!(both.check_solid(), Ok(()));
        let open = mesh(&positions, &faces[1..]).check_solid().unwrap_err();
        assert!(matches!(open, NotSolid::OpenEdge { edge } if edge.vertices == [0, 1]), "{open}");
        assert_eq!(Mesh::default().check_solid(), Err(NotSolid::NoFaces));
        let message = "the mesh is not closed: of the faces at the edge between vertices 0 and 1, 1 run \
                       along it one way and 0 the other";
        assert_eq!(open.to_string(), message);
    }
}
