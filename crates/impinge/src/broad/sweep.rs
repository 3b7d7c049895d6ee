//! Sweep and prune: sorted lists of the interval endpoints of all bodies along the axes (Cohen, Lin, Manocha,
//! Ponamgi 1995, I-COLLIDE), or along more directions (Klosowski 1998).
//!
//! The lists stay nearly sorted from step to step, so insertion sort takes little time. Two bodies start or
//! cease to overlap along a direction exactly when the lower endpoint of one and the upper endpoint of the
//! other change places. So the sort itself keeps the set of pairs that overlap along all directions up to
//! date.
//!
//! In three dimensions the time grows faster than the number of bodies: along each axis a body passes all
//! bodies with which it shares that coordinate, however far away they are.

use super::{BroadPhase, Detail, Proxies, ProxyPair, ordered};
use crate::{Threads, pair_map::PairSet, volume::dop_directions};
use glam::DVec3;
use std::{cmp::Ordering, mem, ops::ControlFlow};

/// Sweep and prune: sorted lists along the axes, or along the directions of a k-DOP.
///
/// Keeps the set of all candidate pairs between steps, so it needs memory for them.
#[derive(Debug)]
pub struct Sweep {
    detail: Detail,
    /// Where the interval of each list comes from.
    sources: Vec<Source>,
    lists: Vec<Vec<Endpoint>>,
    pairs: PairSet,
    /// Indexed by proxy: whether the proxy has endpoints in the lists.
    is_listed: Vec<bool>,
    added: Vec<u32>,
    removed: Vec<u32>,
    is_current: bool,
    /// Scratch memory for a sweep: the proxies whose intervals contain the current point, and the position of
    /// each proxy in that list.
    active: Vec<u32>,
    active_positions: Vec<u32>,
}

/// Where the interval of a body along a direction comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// An axis of the box.
    Box(usize),
    /// A number of the proxy's extents.
    Extent(usize),
    /// An axis of the box and a number of the proxy's extents: what they have in common.
    Both(usize),
}

/// The lower or the upper end of a body's interval along a direction.
#[derive(Clone, Copy, Debug)]
struct Endpoint {
    value: f64,
    proxy: u32,
    is_upper: bool,
    /// Whether the body's box is empty. Empty bodies come last in every list, one after the other, so that
    /// they overlap nothing.
    is_empty_body: bool,
}

impl Endpoint {
    /// An endpoint whose value is not known yet.
    fn new(proxy: u32, is_upper: bool) -> Self {
        Self { value: f64::INFINITY, proxy, is_upper, is_empty_body: true }
    }

    /// The order in a list. At equal values a lower endpoint comes before an upper one, because intervals are
    /// closed.
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        let whose = |endpoint: &Self| if endpoint.is_empty_body { endpoint.proxy } else { 0 };
        (self.value.total_cmp(&other.value))
            .then(self.is_empty_body.cmp(&other.is_empty_body))
            .then(whose(self).cmp(&whose(other)))
            .then(self.is_upper.cmp(&other.is_upper))
    }

    #[inline]
    fn is_after(&self, other: &Self) -> bool {
        self.value > other.value || (self.value == other.value && self.order(other).is_gt())
    }
}

/// If more than one body in `REBUILD_SHARE` is new, sorting from scratch is faster than insertion.
const REBUILD_SHARE: usize = 16;
/// If an entry moves more than this many places on average, sorting from scratch is faster than insertion.
const MAX_MOVES_PER_ENTRY: usize = 4096;

impl Sweep {
    /// Sweeps along the three axes.
    pub fn axes() -> Self {
        Self::along(Detail::Boxes, [0, 1, 2].map(Source::Box).into())
    }

