//! Outcomes as bytes, without their assembly: the Python package pickles reports this way.

use crate::{
    clash_state::{ClashState, from_bytes, to_bytes},
    error::Error,
    findings::{Findings, Resolved, Row, Status},
    hidden::Hidden,
    measured::Measured,
    options::Allowed,
    outcome::Outcome,
    path::PathOutcome,
    review::{Review, ReviewEntry},
    totals::Total,
    verdicts,
};
use impinge::clash::{Gap, Verdict};
use impinge_io::assembly::Assembly;
use serde::{Deserialize, Serialize};

const OUTCOME: &str = "an outcome";
const NOT_BYTES: Error = Error::NotBytes(OUTCOME);

/// An outcome without its assembly. Clusters and identities follow from the rest.
#[derive(Serialize, Deserialize)]
struct OutcomeState {
    rows: Vec<RowState>,
    resolved: Vec<Resolved>,
    pairs_checked: u64,
    touch: f64,
    touch_given: Option<f64>,
    clearance: f64,
    is_quick: bool,
    /// The number of each part with gaps, the width of the widest gap, and whether the part counts as closed.
    gaps: Vec<(usize, f64, bool)>,
    hidden: Hidden,
    /// Each entry as JSON, because the number of its fields is not fixed.
    other_reviews: Option<Vec<String>>,
    counts: [usize; Verdict::ALL.len()],
    known: Option<usize>,
    failures: usize,
    totals: Option<Vec<TotalState>>,
    worse: usize,
    notes: Vec<String>,
    allowed: Allowed,
}

#[derive(Serialize, Deserialize)]
struct RowState {
    clash: ClashState,
    key: String,
    status: Option<Status>,
    #[serde(with = "verdicts::optional")]
    was: Option<Verdict>,
    review: Option<Review>,
    approved_as: Option<Measured>,
}

/// The two sub-assemblies, and the counts.
type TotalState = (Option<String>, Option<String>, [usize; Verdict::ALL.len()]);

impl RowState {
    fn new(row: &Row) -> Self {
        Self {
            clash: ClashState::new(&row.clash),
            key: row.key.clone(),
            status: row.status,
            was: row.was,
            review: row.review.clone(),
            approved_as: row.approved_as,
        }
    }

    fn into_row(self, parts: usize) -> Option<Row> {
        let Self { clash, key, status, was, review, approved_as } = self;
        let clash = clash.into_clash().filter(|clash| clash.a.max(clash.b) < parts)?;
        Some(Row { key, status, was, review, approved_as, ..Row::new(clash) })
    }
}

