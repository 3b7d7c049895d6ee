//! The figures of a paper beside those of a run.

use crate::{document::Paper, summary::Summary};

/// A figure of a paper, and the same figure of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Figure {
    /// What was counted or measured, with its unit.
    pub name: &'static str,
    /// The value in the paper.
    pub paper: f64,
    /// The value of the run; `None` if the run did not [count](crate::Overrides::stats) it.
    pub run: Option<f64>,
}

impl Paper {
    /// Returns the figures that the scene states, beside those of a run.
    pub fn figures(&self, run: &Summary) -> Vec<Figure> {
        let cycles = run.cycles.max(1) as f64;
        // Methods that do not count report zeros.
        let stats = run.stats.filter(|stats| stats.box_tests > 0);
        let swept = run.swept;
        let first_swept = swept.and_then(|swept| swept.first_swept).map(|cycle| cycle as f64);
        let rows = [
            ("faces of all bodies", self.faces, Some(run.faces as f64)),
            ("cycles", self.cycles, Some(run.cycles as f64)),
            ("contacts", self.contacts, Some(run.contacts as f64)),
            ("contacts per cycle", self.contacts_per_cycle, Some(run.contacts as f64 / cycles)),
            ("cycle before the first swept contact", self.swept_cycle, first_swept),
            ("swept face pairs", self.swept_pairs, swept.map(|swept| swept.swept_pairs as f64)),
            ("box tests", self.box_tests, stats.map(|stats| stats.box_tests as f64)),
            ("face tests", self.face_tests, stats.map(|stats| stats.face_tests as f64)),
            ("time, s", self.seconds, Some(run.mean_us * cycles / 1e6)),
            ("time per cycle, ms", self.cycle_ms, Some(run.mean_us / 1e3)),
            ("time per box test, µs", self.box_test_us, stats.map(|stats| stats.box_test_ns / 1e3)),
        ];
        let figure =
            |(name, paper, run): (_, Option<f64>, _)| Some(Figure { name, paper: paper?, run });
        rows.into_iter().filter_map(figure).collect()
    }
}
