//! The entry points of the clash check: from parts to candidate pairs, and from those to a report.
//!
//! The broad phase (`Packed`) finds pairs of parts whose boxes are near each other; `check.rs`
//! decides each pair. Both run on one thread or on a pool.

use super::{
    Clash, Gap, Options, Part, Progress, Report, Stage, Watch,
    check::Checker,
    placed::{Placed, PreparedMesh},
};
use crate::{
    Bounds, Mesh, Threads,
    broad::{BroadPhase, Detail, Packed, Proxies},
};
use rayon::prelude::*;
use std::{
    collections::HashMap,
    ops::ControlFlow,
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
    let assembly = PlacedParts::new(parts, options, watch)?;
    let pairs = assembly.near_pairs(watch)?;
    let clashes = assembly.check(&pairs, watch)?;
    let gaps = assembly.gaps(&pairs);
    Some(Report { clashes, pairs_checked: pairs.len() as u64, gaps, touch: assembly.touch })
}

/// All parts with their placed boxes, and the options of the search.
pub(super) struct PlacedParts<'p> {
    parts: &'p [Part],
    /// One for each distinct mesh.
    meshes: Vec<PreparedMesh>,
    /// The index in `meshes` of each part's mesh.
    mesh_of: Vec<u32>,
    bounds: Vec<Bounds>,
    touch: f64,
    /// Whether the caller chose the touch band.
    is_touch_chosen: bool,
    pub(super) clearance: f64,
    threads: Threads,
}

/// Pairs between two progress reports.
const PAIRS_PER_REPORT: u64 = 64;

impl<'p> PlacedParts<'p> {
    fn new(parts: &'p [Part], options: &Options, watch: &impl Watch) -> Option<Self> {
        let mut index_of: HashMap<*const Mesh, u32> = HashMap::new();
        let mut meshes = Vec::new();
        let mut mesh_of = Vec::with_capacity(parts.len());
        for part in parts {
            let index = index_of.entry(Arc::as_ptr(&part.mesh)).or_insert_with(|| {
                meshes.push(&part.mesh);
                meshes.len() as u32 - 1
            });
            mesh_of.push(*index);
        }
        let stage = WatchedStage::new(watch, Stage::Meshes, meshes.len());
        let meshes = stage.each(
            options.threads,
            &meshes,
            1,
            || (),
            |(), &mesh| Some(PreparedMesh::new(Arc::clone(mesh))),
        )?;
        let bounds: Vec<Bounds> = parts
            .iter()
            .zip(&mesh_of)
            .map(|(part, &mesh)| meshes[mesh as usize].shape.placed_bounds(&part.pose))
            .collect();
        let is_touch_chosen = options.touch.is_some();
        let touch = options.touch.unwrap_or_else(|| default_touch(&bounds));
        let (clearance, threads) = (options.clearance, options.threads);
        Some(Self { parts, meshes, mesh_of, bounds, touch, is_touch_chosen, clearance, threads })
    }

    /// The pairs of parts whose boxes are near each other and that the watcher includes, sorted.
    fn near_pairs(&self, watch: &impl Watch) -> Option<Vec<[u32; 2]>> {
        let mut proxies = Proxies::new(Detail::Boxes);
        let mut broad = Packed::new();
        // Each box grows by half the distance that counts as near, with a margin for rounding.
        let near = self.clearance.max(self.touch) * (0.5 + 1e-9);
        for (number, bounds) in (0..).zip(&self.bounds) {
            if bounds.is_empty() {
                continue;
            }
            let more = near + f64::EPSILON * bounds.largest_coordinate();
            let grown = bounds.grown(more);
            proxies.set(number, grown, true);
            broad.insert(&proxies, number);
        }
        let mut pairs = Vec::new();
        let (mut seen, mut is_stopped) = (0u64, false);
        let _ = broad.pairs(&proxies, self.threads, &mut |[a, b]| {
            if watch.includes(a as usize, b as usize) {
                pairs.push([a, b]);
            }
            seen += 1;
            let progress = Progress { stage: Stage::Pairs, done: 0, total: pairs.len() as u64 };
            is_stopped = seen.is_multiple_of(1 << 16) && !watch.proceed(progress);
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        pairs.sort_unstable();
        (!is_stopped).then_some(pairs)
    }

    /// Checks all pairs. Returns the clashes in order, or `None` if the watcher stopped the search.
    fn check(&self, pairs: &[[u32; 2]], watch: &impl Watch) -> Option<Vec<Clash>> {
        let stage = WatchedStage::new(watch, Stage::Pairs, pairs.len());
        stage.each(self.threads, pairs, PAIRS_PER_REPORT, Checker::default, |checker, &[a, b]| {
            checker.check(self, a as usize, b as usize)
        })
    }

    /// The parts with gaps among these pairs.
    fn gaps(&self, pairs: &[[u32; 2]]) -> Vec<Gap> {
        let mut parts: Vec<u32> = pairs.iter().copied().flatten().collect();
        parts.sort_unstable();
        parts.dedup();
        let is_open = |&part: &u32| {
            self.meshes[self.mesh_of[part as usize] as usize].is_known_open()
        };
        parts.into_iter().filter(is_open).map(|part| Gap::new(part as usize, 0.0, false)).collect()
    }

    /// The touch band for two parts, as a length.
    pub(super) fn touch(&self, a: usize, b: usize) -> f64 {
        if self.is_touch_chosen {
            return self.touch;
        }
        let size = |part: usize| self.bounds[part].size().length();
        self.touch.min(2e-3 * size(a).min(size(b)))
    }

    /// Part `number` with its pose and its placed box.
    pub(super) fn part(&self, number: usize) -> Placed<'_> {
        let prepared = &self.meshes[self.mesh_of[number] as usize];
        prepared.placed(&self.parts[number].pose, &self.bounds[number])
    }
}

/// The touch band if the caller chose none.
fn default_touch(bounds: &[Bounds]) -> f64 {
    let mut all = Bounds::EMPTY;
    for bounds in bounds {
        all.merge(bounds);
    }
    if all.is_empty() {
        return 0.0;
    }
    // Never less than the rounding of coordinates far from the origin.
    let largest = all.largest_coordinate();
    (1e-6 * all.size().length()).max(64.0 * f64::EPSILON * largest)
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
        let act = |scratch: &mut S, item: &T| {
            if self.is_stopped.load(Ordering::Relaxed) {
                return None;
            }
            let result = act(scratch, item);
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            let progress = Progress { stage: self.stage, done, total: self.total };
            let is_due = done.is_multiple_of(every) || done == self.total;
            if is_due && !self.watch.proceed(progress) {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
            result
        };
        let results = match threads {
            Threads::One => {
                let mut scratch = new_scratch();
                items.iter().filter_map(|item| act(&mut scratch, item)).collect()
            }
            Threads::Pool => items.par_iter().map_init(new_scratch, act).flatten().collect(),
        };
        (!self.is_stopped.load(Ordering::Relaxed)).then_some(results)
    }
}
