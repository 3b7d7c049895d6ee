//! One pair at many poses: what motion planners ask.
//!
//! Threads take small groups of poses, so that expensive poses are balanced. Each thread has its own search
//! with its own scratch memory and its own result lists. At the end the lists are joined in the order of the
//! poses. So the result does not depend on scheduling, and no memory is allocated per pose once the lists
//! have grown.

use super::Pair;
use crate::{
    FacePair, Pose, Threads, Tolerance, WalkOrder,
    method::{Question, Search, Witness},
};
use rayon::prelude::*;
use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

/// A question about a [`Pair`] at many poses; made by [`Pair::at_many`] and [`Pair::at_each`].
///
/// `within`, `threads`, `order` and `translation_only` set options. The other methods run the queries.
#[derive(Debug)]
#[must_use = "nothing has been asked yet"]
pub struct Batch<'p, 'q> {
    pair: &'p mut Pair,
    places: Places<'q>,
    tolerance: f64,
    threads: Threads,
    order: WalkOrder,
    translation_only: bool,
}

/// Where the bodies stand.
#[derive(Clone, Copy, Debug)]
enum Places<'q> {
    /// The second at many poses beside the first.
    Beside(Pose, &'q [Pose]),
    /// Both at many poses.
    Each(&'q [[Pose; 2]]),
}

impl Places<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Beside(_, poses) => poses.len(),
            Self::Each(poses) => poses.len(),
        }
    }

    fn get(&self, index: usize) -> [Pose; 2] {
        match self {
            Self::Beside(pose, poses) => [*pose, poses[index]],
            Self::Each(poses) => poses[index],
        }
    }
}

/// How many poses a thread takes at a time: so many that taking them costs nothing, and so few that
/// none has to wait long for the last one to end.
const PART: usize = 16;
/// The same where all contacts are wanted, which takes much longer.
const PART_OF_ALL: usize = 4;

impl<'p, 'q> Batch<'p, 'q> {
    pub(super) fn beside(pair: &'p mut Pair, pose_a: &Pose, poses_b: &'q [Pose]) -> Self {
        Self::new(pair, Places::Beside(*pose_a, poses_b))
    }

    pub(super) fn each(pair: &'p mut Pair, poses: &'q [[Pose; 2]]) -> Self {
        Self::new(pair, Places::Each(poses))
    }

    fn new(pair: &'p mut Pair, places: Places<'q>) -> Self {
        let (threads, order) = (Threads::One, WalkOrder::default());
        Self { pair, places, tolerance: 0.0, threads, order, translation_only: false }
    }

    /// Counts faces at most `tolerance` apart as touching, as
    /// [`Query::within`](super::Query::within).
    pub fn within<T: TryInto<Tolerance>>(mut self, tolerance: T) -> Result<Self, T::Error> {
        self.tolerance = tolerance.try_into()?.get();
        Ok(self)
    }

    /// Uses more than one thread, each for some of the poses.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the order in which binary trees are descended, as [`Query::order`](super::Query::order).
    pub fn order(mut self, order: WalkOrder) -> Self {
        self.order = order;
        self
    }

    /// States that both bodies are turned alike at each pose, as
    /// [`Query::translation_only`](super::Query::translation_only).
    pub fn translation_only(mut self) -> Self {
        self.translation_only = true;
        self
    }

    /// Returns at which poses any faces touch, as [`Pair::intersects`] says.
    ///
    /// The answer lives in a buffer that the next batch reuses.
    pub fn intersects(self) -> &'p Bits {
        let room = self.run(PART, |search, lists, question| {
            let Lists { witness, touching, .. } = lists;
            // Poses side by side are often close to each other. If not, looking costs little.
            let any = |hint: &mut _| search.any(question, hint);
            touching.push(witness.any(question, any));
        });
        room.touching.clear();
        for Part { worker, places } in &room.parts {
            let of_worker = &room.workers[*worker].lists.touching;
            places.clone().for_each(|place| room.touching.push(of_worker.get(place)));
        }
        &room.touching
    }

    /// Returns the faces that touch at each pose, as [`Pair::contacts`] does.
    ///
    /// The answer lives in a buffer that the next batch reuses.
    pub fn contacts(self) -> &'p ContactLists {
        let room = self.run(PART_OF_ALL, |search, lists, question| {
            let Lists { found, contacts, .. } = lists;
            found.clear();
            search.collect(question, found);
            FacePair::sort(found);
            contacts.push(found);
        });
        room.contacts.clear();
        for Part { worker, places } in &room.parts {
            let of_worker = &room.workers[*worker].lists.contacts;
            places.clone().for_each(|place| room.contacts.push(of_worker.get(place)));
        }
        &room.contacts
    }

    /// Does some work for each place, in parts of so many, and notes which worker did which part.
    fn run(
        self,
        part: usize,
        work: impl Fn(&mut dyn Search, &mut Lists, &Question<'_>) + Sync,
    ) -> &'p mut Room {
        let Self { pair, places, tolerance, threads, order, translation_only } = self;
        let Pair { shapes: [a, b], room, .. } = pair;
        let part_count = places.len().div_ceil(part);
        let workers = room.workers(match threads {
            Threads::One => 1,
            Threads::Pool => rayon::current_num_threads().clamp(1, part_count.max(1)),
        });
        let range = |number: usize| number * part..places.len().min((number + 1) * part);
        let next = AtomicUsize::new(0);
        let work_through = |Worker { search, lists }: &mut Worker| {
            let search = search.get_or_insert_with(|| a.new_search());
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= part_count {
                    return;
                }
                lists.parts.push(number);
                for place in range(number) {
                    let [pose_a, pose_b] = &places.get(place);
                    let bodies = [a.placed(pose_a), b.placed(pose_b)];
                    let question = Question {
                        tolerance,
                        order,
                        translation_only,
                        ..Question::touching(bodies)
                    };
                    work(&mut **search, lists, &question);
                }
            }
        };
        match workers {
            [only] => work_through(only),
            several => several.par_iter_mut().for_each(work_through),
        }
        room.note_parts(part_count, range);
        room
    }
}

