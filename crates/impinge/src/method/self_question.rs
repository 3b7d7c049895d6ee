//! What a query asks about a body and itself, and the decision about two of its faces.
//!
//! [`Search::visit_self`](super::Search::visit_self) is asked a [`SelfQuestion`]; `query/self_query.rs` and worlds make
//! them. [`SelfDecider`] has the last word on each pair of faces, as [`FaceDecider`](super::FaceDecider) has between
//! two bodies. It relies on `narrow/adjacent.rs` for faces that share vertices.

use super::{Found, Question, Search};
use crate::{
    FacePair, Mesh,
    narrow::{Triangle, TriangleTest, meet_beyond_edge, meet_beyond_vertex},
};
use std::ops::ControlFlow;

/// Which vertices of two faces of a mesh are the same vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SharedBy {
    /// Those with the same index. Vertices at one position with different indices are different vertices, so that
    /// faces of a soup without common indices, such as an STL file, touch all of their neighbours.
    #[default]
    Index,
    /// Those at the same position, whatever their indices.
    Position,
}

/// What a query asks about a body and itself: which pairs of its faces are in contact?
///
/// Faces are taken in the mesh's own coordinates. The answer does not depend on a pose.
#[derive(Clone, Copy, Debug)]
pub struct SelfQuestion<'q> {
    /// The same body twice, at the identity.
    question: Question<'q>,
    /// A number for each vertex, the same for vertices that are the same; `None` for their indices.
    vertices: Option<&'q [u32]>,
    /// For each face, whether it is known to be in no contact with the faces with which it shares vertices.
    unfolded: Option<&'q [bool]>,
}

impl<'q> SelfQuestion<'q> {
    pub(crate) fn new(question: Question<'q>, vertices: Option<&'q [u32]>) -> Self {
        Self { question, vertices, unfolded: None }
    }

    /// The same question with what is known about neighbours.
    pub(crate) fn with_unfolded(self, unfolded: Option<&'q [bool]>) -> Self {
        Self { unfolded, ..self }
    }

    /// The question which faces of the body and of a copy in the same place touch. Every contact of the body with
    /// itself is among them, and every face touches its own copy and those of its neighbours.
    pub fn question(&self) -> &Question<'q> {
        &self.question
    }

    /// The exact decision about any two faces of the body.
    pub fn decider(&self) -> SelfDecider<'q> {
        let [body, _] = self.question.bodies;
        let test = TriangleTest::within(&body.bounds());
        SelfDecider { mesh: body.mesh, vertices: self.vertices, unfolded: self.unfolded, test }
    }
}

/// Decides exactly whether two different faces of a body are in contact.
///
/// Faces without common vertices are in contact if they share a point. Faces with the same vertices always are. Others
/// are if they share a point outside the convex hull of their common vertices: outside the vertex or the edge.
#[derive(Debug)]
pub struct SelfDecider<'q> {
    mesh: &'q Mesh,
    vertices: Option<&'q [u32]>,
    unfolded: Option<&'q [bool]>,
    test: TriangleTest,
}

impl<'q> SelfDecider<'q> {
    /// Whether two different faces are in contact.
    #[inline]
    pub fn accepts(&self, pair: FacePair) -> bool {
        let triangles = [pair.a, pair.b].map(|face| self.mesh.triangle(face));
        match self.common(pair) {
            Common::Nothing => self.test.intersects(&triangles[0], &triangles[1]),
            common => common.is_exceeded(&triangles),
        }
    }

    /// Whether two different faces that share a point are in contact.
    #[inline]
    pub fn accepts_touching(&self, pair: FacePair) -> bool {
        match self.common(pair) {
            Common::Nothing => true,
            common => common.is_exceeded(&[pair.a, pair.b].map(|face| self.mesh.triangle(face))),
        }
    }

    /// The vertices of all faces.
    pub(super) fn vertices(&self) -> FaceVertices<'q> {
        FaceVertices {
            faces: self.mesh.faces(),
            same: self.vertices,
            unfolded: self.unfolded.unwrap_or_default(),
        }
    }

    #[inline]
    fn common(&self, pair: FacePair) -> Common {
        let vertices = self.vertices();
        Common::of([vertices.of(pair.a), vertices.of(pair.b)])
    }
}

/// The vertices of the faces of a mesh, with equal numbers for vertices that are the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceVertices<'m> {
    faces: &'m [[u32; 3]],
    same: Option<&'m [u32]>,
    /// For each face, whether it is known to be in no contact with the faces with which it shares vertices; empty if
    /// nothing is known.
    unfolded: &'m [bool],
}

impl FaceVertices<'_> {
    /// Whether a face is known to be in no contact with any face with which it shares a vertex.
    #[inline]
    pub(super) fn is_unfolded(&self, face: u32) -> bool {
        self.unfolded.get(face as usize).is_some_and(|&is_unfolded| is_unfolded)
    }

    /// The vertices of a face.
    #[inline]
    pub(super) fn of(&self, face: u32) -> [u32; 3] {
        let vertices = self.faces[face as usize];
        match self.same {
            None => vertices,
            Some(same) => vertices.map(|vertex| same[vertex as usize]),
        }
    }
}

/// The vertices that two faces have in common, by the number of the corner in each face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Common {
    Nothing,
    /// One vertex, and the two other corners of each face.
    Vertex {
        corners: [u8; 2],
        others: [[u8; 2]; 2],
    },
    /// Two vertices: corners of the first face; and the third corner of each face.
    Edge {
        ends: [u8; 2],
        others: [u8; 2],
    },
    Everything,
}

