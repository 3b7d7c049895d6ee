//! The search of all near bodies at once, for methods that have one: see [`GroupSearch`].
//! [`pairs`](super::pairs) calls it instead of searching pair by pair.

use super::body::{Bodies, Body};
use crate::{
    FacePair, Threads,
    broad::ProxyPair,
    method::{
        Group, GroupPair, GroupPairs, GroupSearch, GroupVisitor, PlacedShape, SearchSteps,
        WalkCounts,
    },
};
use std::{fmt, ops::ControlFlow};

/// A search of a group of bodies, and the memory that it needs, reused from step to step.
pub(super) struct BodyGroup {
    search: Box<dyn GroupSearch>,
    /// Whether the search uses what was prepared of the bodies.
    is_prepared: bool,
    /// The indices of the bodies that take part, sorted: the number of a body in the group is its place here.
    members: Vec<u32>,
    /// The number in the group of each body that takes part, by its index.
    numbers: Vec<u32>,
    /// The pairs to be compared, by numbers in the group, sorted.
    pairs: Vec<GroupPair>,
    /// The pairs of faces that touch, by indices of bodies; sorted after a search.
    pub(super) contacts: Vec<(ProxyPair, FacePair)>,
}

impl BodyGroup {
    pub(super) fn new(search: Box<dyn GroupSearch>) -> Self {
        let (members, numbers, pairs, contacts) = Default::default();
        Self { search, is_prepared: true, members, numbers, pairs, contacts }
    }

    /// A search that uses nothing that was prepared of the bodies.
    pub(super) fn of_unprepared(search: Box<dyn GroupSearch>) -> Self {
        Self { is_prepared: false, ..Self::new(search) }
    }

    /// Takes the pairs of bodies to be searched, which come sorted, each once.
    pub(super) fn take_pairs(&mut self, pairs: impl Iterator<Item = ProxyPair> + Clone) {
        let Self { members, numbers, .. } = self;
        members.clear();
        members.extend(pairs.clone().flatten());
        members.sort_unstable();
        members.dedup();
        let last = members.last().map_or(0, |&index| index as usize + 1);
        if numbers.len() < last {
            numbers.resize(last, 0);
        }
        for (number, &index) in (0..).zip(&*members) {
            numbers[index as usize] = number;
        }
        self.pairs.clear();
        // Members are sorted, so numbers have the order of indices, and pairs stay sorted.
        self.pairs.extend(pairs.map(|pair| pair.map(|index| numbers[index as usize])));
    }

    /// Calls a function with the bodies of the pairs that were taken.
    pub(super) fn with_group<R>(&self, bodies: &Bodies, ask: impl FnOnce(&Group<'_>) -> R) -> R {
        let Self { members, pairs, is_prepared, .. } = self;
        let body = |number| placed(bodies, members, number, *is_prepared);
        let pairs = GroupPairs::Listed(pairs);
        ask(&group_of(members, &body, pairs, (Threads::One, false)))
    }

    /// The steps of the last search, if it has distributed its tests.
    pub(super) fn steps(&self) -> Option<SearchSteps> {
        self.search.steps()
    }

    /// Finds the contacts of the pairs of bodies that were taken, on some threads, with its steps timed or not. Calls `pause` now and then with the number of
    /// contacts so far. Returns `None` if it is stopped.
    pub(super) fn search_pairs(
        &mut self,
        bodies: &Bodies,
        how: (Threads, bool),
        pause: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Option<WalkCounts> {
        let Self { search, members, pairs, contacts, is_prepared, .. } = self;
        let body = |number| placed(bodies, members, number, *is_prepared);
        let group = group_of(members, &body, GroupPairs::Listed(pairs), how);
        contacts.clear();
        let flow = search.visit(&group, &mut Collect { members, contacts, pause });
        contacts.sort_unstable();
        flow.is_continue().then(|| search.counts())
    }

    /// Finds the contacts of all pairs of bodies for which `compares` holds, without a broad phase. Calls `pause`
    /// now and then with the number of contacts so far. Returns `None` if it is stopped.
    pub(super) fn search_all(
        &mut self,
        bodies: &Bodies,
        how: (Threads, bool),
        compares: &dyn Fn(ProxyPair) -> bool,
        pause: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Option<WalkCounts> {
        let Self { search, members, contacts, is_prepared, .. } = self;
        members.clear();
        members.extend(bodies.iter().map(|(id, _)| id.index()));
        let compares = |pair: GroupPair| compares(pair.map(|number| members[number as usize]));
        let body = |number| placed(bodies, members, number, *is_prepared);
        let group = group_of(members, &body, GroupPairs::Where(&compares), how);
        contacts.clear();
        let flow = search.visit(&group, &mut Collect { members, contacts, pause });
        contacts.sort_unstable();
        flow.is_continue().then(|| search.counts())
    }
}

/// The bodies that take part, to be searched on some threads, with the steps of the search timed or not.
fn group_of<'g>(
    members: &[u32],
    body: &'g dyn Fn(u32) -> Option<PlacedShape<'g>>,
    pairs: GroupPairs<'g>,
    (threads, is_timed): (Threads, bool),
) -> Group<'g> {
    Group { len: members.len() as u32, body, pairs, threads, is_timed }
}

/// A body of a group by its number.
fn placed<'b>(
    bodies: &'b Bodies,
    members: &[u32],
    number: u32,
    is_prepared: bool,
) -> Option<PlacedShape<'b>> {
    let Body { shape, pose, .. } = bodies.at(*members.get(number as usize)?)?;
    Some(if is_prepared { shape.placed(pose) } else { shape.placed_unprepared(pose) })
}

/// The number of contacts between two calls of `pause`.
const PAUSE_CONTACTS: usize = 1 << 16;

/// Collects contacts.
struct Collect<'c> {
    members: &'c [u32],
    contacts: &'c mut Vec<(ProxyPair, FacePair)>,
    pause: &'c mut dyn FnMut(usize) -> ControlFlow<()>,
}

impl GroupVisitor for Collect<'_> {
    fn found(&mut self, bodies: GroupPair, faces: FacePair) -> ControlFlow<()> {
        self.contacts.push((bodies.map(|number| self.members[number as usize]), faces));
        match self.contacts.len().is_multiple_of(PAUSE_CONTACTS) {
            true => self.pause(),
            false => ControlFlow::Continue(()),
        }
    }

    fn pause(&mut self) -> ControlFlow<()> {
        (self.pause)(self.contacts.len())
    }
}

impl fmt::Debug for BodyGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyGroup")
    }
}
