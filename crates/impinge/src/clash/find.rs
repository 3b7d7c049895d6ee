//! The entry points of the clash check: from parts to candidate pairs, and from those to a report.
//!
//! `share.rs` finds pairs of parts whose boxes are near each other; `check.rs` decides each pair. Both run on one thread
//! or on a pool.

use super::{
    Clash, Effort, Options, Outline, Part, PreparedMesh, Progress, Report, Share, Stage, Verdict,
    Watch,
    band::Band,
    check::Checker,
    placed::Placed,
    share::{self, KnownSolid},
};
use crate::{Mesh, Pose, Shape, Threads};
use glam::DVec3;
use rayon::prelude::*;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

/// Finds all clashes among the parts of an assembly.
///
/// ```
/// use impinge::{clash::{self, Options, Part, Verdict}, generate};
///
/// let parts: Vec<Part> = generate::gearbox()
///     .into_iter()
///     .map(|(_, mesh, pose)| Part::new(mesh.into(), pose))
///     .collect();
/// let options = Options::new().clearance(0.1)?;
/// let report = clash::find(&parts, &options);
/// assert_eq!(report.count(Verdict::Penetrating), 1);
/// assert_eq!(report.count(Verdict::Touching), 1);
/// assert_eq!(report.count(Verdict::Clearance), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find(parts: &[Part], options: &Options) -> Report {
    find_watched(parts, options, &()).expect("`()` stops nothing")
}

/// Finds all clashes among the parts of an assembly, with progress and cancellation.
///
/// `watch` chooses the pairs to check, and hears about the progress. Returns `None` if it stopped
/// the search.
pub fn find_watched(parts: &[Part], options: &Options, watch: &impl Watch) -> Option<Report> {
    Finder::prepare(parts.to_vec(), options, watch)?.find_watched(watch)
}

/// Finds the clashes of the same parts again and again, at changing poses: the configurations of a robot, or the steps
/// of a motion. The search structures of the meshes are built once.
///
/// ```
/// use impinge::{Pose, clash::{Effort, Finder, Options, Part, Verdict}, generate, glam::DVec3};
///
/// let cube = std::sync::Arc::new(generate::cuboid(DVec3::ONE)?);
/// let parts = vec![Part::new(cube.clone(), Pose::IDENTITY), Part::new(cube, Pose::IDENTITY)];
/// let mut finder = Finder::new(parts, &Options::new().effort(Effort::Quick));
/// assert_eq!(finder.find().count(Verdict::Duplicate), 1);
/// finder.place(1, Pose::from_translation(DVec3::X * 0.5)?);
/// assert_eq!(finder.find().count(Verdict::Penetrating), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Finder {
    parts: Vec<Part>,
    /// The mesh of each part, prepared. Finders that are cloned share them.
    meshes: Vec<Arc<PreparedMesh>>,
    outlines: Vec<Outline>,
    options: Options,
    /// Kept between searches on one thread.
    checker: Checker,
}

impl Finder {
    /// Builds the search structures.
    pub fn new(parts: Vec<Part>, options: &Options) -> Self {
        Self::prepare(parts, options, &()).expect("`()` stops nothing")
    }

    /// Builds the search structures; `None` if `watch` stopped it.
    pub fn prepare(parts: Vec<Part>, options: &Options, watch: &impl Watch) -> Option<Self> {
        let mut index_of: HashMap<*const Mesh, u32> = HashMap::new();
        let mut distinct = Vec::new();
        let mut mesh_of = Vec::with_capacity(parts.len());
        for part in &parts {
            let index = index_of.entry(Arc::as_ptr(&part.mesh)).or_insert_with(|| {
                distinct.push(&part.mesh);
                distinct.len() as u32 - 1
            });
            mesh_of.push(*index);
        }
        let stage = WatchedStage::new(watch, Stage::Meshes, distinct.len());
        let prepare =
            |(): &mut (), mesh: &&Arc<Mesh>| Some(Arc::new(PreparedMesh::new(Arc::clone(mesh))));
        let prepared = stage.each(options.threads, &distinct, 1, || (), prepare)?;
        let meshes = mesh_of.iter().map(|&index| Arc::clone(&prepared[index as usize])).collect();
        Some(Self::with(parts, meshes, mesh_of, options))
    }

