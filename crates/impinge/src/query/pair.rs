//! Two shapes, and all that can be asked about them.

use super::{Batch, Bits, MethodMismatch, Shape, Timed, batch::Room};
use crate::{
    Cache, FacePair, Mesh, MeshDistance, Method, Pose, Threads, Tolerance, WalkOrder,
    method::{NearestFaces, Proximity, Question, Search, WalkCounts},
};
use std::{fmt, ops::ControlFlow, sync::Arc};

/// Two shapes and the memory for queries about them, at any poses.
///
/// ```
/// use impinge::{Pair, Pose, Shape, generate, glam::DVec3};
///
/// let ball = Shape::new(generate::sphere(960)?);
/// let mut pair = Pair::new(&ball, &ball)?;
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
pub struct Pair {
    pub(super) shapes: [Shape; 2],
    pub(super) search: Box<dyn Search>,
    /// What the last query found.
    pub(super) contacts: Vec<FacePair>,
    /// What batches need and find.
    pub(super) room: Room,
}

impl Pair {
    /// A pair of two shapes. Fails if different methods prepared them.
    pub fn new(a: &Shape, b: &Shape) -> Result<Self, MethodMismatch> {
        a.check_method(b)?;
        let search = a.new_search();
        let shapes = [a.clone(), b.clone()];
        Ok(Self { shapes, search, contacts: Vec::new(), room: Room::default() })
    }

    /// Prepares two meshes by a method, and makes a pair of them.
    pub fn with_method(method: Method, a: impl Into<Arc<Mesh>>, b: impl Into<Arc<Mesh>>) -> Self {
        let (mesh_a, mesh_b) = (a.into(), b.into());
        let a = Shape::with_method(method, Arc::clone(&mesh_a));
        let is_same = Arc::ptr_eq(&mesh_a, &mesh_b);
        let b = if is_same { a.clone() } else { Shape::with_method(method, mesh_b) };
        Self::new(&a, &b).expect("one method prepared both")
    }

    /// Returns whether any face of `a` touches any face of `b` at these poses.
    ///
    /// Exact: closed triangles, touching counts, no tolerance. Surfaces only: a body wholly inside
    /// another touches nothing. For the faces that touch see [`contacts`](Self::contacts).
    pub fn intersects(&mut self, pose_a: &Pose, pose_b: &Pose) -> bool {
        let (question, search, _) = self.ask([pose_a, pose_b], Options::default());
        search.any(&question, &mut None).is_some()
    }

    /// Returns all faces that touch at these poses, sorted, each pair once.
    ///
    /// The list is the same for every method and any number of threads. It lives in a buffer that
    /// the next query reuses.
    pub fn contacts(&mut self, pose_a: &Pose, pose_b: &Pose) -> &[FacePair] {
        let (question, search, contacts) = self.ask([pose_a, pose_b], Options::default());
        contacts.clear();
        search.collect(&question, contacts);
        FacePair::sort(contacts);
        &self.contacts
    }

