//! The end of every search: the faces of two leaves, placed and tested.

use super::{
    FacePair,
    question::{FaceTest, Question},
};
use crate::{Bounds, Mesh, narrow::Triangle};
use std::ops::ControlFlow;

/// The faces of two bodies where they stand.
pub(super) struct Faces<'q> {
    meshes: [&'q Mesh; 2],
    question: Question,
    test: FaceTest,
}

/// The second leaf's faces as placed, while the first's are gone through; reused from leaf to leaf.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    placed: Vec<(u32, Triangle)>,
}

impl<'q> Faces<'q> {
    /// The faces of two meshes, all of which are within some bounds when placed.
    pub(super) fn new(meshes: [&'q Mesh; 2], question: &Question, bounds: &Bounds) -> Self {
        Self { meshes, question: *question, test: question.face_test(bounds) }
    }

    /// Visits all pairs of faces of two leaves, as placed, until told to stop.
    #[inline(always)] // a tenth of a dense query's time
    pub(super) fn pairs<B>(
        &self,
        leaves: &mut Leaves,
        [faces_a, faces_b]: [&[u32]; 2],
        mut visit: impl FnMut(FacePair, &Triangle, &Triangle) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Question { pose_a, pose_b, .. } = &self.question;
        let [mesh_a, mesh_b] = self.meshes;
        let placed = &mut leaves.placed;
        placed.clear();
        placed.extend(
            faces_b.iter().map(|&face| (face, mesh_b.triangle(face).map(|p| pose_b.place(p)))),
        );
        for &face in faces_a {
            let triangle = mesh_a.triangle(face).map(|corner| pose_a.place(corner));
            for (other, other_triangle) in placed.iter() {
                visit(FacePair { a: face, b: *other }, &triangle, other_triangle)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits those that are as close as asked.
    #[inline(always)]
    pub(super) fn close_pairs<B>(
        &self,
        leaves: &mut Leaves,
        faces: [&[u32]; 2],
        mut visit: impl FnMut(FacePair) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.pairs(leaves, faces, |pair, s, t| match self.test.accepts(s, t) {
            true => visit(pair),
            false => ControlFlow::Continue(()),
        })
    }

    /// Whether two faces are as close as asked.
    pub(super) fn is_close(&self, pair: FacePair) -> bool {
        let Question { pose_a, pose_b, .. } = &self.question;
        let [mesh_a, mesh_b] = self.meshes;
        let s = mesh_a.triangle(pair.a).map(|corner| pose_a.place(corner));
        let t = mesh_b.triangle(pair.b).map(|corner| pose_b.place(corner));
        self.test.accepts(&s, &t)
    }
}