    /// A finder of parts whose meshes were prepared before, one for each part. [`Part::mesh`] does not count.
    ///
    /// # Panics
    /// If there are not as many prepared meshes as parts.
    pub fn from_prepared(
        mut parts: Vec<Part>,
        meshes: Vec<Arc<PreparedMesh>>,
        options: &Options,
    ) -> Self {
        assert_eq!(parts.len(), meshes.len(), "each part needs a mesh");
        let mut index_of: HashMap<*const PreparedMesh, u32> = HashMap::new();
        let mut mesh_of = Vec::with_capacity(parts.len());
        for (part, mesh) in parts.iter_mut().zip(&meshes) {
            let next = index_of.len() as u32;
            mesh_of.push(*index_of.entry(Arc::as_ptr(mesh)).or_insert(next));
            part.mesh = Arc::clone(mesh.mesh());
        }
        Self::with(parts, meshes, mesh_of, options)
    }

    fn with(
        parts: Vec<Part>,
        meshes: Vec<Arc<PreparedMesh>>,
        mesh_of: Vec<u32>,
        options: &Options,
    ) -> Self {
        // The bounds of a mesh are computed once, not once for each instance.
        let outline = |((part, mesh), number): ((&Part, &Arc<PreparedMesh>), u32)| {
            let deviation = part.tessellation.largest();
            Outline::new(number, mesh.bounds(), &part.pose, part.rounding, deviation)
        };
        let outlines = parts.iter().zip(&meshes).zip(mesh_of).map(outline).collect();
        Self { parts, meshes, outlines, options: *options, checker: Checker::default() }
    }