/// What batches need and find, reused from batch to batch.
#[derive(Default)]
pub(super) struct Room {
    /// One for each thread that a batch has used so far.
    workers: Vec<Worker>,
    /// In the order of the poses.
    parts: Vec<Part>,
    touching: Bits,
    contacts: ContactLists,
}

/// Which worker did some of the poses, and where in its own lists they are.
#[derive(Clone, Default)]
struct Part {
    worker: usize,
    places: Range<usize>,
}

/// What a thread needs. None shares a cache line with another, which would make both wait.
#[derive(Default)]
#[repr(align(128))]
struct Worker {
    /// Made by the thread that needs it, away from what others have.
    search: Option<Box<dyn Search>>,
    lists: Lists,
}

/// What a thread finds, with an entry for each pose that it did.
#[derive(Default)]
struct Lists {
    witness: Witness,
    /// At one pose.
    found: Vec<FacePair>,
    /// The parts that it did, in this order.
    parts: Vec<usize>,
    touching: Bits,
    contacts: ContactLists,
}

impl Lists {
    fn clear(&mut self) {
        self.witness = Witness::default();
        self.parts.clear();
        self.touching.clear();
        self.contacts.clear();
    }
}

impl Room {
    /// Returns `count` workers with empty result lists.
    fn workers(&mut self, count: usize) -> &mut [Worker] {
        self.workers.resize_with(self.workers.len().max(count), Worker::default);
        self.workers.iter_mut().for_each(|worker| worker.lists.clear());
        &mut self.workers[..count]
    }

    fn note_parts(&mut self, count: usize, range: impl Fn(usize) -> Range<usize>) {
        self.parts.clear();
        self.parts.resize(count, Part::default());
        for (worker, Worker { lists, .. }) in self.workers.iter().enumerate() {
            let mut start = 0;
            for &number in &lists.parts {
                let end = start + range(number).len();
                self.parts[number] = Part { worker, places: start..end };
                start = end;
            }
        }
    }
}

/// One bit for each pose: whether any faces touch there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// The number of poses.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no poses.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bit of a pose.
    ///
    /// # Panics
    /// If there is no such pose.
    pub fn get(&self, index: usize) -> bool {
        assert!(index < self.len, "there are only {} bits, so none at {index}", self.len);
        self.words[index / 64] >> (index % 64) & 1 != 0
    }

    /// The number of poses that touch.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// All bits in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        (0..self.len).map(|index| self.get(index))
    }

    /// The indices of the poses that touch, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len).filter(|&index| self.get(index))
    }

    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.words[self.len / 64] |= u64::from(bit) << (self.len % 64);
        self.len += 1;
    }

    fn clear(&mut self) {
        self.words.clear();
        self.len = 0;
    }
}

/// A list of contacts for each pose, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContactLists {
    pairs: Vec<FacePair>,
    /// Where each list ends.
    ends: Vec<usize>,
}

impl ContactLists {
    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no poses.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The list at a place, sorted, each pair once. Panics if there is none.
    pub fn get(&self, index: usize) -> &[FacePair] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.pairs[start..self.ends[index]]
    }

    /// All lists in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[FacePair]> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The pairs of all lists, concatenated in order.
    pub fn flat(&self) -> &[FacePair] {
        &self.pairs
    }

    fn push(&mut self, list: &[FacePair]) {
        self.pairs.extend_from_slice(list);
        self.ends.push(self.pairs.len());
    }

    fn clear(&mut self) {
        self.pairs.clear();
        self.ends.clear();
    }
}