impl Common {
    #[inline]
    fn of([first, second]: [[u32; 3]; 2]) -> Self {
        let is_common = first.map(|vertex| second.contains(&vertex));
        if is_common == [false; 3] {
            return Self::Nothing;
        }
        Self::of_adjacent(first, second)
    }

    /// Faces may name a vertex twice. Then fewer than three are different, and a corner that is left out, because it
    /// is a common vertex again, adds nothing to the convex hull of the face.
    fn of_adjacent(first: [u32; 3], second: [u32; 3]) -> Self {
        let place = |face: &[u32; 3], vertex: u32| face.iter().position(|&other| other == vertex);
        let mut common: [Option<u32>; 2] = [None; 2];
        for vertex in first {
            if !second.contains(&vertex) || common.contains(&Some(vertex)) {
                continue;
            }
            match &mut common {
                [one @ None, _] | [_, one @ None] => *one = Some(vertex),
                // Three different vertices are in common.
                _ => return Self::Everything,
            }
        }
        // The corners that are not common vertices; the first common one for those that are.
        let others = |face: &[u32; 3], stand_in: usize| {
            let mut others = (0..3).filter(|&i| !common.contains(&Some(face[i])));
            [others.next(), others.next()].map(|corner| corner.unwrap_or(stand_in) as u8)
        };
        let is_whole = |face: &[u32; 3]| face.iter().all(|&vertex| common.contains(&Some(vertex)));
        if is_whole(&first) && is_whole(&second) {
            return Self::Everything;
        }
        let at = |face: &[u32; 3], vertex: u32| place(face, vertex).unwrap_or(0);
        match common {
            [Some(u), Some(v)] => {
                let [p, q] = [first, second].map(|face| others(&face, at(&face, u))[0]);
                Self::Edge { ends: [at(&first, u) as u8, at(&first, v) as u8], others: [p, q] }
            }
            [Some(o), None] => {
                let corners = [first, second].map(|face| at(&face, o));
                let others = [others(&first, corners[0]), others(&second, corners[1])];
                Self::Vertex { corners: corners.map(|corner| corner as u8), others }
            }
            _ => Self::Nothing,
        }
    }

    /// Whether the faces have more in common than their common vertices and what is between them.
    #[inline]
    fn is_exceeded(self, [first, second]: &[Triangle; 2]) -> bool {
        let at = |triangle: &Triangle, corner: u8| triangle[usize::from(corner)];
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Vertex { corners, others: [ab, cd] } => meet_beyond_vertex(
                at(first, corners[0]),
                ab.map(|corner| at(first, corner)),
                cd.map(|corner| at(second, corner)),
            ),
            Self::Edge { ends, others: [p, q] } => {
                let ends = ends.map(|corner| at(first, corner));
                meet_beyond_edge(ends, at(first, p), at(second, q))
            }
        }
    }
}

/// Visits the contacts of a body with itself by a search of the body and a copy of it in the same place.
pub(super) fn visit_by_copy<S: Search + ?Sized>(
    search: &mut S,
    question: &SelfQuestion<'_>,
    found: &mut Found<'_>,
) -> ControlFlow<()> {
    let decider = question.decider();
    search.visit(question.question(), &mut |pair| {
        let is_found = pair.a < pair.b && decider.accepts_touching(pair);
        if is_found { found(pair) } else { ControlFlow::Continue(()) }
    })
}

/// Appends the contacts of a body with itself by a search of the body and a copy of it in the same place.
pub(super) fn collect_by_copy<S: Search + ?Sized>(
    search: &mut S,
    question: &SelfQuestion<'_>,
    contacts: &mut Vec<FacePair>,
) {
    let (start, decider) = (contacts.len(), question.decider());
    search.collect(question.question(), contacts);
    let mut kept = start;
    for i in start..contacts.len() {
        let pair = contacts[i];
        if pair.a < pair.b && decider.accepts_touching(pair) {
            contacts[kept] = pair;
            kept += 1;
        }
    }
    contacts.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_vertices_are_found_in_any_corners() {
        assert_eq!(Common::of([[0, 1, 2], [3, 4, 5]]), Common::Nothing);
        assert_eq!(
            Common::of([[0, 1, 2], [4, 1, 5]]),
            Common::Vertex { corners: [1, 1], others: [[0, 2], [0, 2]] }
        );
        assert_eq!(
            Common::of([[0, 1, 2], [2, 9, 0]]),
            Common::Edge { ends: [0, 2], others: [1, 1] }
        );
        assert_eq!(Common::of([[0, 1, 2], [2, 0, 1]]), Common::Everything);
    }

    #[test]
    fn faces_that_name_a_vertex_twice_have_fewer_vertices() {
        assert_eq!(Common::of([[0, 0, 1], [1, 1, 0]]), Common::Everything);
        assert_eq!(Common::of([[4, 4, 4], [4, 4, 4]]), Common::Everything);
        // The segment 0–1 and a face beside it share the edge and nothing more.
        assert_eq!(
            Common::of([[0, 0, 1], [0, 1, 2]]),
            Common::Edge { ends: [0, 2], others: [0, 2] }
        );
        assert_eq!(
            Common::of([[7, 7, 7], [5, 7, 7]]),
            Common::Vertex { corners: [0, 1], others: [[0, 0], [0, 1]] }
        );
    }
}
