//! Sweep and prune: sorted lists of where bodies begin and end along a few directions (Cohen, Lin,
//! Manocha, Ponamgi 1995, I-COLLIDE), over the axes or over more directions (Klosowski 1998).
//!
//! Lists stay nearly sorted from step to step, so that insertion sort takes little time. Bodies start
//! or cease to overlap along a direction exactly when one's beginning and the other's end change places;
//! so the set of pairs that overlap along all is kept up to date by looking at those that do.
//!
//! In three dimensions this takes time that grows faster than the number of bodies: along each axis
//! a body passes all those that are anywhere beside it.

use super::{BroadPhase, Detail, Proxies, ProxyPair, ordered};
use crate::{Threads, volume::Dop};
use glam::DVec3;
use std::{
    cmp::Ordering,
    collections::HashSet,
    hash::{BuildHasherDefault, Hasher},
    mem,
    ops::ControlFlow,
    sync::LazyLock,
};

/// Sorted lists along the axes, or more directions.
///
/// Keeps the set of all pairs, so it needs memory for them.
#[derive(Debug)]
pub struct Sweep {
    /// Directions besides the axes.
    directions: &'static [DVec3],
    lists: Vec<Vec<End>>,
    pairs: HashSet<ProxyPair, BuildHasherDefault<PairHasher>>,
    /// By proxy: whether it is in the lists.
    is_listed: Vec<bool>,
    new: Vec<u32>,
    gone: Vec<u32>,
    is_fresh: bool,
    /// Room for a sweep: the proxies that have begun and not ended, and where each is in there.
    open: Vec<u32>,
    places: Vec<u32>,
}

/// Where a body begins or ends.
#[derive(Clone, Copy, Debug)]
struct End {
    value: f64,
    proxy: u32,
    is_end: bool,
    /// Whether the body is nowhere. Such bodies come last, one after the other, so that in no list
    /// they overlap anything.
    is_nowhere: bool,
}

impl End {
    /// Of a body of which it is not known yet where it is.
    fn new(proxy: u32, is_end: bool) -> Self {
        Self { value: f64::INFINITY, proxy, is_end, is_nowhere: true }
    }

    /// The order in a list. What begins where another ends comes first: both are closed.
    #[inline]
    fn order(&self, other: &Self) -> Ordering {
        let whose = |end: &Self| if end.is_nowhere { end.proxy } else { 0 };
        (self.value.total_cmp(&other.value))
            .then(self.is_nowhere.cmp(&other.is_nowhere))
            .then(whose(self).cmp(&whose(other)))
            .then(self.is_end.cmp(&other.is_end))
    }

    #[inline]
    fn is_after(&self, other: &Self) -> bool {
        self.value > other.value || (self.value == other.value && self.order(other).is_gt())
    }
}

/// More new bodies than one in so many, or more places to go on average, and sorting anew is quicker.
const NEW: usize = 16;
const PASSED: usize = 4096;

impl Sweep {
    /// Along the three axes.
    pub fn axes() -> Self {
        Self::along(&[])
    }

    /// Along the 13 directions of a 26-DOP: axes, corners and edges of a cube. Fewer pairs, for more
    /// time each.
    pub fn directions() -> Self {
        static ALL: LazyLock<[DVec3; 13]> = LazyLock::new(Dop::directions);
        Self::along(&ALL[3..])
    }

