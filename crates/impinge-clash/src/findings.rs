//! The listed clashes of an assembly, as every output shows them.

use crate::{
    cluster::{ClusterNumbers, Clusters},
    hidden::Hidden,
    identity::{Identities, Keys, PartIdentity},
    measured::Measured,
    review::{Review, ReviewEntry},
};
use impinge::clash::{Clash, Gap, Side, Verdict};
use impinge_io::assembly::Assembly;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

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
    /// The widest touch band of all pairs that were checked. Two parts that reach into each other no deeper than
    /// their touch band only touch.
    pub touch: f64,
    /// The touch band that was given for all pairs; `None` if each pair has its own.
    pub touch_given: Option<f64>,
    /// The clearance below which parts are reported; 0 for none.
    pub clearance: f64,
    /// Whether only verdicts were decided, without depths and faces.
    pub is_quick: bool,
    /// The checked parts whose surfaces have gaps.
    pub gaps: Vec<Gap>,
    /// How many clashes are not in the list, and how many pairs were not checked, by reason.
    pub hidden: Hidden,
    /// The clusters of the rows.
    pub clusters: Clusters,
    /// With a review file: its entries that are not about a listed clash. `None` without a review file.
    pub other_reviews: Option<Vec<ReviewEntry>>,
    /// Computed on first use.
    pub(crate) identities: OnceLock<Identities>,
}

impl Findings {
    /// Returns the findings of a check that found exactly these rows, with default options. Rows without a key
    /// get one, and all rows are clustered.
    pub fn new(assembly: Assembly, rows: Vec<Row>) -> Self {
        let mut findings = Self::with(assembly, rows);
        let identities = Identities::new(&findings.assembly);
        let mut keys = Keys::new(&findings.assembly, &identities);
        for row in &mut findings.rows {
            row.key = keys.of(row.clash.a, row.clash.b, Some(&row.key));
        }
        findings.cluster();
        findings.identities = identities.into();
        findings
    }

    /// Clusters the rows.
    pub(crate) fn cluster(&mut self) {
        let clashes: Vec<&Clash> = self.rows.iter().map(|row| &row.clash).collect();
        let (clusters, numbers) = Clusters::of(&self.assembly, &clashes);
        self.clusters = clusters;
        self.rows.iter_mut().zip(numbers).for_each(|(row, number)| row.cluster = number);
    }

    /// Returns findings with these rows, and defaults for all other fields.
    pub(crate) fn with(assembly: Assembly, rows: Vec<Row>) -> Self {
        Self {
            assembly,
            rows,
            resolved: Vec::new(),
            pairs_checked: 0,
            touch: 0.0,
            touch_given: None,
            clearance: 0.0,
            is_quick: false,
            gaps: Vec::new(),
            hidden: Hidden::default(),
            clusters: Clusters::default(),
            other_reviews: None,
            identities: OnceLock::new(),
        }
    }

    /// Returns how a part is recognised in later runs.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn identity(&self, part: usize) -> PartIdentity {
        let identities = self.identities.get_or_init(|| Identities::new(&self.assembly));
        identities.of(&self.assembly, part)
    }

    /// Returns which part is inside which as a sentence, such as `bolt is inside housing`; `None` unless one is.
    pub fn inside(&self, clash: &Clash) -> Option<String> {
        let [a, b] = [clash.a, clash.b].map(|part| &*self.assembly.parts[part].name);
        match clash.inner.filter(|_| clash.verdict == Verdict::Inside)? {
            Side::A => Some(format!("{a} is inside {b}")),
            Side::B => Some(format!("{b} is inside {a}")),
        }
    }
}

/// A listed clash.
#[derive(Debug)]
#[non_exhaustive]
pub struct Row {
    /// The search result for the two parts.
    pub clash: Clash,
    /// The same in later runs: a GUID made from the identities of the two parts.
    pub key: String,
    /// How the clash compares with the baseline, if there is one.
    pub status: Option<Status>,
    /// The verdict in the baseline, if it was a different one.
    pub was: Option<Verdict>,
    /// What people decided about the clash, if there is a review file.
    pub review: Option<Review>,
    /// What was measured of the clash when it was approved.
    pub(crate) approved_as: Option<Measured>,
    /// The clusters that the clash is in.
    pub cluster: ClusterNumbers,
}

impl Row {
    /// Returns a row with a clash only.
    pub fn new(clash: Clash) -> Self {
        Self {
            clash,
            key: String::new(),
            status: None,
            was: None,
            review: None,
            approved_as: None,
            cluster: ClusterNumbers::default(),
        }
    }
}

/// How a clash compares with the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// The baseline does not have it.
    New,
    /// The baseline has it.
    Known,
    /// The baseline has it, but with a less severe verdict, or it grew by more than its touch band since.
    Worse,
}

impl Status {
    /// The name in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known => "known",
            Self::Worse => "worse",
        }
    }
}

/// A pair of the baseline that no longer clashes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Resolved {
    /// The key of the finding in the baseline; empty if it is a baseline of an older version.
    pub key: String,
    /// The name of the first part.
    pub a: String,
    /// The name of the second part.
    pub b: String,
    /// The name of its verdict in the baseline.
    pub verdict: String,
}

impl Resolved {
    /// Returns a resolved pair without a key.
    pub fn new(a: impl Into<String>, b: impl Into<String>, verdict: impl Into<String>) -> Self {
        Self { key: String::new(), a: a.into(), b: b.into(), verdict: verdict.into() }
    }
}