    /// Returns the least distance between the two surfaces at these poses, and where it is attained;
    /// `None` if one of the meshes has no faces.
    ///
    /// It is 0 exactly if the meshes touch, and otherwise within a relative 1e-12 of the true
    /// minimum over the placed triangles. All methods return the same, down to the last bit: of
    /// several pairs of faces that are equally close, the first.
    ///
    /// ```
    /// use impinge::{Pair, Pose, Shape, generate, glam::DVec3};
    ///
    /// let ball = Shape::new(generate::sphere(960)?);
    /// let mut pair = Pair::new(&ball, &ball)?;
    /// let beside = Pose::from_translation(DVec3::new(3.0, 0.0, 0.0))?;
    /// let gap = pair.distance(&Pose::IDENTITY, &beside).ok_or("no faces")?;
    /// assert!(gap.distance >= 1.0 && gap.distance < 1.1);
    /// assert!(!pair.at(&Pose::IDENTITY, &beside).within(0.9)?.intersects());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(&mut self, pose_a: &Pose, pose_b: &Pose) -> Option<MeshDistance> {
        self.at(pose_a, pose_b).distance()
    }

    /// Returns at which of many poses of `b` any of its faces touches `a`: what a motion planner asks.
    ///
    /// The same as [`intersects`](Self::intersects) at each, on all threads of the current
    /// [rayon] pool. For fewer threads, for tolerances, and for all contacts see
    /// [`at_many`](Self::at_many).
    pub fn check_many(&mut self, pose_a: &Pose, poses_b: &[Pose]) -> &Bits {
        self.at_many(pose_a, poses_b).threads(Threads::Pool).intersects()
    }

    /// Starts a batch of queries with `b` at each of many poses beside `a`.
    ///
    /// ```
    /// use impinge::{Pair, Pose, Shape, Threads, generate};
    ///
    /// let torus = Shape::new(generate::torus(1.0, 0.4, [30, 10])?);
    /// let mut pair = Pair::new(&torus, &torus)?;
    /// let poses = generate::tumble(1.9, 1000)?;
    ///
    /// let touching = pair.check_many(&Pose::IDENTITY, &poses).count();
    /// let near = pair.at_many(&Pose::IDENTITY, &poses).within(0.1)?.threads(Threads::Pool).contacts();
    /// assert_eq!(near.len(), 1000);
    /// assert!(near.iter().filter(|pairs| !pairs.is_empty()).count() >= touching);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at_many<'q>(&mut self, pose_a: &Pose, poses_b: &'q [Pose]) -> Batch<'_, 'q> {
        Batch::beside(self, pose_a, poses_b)
    }

    /// Starts a batch of queries with both shapes at each of many pairs of poses.
    pub fn at_each<'q>(&mut self, poses: &'q [[Pose; 2]]) -> Batch<'_, 'q> {
        Batch::each(self, poses)
    }

    /// Starts a query with the shapes at these poses.
    ///
    /// ```
    /// use impinge::{Cache, Pair, Pose, Shape, Threads, generate, glam::DVec3};
    ///
    /// let ball = Shape::new(generate::sphere(960)?);
    /// let mut pair = Pair::new(&ball, &ball)?;
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
    pub fn at(&mut self, pose_a: &Pose, pose_b: &Pose) -> Query<'_> {
        Query { pair: self, poses: [*pose_a, *pose_b], options: Options::default(), cache: None }
    }

    /// The question that a query asks, the search to ask, and the list for its answer.
    fn ask<'q>(
        &'q mut self,
        [pose_a, pose_b]: [&'q Pose; 2],
        options: Options,
    ) -> (Question<'q>, &'q mut dyn Search, &'q mut Vec<FacePair>) {
        let Self { shapes: [a, b], search, contacts, .. } = self;
        let bodies = [a.placed(pose_a), b.placed(pose_b)];
        let Options { tolerance, threads, order, translation_only } = options;
        let tolerance = tolerance.unwrap_or_default().get();
        let question = Question { bodies, tolerance, threads, order, translation_only };
        (question, &mut **search, contacts)
    }

    /// The two shapes.
    pub fn shapes(&self) -> &[Shape; 2] {
        &self.shapes
    }

    /// The method that prepared them.
    pub fn method(&self) -> Method {
        self.shapes[0].method()
    }

    /// How many tests the last query at one pose made; all zero for `brute`, and for a query that tested no
    /// volumes.
    pub fn counts(&self) -> WalkCounts {
        self.search.counts()
    }

    /// How many bytes were prepared of both meshes. The meshes themselves are not counted.
    pub fn index_bytes(&self) -> usize {
        let [a, b] = &self.shapes;
        a.bytes() + if a.shares_prepared(b) { 0 } else { b.bytes() }
    }
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair")
            .field("method", &self.method())
            .field("index_bytes", &self.index_bytes())
            .finish_non_exhaustive()
    }
}

/// A question about a [`Pair`] at two poses; made by [`Pair::at`].
///
/// `within`, `threads`, `order`, `translation_only` and `cache` set options. The other methods run the query.
#[derive(Debug)]
#[must_use = "nothing has been asked yet"]
pub struct Query<'p> {
    pair: &'p mut Pair,
    poses: [Pose; 2],
    options: Options,
    cache: Option<&'p mut Cache>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Options {
    /// How far apart faces may be; `None` if they have to touch.
    tolerance: Option<Tolerance>,
    threads: Threads,
    order: WalkOrder,
    translation_only: bool,
}

impl<'p> Query<'p> {
    /// Counts faces at most `tolerance` apart as touching.
    ///
    /// With 0 the answer is exact. Otherwise distances are as in [`Pair::distance`], so that faces
    /// whose true distance is within a relative 1e-12 of the tolerance may count either way, but
    /// for every method the same.
    ///
    /// Takes a number, which is checked, or a [`Tolerance`], which was checked before.
    pub fn within<T: TryInto<Tolerance>>(mut self, tolerance: T) -> Result<Self, T::Error> {
        self.options.tolerance = Some(tolerance.try_into()?);
        Ok(self)
    }