    /// Sweeps along the k/2 directions of a k-DOP, over intervals that follow from the k-DOP around each body.
    /// `None` unless k is 6, 8, 12, 14, 18, 20 or 26: combinations of the axes (6), the corners (8) and the
    /// edges (12) of a cube. More directions report fewer pairs, and take more time per body.
    ///
    /// Without the axes (8, 12, 20) pairs whose boxes are apart may be reported.
    pub fn directions(k: usize) -> Option<Self> {
        let (axes, count) = (Self::axes_of(k)?, k / 2);
        let source = |i: usize| if i < axes { Source::Both(i) } else { Source::Extent(i) };
        Some(Self::along(Detail::DopExtents { k }, (0..count).map(source).collect()))
    }

    /// The same over the exact extents of the bodies, which follow from their convex hulls. Reports still fewer
    /// pairs, and takes time for each corner of a hull.
    pub fn hull_directions(k: usize) -> Option<Self> {
        let axes = Self::axes_of(k)?;
        let directions = &dop_directions(k)[axes..];
        let sources = (0..axes).map(Source::Box);
        let sources = sources.chain((0..directions.len()).map(Source::Extent)).collect();
        Some(Self::along(Detail::Extents(directions), sources))
    }

    /// The number of axes among the directions of a k-DOP; `None` if there is no such k.
    fn axes_of(k: usize) -> Option<usize> {
        dop_directions(k).first().map(|first| if *first == DVec3::X { 3 } else { 0 })
    }

    fn along(detail: Detail, sources: Vec<Source>) -> Self {
        Self {
            detail,
            lists: vec![Vec::new(); sources.len()],
            sources,
            pairs: PairSet::default(),
            is_listed: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            is_current: true,
            active: Vec::new(),
            active_positions: Vec::new(),
        }
    }

    /// Updates the lists and the set of pairs, unless nothing has changed.
    fn refresh(&mut self, proxies: &Proxies) {
        if mem::replace(&mut self.is_current, true) {
            return;
        }
        if !self.removed.is_empty() {
            let is_listed = &self.is_listed;
            for list in &mut self.lists {
                list.retain(|endpoint| is_listed[endpoint.proxy as usize]);
            }
            self.pairs.retain(|pair| pair.iter().all(|&proxy| is_listed[proxy as usize]));
            self.removed.clear();
        }
        let needs_rebuild = self.added.len() * REBUILD_SHARE > self.lists[0].len() / 2;
        for list in &mut self.lists {
            for &proxy in &self.added {
                list.extend([Endpoint::new(proxy, false), Endpoint::new(proxy, true)]);
            }
        }
        self.added.clear();
        let mut is_sorted = !needs_rebuild;
        for (&source, list) in self.sources.iter().zip(&mut self.lists) {
            for endpoint in &mut *list {
                let found = extent(proxies, endpoint.proxy, source);
                endpoint.is_empty_body = found.is_none();
                let found = found.unwrap_or([f64::INFINITY; 2]);
                // Adding +0.0 turns −0.0 into +0.0, so that both compare equal.
                endpoint.value = found[usize::from(endpoint.is_upper)] + 0.0;
            }
            is_sorted = is_sorted && insertion_sort(list, proxies, &self.sources, &mut self.pairs);
        }
        if !is_sorted {
            self.rebuild(proxies);
        }
    }

    /// Sorts all lists from scratch, and finds all pairs with one sweep along one axis.
    fn rebuild(&mut self, proxies: &Proxies) {
        let Self { sources, lists, pairs, active, active_positions, .. } = self;
        for list in &mut *lists {
            list.sort_unstable_by(Endpoint::order);
        }
        pairs.clear();
        active.clear();
        active_positions.clear();
        active_positions.resize(proxies.slots(), 0);
        // Sweep where the spread is widest: there the fewest intervals overlap at once. The first directions are
        // of one length.
        let spread = |list: &&Vec<Endpoint>| {
            let at = |tenths: usize| list.get(list.len() * tenths / 10).map_or(0.0, |e| e.value);
            at(9) - at(1)
        };
        let widest = lists[..3].iter().max_by(|a, b| spread(a).total_cmp(&spread(b)));
        for &Endpoint { proxy, is_upper, .. } in widest.into_iter().flatten() {
            if is_upper {
                let position = active_positions[proxy as usize] as usize;
                active.swap_remove(position);
                if let Some(&moved) = active.get(position) {
                    active_positions[moved as usize] = position as u32;
                }
            } else {
                let near = active.iter().filter(|&&other| is_pair(proxies, sources, proxy, other));
                pairs.extend(near.map(|&other| ordered(proxy, other)));
                active_positions[proxy as usize] = active.len() as u32;
                active.push(proxy);
            }
        }
    }
}

