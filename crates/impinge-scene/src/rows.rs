//! Times and counts of one cycle.

use impinge::world::{Step, StepStats};
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
    /// Microseconds to place bodies that have moved.
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
        }
    }

    /// Returns the CSV row, without a line end.
    pub fn csv(&self) -> String {
        let Self { cycle, place_us, broad_us, narrow_us, report_us, total_us, .. } = self;
        let Self { near, candidates, skipped, body_pairs, contacts, began, ended, .. } = self;
        let run = csv_field(self.run);
        format!(
            "{run},{cycle},{place_us},{broad_us},{narrow_us},{report_us},{total_us},{near},\
             {candidates},{skipped},{body_pairs},{contacts},{began},{ended}"
        )
    }
}

fn micros(time: Duration) -> f64 {
    to_thousandths(time.as_secs_f64() * 1e6)
}

/// Rounds milli- or microseconds to three decimals: further digits are noise.
pub(crate) fn to_thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
