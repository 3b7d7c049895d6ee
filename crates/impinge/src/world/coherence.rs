//! What a world remembers of each pair of near bodies from one step to the next.
//!
//! [`step`](super::step) asks [`Memory::recall`] about each pair that the broad phase reports. A pair that is
//! proven to be still apart is not searched at all. For the others, [`pairs`](super::pairs) searches the faces,
//! from the pair's [`Front`] if it has one, and [`Memory::store`] keeps what was found.
//!
//! # Proofs that a pair is still apart
//!
//! Bodies that had some distance stay apart until they have moved by that distance, relative to each other;
//! `displacement.rs` bounds how far they have moved. Speeds need not be known for that. A lower bound of the distance
//! comes from the bounding spheres, or from the trees: a search first tests whether all volumes are farther apart
//! than some *reach*. The reach is chosen so that the bodies would move by it in some steps at their last speed
//! ([`Entry::steps`]). If the attempt fails, the next one asks for less. It takes few tests, none of them of faces:
//! distances of faces cost far more than they would save. A pair that was found apart and has not moved at all is
//! still apart, without any distance.

use super::displacement::{Displacements, Moment};
use crate::{broad::ProxyPair, method::Front, pair_map::PairMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a world remembers of pairs of near bodies from one step to the next, which saves time if bodies move
/// little. Answers do not depend on it.
///
/// - With `skips`, pairs that are proven to be apart still are not searched: see [`StepStats::skipped`].
/// - With `fronts`, the search of a pair starts where the last one ended, for methods that can: binary trees of
///   bounding volumes.
///
/// What is remembered of a pair is dropped when the broad phase no longer reports it. Its front goes to another pair,
/// for which it may have to grow: only while the same pairs stay near do steps with fronts allocate nothing.
///
/// ```
/// use impinge::{World, world::Coherence};
///
/// let mut world = World::new();
/// world.set_coherence(Coherence::default().bytes(1 << 20));
/// world.set_coherence(Coherence::NONE);
/// ```
///
/// [`StepStats::skipped`]: super::StepStats::skipped
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "pass it to `World::set_coherence`"]
pub struct Coherence {
    pub(super) skips: bool,
    pub(super) fronts: bool,
    pub(super) bytes: usize,
}

impl Coherence {
    /// Nothing is remembered: each step starts afresh.
    pub const NONE: Self = Self { skips: false, fronts: false, bytes: 0 };

    /// Whether to skip pairs that are proven to be apart still.
    pub const fn skips(mut self, skips: bool) -> Self {
        self.skips = skips;
        self
    }

    /// Whether to start searches where the last ones ended.
    pub const fn fronts(mut self, fronts: bool) -> Self {
        self.fronts = fronts;
        self
    }

    /// Sets how many bytes may be used, about; 64 MiB by default. A pair takes about 150 bytes, and a front 16
    /// to 40 bytes for each pair of nodes that a search tests. When the bytes are used up, the search of
    /// further pairs starts at the roots.
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
}

impl Default for Coherence {
    /// Skips and fronts, in at most about 64 MiB.
    fn default() -> Self {
        Self { skips: true, fronts: true, bytes: 64 << 20 }
    }
}

/// All that is remembered.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// `None` if nothing is to be remembered.
    options: Option<Coherence>,
    /// Whether a caller has chosen the options.
    is_chosen: bool,
    pub(super) displacements: Displacements,
    places: PairMap<u32>,
    entries: Vec<Entry>,
    free: Vec<u32>,
    fronts: Vec<KeptFront>,
    /// Fronts of pairs that have parted, with their memory, to be used again.
    free_fronts: Vec<u32>,
    /// Fronts that were emptied, because all of them took too much memory.
    empty_fronts: Vec<u32>,
    /// The bytes of all fronts.
    front_bytes: usize,
    /// The number of the current step.
    step: u64,
}

/// What is remembered of a pair.
#[derive(Clone, Copy, Debug)]
struct Entry {
    pair: ProxyPair,
    /// The step in which the broad phase last reported the pair.
    seen: u64,
    /// When its faces were last searched, and the number of that step.
    searched: Moment,
    searched_step: u64,
    /// A distance that the bodies had at least when last searched, if they were apart; otherwise
    /// [`TOUCHING`].
    distance: f64,
    /// How many steps ahead an attempt to prove a distance looks.
    steps: u16,
    /// How many more searches come without an attempt, and how many it was the last time.
    pause: u8,
    last_pause: u8,
    front: Option<u32>,
    /// Whether the pair had a front that took too much memory.
    is_front_denied: bool,
}