/// The interval of a body along a direction; `None` if its box is empty.
#[inline]
fn extent(proxies: &Proxies, proxy: u32, source: Source) -> Option<[f64; 2]> {
    let bounds = proxies.bounds(proxy);
    (bounds.min.x <= bounds.max.x).then(|| match source {
        Source::Box(axis) => [bounds.min[axis], bounds.max[axis]],
        Source::Extent(number) => proxies.extents(proxy)[number],
        Source::Both(axis) => {
            let [low, high] = proxies.extents(proxy)[axis];
            [low.max(bounds.min[axis]), high.min(bounds.max[axis])]
        }
    })
}

/// Whether two bodies overlap along all directions, and at least one may move.
fn is_pair(proxies: &Proxies, sources: &[Source], a: u32, b: u32) -> bool {
    let along = |&source: &Source| match (extent(proxies, a, source), extent(proxies, b, source)) {
        (Some([a, b]), Some([c, d])) => a <= d && c <= b,
        _ => false,
    };
    (proxies.is_moving(a) || proxies.is_moving(b)) && sources.iter().all(along)
}

/// Sorts a list by insertion and updates `pairs` for endpoints that change places. Returns `false` if it gave
/// up because the list is too far from sorted.
fn insertion_sort(
    list: &mut [Endpoint],
    proxies: &Proxies,
    sources: &[Source],
    pairs: &mut PairSet,
) -> bool {
    let mut budget = MAX_MOVES_PER_ENTRY * list.len();
    for i in 1..list.len() {
        let endpoint = list[i];
        let mut j = i;
        while j > 0 && list[j - 1].is_after(&endpoint) {
            let passed = list[j - 1];
            match (endpoint.is_upper, passed.is_upper) {
                (false, true) if is_pair(proxies, sources, endpoint.proxy, passed.proxy) => {
                    pairs.insert(ordered(endpoint.proxy, passed.proxy));
                }
                (true, false) => {
                    pairs.remove(&ordered(endpoint.proxy, passed.proxy));
                }
                _ => {}
            }
            list[j] = passed;
            j -= 1;
        }
        list[j] = endpoint;
        match budget.checked_sub(i - j) {
            Some(left) => budget = left,
            None => return false,
        }
    }
    true
}

impl BroadPhase for Sweep {
    fn wants(&self) -> Detail {
        self.detail
    }

    fn insert(&mut self, proxies: &Proxies, proxy: u32) {
        // A proxy that was removed and is added again must leave the lists first.
        if !self.removed.is_empty() {
            self.is_current = false;
            self.refresh(proxies);
        }
        let index = proxy as usize;
        if index >= self.is_listed.len() {
            self.is_listed.resize(index + 1, false);
        }
        self.is_listed[index] = true;
        self.added.push(proxy);
        self.is_current = false;
    }

    fn remove(&mut self, _proxies: &Proxies, proxy: u32) {
        self.is_listed[proxy as usize] = false;
        match self.added.iter().position(|&added| added == proxy) {
            Some(position) => drop(self.added.swap_remove(position)),
            None => self.removed.push(proxy),
        }
        self.is_current = false;
    }

    fn update(&mut self, _proxies: &Proxies, _moved: &[u32]) {
        self.is_current = false;
    }

    fn pairs(
        &mut self,
        proxies: &Proxies,
        _threads: Threads,
        visit: &mut dyn FnMut(ProxyPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.refresh(proxies);
        self.pairs.iter().copied().try_for_each(visit)
    }
}