    /// Moves a part to another pose.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn place(&mut self, part: usize, pose: Pose) {
        let (of, outline) = (&mut self.parts[part], &mut self.outlines[part]);
        of.pose = pose;
        let mesh = self.meshes[part].bounds();
        *outline = Outline::new(outline.mesh, mesh, &pose, of.rounding, outline.deviation);
    }

    /// The parts as they stand.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The outlines of the parts as they stand.
    pub fn outlines(&self) -> &[Outline] {
        &self.outlines
    }

    /// The mesh of a part, prepared for queries.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn shape(&self, part: usize) -> &Shape {
        &self.meshes[part].shape
    }

    /// An upper bound on the [touch band](super#touch-band) of two parts, however they are turned.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn widest_band(&self, a: usize, b: usize) -> f64 {
        // The box of a part that is turned is larger by a factor of at most the square root of 3.
        let size = |part: usize| 1.75 * self.meshes[part].bounds().size().length();
        let band = match self.options.touch {
            Some(touch) => Band::Chosen(touch),
            None => {
                let [first, second] = [a, b].map(|part| &self.outlines[part]);
                Band::derived([first.rounding, second.rounding], [size(a), size(b)])
            }
        };
        band.with(self.outlines[a].deviation + self.outlines[b].deviation)
    }

    /// Whether a part encloses a solid although its surface has gaps wider than its touch band. Other parts may get
    /// inside such a part without meeting its surface.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn has_gaps(&self, part: usize) -> bool {
        let assembly = self.assembly();
        let part = assembly.part(part);
        part.solid().is_solid && !part.is_closed()
    }

    /// Checks two parts as they stand. `None` if they are clear of each other.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn check(&mut self, a: usize, b: usize) -> Option<Clash> {
        self.with_checker(|checker, assembly| {
            checker.check(assembly, (a.min(b), a.max(b)), &|| false)
        })
    }

    /// Checks the solid that part `a` sweeps when it is translated from where it stands, against part `b`. No verdict
    /// means that they are clear of each other, and `Touching` that part `a` reaches nowhere on its way deeper into part
    /// `b` than the touch band.
    ///
    /// ```
    /// use impinge::{Pose, clash::{Finder, Options, Part, Verdict}, generate, glam::DVec3};
    ///
    /// let cube = std::sync::Arc::new(generate::cuboid(DVec3::ONE)?);
    /// let at = |x, y| Ok::<_, impinge::PoseError>(Part::new(cube.clone(), Pose::from_translation(DVec3::new(x, y, 0.0))?));
    /// let mut finder = Finder::new(vec![at(-5.0, 1.0)?, at(0.0, 0.0)?], &Options::new());
    /// let mut sweep = |x, y| finder.check_swept(0, 1, DVec3::new(x, y, 0.0));
    /// assert_eq!(sweep(2.0, 0.0)?, None);
    /// assert_eq!(sweep(10.0, 0.0)?, Some(Verdict::Touching));
    /// assert_eq!(sweep(10.0, -0.1)?, Some(Verdict::Penetrating));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the surface of part `a` is not closed: then it sweeps no solid.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn check_swept(
        &mut self,
        a: usize,
        b: usize,
        by: DVec3,
    ) -> Result<Option<Verdict>, NotClosed> {
        self.with_checker(|checker, assembly| checker.check_swept(assembly, (a, b), by))
    }

    fn with_checker<R>(&mut self, check: impl FnOnce(&mut Checker, &Assembly<'_>) -> R) -> R {
        let mut checker = std::mem::take(&mut self.checker);
        let result = check(&mut checker, &self.assembly());
        self.checker = checker;
        result
    }

    fn assembly(&self) -> Assembly<'_> {
        let Options { clearance, effort, .. } = self.options;
        Assembly { parts: &self.parts, finder: self, clearance, effort }
    }

    /// Finds all clashes of the parts as they stand.
    pub fn find(&mut self) -> Report {
        self.find_watched(&()).expect("`()` stops nothing")
    }

    /// Finds all clashes of the parts as they stand, with progress and cancellation: see [`find_watched`].
    pub fn find_watched(&mut self, watch: &impl Watch) -> Option<Report> {
        self.with_checker(|checker, assembly| {
            let Self { outlines, options, .. } = assembly.finder;
            let pairs = share::near_pairs(outlines, options, watch)?;
            let clashes = assembly.check(&pairs, watch, checker)?;
            let solids = assembly.solids(&pairs);
            Some(share::report(outlines, options, &pairs, clashes, &solids))
        })
    }

    /// Checks some of the [near pairs](super::near_pairs) of the parts as they stand, whatever the watcher would
    /// include: a [share](super::merge) of the search. `None` if the watcher stopped it.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn check_pairs(&mut self, pairs: &[[u32; 2]], watch: &impl Watch) -> Option<Share> {
        self.with_checker(|checker, assembly| {
            let mut clashes = assembly.check(pairs, watch, checker)?;
            clashes.sort_by_key(|clash| [clash.a, clash.b]);
            Some(Share { pairs: pairs.len() as u64, clashes, solids: assembly.solids(pairs) })
        })
    }
}

/// The clone shares the search structures, so that each thread can have its own finder.
impl Clone for Finder {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            meshes: self.meshes.clone(),
            outlines: self.outlines.clone(),
            options: self.options,
            checker: Checker::default(),
        }
    }
}

/// The surface of a part is not closed, so that it sweeps no solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the surface of the part is not closed, so that it sweeps no solid")]
#[non_exhaustive]
pub struct NotClosed;

/// The parts of a finder while it searches.
pub(super) struct Assembly<'p> {
    parts: &'p [Part],
    finder: &'p Finder,
    pub(super) clearance: f64,
    pub(super) effort: Effort,
}

/// The number of pairs between two progress reports, of this many pairs. A watcher stops a search only when it is asked, so
/// few pairs, which may take seconds each, are reported one by one.
fn pairs_per_report(pairs: usize) -> u64 {
    (pairs as u64 / 1024).clamp(1, 64)
}

