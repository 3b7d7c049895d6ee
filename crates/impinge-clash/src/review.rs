//! What people decided about findings: status, comment, assignee, group. `review_file.rs` keeps it from run to run.

use crate::{identity::PartIdentity, measured::Measured, verdicts};
use impinge::clash::{Clash, Verdict};
use serde::{Deserialize, Serialize};

/// How far the work on a finding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ReviewStatus {
    /// Found for the first time.
    #[default]
    New,
    /// Found before, and still there.
    Active,
    /// Somebody looked at it.
    Reviewed,
    /// It may stay as it is.
    Approved,
    /// It is no longer there.
    Resolved,
}

impl ReviewStatus {
    /// Every status, in the order of the work.
    pub const ALL: [Self; 5] =
        [Self::New, Self::Active, Self::Reviewed, Self::Approved, Self::Resolved];

    /// The name in every output.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Active => "active",
            Self::Reviewed => "reviewed",
            Self::Approved => "approved",
            Self::Resolved => "resolved",
        }
    }
}

/// What people decided about a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Review {
    /// How far the work is.
    #[serde(default)]
    pub status: ReviewStatus,
    /// Free text; may have several lines.
    #[serde(default)]
    pub comment: String,
    /// Who takes care of it.
    #[serde(default)]
    pub assignee: String,
    /// The name of a group made by hand; empty for none.
    #[serde(default)]
    pub group: String,
}

/// An entry of a review file: a finding, and what people decided about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReviewEntry {
    /// The key of the finding.
    pub key: String,
    /// The two parts, in any order.
    pub parts: [PartIdentity; 2],
    /// The verdict when the entry was last brought up to date.
    #[serde(serialize_with = "verdicts::serialize", deserialize_with = "verdicts::deserialize")]
    pub verdict: Verdict,
    /// The lower bound of the depth at that time.
    #[serde(default)]
    pub depth: Option<f64>,
    /// The upper bound of the depth at that time.
    #[serde(default)]
    pub depth_at_most: Option<f64>,
    /// The distance at that time.
    #[serde(default)]
    pub distance: f64,
    /// The common volume at that time.
    #[serde(default)]
    pub volume: Option<f64>,
    /// The radius of the shaft minus that of the hole at that time, for fits.
    #[serde(default)]
    pub fit_difference: Option<f64>,
    /// What people decided.
    #[serde(flatten)]
    pub review: Review,
}

impl ReviewEntry {
    /// Returns what was measured when the entry was last brought up to date.
    pub(crate) fn measured(&self) -> Measured {
        Measured {
            verdict: self.verdict,
            depth: self.depth,
            depth_at_most: self.depth_at_most,
            distance: self.distance,
            volume: self.volume,
            fit_difference: self.fit_difference,
        }
    }

    /// Converts all lengths to another unit.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.parts.iter_mut().for_each(|part| part.scale(factor));
        let scaled = self.measured().scaled(factor);
        (self.depth, self.depth_at_most) = (scaled.depth, scaled.depth_at_most);
        (self.distance, self.volume) = (scaled.distance, scaled.volume);
        self.fit_difference = scaled.fit_difference;
    }

    /// Returns the review of a finding that is still there.
    pub(crate) fn continued(&self, clash: &Clash, is_quick: bool) -> Review {
        let status = match self.review.status {
            ReviewStatus::New | ReviewStatus::Resolved => ReviewStatus::Active,
            ReviewStatus::Approved if self.measured().became_worse(clash, is_quick) => {
                ReviewStatus::Active
            }
            status => status,
        };
        Review { status, ..self.review.clone() }
    }
}
