//! From parts to the pairs that are near each other, and from these to what is said of them.

use super::{
    Clash, Options, Part, Progress, Report, Stage, Watch,
    check::Checker,
    placed::{Form, Placed},
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
///     .map(|(_, mesh, pose)| Part { mesh: mesh.into(), pose })
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

/// Finds all clashes among the parts of an assembly, reports progress, and leaves out the pairs that the
/// watcher leaves out; `None` if the watcher stopped it.
pub fn find_watched(parts: &[Part], options: &Options, watch: &impl Watch) -> Option<Report> {
    let hall = Hall::new(parts, options, watch)?;
    let pairs = hall.near_pairs(watch)?;
    let clashes = hall.check(&pairs, watch)?;
    let open_parts = hall.open_parts(&pairs);
    Some(Report { clashes, pairs_checked: pairs.len() as u64, open_parts, touch: hall.touch })
}

/// Parts where they stand, and what is asked about them.
pub(super) struct Hall<'p> {
    parts: &'p [Part],
    /// One for each distinct mesh.
    forms: Vec<Form>,
    /// Which of them each part shows.
    form_of: Vec<u32>,
    bounds: Vec<Bounds>,
    touch: f64,
    /// Whether that is what was asked for.
    is_asked: bool,
    pub(super) clearance: f64,
    threads: Threads,
}

/// How often somebody who watches is told.
const EVERY: u64 = 64;

impl<'p> Hall<'p> {
    fn new(parts: &'p [Part], options: &Options, watch: &impl Watch) -> Option<Self> {
        let mut numbers: HashMap<*const Mesh, u32> = HashMap::new();
        let mut meshes = Vec::new();
        let mut form_of = Vec::with_capacity(parts.len());
        for part in parts {
            let number = numbers.entry(Arc::as_ptr(&part.mesh)).or_insert_with(|| {
                meshes.push(&part.mesh);
                meshes.len() as u32 - 1
            });
            form_of.push(*number);
        }
        let course = Course::new(watch, Stage::Meshes, meshes.len());
        let forms = course.each(
            options.threads,
            &meshes,
            1,
            || (),
            |(), &mesh| Some(Form::new(Arc::clone(mesh))),
        )?;
        let bounds: Vec<Bounds> = parts
            .iter()
            .zip(&form_of)
            .map(|(part, &form)| forms[form as usize].shape.placed_bounds(&part.pose))
            .collect();
        let is_asked = options.touch.is_some();
        let usual = || default_touch(&bounds).max(2.0 * options.tolerance);
        let touch = options.touch.unwrap_or_else(usual);
        let (clearance, threads) = (options.clearance, options.threads);
        Some(Self { parts, forms, form_of, bounds, touch, is_asked, clearance, threads })
    }

    /// The pairs of parts whose boxes are close enough, in order, but for those that nobody heeds.
    fn near_pairs(&self, watch: &impl Watch) -> Option<Vec<[u32; 2]>> {
        let mut proxies = Proxies::new(Detail::Boxes);
        let mut broad = Packed::new();
        // Each box is larger by half of what counts as near, with some room for rounding.
        let near = self.clearance.max(self.touch) * (0.5 + 1e-9);
        for (number, bounds) in (0..).zip(&self.bounds) {
            if bounds.is_empty() {
                continue;
            }
            let more = near + f64::EPSILON * bounds.min.abs().max(bounds.max.abs()).max_element();
            let grown = Bounds { min: bounds.min - more, max: bounds.max + more };
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

    /// What is to be said of pairs, in order.
    fn check(&self, pairs: &[[u32; 2]], watch: &impl Watch) -> Option<Vec<Clash>> {
        let course = Course::new(watch, Stage::Pairs, pairs.len());
        course.each(self.threads, pairs, EVERY, Checker::default, |checker, &[a, b]| {
            checker.check(self, a as usize, b as usize)
        })
    }

    /// How many parts of these pairs are open.
    fn open_parts(&self, pairs: &[[u32; 2]]) -> usize {
        let mut is_counted = vec![false; self.parts.len()];
        pairs
            .iter()
            .flatten()
            .filter(|&&part| {
                let form = &self.forms[self.form_of[part as usize] as usize];
                !std::mem::replace(&mut is_counted[part as usize], true) && form.is_known_open()
            })
            .count()
    }

    /// The touch band for two parts.
    pub(super) fn touch(&self, a: usize, b: usize) -> f64 {
        if self.is_asked {
            return self.touch;
        }
        let size = |part: usize| self.bounds[part].size().length();
        self.touch.min(2e-3 * size(a).min(size(b)))
    }

    /// A part where it stands.
    pub(super) fn part(&self, number: usize) -> Placed<'_> {
        let form = &self.forms[self.form_of[number] as usize];
        form.placed(&self.parts[number].pose, &self.bounds[number])
    }
}

/// The touch band if none was asked for.
fn default_touch(bounds: &[Bounds]) -> f64 {
    let mut all = Bounds::EMPTY;
    for bounds in bounds {
        all.merge(bounds);
    }
    if all.is_empty() {
        return 0.0;
    }
    // Never less than what rounding moves parts by, far from the origin.
    let largest = all.min.abs().max(all.max.abs()).max_element();
    (1e-6 * all.size().length()).max(64.0 * f64::EPSILON * largest)
}

/// A stage that is watched.
struct Course<'w, W> {
    watch: &'w W,
    stage: Stage,
    total: u64,
    done: AtomicU64,
    is_stopped: AtomicBool,
}

impl<'w, W: Watch> Course<'w, W> {
    fn new(watch: &'w W, stage: Stage, total: usize) -> Self {
        let (done, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { watch, stage, total: total as u64, done, is_stopped }
    }

    /// Does something with each, and keeps what comes of it, in order; nothing if it was stopped.
    fn each<T: Sync, S: Send, R: Send>(
        &self,
        threads: Threads,
        items: &[T],
        every: u64,
        room: impl Fn() -> S + Sync + Send,
        act: impl Fn(&mut S, &T) -> Option<R> + Sync + Send,
    ) -> Option<Vec<R>> {
        let act = |room: &mut S, item: &T| {
            if self.is_stopped.load(Ordering::Relaxed) {
                return None;
            }
            let result = act(room, item);
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
                let mut room = room();
                items.iter().filter_map(|item| act(&mut room, item)).collect()
            }
            Threads::Pool => items.par_iter().map_init(room, act).flatten().collect(),
        };
        (!self.is_stopped.load(Ordering::Relaxed)).then_some(results)
    }
}
