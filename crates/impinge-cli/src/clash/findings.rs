//! What was found about an assembly, as every output shows it.

use impinge::clash::Clash;
use impinge_io::assembly::Assembly;

/// An assembly and the clashes in it that are to be shown.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) assembly: Assembly,
    /// In the order in which they are shown; what was ignored is not among them.
    pub(crate) rows: Vec<Row>,
    /// Pairs of an earlier run that clash no longer.
    pub(crate) resolved: Vec<Resolved>,
    /// How many pairs of parts were looked at face by face.
    pub(crate) pairs_checked: u64,
    /// The touch band.
    pub(crate) touch: f64,
    /// The clearance that was asked for; 0 for none.
    pub(crate) clearance: f64,
}

/// A clash to be shown.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) clash: Clash,
    /// How it compares with an earlier run, if there is one to compare with.
    pub(crate) status: Option<Status>,
}

/// How a clash compares with an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// It was not there.
    New,
    /// It was there.
    Known,
}

/// A pair of an earlier run that clashes no longer.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) verdict: String,
}
