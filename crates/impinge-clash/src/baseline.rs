//! Baselines: earlier runs, with which a check compares its clashes. `outcome.rs` asks for the status of each
//! clash.

use crate::{
    coverage::Coverage,
    document,
    findings::{Resolved, Status},
    identity::{EarlierPairs, Identities, PartIdentity},
    measured::Measured,
    verdicts,
};
use impinge::clash::{Clash, Verdict};
use impinge_io::{
    Error,
    assembly::{Assembly, Unit},
};
use serde::Deserialize;
use std::path::Path;

/// An earlier run, as written by [`json::write`](crate::json::write).
#[derive(Clone, Debug)]
pub struct Baseline {
    clashes: Vec<BaselineClash>,
    /// The clearance of the earlier run.
    clearance: f64,
    units: Option<Unit>,
}

/// The fields of the JSON object that a baseline needs.
#[derive(Deserialize)]
struct Document {
    clashes: Vec<ClashFields>,
    #[serde(default)]
    total: Option<usize>,
    #[serde(default)]
    clearance: f64,
    #[serde(default)]
    units: Option<String>,
}

/// The fields of a clash that a baseline needs. Only names and verdict are required: older versions do not write
/// the others.
#[derive(Deserialize)]
struct ClashFields {
    a: String,
    b: String,
    #[serde(deserialize_with = "verdicts::deserialize")]
    verdict: Verdict,
    #[serde(default)]
    key: String,
    #[serde(default)]
    parts: Option<[PartIdentity; 2]>,
    #[serde(default)]
    depth: Option<f64>,
    #[serde(default)]
    depth_at_most: Option<f64>,
    #[serde(default)]
    distance: f64,
    #[serde(default)]
    volume: Option<f64>,
    #[serde(default)]
    fit: Option<FitFields>,
}

#[derive(Deserialize)]
struct FitFields {
    difference: f64,
}

#[derive(Clone, Debug)]
struct BaselineClash {
    key: String,
    names: [String; 2],
    parts: [PartIdentity; 2],
    measured: Measured,
}

impl From<ClashFields> for BaselineClash {
    fn from(fields: ClashFields) -> Self {
        let ClashFields { a, b, verdict, key, parts, depth, depth_at_most, .. } = fields;
        let ClashFields { distance, volume, fit, .. } = fields;
        let parts = parts.unwrap_or_else(|| [&a, &b].map(|name| PartIdentity::named(name)));
        let fit_difference = fit.map(|fit| fit.difference);
        let measured = Measured { verdict, depth, depth_at_most, distance, volume, fit_difference };
        Self { key, names: [a, b], parts, measured }
    }
}

impl Baseline {
    /// Loads a file that `impinge clash --json` printed or [`json::write`](crate::json::write) wrote.
    ///
    /// # Errors
    /// If the file cannot be read, is not such a file, or lists only some of its clashes.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let document: Document =
            document::load(path, "a baseline must be the output of `impinge clash --json`")?;
        let Document { clashes, total, clearance, units } = document;
        if let Some(total) = total.filter(|&total| total > clashes.len()) {
            let listed = clashes.len();
            let message = format!(
                "lists only {listed} of {total} clashes, so the others would be reported as new; write it \
                 without --limit"
            );
            return Err(document::fault(path, message));
        }
        let clashes = clashes.into_iter().map(ClashFields::into).collect();
        let units = units.and_then(|units| units.parse().ok());
        Ok(Self { clashes, clearance, units })
    }

    /// Finds the parts of the baseline in an assembly.
    pub(crate) fn compared<'b>(
        &'b self,
        assembly: &Assembly,
        identities: &Identities,
    ) -> Comparison<'b> {
        let factor = document::factor(self.units, assembly.units);
        let mut parts: Vec<[PartIdentity; 2]> =
            self.clashes.iter().map(|clash| clash.parts.clone()).collect();
        parts.iter_mut().flatten().for_each(|part| part.scale(factor));
        let pairs = EarlierPairs::find(assembly, identities, parts.iter());
        Comparison { baseline: self, pairs, factor }
    }
}

/// A baseline whose parts were found in an assembly.
pub(crate) struct Comparison<'b> {
    baseline: &'b Baseline,
    pairs: EarlierPairs,
    /// Converts lengths of the baseline to the unit of the assembly.
    factor: f64,
}

impl Comparison<'_> {
    /// Returns the status of a clash, and its verdict in the baseline if that differs.
    pub(crate) fn status(&self, clash: &Clash, is_quick: bool) -> (Status, Option<Verdict>) {
        let Some(index) = self.pairs.index(clash.a, clash.b) else { return (Status::New, None) };
        let before = self.baseline.clashes[index].measured.scaled(self.factor);
        let status =
            if before.became_worse(clash, is_quick) { Status::Worse } else { Status::Known };
        (status, Some(before.verdict).filter(|&verdict| verdict != clash.verdict))
    }

    /// Returns the key that the finding of two parts has in the baseline.
    pub(crate) fn key(&self, a: usize, b: usize) -> Option<&str> {
        self.pairs.index(a, b).map(|index| &*self.baseline.clashes[index].key)
    }

    /// Returns the pairs of the baseline that no longer clash. Pairs that were not checked now are not among
    /// them, nor pairs whose parts cannot be recognised.
    pub(crate) fn resolved(&self, coverage: &Coverage<'_>, clashes: &[Clash]) -> Vec<Resolved> {
        let mut is_there = vec![false; self.baseline.clashes.len()];
        for clash in clashes {
            if let Some(index) = self.pairs.index(clash.a, clash.b) {
                is_there[index] = true;
            }
        }
        let is_gone = |index: usize, old: &BaselineClash| {
            let clearance = self.baseline.clearance * self.factor;
            !is_there[index]
                && !self.pairs.is_replaced(index)
                && !self.pairs.is_unclear(index)
                && coverage.has(self.pairs.parts(index), old.measured.verdict, clearance)
        };
        let old = self.baseline.clashes.iter().enumerate();
        old.filter(|&(index, old)| is_gone(index, old))
            .map(|(_, old)| {
                let [a, b] = old.names.clone();
                let verdict = old.measured.verdict.name().to_owned();
                Resolved { key: old.key.clone(), a, b, verdict }
            })
            .collect()
    }

    /// Returns a note about pairs of the baseline that cannot be recognised, if there are any.
    pub(crate) fn note(&self) -> Option<String> {
        let unclear = |index: &usize| self.pairs.is_unclear(*index);
        let mut unclear = (0..self.baseline.clashes.len()).filter(unclear);
        let [a, b] = &self.baseline.clashes[unclear.next()?].names;
        let count = 1 + unclear.count();
        Some(format!(
            "the baseline was written by an older version, which does not say which of several equal parts it \
             means; {count} of its pairs cannot be recognised, such as {a} and {b}: write it anew"
        ))
    }
}