    fn along(directions: &'static [DVec3]) -> Self {
        Self {
            directions,
            lists: vec![Vec::new(); 3 + directions.len()],
            pairs: HashSet::default(),
            is_listed: Vec::new(),
            new: Vec::new(),
            gone: Vec::new(),
            is_fresh: true,
            open: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Brings lists and pairs up to date.
    fn refresh(&mut self, proxies: &Proxies) {
        if mem::replace(&mut self.is_fresh, true) {
            return;
        }
        if !self.gone.is_empty() {
            let is_listed = &self.is_listed;
            for list in &mut self.lists {
                list.retain(|end| is_listed[end.proxy as usize]);
            }
            self.pairs.retain(|pair| pair.iter().all(|&proxy| is_listed[proxy as usize]));
            self.gone.clear();
        }
        let is_anew = self.new.len() * NEW > self.lists[0].len() / 2;
        for list in &mut self.lists {
            for &proxy in &self.new {
                list.extend([End::new(proxy, false), End::new(proxy, true)]);
            }
        }
        self.new.clear();
        let mut is_sorted = !is_anew;
        for (direction, list) in self.lists.iter_mut().enumerate() {
            for end in &mut *list {
                let found = extent(proxies, end.proxy, direction);
                end.is_nowhere = found.is_none();
                let found = found.unwrap_or([f64::INFINITY; 2]);
                // Adding zero makes of the two zeros one.
                end.value = found[usize::from(end.is_end)] + 0.0;
            }
            is_sorted = is_sorted && sort_in_place(list, proxies, &mut self.pairs);
        }
        if !is_sorted {
            self.sort_anew(proxies);
        }
    }

    /// Sorts all lists, and finds all pairs by going through one of them.
    fn sort_anew(&mut self, proxies: &Proxies) {
        let Self { lists, pairs, open, places, .. } = self;
        for list in &mut *lists {
            list.sort_unstable_by(End::order);
        }
        pairs.clear();
        open.clear();
        places.clear();
        places.resize(proxies.slots(), 0);
        // Along the axis where most are spread farthest, fewest are open at once.
        let spread = |list: &&Vec<End>| {
            let at = |tenths: usize| list.get(list.len() * tenths / 10).map_or(0.0, |e| e.value);
            at(9) - at(1)
        };
        let widest = lists[..3].iter().max_by(|a, b| spread(a).total_cmp(&spread(b)));
        for &End { proxy, is_end, .. } in widest.into_iter().flatten() {
            if is_end {
                let place = places[proxy as usize] as usize;
                open.swap_remove(place);
                if let Some(&moved) = open.get(place) {
                    places[moved as usize] = place as u32;
                }
            } else {
                let near = open.iter().filter(|&&other| is_pair(proxies, proxy, other));
                pairs.extend(near.map(|&other| ordered(proxy, other)));
                places[proxy as usize] = open.len() as u32;
                open.push(proxy);
            }
        }
    }
}

/// From where to where a body reaches, unless it is nowhere.
#[inline]
fn extent(proxies: &Proxies, proxy: u32, direction: usize) -> Option<[f64; 2]> {
    let bounds = proxies.bounds(proxy);
    (bounds.min.x <= bounds.max.x).then(|| match direction {
        0..3 => [bounds.min[direction], bounds.max[direction]],
        _ => proxies.extents(proxy)[direction - 3],
    })
}

/// Whether two overlap along all directions.
fn is_pair(proxies: &Proxies, a: u32, b: u32) -> bool {
    let along = |([a, b], [c, d]): (&[f64; 2], &[f64; 2])| a <= d && c <= b;
    proxies.overlap(a, b) && proxies.extents(a).iter().zip(proxies.extents(b)).all(along)
}

/// Sorts a list by insertion, and takes note of all that change places. Returns whether it has got to
/// the end: a list in disorder would take too long.
fn sort_in_place(
    list: &mut [End],
    proxies: &Proxies,
    pairs: &mut HashSet<ProxyPair, BuildHasherDefault<PairHasher>>,
) -> bool {
    let mut budget = PASSED * list.len();
    for i in 1..list.len() {
        let end = list[i];
        let mut j = i;
        while j > 0 && list[j - 1].is_after(&end) {
            let passed = list[j - 1];
            match (end.is_end, passed.is_end) {
                (false, true) if is_pair(proxies, end.proxy, passed.proxy) => {
                    pairs.insert(ordered(end.proxy, passed.proxy));
                }
                (true, false) => {
                    pairs.remove(&ordered(end.proxy, passed.proxy));
                }
                _ => {}
            }
            list[j] = passed;
            j -= 1;
        }
        list[j] = end;
        match budget.checked_sub(i - j) {
            Some(left) => budget = left,
            None => return false,
        }
    }
    true
}

impl BroadPhase for Sweep {
    fn wants(&self) -> Detail {
        match self.directions {
            [] => Detail::Boxes,
            directions => Detail::Extents(directions),
        }
    }

    fn insert(&mut self, proxies: &Proxies, proxy: u32) {
        // One that was taken away and comes again must leave the lists first.
        if !self.gone.is_empty() {
            self.is_fresh = false;
            self.refresh(proxies);
        }
        let index = proxy as usize;
        if index >= self.is_listed.len() {
            self.is_listed.resize(index + 1, false);
        }
        self.is_listed[index] = true;
        self.new.push(proxy);
        self.is_fresh = false;
    }

    fn remove(&mut self, _proxies: &Proxies, proxy: u32) {
        self.is_listed[proxy as usize] = false;
        match self.new.iter().position(|&new| new == proxy) {
            Some(place) => drop(self.new.swap_remove(place)),
            None => self.gone.push(proxy),
        }
        self.is_fresh = false;
    }

    fn update(&mut self, _proxies: &Proxies, _moved: &[u32]) {
        self.is_fresh = false;
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

/// A quick hash of two numbers; nobody chooses them to collide.
#[derive(Clone, Copy, Debug, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        // The upper bits are the best ones, and tables look at the lower ones too.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_ne_bytes(eight));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(29) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}
