//! A run in numbers.

use crate::{
    document::Broad,
    rows::{Row, to_thousandths},
};
use serde::Serialize;

/// A run as a whole, up to the last cycle that was done. Serialized, it is the object that
/// `docs/output.md` in the repository describes.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary {
    pub(crate) kind: &'static str,
    pub(crate) version: &'static str,
    /// The scene's file.
    pub scene: String,
    /// The name of the run.
    pub run: String,
    /// The method that finds touching faces.
    pub method: &'static str,
    /// The broad phase that finds near bodies.
    pub broad: Broad,
    /// Threads asked for; 0 for one per core.
    pub threads: u16,
    /// Bodies.
    pub bodies: usize,
    /// Faces of all bodies.
    pub faces: u64,
    /// Cycles that were done.
    pub cycles: u64,
    /// Why there were no more.
    pub stopped: End,
    /// Milliseconds to read meshes and prepare bodies.
    pub build_ms: f64,
    /// Microseconds a cycle, on average.
    pub mean_us: f64,
    /// Microseconds of the longest cycle.
    pub max_us: f64,
    /// Microseconds of the last cycle.
    pub last_us: f64,
    /// Pairs of near bodies, in all cycles.
    pub near: u64,
    /// Those of them whose faces were compared.
    pub candidates: u64,
    /// Pairs of touching faces, in all cycles.
    pub contacts: u64,
    /// Cycles with at least one contact.
    pub touching_cycles: u64,
    /// The first cycle with a contact.
    pub first_contact: Option<u64>,
    /// The energy of motion of the bodies that fly before the first cycle, if any do.
    pub energy_before: Option<f64>,
    /// The same after the last.
    pub energy_after: Option<f64>,
}

/// Why a run had no more cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// All that were asked for were done.
    #[default]
    Cycles,
    /// Faces touched, and the scene was to stop there.
    Contact,
}

impl End {
    /// The word for it in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Contact => "contact",
        }
    }
}

impl Summary {
    /// Takes a cycle into account. Until [`finish`](Self::finish), `mean_us` is the sum.
    pub(crate) fn add(&mut self, row: &Row<'_>) {
        self.cycles += 1;
        self.mean_us += row.total_us;
        self.max_us = self.max_us.max(row.total_us);
        self.last_us = row.total_us;
        self.near += row.near as u64;
        self.candidates += row.candidates as u64;
        self.contacts += row.contacts as u64;
        if row.contacts > 0 {
            self.touching_cycles += 1;
            self.first_contact.get_or_insert(row.cycle);
        }
    }

    pub(crate) fn finish(&mut self, energy: Option<f64>) {
        self.mean_us = to_thousandths(self.mean_us / self.cycles.max(1) as f64);
        self.energy_after = energy;
    }
}
