//! Times and counts of a whole run.

use crate::{
    choices::{Broad, CoherenceKind},
    rows::{Row, RowSteps, RowSwept, nanos_per_test, to_thousandths},
};
use impinge::Distribution;
use serde::Serialize;

/// Times and counts of a run, up to the last finished cycle. Its serialized form is the JSON object that
/// `docs/output.md` in the repository describes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary {
    pub(crate) kind: &'static str,
    pub(crate) version: &'static str,
    /// The scene file.
    pub scene: String,
    /// The name of the run.
    pub run: String,
    /// The method that finds touching faces.
    pub method: &'static str,
    /// The broad phase that finds near bodies.
    pub broad: Broad,
    /// What is remembered from cycle to cycle.
    pub coherence: CoherenceKind,
    /// The number of threads; 0 for one per core.
    pub threads: u16,
    /// The number of bodies.
    pub bodies: usize,
    /// The number of faces of all bodies.
    pub faces: u64,
    /// The number of finished cycles.
    pub cycles: u64,
    /// Why the run ended.
    pub stopped: End,
    /// Milliseconds to read meshes and prepare bodies.
    pub build_ms: f64,
    /// Mean microseconds per cycle.
    pub mean_us: f64,
    /// Microseconds of the longest cycle.
    pub max_us: f64,
    /// Microseconds of the last cycle.
    pub last_us: f64,
    /// Pairs of near bodies, over all cycles.
    pub near: u64,
    /// Pairs of near bodies whose faces were compared, over all cycles.
    pub candidates: u64,
    /// Pairs of near bodies that were proven to be apart by what is known of earlier cycles, over all cycles.
    pub skipped: u64,
    /// Pairs of touching faces, over all cycles.
    pub contacts: u64,
    /// Cycles with at least one contact.
    pub touching_cycles: u64,
    /// The first cycle with a contact.
    pub first_contact: Option<u64>,
    /// Kinetic energy of the bodies in free flight before the first cycle, if there are any.
    pub energy_before: Option<f64>,
    /// Kinetic energy of the bodies in free flight after the last cycle.
    pub energy_after: Option<f64>,
    /// Impacts between cycles, if they were [asked for](crate::Overrides::continuous).
    #[serde(flatten)]
    pub impacts: Option<SummaryImpacts>,
    /// Further numbers, if they were [asked for](crate::Overrides::stats).
    #[serde(flatten)]
    pub stats: Option<SummaryStats>,
    /// The faces that may collide between cycles, if they were [asked for](crate::Overrides::swept).
    #[serde(flatten)]
    pub swept: Option<SummarySwept>,
    /// The steps of the last cycle, if tests are [distributed](crate::FaceOctreeChoice::distribution).
    #[serde(flatten)]
    pub steps: Option<SummarySteps>,
}

/// The steps of the last cycle of a run whose tests are distributed among threads.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct SummarySteps {
    /// The name of the distribution.
    pub distribution: &'static str,
    /// The steps of the last cycle.
    pub last_steps: RowSteps,
}

impl SummarySteps {
    pub(crate) fn new(distribution: Distribution) -> Self {
        Self { distribution: distribution.name(), last_steps: RowSteps::default() }
    }
}

/// Impacts between the cycles of a run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct SummaryImpacts {
    /// Pairs of bodies that touched on the way from a cycle to the next, over all cycles.
    pub impacts: u64,
    /// Cycles on the way to which bodies touched.
    pub impact_cycles: u64,
    /// When bodies first touched, in cycles: 4.25 is a quarter of the way from cycle 4 to cycle 5.
    pub first_impact: Option<f64>,
}