#[derive(Debug, Default)]
struct KeptFront {
    /// The lock is never contended: a pair is searched by one thread.
    front: Mutex<Front>,
    /// Its bytes after the last search.
    bytes: usize,
}

/// What is known of a pair before its faces are searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Recall {
    /// The bodies are apart.
    Apart,
    /// The faces have to be searched.
    Search {
        /// Where to [store](Memory::store) the outcome, if anywhere.
        entry: Option<u32>,
        /// The front to start from.
        front: Option<u32>,
        /// A distance that is to be proven first; 0 for none.
        reach: f64,
    },
}

/// What a search found out about a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Outcome {
    #[default]
    Touching,
    /// No faces touch.
    Apart,
    /// All faces are farther apart than the reach that was asked for.
    Beyond,
}

/// The least and the greatest number of steps that an attempt looks ahead.
const MIN_STEPS: u16 = 2;
const MAX_STEPS: u16 = 32;
/// Where it begins.
const FIRST_STEPS: u16 = 4;
/// The most searches between two attempts.
const MAX_PAUSE: u8 = 32;
/// What a pair takes, with its place in a hash table that is half full.
const ENTRY_BYTES: usize = size_of::<Entry>() + 2 * (size_of::<(ProxyPair, u32)>() + 1);
/// [`Entry::distance`] of bodies that touched.
const TOUCHING: f64 = -1.0;
/// [`Entry::seen`] of an entry that is not in use.
const UNUSED: u64 = 0;

impl Memory {
    pub(super) fn set_options(&mut self, options: Coherence) {
        *self = Self { step: self.step, is_chosen: true, ..Self::default() };
        self.options = (options.skips || options.fronts).then_some(options);
    }

    /// Whether a caller has chosen what is remembered.
    pub(super) fn is_chosen(&self) -> bool {
        self.is_chosen
    }