    /// Uses more than one thread.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.options.threads = threads;
        self
    }

    /// Sets the order in which binary trees are descended. The default is mostly the fastest; other
    /// methods ignore it.
    pub fn order(mut self, order: WalkOrder) -> Self {
        self.options.order = order;
        self
    }

    /// States that both bodies are turned alike, so that trees of bounding volumes need not turn any volume. Never changes
    /// an answer.
    ///
    /// Rotations that are equal to 1e-9 are recognised without it. The statement makes those count as equal that differ by
    /// at most 1e-6, such as products of several poses. If they differ by more, the statement has no effect.
    ///
    /// ```
    /// use impinge::{Method, Pair, Pose, generate, glam::DVec3};
    ///
    /// let mut pair = Pair::with_method(Method::DOP18, generate::chair(), generate::sphere(960)?);
    /// let slide = Pose::from_translation(DVec3::new(0.5, 0.0, 0.0))?;
    /// assert!(pair.at(&Pose::IDENTITY, &slide).translation_only().intersects());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn translation_only(mut self) -> Self {
        self.options.translation_only = true;
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
        let (question, search, _) = self.pair.ask(self.poses.each_ref(), self.options);
        match self.cache {
            None => search.any(&question, &mut None).is_some(),
            Some(cache) => cache.witness.any(&question, |hint| search.any(&question, hint)),
        }
    }

    /// Returns all pairs of faces that touch, as [`Pair::contacts`].
    pub fn contacts(self) -> &'p [FacePair] {
        let (question, search, contacts) = self.pair.ask(self.poses.each_ref(), self.options);
        contacts.clear();
        match self.cache {
            Some(cache) if self.options.threads == Threads::One => {
                let _ = search.visit_from(&question, &mut cache.front, &mut |pair| {
                    contacts.push(pair);
                    ControlFlow::Continue(())
                });
            }
            _ => search.collect(&question, contacts),
        }
        FacePair::sort(contacts);
        &self.pair.contacts
    }

    /// Returns how many pairs of faces touch, without keeping them.
    pub fn count(self) -> usize {
        if self.options.threads == Threads::Pool {
            return self.contacts().len();
        }
        let mut count = 0;
        let _ = self.visit(|_| {
            count += 1;
            ControlFlow::<()>::Continue(())
        });
        count
    }

    /// Visits all pairs of faces that touch, each once, as they are found, until told to stop. Their
    /// order may be any. On the caller's thread alone.
    pub fn visit<B>(self, mut visit: impl FnMut(FacePair) -> ControlFlow<B>) -> ControlFlow<B> {
        let options = Options { threads: Threads::One, ..self.options };
        let (question, search, _) = self.pair.ask(self.poses.each_ref(), options);
        let mut result = ControlFlow::Continue(());
        let mut found = |pair| {
            result = visit(pair);
            match result {
                ControlFlow::Continue(()) => ControlFlow::Continue(()),
                ControlFlow::Break(_) => ControlFlow::Break(()),
            }
        };
        let _ = match self.cache {
            Some(cache) => search.visit_from(&question, &mut cache.front, &mut found),
            None => search.visit(&question, &mut found),
        };
        result
    }

    /// Returns the least distance between the two surfaces and where it is attained, as
    /// [`Pair::distance`]; after [`within`](Self::within), only if it is within the tolerance.
    ///
    /// On the caller's thread, and without a cache. A tolerance makes it faster: what is farther apart is
    /// not measured.
    pub fn distance(self) -> Option<MeshDistance> {
        let limit = self.options.tolerance.map_or(f64::INFINITY, Tolerance::get);
        let poses = self.poses.each_ref();
        // Bodies farther apart than the tolerance are not searched.
        if self.options.tolerance.is_some() {
            let (question, ..) = self.pair.ask(poses, self.options);
            if question.proximity() == Proximity::Apart {
                return None;
            }
        }
        let (question, search, _) =
            self.pair.ask(poses, Options { tolerance: None, ..self.options });
        let mut nearest = NearestFaces::within(limit);
        search.nearest(&question, &mut nearest);
        nearest.best().filter(|best| best.distance <= limit)
    }

    /// Makes it a query that can be interrupted. On the caller's thread, and without a cache.
    pub fn timed(self) -> Timed<'p> {
        let Options { tolerance, order, .. } = self.options;
        Timed::new(self.pair, self.poses, tolerance.unwrap_or_default().get(), order)
    }
}