/// Tests and hits of a run, over all cycles.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct SummaryStats {
    /// Pairs of bounding volumes that were compared; 0 for methods that do not count.
    pub box_tests: u64,
    /// Pairs of faces that were compared; 0 for methods that do not count.
    pub face_tests: u64,
    /// Nanoseconds to find the faces that touch, per box test; 0 without box tests.
    pub box_test_ns: f64,
    /// Milliseconds to respond to hits, including the search for first contacts.
    pub respond_ms: f64,
    /// Bodies that had deformed, and of which what was prepared was refitted, over all cycles.
    pub refitted: u64,
    /// Bodies that had deformed, and which were prepared anew, over all cycles.
    pub rebuilt: u64,
    /// Pairs of bodies that were searched by a face octree because they had deformed, over all cycles.
    pub in_cells: u64,
    /// Impulses, each at one contact region.
    pub impulses: u64,
    /// Times that bodies in free flight had to reverse their motion, because impulses did not separate them.
    pub reversals: u64,
}

/// The faces that may collide between two cycles, over a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SummarySwept {
    /// Pairs of faces whose hulls were compared, over all cycles.
    pub swept_compared: u64,
    /// Pairs of faces whose swept spaces meet, over all cycles.
    pub swept_pairs: u64,
    /// The first cycle after which faces may collide, before the next. The paper counts so.
    pub first_swept: Option<u64>,
}

impl SummarySwept {
    /// Adds the numbers of a cycle.
    fn add(&mut self, cycle: u64, row: &RowSwept) {
        self.swept_compared += row.swept_compared as u64;
        self.swept_pairs += row.swept_pairs as u64;
        if row.swept_pairs > 0 {
            self.first_swept.get_or_insert(cycle.saturating_sub(1));
        }
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// All cycles were run.
    #[default]
    Cycles,
    /// Faces touched at a cycle or, in a continuous run, before it, or may have collided between two cycles, and the
    /// scene sets `stop_at_contact`.
    Contact,
}

impl End {
    /// The name in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Contact => "contact",
        }
    }
}

impl Summary {
    /// Adds a cycle. Until [`finish`](Self::finish), `mean_us` holds the sum.
    /// With `stats`, `box_test_ns` holds the sum of all `narrow_us` and `respond_ms` that of all `respond_us`.
    pub(crate) fn add(&mut self, row: &Row<'_>) {
        self.cycles += 1;
        self.mean_us += row.total_us;
        self.max_us = self.max_us.max(row.total_us);
        self.last_us = row.total_us;
        self.near += row.near as u64;
        self.candidates += row.candidates as u64;
        self.skipped += row.skipped as u64;
        self.contacts += row.contacts as u64;
        if let (Some(stats), Some(row_stats)) = (&mut self.stats, &row.stats) {
            stats.box_tests += row_stats.box_tests;
            stats.face_tests += row_stats.face_tests;
            stats.box_test_ns += row.narrow_us;
            stats.respond_ms += row_stats.respond_us;
            stats.refitted += row_stats.refitted as u64;
            stats.rebuilt += row_stats.rebuilt as u64;
            stats.in_cells += row_stats.in_cells as u64;
            stats.impulses += row_stats.impulses as u64;
            stats.reversals += row_stats.reversals as u64;
        }
        if let (Some(swept), Some(row_swept)) = (&mut self.swept, &row.swept) {
            swept.add(row.cycle, row_swept);
        }
        if let (Some(sums), Some(impacts)) = (&mut self.impacts, &row.impacts)
            && let Some(time) = impacts.impact_time
        {
            sums.impacts += impacts.impacts as u64;
            sums.impact_cycles += 1;
            sums.first_impact.get_or_insert((row.cycle - 1) as f64 + time);
        }
        if let (Some(steps), Some(row_steps)) = (&mut self.steps, row.steps) {
            steps.last_steps = row_steps;
        }
        if row.contacts > 0 {
            self.touching_cycles += 1;
            self.first_contact.get_or_insert(row.cycle);
        }
    }

    pub(crate) fn finish(&mut self, energy: Option<f64>) {
        self.mean_us = to_thousandths(self.mean_us / self.cycles.max(1) as f64);
        self.energy_after = energy;
        if let Some(stats) = &mut self.stats {
            stats.box_test_ns = nanos_per_test(stats.box_test_ns, stats.box_tests);
            stats.respond_ms = to_thousandths(stats.respond_ms / 1e3);
        }
    }
}
