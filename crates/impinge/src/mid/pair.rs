//! Two indexed meshes, and what can be asked about them.

use super::{
    Batch, Bits, Cache, FacePair, Index, MeshDistance, Method, MethodMismatch, Search, Threads,
    Timed, ToleranceError,
    batch::Room,
    distance::{self, Least},
    question::Question,
    sort,
    tree::WalkCounts,
};
use crate::{Mesh, Pose};
use std::{fmt, ops::ControlFlow};

/// Two meshes, prepared for queries at any poses.
///
/// ```
/// use impinge::{Pair, Pose, generate, glam::DVec3};
///
/// let ball = generate::sphere(960)?;
/// let mut pair = Pair::new(&ball, &ball);
/// let beside = Pose::from_translation(DVec3::new(1.9, 0.0, 0.0))?;
///
/// assert!(pair.intersects(&Pose::IDENTITY, &beside));
/// for contact in pair.contacts(&Pose::IDENTITY, &beside) {
///     println!("face {} touches face {}", contact.a, contact.b);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For anything beyond these two questions there is [`at`](Self::at).
pub struct Pair<'m> {
    pub(super) indices: [Index<'m>; 2],
    pub(super) search: Box<dyn Search + 'm>,
    /// What the last query found.
    pub(super) contacts: Vec<FacePair>,
    /// What batches need and find.
    pub(super) room: Room<'m>,
}

impl<'m> Pair<'m> {
    /// Prepares two meshes by the default method.
    pub fn new(a: &'m Mesh, b: &'m Mesh) -> Self {
        Self::with_method(Method::default(), a, b)
    }

    /// Prepares two meshes by a method of choice.
    pub fn with_method(method: Method, a: &'m Mesh, b: &'m Mesh) -> Self {
        let [a, b] = [a, b].map(|mesh| Index::build(method, mesh));
        Self::from_indices(&a, &b).expect("one method made both")
    }

    /// Takes two meshes that are prepared already. Fails if that was by different methods.
    pub fn from_indices(a: &Index<'m>, b: &Index<'m>) -> Result<Self, MethodMismatch> {
        let search = a.search(b)?;
        let indices = [a.clone(), b.clone()];
        Ok(Self { indices, search, contacts: Vec::new(), room: Room::default() })
    }

    /// Returns whether any face of `a` touches any face of `b` at these poses.
    ///
    /// Exact: closed triangles, touching counts, no tolerance. Surfaces only: a body wholly inside
    /// another touches nothing. For the faces that touch see [`contacts`](Self::contacts).
    pub fn intersects(&mut self, pose_a: &Pose, pose_b: &Pose) -> bool {
        self.at(pose_a, pose_b).intersects()
    }

    /// Returns all faces that touch at these poses, sorted, each pair once.
    ///
    /// The list is the same for every method and any number of threads. It lives in a buffer that
    /// the next query reuses.
    pub fn contacts(&mut self, pose_a: &Pose, pose_b: &Pose) -> &[FacePair] {
        self.at(pose_a, pose_b).contacts()
    }

    /// Returns the least distance between the two surfaces at these poses, and where it is attained;
    /// `None` if one of the meshes has no faces.
    ///
    /// It is 0 exactly if the meshes touch, and otherwise within a relative 1e-12 of the true
    /// minimum over the placed triangles. All methods return the same, down to the last bit: of
    /// several pairs of faces that are equally close, the first.
    ///
    /// ```
    /// use impinge::{Pair, Pose, generate, glam::DVec3};
    ///
    /// let ball = generate::sphere(960)?;
    /// let mut pair = Pair::new(&ball, &ball);
    /// let beside = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
    /// let gap = pair.distance(&Pose::IDENTITY, &beside).ok_or("no faces")?;
    /// assert!(gap.distance >= 1.0 && gap.distance < 1.1);
    /// assert!(!pair.at(&Pose::IDENTITY, &beside).within(0.9)?.intersects());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(&mut self, pose_a: &Pose, pose_b: &Pose) -> Option<MeshDistance> {
        let question = Question { pose_a: *pose_a, pose_b: *pose_b, tolerance: 0.0 };
        let mut least = Least::default();
        self.search.near(&question, &mut least);
        least.best
    }

    /// Returns at which of many poses of `b` any of its faces touches `a`: what a motion planner asks.
    ///
    /// The same as [`intersects`](Self::intersects) at each, on all threads of the current
    /// [rayon] pool. For fewer threads, for tolerances, and for all contacts see
    /// [`at_many`](Self::at_many).
    pub fn check_many(&mut self, pose_a: &Pose, poses_b: &[Pose]) -> &Bits {
        self.at_many(pose_a, poses_b).threads(Threads::Pool).intersects()
    }

    /// Puts `b` at many poses beside `a`, to ask the same thing at each.
    ///
    /// ```
    /// use impinge::{Pair, Pose, Threads, generate};
    ///
    /// let torus = generate::torus(1.0, 0.4, [30, 10])?;
    /// let mut pair = Pair::new(&torus, &torus);
    /// let poses = generate::tumble(1.9, 1000)?;
    ///
    /// let touching = pair.check_many(&Pose::IDENTITY, &poses).count();
    /// let near = pair.at_many(&Pose::IDENTITY, &poses).within(0.1)?.threads(Threads::Pool).contacts();
    /// assert_eq!(near.len(), 1000);
    /// assert!(near.iter().filter(|pairs| !pairs.is_empty()).count() >= touching);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at_many<'q>(&mut self, pose_a: &Pose, poses_b: &'q [Pose]) -> Batch<'_, 'm, 'q> {
        Batch::beside(self, pose_a, poses_b)
    }

    /// Puts both at many poses, to ask the same thing at each.
    pub fn at_each<'q>(&mut self, poses: &'q [[Pose; 2]]) -> Batch<'_, 'm, 'q> {
        Batch::each(self, poses)
    }

    /// Puts the two meshes where they stand, to ask something about them there.
    ///
    /// ```
    /// use impinge::{Cache, Pair, Pose, Threads, generate, glam::DVec3};
    ///
    /// let ball = generate::sphere(960)?;
    /// let mut pair = Pair::new(&ball, &ball);
    /// let beside = Pose::from_translation(DVec3::new(1.9, 0.0, 0.0))?;
    ///
    /// let touching = pair.at(&Pose::IDENTITY, &beside).count();
    /// let near = pair.at(&Pose::IDENTITY, &beside).within(0.1)?.threads(Threads::Pool).contacts();
    /// assert!(near.len() > touching);
    ///
    /// // Where bodies move little from query to query, the last one helps with the next.
    /// let mut cache = Cache::new();
    /// for step in 0..10 {
    ///     let pose = Pose::from_translation(DVec3::new(2.1 - 0.02 * f64::from(step), 0.0, 0.0))?;
    ///     if pair.at(&Pose::IDENTITY, &pose).cache(&mut cache).intersects() {
    ///         println!("hit in step {step}");
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(&mut self, pose_a: &Pose, pose_b: &Pose) -> Query<'_, 'm> {
        Query {
            question: Question { pose_a: *pose_a, pose_b: *pose_b, tolerance: 0.0 },
            threads: Threads::One,
            cache: None,
            pair: self,
        }
    }

    /// The method that prepared it.
    pub fn method(&self) -> Method {
        self.indices[0].method()
    }

    /// What the last query at one pose did; all zero for `brute`, and for a query that tested no volumes.
    pub fn counts(&self) -> WalkCounts {
        self.search.counts()
    }

    /// How many bytes the index holds for both meshes, the meshes themselves not counted.
    pub fn index_bytes(&self) -> usize {
        self.search.index_bytes()
    }
}

