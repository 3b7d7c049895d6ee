//! Times and counts of one cycle.

use impinge::{
    method::SearchSteps,
    world::{Step, StepStats},
};
use impinge_io::csv_field;
use serde::Serialize;
use std::time::Duration;

/// Times and counts of one cycle. Its serialized form is the JSON object that `docs/output.md` in the
/// repository describes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Row<'r> {
    pub(crate) kind: &'static str,
    /// The name of the run.
    pub run: &'r str,
    /// The number of the cycle, from 0.
    pub cycle: u64,
    /// Microseconds to place bodies that have moved, and to refit those that deform.
    pub place_us: f64,
    /// Microseconds to find the bodies that are near each other.
    pub broad_us: f64,
    /// Microseconds to find the faces that touch.
    pub narrow_us: f64,
    /// Microseconds to sort contacts and compare them with the previous cycle.
    pub report_us: f64,
    /// Microseconds of all stages together.
    pub total_us: f64,
    /// Pairs of bodies that are near each other.
    pub near: usize,
    /// Pairs of near bodies whose faces were compared.
    pub candidates: usize,
    /// Pairs of near bodies that were proven to be apart by what is known of earlier cycles.
    pub skipped: usize,
    /// Pairs of bodies that touch.
    pub body_pairs: usize,
    /// Pairs of faces that touch.
    pub contacts: usize,
    /// Pairs of bodies that touch now but did not at the previous cycle.
    pub began: usize,
    /// Pairs of bodies that touched at the previous cycle but do not now.
    pub ended: usize,
    /// Impacts on the way from the previous cycle, if they were [asked for](crate::Overrides::continuous).
    #[serde(flatten)]
    pub impacts: Option<RowImpacts>,
    /// Further numbers, if they were [asked for](crate::Overrides::stats).
    #[serde(flatten)]
    pub stats: Option<RowStats>,
    /// The faces that may collide between the previous cycle and this one, if they were
    /// [asked for](crate::Overrides::swept).
    #[serde(flatten)]
    pub swept: Option<RowSwept>,
    /// The steps of the search of faces, if its tests are [distributed](crate::FaceOctreeChoice::distribution).
    #[serde(flatten)]
    pub steps: Option<RowSteps>,
}

/// Impacts on the way from the previous cycle to this one.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct RowImpacts {
    /// Microseconds to find the impacts.
    pub impact_us: f64,
    /// Pairs of bodies that touched on the way.
    pub impacts: usize,
    /// When the first of them touched: from 0, the previous cycle, to 1, this one.
    pub impact_time: Option<f64>,
}

impl RowImpacts {
    /// The columns that follow [`Row::HEADER`].
    pub const HEADER: &'static str = ",impact_us,impacts,impact_time";

    fn csv(&self) -> String {
        let Self { impact_us, impacts, impact_time } = self;
        let time = impact_time.map(|time| time.to_string()).unwrap_or_default();
        format!(",{impact_us},{impacts},{time}")
    }
}

/// Tests, hits and energies of one cycle.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct RowStats {
    /// Pairs of bounding volumes that were compared; 0 for methods that do not count.
    pub box_tests: u64,
    /// Pairs of faces that were compared; 0 for methods that do not count.
    pub face_tests: u64,
    /// Nanoseconds to find the faces that touch, per box test; 0 without box tests.
    pub box_test_ns: f64,
    /// Microseconds to respond to hits, including the search for first contacts.
    pub respond_us: f64,
    /// Bodies that had deformed, and of which what was prepared was refitted.
    pub refitted: usize,
    /// Bodies that had deformed, and which were prepared anew.
    pub rebuilt: usize,
    /// Pairs of bodies that were searched by a face octree because they had deformed.
    pub in_cells: usize,
    /// Impulses, each at one contact region.
    pub impulses: usize,
    /// Times that bodies in free flight had to reverse their motion, because impulses did not separate them.
    pub reversals: usize,
    /// Kinetic energy of the bodies in free flight after the cycle.
    pub kinetic: f64,
    /// Potential energy of the bodies in free flight after the cycle.
    pub potential: f64,
}

impl RowStats {
    /// The columns that follow [`Row::HEADER`], and those of [`RowImpacts`] if there are any.
    pub const HEADER: &'static str = ",box_tests,face_tests,box_test_ns,refitted,rebuilt,in_cells,respond_us,impulses,reversals,kinetic,potential";

    fn csv(&self) -> String {
        let Self { box_tests, face_tests, box_test_ns, refitted, rebuilt, in_cells, .. } = self;
        let Self { respond_us, impulses, reversals, kinetic, potential, .. } = self;
        format!(
            ",{box_tests},{face_tests},{box_test_ns},{refitted},{rebuilt},{in_cells},{respond_us},\
             {impulses},{reversals},{kinetic},{potential}"
        )
    }
}