impl Outcome {
    /// The outcome as bytes, without its assembly, which has bytes of its own.
    pub fn to_bytes(&self) -> Vec<u8> {
        let findings = &self.findings;
        let json = |entry: &ReviewEntry| serde_json::to_string(entry).unwrap_or_default();
        let entries = |entries: &Vec<ReviewEntry>| entries.iter().map(json).collect();
        let total = |total: &Total| (total.a.clone(), total.b.clone(), total.counts);
        to_bytes(&OutcomeState {
            rows: findings.rows.iter().map(RowState::new).collect(),
            resolved: findings.resolved.clone(),
            pairs_checked: findings.pairs_checked,
            touch: findings.touch,
            touch_given: findings.touch_given,
            clearance: findings.clearance,
            is_quick: findings.is_quick,
            gaps: findings.gaps.iter().map(|gap| (gap.part, gap.width, gap.is_closed)).collect(),
            hidden: findings.hidden,
            other_reviews: findings.other_reviews.as_ref().map(entries),
            counts: self.counts,
            known: self.known,
            failures: self.failures,
            totals: self.totals.as_ref().map(|totals| totals.iter().map(total).collect()),
            worse: self.worse,
            notes: self.notes.clone(),
            allowed: self.allowed,
        })
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes); `assembly` is the assembly that was checked.
    ///
    /// # Errors
    /// If the bytes are not those of an outcome of this assembly.
    pub fn from_bytes(assembly: Assembly, bytes: &[u8]) -> Result<Self, Error> {
        let state: OutcomeState = from_bytes(bytes, OUTCOME)?;
        let parts = assembly.parts.len();
        if state.gaps.iter().any(|&(part, ..)| part >= parts) {
            return Err(NOT_BYTES);
        }
        let rows = state.rows.into_iter().map(|row| row.into_row(parts).ok_or(NOT_BYTES));
        let rows = rows.collect::<Result<_, _>>()?;
        let entry = |json: &String| serde_json::from_str(json).map_err(|_| NOT_BYTES);
        let entries = |entries: Vec<String>| entries.iter().map(entry).collect();
        let gap = |(part, width, is_closed)| Gap::new(part, width, is_closed);
        let mut findings = Findings {
            resolved: state.resolved,
            pairs_checked: state.pairs_checked,
            touch: state.touch,
            touch_given: state.touch_given,
            clearance: state.clearance,
            is_quick: state.is_quick,
            gaps: state.gaps.into_iter().map(gap).collect(),
            hidden: state.hidden,
            other_reviews: state.other_reviews.map(entries).transpose()?,
            ..Findings::with(assembly, rows)
        };
        findings.cluster();
        let total = |(a, b, counts)| Total { a, b, counts };
        Ok(Self {
            findings,
            counts: state.counts,
            known: state.known,
            failures: state.failures,
            totals: state.totals.map(|totals| totals.into_iter().map(total).collect()),
            worse: state.worse,
            notes: state.notes,
            allowed: state.allowed,
        })
    }
}

impl PathOutcome {
    /// The outcome as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes), for an assembly of `parts` parts and a path of `rows` rows.
    ///
    /// # Errors
    /// If the bytes are not those of an outcome of such a check.
    pub fn from_bytes(bytes: &[u8], parts: usize, rows: usize) -> Result<Self, Error> {
        let outcome: Self = from_bytes(bytes, OUTCOME)?;
        let has_places = outcome.clashes.iter().all(|clash| {
            clash.moving.max(clash.other) < parts
                && [clash.from, clash.until, clash.at].iter().all(|place| place.row < rows)
                && clash.doubtful_steps.iter().all(|&step| step < rows)
        });
        let has_parts = outcome.moving.iter().all(|&part| part < parts);
        if has_places && has_parts { Ok(outcome) } else { Err(NOT_BYTES) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CheckOptions, check, json};
    use impinge::{Pose, generate, glam::DVec3};
    use impinge_io::assembly::AssemblyPart;

    fn written(outcome: &Outcome) -> String {
        let mut text = Vec::new();
        json::write(outcome, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn an_outcome_survives_as_bytes() {
        let mut assembly = Assembly::default();
        assembly.meshes.push(generate::sphere(960).unwrap().into());
        for (name, x) in [("a", 0.0), ("b", 0.3), ("c", 0.5), ("d", 9.0)] {
            let pose = Pose::from_translation(DVec3::new(x, 0.0, 0.0)).unwrap();
            assembly.parts.push(AssemblyPart::new(name, 0, pose));
        }
        let mut options = CheckOptions::default();
        options.listing.with_totals = true;
        options.listing.limit = Some(2);
        let outcome = check(assembly.clone(), &options, &()).unwrap();
        assert_eq!((outcome.findings.rows.len(), outcome.total()), (2, 3));

        let bytes = outcome.to_bytes();
        let again = Outcome::from_bytes(assembly.clone(), &bytes).unwrap();
        assert_eq!(written(&again), written(&outcome));
        assert_eq!(again.to_bytes(), bytes);
        let half = &bytes[..bytes.len() / 2];
        assert!(Outcome::from_bytes(assembly.clone(), half).is_err(), "half of the bytes");
        assembly.parts.truncate(1);
        assert!(Outcome::from_bytes(assembly, &bytes).is_err(), "another assembly");
    }
}
