//! What one query remembers for the next, where bodies move little in between.

use super::{Front, Question};
use crate::{Bounds, FacePair};

/// What a caller keeps between the queries of a pair, and gives to
/// [`Query::cache`](crate::query::Query::cache).
///
/// A cache never changes an answer, wherever it was used before: with other poses, other meshes or
/// another method. It holds only where to look first:
///
/// - the pair of faces that the last query found, or for `wide` the pair of leaves they are in. If
///   some of these faces are still as close as asked, whether any are is answered;
/// - for binary trees of volumes, the pairs of nodes at which the last search for all faces ended:
///   their [`Front`]. `wide` and `boxtree` start at the roots.
#[derive(Debug, Default)]
pub struct Cache {
    pub(crate) witness: Witness,
    pub(crate) front: Front,
}

impl Cache {
    /// An empty cache, which the first query fills.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Node numbers of the last contact that a search found, in the method's own numbering: see
/// [`Search::any`](super::Search::any).
pub type Hint = [u32; 2];

/// A pair of faces that was as close as asked in an earlier query, perhaps of other meshes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Witness {
    faces: Option<FacePair>,
    hint: Option<Hint>,
}

impl Witness {
    /// Whether any faces are as close as asked: at once if the remembered ones are, otherwise by a
    /// search, whose result is remembered instead. A search that left a hint looks there itself.
    pub(crate) fn any(
        &mut self,
        question: &Question<'_>,
        search: impl FnOnce(&mut Option<Hint>) -> Option<FacePair>,
    ) -> bool {
        let is_known =
            self.hint.is_none() && self.faces.is_some_and(|faces| are_close(faces, question));
        if !is_known {
            self.faces = search(&mut self.hint);
        }
        self.faces.is_some()
    }
}

fn are_close(faces: FacePair, question: &Question<'_>) -> bool {
    let [a, b] = &question.bodies;
    if faces.a as usize >= a.mesh.faces().len() || faces.b as usize >= b.mesh.faces().len() {
        return false;
    }
    let (s, t) = (a.triangle(faces.a), b.triangle(faces.b));
    let bounds = Bounds::enclosing(s.into_iter().chain(t));
    question.face_test(&bounds).accepts(&s, &t)
}