impl fmt::Debug for Pair<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair")
            .field("method", &self.method())
            .field("index_bytes", &self.index_bytes())
            .finish_non_exhaustive()
    }
}

/// A question about a [`Pair`] where it stands; made by [`Pair::at`].
///
/// The first three methods say how to ask, the others ask.
#[derive(Debug)]
#[must_use = "nothing has been asked yet"]
pub struct Query<'p, 'm> {
    pair: &'p mut Pair<'m>,
    question: Question,
    threads: Threads,
    cache: Option<&'p mut Cache>,
}

impl<'p, 'm> Query<'p, 'm> {
    /// Takes faces that are at most so far apart for touching.
    ///
    /// With 0 the answer is exact. Otherwise distances are as in [`Pair::distance`], so that faces
    /// whose true distance is within a relative 1e-12 of the tolerance may count either way, but
    /// for every method the same. Fails if the tolerance is negative or not a number.
    pub fn within(mut self, tolerance: f64) -> Result<Self, ToleranceError> {
        self.question.tolerance = distance::checked(tolerance)?;
        Ok(self)
    }

    /// Uses more than one thread.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Makes use of what earlier queries with this cache found, which is faster if the bodies have
    /// moved little. Never changes an answer.
    pub fn cache(mut self, cache: &'p mut Cache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Returns whether any faces touch, as [`Pair::intersects`].
    pub fn intersects(self) -> bool {
        let Pair { indices, search, .. } = self.pair;
        let Some(cache) = self.cache else {
            return search.any(&self.question, self.threads, &mut None).is_some();
        };
        let meshes = [indices[0].mesh(), indices[1].mesh()];
        let any = |spot: &mut _| search.any(&self.question, self.threads, spot);
        cache.witness.any(meshes, &self.question, any)
    }

    /// Returns all faces that touch, as [`Pair::contacts`].
    pub fn contacts(self) -> &'p [FacePair] {
        let Pair { search, contacts, .. } = self.pair;
        contacts.clear();
        match self.cache {
            Some(cache) if self.threads == Threads::One => {
                let _ = search.visit(&self.question, Some(&mut cache.front), &mut |pair| {
                    contacts.push(pair);
                    ControlFlow::Continue(())
                });
            }
            _ => search.collect(&self.question, self.threads, contacts),
        }
        sort(contacts);
        contacts
    }

    /// Returns how many pairs of faces touch, without keeping them.
    pub fn count(self) -> usize {
        if self.threads == Threads::Pool {
            return self.contacts().len();
        }
        let mut count = 0;
        let _ = self.visit(|_| {
            count += 1;
            ControlFlow::<()>::Continue(())
        });
        count
    }

    /// Visits all faces that touch, each pair once, as they are found, until told to stop. Their
    /// order may be any. On the caller's thread alone.
    pub fn visit<B>(self, mut visit: impl FnMut(FacePair) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut result = ControlFlow::Continue(());
        let front = self.cache.map(|cache| &mut cache.front);
        let _ = self.pair.search.visit(&self.question, front, &mut |pair| {
            result = visit(pair);
            match result {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(_) => ControlFlow::Break(()),
            }
        });
        result
    }

    /// Makes it a query that can be interrupted. On the caller's thread, and without a cache.
    pub fn timed(self) -> Timed<'p, 'm> {
        Timed::new(self.pair, self.question)
    }
}
