//! What one query can do for the next, where bodies move little in between.

use super::{FacePair, question::Question, tree::Front};
use crate::{Bounds, Mesh};

/// What a caller keeps between the queries of a pair, and gives to [`Query::cache`](super::Query::cache).
///
/// Never changes an answer, wherever it was used before: with other poses, other meshes or another
/// method. What it holds is only where to look first:
///
/// - the faces that the last query found to touch, or for `wide` the leaves they are in. If some of them
///   still do, whether any do is answered;
/// - where the last search for all of them ended, for trees of volumes: their [`Front`]. `wide` and
///   `boxtree` start at the roots.
#[derive(Debug, Default)]
pub struct Cache {
    pub(super) witness: Witness,
    pub(super) front: Front,
}

impl Cache {
    /// An empty cache, which the first query fills.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Where a method found something, in terms of its own. It may come from other meshes or another method.
pub(super) type Spot = [u32; 2];

/// Two faces that were as close as asked, somewhere: perhaps of other meshes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Witness {
    faces: Option<FacePair>,
    spot: Option<Spot>,
}

impl Witness {
    /// Whether any faces are as close as asked: at once if these are, and otherwise by a search,
    /// whose find is kept instead. A method that knows the spot looks there itself.
    pub(super) fn any(
        &mut self,
        meshes: [&Mesh; 2],
        question: &Question,
        search: impl FnOnce(&mut Option<Spot>) -> Option<FacePair>,
    ) -> bool {
        let is_known = self.spot.is_none()
            && self.faces.is_some_and(|faces| are_close(faces, meshes, question));
        if !is_known {
            self.faces = search(&mut self.spot);
        }
        self.faces.is_some()
    }
}

fn are_close(faces: FacePair, [a, b]: [&Mesh; 2], question: &Question) -> bool {
    if faces.a as usize >= a.faces().len() || faces.b as usize >= b.faces().len() {
        return false;
    }
    let s = a.triangle(faces.a).map(|corner| question.pose_a.place(corner));
    let t = b.triangle(faces.b).map(|corner| question.pose_b.place(corner));
    let bounds = Bounds::enclosing(s.into_iter().chain(t));
    question.face_test(&bounds).accepts(&s, &t)
}
