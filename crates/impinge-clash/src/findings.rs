//! The listed clashes of an assembly, as every output shows them.

use impinge::clash::Clash;
use impinge_io::assembly::Assembly;

/// An assembly and its listed clashes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Findings {
    /// The assembly that was checked.
    pub assembly: Assembly,
    /// The listed clashes, in order. Ignored clashes are not among them.
    pub rows: Vec<Row>,
    /// Pairs of the baseline that no longer clash.
    pub resolved: Vec<Resolved>,
    /// The number of pairs whose faces were compared.
    pub pairs_checked: u64,
    /// The touch band: two parts that reach into each other no deeper than this only touch.
    pub touch: f64,
    /// The clearance below which parts are reported; 0 for none.
    pub clearance: f64,
}

/// A listed clash.
#[derive(Debug)]
#[non_exhaustive]
pub struct Row {
    /// The search result for the two parts.
    pub clash: Clash,
    /// How the clash compares with the baseline, if there is one.
    pub status: Option<Status>,
}

/// How a clash compares with the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The baseline does not have it.
    New,
    /// The baseline has it.
    Known,
}

impl Status {
    /// The name in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known => "known",
        }
    }
}

/// A pair of the baseline that no longer clashes.
#[derive(Debug)]
#[non_exhaustive]
pub struct Resolved {
    /// The name of the first part.
    pub a: String,
    /// The name of the second part.
    pub b: String,
    /// The name of its verdict in the baseline.
    pub verdict: String,
}
