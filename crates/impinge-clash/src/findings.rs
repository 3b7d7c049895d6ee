//! The clashes of an assembly that every output shows.

use impinge::clash::Clash;
use impinge_io::assembly::Assembly;

/// An assembly and the clashes in it that are to be shown.
#[derive(Debug)]
#[non_exhaustive]
pub struct Findings {
    /// The assembly that was checked.
    pub assembly: Assembly,
    /// In the order in which they are shown; what was ignored is not among them.
    pub rows: Vec<Row>,
    /// Pairs of an earlier run that clash no longer.
    pub resolved: Vec<Resolved>,
    /// How many pairs of parts were looked at face by face.
    pub pairs_checked: u64,
    /// The touch band: how deep parts may reach into each other and still only touch.
    pub touch: f64,
    /// The clearance that was asked for; 0 for none.
    pub clearance: f64,
}

/// A clash to be shown.
#[derive(Debug)]
#[non_exhaustive]
pub struct Row {
    /// What was found about the two parts.
    pub clash: Clash,
    /// How it compares with an earlier run, if there is one to compare with.
    pub status: Option<Status>,
}

/// How a clash compares with an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was not there.
    New,
    /// It was there.
    Known,
}

impl Status {
    /// The word for it in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known => "known",
        }
    }
}

/// A pair of an earlier run that clashes no longer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Resolved {
    /// The name of a part.
    pub a: String,
    /// The name of the other.
    pub b: String,
    /// The name of the verdict that they had.
    pub verdict: String,
}
