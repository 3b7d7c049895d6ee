//! The search of many bodies at once, for methods that do not need to take them pair by pair.
//!
//! [`World`](crate::World) calls it with all bodies that the broad phase found near another one, or with all bodies
//! if there is no broad phase. A method that has such a search says so in
//! [`Prepared::new_group_search`](super::Prepared::new_group_search).

use super::{Found, PlacedShape, Prepared, Question, SearchSteps, WalkCounts};
use crate::{FacePair, Threads};
use std::{fmt, ops::ControlFlow};

/// Two bodies of a [`Group`] by their numbers in it, the lower number first.
pub type GroupPair = [u32; 2];

/// Bodies to be searched at once, numbered from 0. All of them were prepared by the method of the search.
#[derive(Clone, Copy)]
pub struct Group<'g> {
    pub(crate) len: u32,
    /// A body by its number; `None` for a body that does not take part.
    pub(crate) body: &'g dyn Fn(u32) -> Option<PlacedShape<'g>>,
    pub(crate) pairs: GroupPairs<'g>,
    pub(crate) threads: Threads,
    /// Whether the steps of the search are timed.
    pub(crate) is_timed: bool,
}

/// The pairs of bodies of a group whose faces are to be compared.
#[derive(Clone, Copy)]
pub enum GroupPairs<'g> {
    /// These pairs, each once, sorted: those that a broad phase found.
    Listed(&'g [GroupPair]),
    /// All pairs for which this returns `true`: there is no broad phase.
    Where(&'g dyn Fn(GroupPair) -> bool),
}

impl<'g> Group<'g> {
    /// The number of bodies.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are no bodies.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A body by its number, which is less than [`len`](Self::len); `None` for a body that does not take part.
    pub fn body(&self, number: u32) -> Option<PlacedShape<'g>> {
        (self.body)(number)
    }

    /// What a method prepared of the first body that takes part; `None` if it is of another type.
    pub(super) fn prepared<T: Prepared>(&self) -> Option<&'g T> {
        (0..self.len).find_map(|number| self.body(number))?.prepared_as()
    }

    /// The pairs of bodies to be compared.
    pub fn pairs(&self) -> GroupPairs<'g> {
        self.pairs
    }

    /// How many threads the search may use.
    pub fn threads(&self) -> Threads {
        self.threads
    }
}

impl fmt::Debug for Group<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("len", &self.len).finish_non_exhaustive()
    }
}

impl fmt::Debug for GroupPairs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed(pairs) => f.debug_tuple("Listed").field(&pairs.len()).finish(),
            Self::Where(_) => f.write_str("Where"),
        }
    }
}

/// What a search of a group reports to.
pub trait GroupVisitor {
    /// Called for each pair of faces that touch: the first face is of the body with the lower number. `Break`
    /// ends the search.
    fn found(&mut self, bodies: GroupPair, faces: FacePair) -> ControlFlow<()>;

    /// Called now and then during a long search, so that it can be stopped where nothing is found. `Break` ends
    /// the search.
    fn pause(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Asks a group search about the two bodies of a question: `search` gets them as a group.
pub(super) fn visit_two(
    question: &Question<'_>,
    found: &mut Found<'_>,
    search: impl FnOnce(&Group<'_>, &mut dyn GroupVisitor) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let bodies = question.bodies();
    let body = |number: u32| bodies.get(number as usize).copied();
    let pairs = GroupPairs::Listed(&[[0, 1]]);
    let group = Group { len: 2, body: &body, pairs, threads: question.threads(), is_timed: false };
    search(&group, &mut OfTwo(found))
}

/// Passes the pairs of faces of a group of two bodies to a callback.
struct OfTwo<'f, 'g>(&'f mut Found<'g>);

impl GroupVisitor for OfTwo<'_, '_> {
    fn found(&mut self, _bodies: GroupPair, faces: FacePair) -> ControlFlow<()> {
        (self.0)(faces)
    }
}

/// A search of many bodies at once.
///
/// A search owns the memory that it needs, and reuses it. It is asked about any bodies that its method prepared.
pub trait GroupSearch: Send + Sync {
    /// Visits all pairs of faces that touch, of the pairs of bodies to be compared; each once, in any order.
    fn visit(&mut self, group: &Group<'_>, visitor: &mut dyn GroupVisitor) -> ControlFlow<()>;

    /// How many tests the last search made.
    fn counts(&self) -> WalkCounts;

    /// The steps of the last search, if it has distributed its tests.
    fn steps(&self) -> Option<SearchSteps> {
        None
    }
}