/// The faces that may collide between the previous cycle and this one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RowSwept {
    /// Pairs of bodies that are near each other at some time between the cycles: their boxes overlap.
    pub swept_near: usize,
    /// Pairs of faces that the bodies can bring together at their speeds. Their hulls were compared.
    pub swept_compared: usize,
    /// Pairs of faces whose swept spaces meet.
    pub swept_pairs: usize,
    /// Microseconds to find them.
    pub swept_us: f64,
}

impl RowSwept {
    /// The columns that follow [`Row::HEADER`] and [`RowStats::HEADER`].
    pub const HEADER: &'static str = ",swept_near,swept_compared,swept_pairs,swept_us";

    fn csv(&self) -> String {
        let Self { swept_near, swept_compared, swept_pairs, swept_us } = self;
        format!(",{swept_near},{swept_compared},{swept_pairs},{swept_us}")
    }
}

/// The four steps of the search of faces by a face octree, whose tests are distributed among workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RowSteps {
    /// Step 1: microseconds to place all vertices, and to find the overlap regions of bounding boxes.
    pub regions_us: f64,
    /// Step 2: microseconds to find the faces that meet overlap regions.
    pub faces_us: f64,
    /// Step 3: microseconds to find the pairs of faces that share a cell.
    pub cells_us: f64,
    /// Step 4: microseconds to test these pairs; with a producer, those that were left when all were found.
    pub tests_us: f64,
    /// The number of these pairs.
    pub tested: u64,
    /// The number of pairs that the busiest worker tested.
    pub busiest: u64,
    /// The number of workers: one per thread.
    pub workers: u32,
}

impl RowSteps {
    /// The columns that follow all others.
    pub const HEADER: &'static str =
        ",regions_us,faces_us,cells_us,tests_us,tested,busiest,workers";

    fn new(steps: &SearchSteps) -> Self {
        let SearchSteps { regions, faces, pairs, .. } = steps;
        Self {
            regions_us: micros(*regions),
            faces_us: micros(*faces),
            cells_us: micros(pairs.produce),
            tests_us: micros(pairs.test),
            tested: pairs.items,
            busiest: pairs.busiest,
            workers: pairs.workers,
        }
    }

    fn csv(&self) -> String {
        let Self { regions_us, faces_us, cells_us, tests_us, tested, busiest, workers } = self;
        format!(",{regions_us},{faces_us},{cells_us},{tests_us},{tested},{busiest},{workers}")
    }
}

impl<'r> Row<'r> {
    /// The header line of a CSV file of rows.
    pub const HEADER: &'static str = "run,cycle,place_us,broad_us,narrow_us,report_us,\
         total_us,near,candidates,skipped,body_pairs,contacts,began,ended";

    pub(crate) fn new(run: &'r str, cycle: u64, step: &Step<'_>) -> Self {
        let stats = step.stats();
        let StepStats { near, tested, skipped, touching, contacts, .. } = stats;
        Self {
            kind: "cycle",
            run,
            cycle,
            place_us: micros(stats.update),
            broad_us: micros(stats.broad),
            narrow_us: micros(stats.narrow),
            report_us: micros(stats.report),
            total_us: micros(stats.total()),
            near,
            candidates: tested,
            skipped,
            body_pairs: touching,
            contacts,
            began: step.began().len(),
            ended: step.ended().len(),
            impacts: None,
            stats: None,
            swept: None,
            steps: stats.steps.as_ref().map(RowSteps::new),
        }
    }

    /// Returns the CSV row, without a line end.
    pub fn csv(&self) -> String {
        let Self { cycle, place_us, broad_us, narrow_us, report_us, total_us, .. } = self;
        let Self { near, candidates, skipped, body_pairs, contacts, began, ended, .. } = self;
        let run = csv_field(self.run);
        format!(
            "{run},{cycle},{place_us},{broad_us},{narrow_us},{report_us},{total_us},{near},\
             {candidates},{skipped},{body_pairs},{contacts},{began},{ended}{}{}{}{}",
            self.impacts.as_ref().map(RowImpacts::csv).unwrap_or_default(),
            self.stats.as_ref().map(RowStats::csv).unwrap_or_default(),
            self.swept.as_ref().map(RowSwept::csv).unwrap_or_default(),
            self.steps.as_ref().map(RowSteps::csv).unwrap_or_default()
        )
    }
}

pub(crate) fn micros(time: Duration) -> f64 {
    to_thousandths(time.as_secs_f64() * 1e6)
}

/// Returns nanoseconds per test for a time in microseconds; 0 without tests.
pub(crate) fn nanos_per_test(micros: f64, tests: u64) -> f64 {
    if tests == 0 { 0.0 } else { to_thousandths(micros * 1e3 / tests as f64) }
}

/// Rounds milli- or microseconds to three decimals: further digits are noise.
pub(crate) fn to_thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