impl Assembly<'_> {
    /// Checks all pairs. Returns the clashes in order, or `None` if the watcher stopped the search.
    fn check(
        &self,
        pairs: &[[u32; 2]],
        watch: &impl Watch,
        checker: &mut Checker,
    ) -> Option<Vec<Clash>> {
        let stage = WatchedStage::new(watch, Stage::Pairs, pairs.len());
        let check = |checker: &mut Checker, &[a, b]: &[u32; 2]| {
            checker.check(self, (a as usize, b as usize), &|| stage.should_stop())
        };
        let (threads, every) = (self.finder.options.threads, pairs_per_report(pairs.len()));
        match threads {
            Threads::One => stage.each_with(pairs, every, checker, check),
            Threads::Pool => stage.each(threads, pairs, every, Checker::default, check),
        }
    }

    /// The meshes of these pairs, as far as anybody asked whether they enclose a solid.
    fn solids(&self, pairs: &[[u32; 2]]) -> Vec<KnownSolid> {
        let number = |part: &u32| self.finder.outlines[*part as usize].mesh;
        let mut parts = share::parts_of(pairs);
        parts.sort_by_key(number);
        parts.dedup_by_key(|part| number(part));
        let known = |part: u32| {
            let solid = self.finder.meshes[part as usize].known_solid()?;
            Some(KnownSolid { mesh: number(&part), is_solid: solid.is_solid, gap: solid.gap })
        };
        parts.into_iter().filter_map(known).collect()
    }

    /// The touch band for two parts.
    pub(super) fn band(&self, a: usize, b: usize) -> Band {
        share::band(&self.finder.outlines, &self.finder.options, a, b)
    }

    /// Part `number` with its pose and its placed box.
    pub(super) fn part(&self, number: usize) -> Placed<'_> {
        let finder = self.finder;
        let outline = &finder.outlines[number];
        Placed {
            prepared: &finder.meshes[number],
            pose: &self.parts[number].pose,
            bounds: &outline.bounds,
            tessellation: &self.parts[number].tessellation,
            largest_deviation: outline.deviation,
            band: outline.closing_band(&finder.options),
        }
    }
}

/// A stage of the search whose progress is reported to a watcher, which may stop it.
struct WatchedStage<'w, W> {
    watch: &'w W,
    stage: Stage,
    total: u64,
    done: AtomicU64,
    is_stopped: AtomicBool,
}

impl<'w, W: Watch> WatchedStage<'w, W> {
    fn new(watch: &'w W, stage: Stage, total: usize) -> Self {
        let (done, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { watch, stage, total: total as u64, done, is_stopped }
    }

    /// Tells the watcher about the progress so far, and asks whether to stop.
    fn should_stop(&self) -> bool {
        let progress = Progress {
            stage: self.stage,
            done: self.done.load(Ordering::Relaxed),
            total: self.total,
        };
        if !self.is_stopped.load(Ordering::Relaxed) && !self.watch.proceed(progress) {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Applies `act` to an item, unless the stage was stopped, and tells the watcher after every `every` items.
    fn act<T, S, R>(
        &self,
        every: u64,
        act: impl Fn(&mut S, &T) -> Option<R>,
        scratch: &mut S,
        item: &T,
    ) -> Option<R> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        let result = act(scratch, item);
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(every) || done == self.total {
            self.should_stop();
        }
        result
    }

    fn unless_stopped<R>(&self, results: Vec<R>) -> Option<Vec<R>> {
        (!self.is_stopped.load(Ordering::Relaxed)).then_some(results)
    }

    /// Applies `act` to every item on this thread, with the given scratch memory, and returns its results, or `None` if
    /// the watcher stopped the stage.
    fn each_with<T, S, R>(
        &self,
        items: &[T],
        every: u64,
        scratch: &mut S,
        act: impl Fn(&mut S, &T) -> Option<R>,
    ) -> Option<Vec<R>> {
        let results =
            items.iter().filter_map(|item| self.act(every, &act, scratch, item)).collect();
        self.unless_stopped(results)
    }

    /// Applies `act` to every item and returns its results in the order of the items, or `None` if
    /// the watcher stopped the stage.
    ///
    /// Each thread makes its own scratch memory by `new_scratch`. The watcher is told after every
    /// `every` items.
    fn each<T: Sync, S: Send, R: Send>(
        &self,
        threads: Threads,
        items: &[T],
        every: u64,
        new_scratch: impl Fn() -> S + Sync + Send,
        act: impl Fn(&mut S, &T) -> Option<R> + Sync + Send,
    ) -> Option<Vec<R>> {
        match threads {
            Threads::One => self.each_with(items, every, &mut new_scratch(), act),
            Threads::Pool => {
                let act = |scratch: &mut S, item: &T| self.act(every, &act, scratch, item);
                let results = items.par_iter().map_init(new_scratch, act).flatten().collect();
                self.unless_stopped(results)
            }
        }
    }
}
