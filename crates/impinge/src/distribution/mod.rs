//! How tests of many items, such as pairs of faces, are distributed among threads: the ways of Smith and Kitamura (1994,
//! chapter 4), and work stealing.
//!
//! The face octree distributes the tests of its candidate pairs so
//! ([`FaceOctreeOptions::distribution`](crate::method::face_octree::FaceOctreeOptions::distribution)), and
//! [`Distribution::filter`] those of any items. Threads are those of the current [rayon] pool, one worker on each.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | [`Distribution`] and [`Work`] |
//! | `crew.rs` | the workers: items are produced on one thread, and tested on all |
//! | `queue.rs` | the queue between a producer and its consumers |
//!
//! # Pinned threads
//!
//! The paper binds each worker to a processor. That is a property of the threads, so it is left to who makes them: a
//! pool whose threads are bound by its `start_handler` or by `ThreadPool::broadcast`, for example with the crate
//! `core_affinity`. The command does so with `--pin`.

mod crew;
mod queue;

pub(crate) use crew::{Crew, Push};

use crate::{Threads, stopwatch::Stopwatch};
use std::{ops::ControlFlow, time::Duration};

/// How tests are distributed among threads. Affects speed, never the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Distribution {
    /// All items are listed first. Then worker N of P tests the items N, N + P, N + 2P and so on: the paper's first
    /// method. Nothing is exchanged between workers, but one that is slowed down delays all.
    Static,
    /// All items are listed first. Then each worker takes the next few from the list when it has done those before.
    Grab,
    /// The other workers begin to take items while the first one still produces them. Once all are produced, it joins
    /// in: the paper's second method.
    Producer,
    /// All items are listed first. The list is halved again and again, and idle workers steal halves from others: what
    /// rayon does.
    Steal,
}

impl Distribution {
    /// All distributions with their names.
    pub const NAMES: &[(&str, Self)] = &[
        ("static", Self::Static),
        ("grab", Self::Grab),
        ("producer", Self::Producer),
        ("steal", Self::Steal),
    ];

    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(_, it)| *it == self);
        named.map_or("", |(name, _)| name)
    }

    /// Returns the items for which `test` returns `true`, in their order.
    ///
    /// `items` is iterated on the caller's thread; `test` is called on all.
    ///
    /// ```
    /// use impinge::{Distribution, Threads};
    ///
    /// let is_prime = |n: &u32| *n > 1 && (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0);
    /// assert_eq!(Distribution::Grab.filter(Threads::Pool, 0..20, is_prime), [2, 3, 5, 7, 11, 13, 17, 19]);
    /// ```
    pub fn filter<T: Copy + Send + Sync>(
        self,
        threads: Threads,
        items: impl IntoIterator<Item = T>,
        test: impl Fn(&T) -> bool + Sync,
    ) -> Vec<T> {
        let produce = |push: &mut dyn FnMut(T)| items.into_iter().for_each(push);
        self.filter_with(threads, Stopwatch::new(false), produce, test).0
    }

    /// Like [`filter`](Self::filter), but for items that `produce` passes to the function it is called with, and
    /// measures the work.
    ///
    /// With [`Producer`](Self::Producer), items are tested while others are still produced. This finds the pairs of
    /// faces that are close, and meanwhile tests those found so far:
    ///
    /// ```
    /// use impinge::{Distribution, FacePair, Method, Pair, Pose, Threads, generate, glam::DVec3};
    /// use std::ops::ControlFlow;
    ///
    /// let ball = generate::sphere(528)?;
    /// let mut pair = Pair::with_method(Method::FACE_OCTREE, ball.clone(), ball);
    /// let pose = Pose::from_translation(DVec3::new(1.9, 0.0, 0.0))?;
    /// let close = pair.at(&Pose::IDENTITY, &pose).within(0.1)?;
    /// let produce = |push: &mut dyn FnMut(FacePair)| {
    ///     let _ = close.visit(|pair| {
    ///         push(pair);
    ///         ControlFlow::<()>::Continue(())
    ///     });
    /// };
    /// let is_even = |pair: &FacePair| (pair.a + pair.b) % 2 == 0;
    /// let (found, work) = Distribution::Producer.filter_produced(Threads::Pool, produce, is_even);
    /// assert!(found.iter().all(is_even) && found.len() as u64 <= work.items);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn filter_produced<T: Copy + Send + Sync>(
        self,
        threads: Threads,
        produce: impl FnOnce(&mut dyn FnMut(T)),
        test: impl Fn(&T) -> bool + Sync,
    ) -> (Vec<T>, Work) {
        self.filter_with(threads, Stopwatch::new(true), produce, test)
    }

    fn filter_with<T: Copy + Send + Sync>(
        self,
        threads: Threads,
        mut stopwatch: Stopwatch,
        produce: impl FnOnce(&mut dyn FnMut(T)),
        test: impl Fn(&T) -> bool + Sync,
    ) -> (Vec<T>, Work) {
        let mut crew = Crew::default();
        let mut accepted: Vec<(u64, T)> = Vec::new();
        let mut number = 0;
        let _ = crew.run(
            (self, threads),
            &mut stopwatch,
            |push| {
                produce(&mut |item| {
                    // Nothing stops it.
                    let _ = push((number, item));
                    number += 1;
                });
                ControlFlow::Continue(())
            },
            &|| |(_, item): &(u64, T)| test(item),
            &mut |item| {
                accepted.push(item);
                ControlFlow::Continue(())
            },
        );
        accepted.sort_unstable_by_key(|(number, _)| *number);
        (accepted.into_iter().map(|(_, item)| item).collect(), crew.work)
    }
}

/// What workers did, and how long it took if that was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// Time to produce the items on one thread; with [`Distribution::Producer`] other workers test meanwhile.
    pub produce: Duration,
    /// Time to test the items; with [`Distribution::Producer`] those that were left when all were produced.
    pub test: Duration,
    /// The number of items that were tested.
    pub items: u64,
    /// The number of items of the worker that tested the most.
    pub busiest: u64,
    /// The number of workers.
    pub workers: u32,
}

impl Work {
    /// The number of items of the busiest worker over the mean of all workers: 1 if all tested equally many.
    pub fn imbalance(&self) -> f64 {
        match self.items {
            0 => 1.0,
            items => self.busiest as f64 * f64::from(self.workers) / items as f64,
        }
    }

    /// The work of two searches, one after the other.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            produce: self.produce + other.produce,
            test: self.test + other.test,
            items: self.items + other.items,
            busiest: self.busiest + other.busiest,
            workers: self.workers.max(other.workers),
        }
    }
}