    pub(super) fn is_on(&self) -> bool {
        self.options.is_some()
    }

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.step += 1;
    }

    /// Returns what is known of a pair that the broad phase reports.
    pub(super) fn recall(&mut self, pair: ProxyPair, wants_fronts: bool) -> Recall {
        let fresh = Recall::Search { entry: None, front: None, reach: 0.0 };
        let Some(options) = self.options else { return fresh };
        let wants_front = options.fronts && wants_fronts;
        if !options.skips && !wants_front {
            return fresh;
        }
        let now = self.displacements.moment(pair);
        let Some(place) = self.place(pair, &now, &options) else { return fresh };
        let step = self.step;
        let entry = &mut self.entries[place as usize];
        entry.seen = step;
        let mut reach = 0.0;
        if options.skips {
            let was_apart = entry.distance >= 0.0;
            let displacement = now.displacement_since(&entry.searched);
            if was_apart && (displacement <= entry.distance || now.equals(&entry.searched)) {
                return Recall::Apart;
            }
            let distance = now.distance_of_spheres();
            if distance > 0.0 {
                (entry.searched, entry.searched_step, entry.distance) = (now, step, distance);
                return Recall::Apart;
            }
            if was_apart && entry.pause == 0 {
                let steps = (step - entry.searched_step).max(1) as f64;
                reach = displacement / steps * f64::from(entry.steps);
            }
            entry.pause = entry.pause.saturating_sub(1);
        }
        (entry.searched, entry.searched_step) = (now, step);
        // Until the outcome is stored: a step may be stopped before.
        entry.distance = TOUCHING;
        let reach = if reach.is_finite() { reach } else { 0.0 };
        let front = if wants_front { self.front_of(place, &options) } else { None };
        Recall::Search { entry: Some(place), front, reach }
    }

    /// Stores the outcome of a search that [`recall`](Self::recall) asked for in this step.
    pub(super) fn store(&mut self, place: u32, reach: f64, outcome: Outcome) {
        let entry = &mut self.entries[place as usize];
        let is_tried = reach > 0.0;
        match outcome {
            Outcome::Touching => entry.distance = TOUCHING,
            Outcome::Apart => entry.distance = 0.0,
            Outcome::Beyond => entry.distance = reach,
        }
        if outcome == Outcome::Beyond {
            entry.steps = (2 * entry.steps).min(MAX_STEPS);
            entry.last_pause = 0;
        } else if is_tried {
            entry.steps = (entry.steps / 2).max(MIN_STEPS);
            entry.last_pause = (2 * entry.last_pause).clamp(2, MAX_PAUSE);
            entry.pause = entry.last_pause;
        }
        if let (Some(front), Some(options)) = (entry.front, self.options) {
            self.measure_front(place, front, options.bytes);
        }
    }

    /// Ends a step: drops what is remembered of pairs that the broad phase did not report.
    pub(super) fn end(&mut self) {
        for (place, entry) in (0..).zip(&mut self.entries) {
            if entry.seen != self.step && entry.seen != UNUSED {
                entry.seen = UNUSED;
                self.places.remove(&entry.pair);
                self.free.push(place);
                self.free_fronts.extend(entry.front.take());
            }
        }
    }

    /// A front, locked for its only user.
    pub(super) fn front(&self, front: u32) -> MutexGuard<'_, Front> {
        self.fronts[front as usize].front.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a pair in `entries`; a new one if nothing is known of these bodies and shapes. `None` if
    /// there is no memory left.
    fn place(&mut self, pair: ProxyPair, now: &Moment, options: &Coherence) -> Option<u32> {
        let known = self.places.get(&pair).copied();
        let new = Entry {
            pair,
            seen: self.step,
            searched: *now,
            searched_step: self.step,
            distance: TOUCHING,
            steps: FIRST_STEPS,
            pause: 0,
            last_pause: 0,
            front: None,
            is_front_denied: false,
        };
        if let Some(place) = known {
            let entry = &mut self.entries[place as usize];
            if !now.is_of(&entry.searched) {
                // Another body has the number of one that was removed, or a body has another shape. A front
                // never changes an answer.
                *entry = Entry { front: entry.front, ..new };
            }
            return known;
        }
        if self.bytes() + ENTRY_BYTES > options.bytes {
            return None;
        }
        let place = match self.free.pop() {
            Some(place) => {
                self.entries[place as usize] = new;
                place
            }
            None => {
                self.entries.push(new);
                self.entries.len() as u32 - 1
            }
        };
        self.places.insert(pair, place);
        Some(place)
    }

    /// The front of a pair; a new one if it had none so far. `None` if there is no memory left.
    fn front_of(&mut self, place: u32, options: &Coherence) -> Option<u32> {
        let Entry { front, is_front_denied, .. } = self.entries[place as usize];
        if front.is_some() || is_front_denied {
            return front;
        }
        let front = match self.free_fronts.pop() {
            Some(front) => {
                // The front of another pair is too deep here, or not deep enough.
                let kept = &mut self.fronts[front as usize].front;
                kept.get_mut().unwrap_or_else(PoisonError::into_inner).forget();
                front
            }
            // A quarter of the bytes is left for fronts that grow. Otherwise new fronts would be made and emptied
            // all the time.
            None if self.bytes() + size_of::<KeptFront>() > options.bytes / 4 * 3 => return None,
            None if !self.empty_fronts.is_empty() => self.empty_fronts.swap_remove(0),
            None => {
                self.fronts.push(KeptFront::default());
                self.front_bytes += size_of::<KeptFront>();
                self.fronts.len() as u32 - 1
            }
        };
        self.entries[place as usize].front = Some(front);
        Some(front)
    }

    /// Counts the bytes of a front after a search. If there are too many, empties the fronts that are not in
    /// use, and then, if need be, this one.
    fn measure_front(&mut self, place: u32, front: u32, limit: usize) {
        let kept = &mut self.fronts[front as usize];
        let bytes = kept.front.get_mut().unwrap_or_else(PoisonError::into_inner).bytes();
        self.front_bytes = self.front_bytes + bytes - kept.bytes;
        kept.bytes = bytes;
        while self.bytes() > limit
            && let Some(free) = self.free_fronts.pop()
        {
            self.empty_front(free);
        }
        if self.bytes() > limit {
            self.empty_front(front);
            let entry = &mut self.entries[place as usize];
            (entry.front, entry.is_front_denied) = (None, true);
        }
    }

    fn empty_front(&mut self, front: u32) {
        let emptied = std::mem::take(&mut self.fronts[front as usize]);
        self.front_bytes -= emptied.bytes;
        self.empty_fronts.push(front);
    }

    fn bytes(&self) -> usize {
        self.places.len() * ENTRY_BYTES + self.front_bytes
    }
}
