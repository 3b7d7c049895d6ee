//! Review files: what people decided about findings, kept from run to run.
//!
//! `outcome.rs` brings the entries up to date after the search, and every writer shows them. `docs/output.md` in
//! the repository describes the format.

use crate::{
    coverage::Coverage,
    document,
    findings::{Findings, Row},
    identity::{EarlierPairs, Identities},
    measured::Measured,
    review::{ReviewEntry, ReviewStatus},
};
use impinge_io::{
    Error,
    assembly::{Assembly, Unit},
    write_json,
};
use serde::{Deserialize, Serialize, Serializer};
use std::{
    collections::HashSet,
    io::{self, Write},
    path::Path,
};

/// The field `format` of a review file.
const FORMAT: &str = "impinge review";

/// The version of the format.
const VERSION: u32 = 1;

/// The contents of a review file. The default has no entries.
#[derive(Clone, Debug, Default)]
pub struct ReviewFile {
    units: Option<Unit>,
    entries: Vec<ReviewEntry>,
}

#[derive(Deserialize)]
struct Document {
    format: String,
    version: u32,
    #[serde(default)]
    units: Option<String>,
    findings: Vec<ReviewEntry>,
}

impl ReviewFile {
    /// Loads a review file.
    ///
    /// # Errors
    /// If the file cannot be read, is not a review file, or is one of a newer version.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let hint = "a review file is one that `impinge clash --review` or its page wrote";
        let Document { format, version, units, findings } = document::load(path, hint)?;
        if format != FORMAT {
            return Err(document::fault(path, format!("is not a review file; {hint}")));
        }
        if version != VERSION {
            let message = format!(
                "is a review file of version {version}; this program knows version {VERSION} only"
            );
            return Err(document::fault(path, message));
        }
        let mut keys = HashSet::new();
        if let Some(twice) = findings.iter().find(|entry| !keys.insert(&*entry.key)) {
            let key = impinge_io::excerpt(&twice.key, 40);
            return Err(document::fault(path, format!("has two findings with the key `{key}`")));
        }
        let units = units.and_then(|units| units.parse().ok());
        Ok(Self { units, entries: findings })
    }

    /// Finds the parts of the entries in an assembly.
    pub(crate) fn compared(&self, assembly: &Assembly, identities: &Identities) -> ReviewRun {
        let factor = document::factor(self.units, assembly.units);
        let mut entries = self.entries.clone();
        if factor != 1.0 {
            entries.iter_mut().for_each(|entry| entry.scale(factor));
        }
        let pairs =
            EarlierPairs::find(assembly, identities, entries.iter().map(|entry| &entry.parts));
        ReviewRun { entries, pairs }
    }
}

/// The entries of a review file, found in an assembly.
pub(crate) struct ReviewRun {
    entries: Vec<ReviewEntry>,
    pairs: EarlierPairs,
}

impl ReviewRun {
    /// Returns the key of the entry about two parts.
    pub(crate) fn key(&self, a: usize, b: usize) -> Option<&str> {
        self.pairs.index(a, b).map(|index| &*self.entries[index].key)
    }

    /// Sets the review of a row: the entry brought up to date, or a new one.
    pub(crate) fn apply(&self, row: &mut Row, is_quick: bool) {
        let clash = &row.clash;
        let entry = self.pairs.index(clash.a, clash.b).map(|index| &self.entries[index]);
        let review = entry.map(|entry| entry.continued(clash, is_quick)).unwrap_or_default();
        // An approval is about the clash as it was then, so that many small changes cannot pass unnoticed.
        row.approved_as =
            entry.filter(|_| review.status == ReviewStatus::Approved).map(ReviewEntry::measured);
        row.review = Some(review);
    }

    /// Returns the entries that are not about a listed clash. Those about pairs in `found` are unchanged: their
    /// clashes are hidden. The others are resolved, if their pairs were checked.
    pub(crate) fn others(
        self,
        coverage: &Coverage<'_>,
        listed: &HashSet<[usize; 2]>,
        found: &HashSet<[usize; 2]>,
    ) -> Vec<ReviewEntry> {
        let Self { entries, pairs } = self;
        let is_in = |pairs: &HashSet<[usize; 2]>, parts: [Option<usize>; 2]| match parts {
            [Some(a), Some(b)] => pairs.contains(&[a.min(b), a.max(b)]),
            _ => false,
        };
        let others = entries.into_iter().enumerate().filter_map(|(index, mut entry)| {
            let parts = pairs.parts(index);
            if is_in(listed, parts) && !pairs.is_replaced(index) {
                return None;
            }
            let is_gone = !is_in(found, parts)
                && !pairs.is_unclear(index)
                && coverage.has(parts, entry.verdict, entry.distance * (1.0 + 1e-9));
            if is_gone {
                entry.review.status = ReviewStatus::Resolved;
            }
            Some(entry)
        });
        others.collect()
    }
}

/// Returns the entry about a row.
fn entry(findings: &Findings, row: &Row) -> ReviewEntry {
    let clash = &row.clash;
    let measured = row.approved_as.unwrap_or_else(|| Measured::of(clash));
    let Measured { verdict, depth, depth_at_most, distance, volume, fit_difference } = measured;
    ReviewEntry {
        key: row.key.clone(),
        parts: [clash.a, clash.b].map(|part| findings.identity(part)),
        verdict,
        depth,
        depth_at_most,
        distance,
        volume,
        fit_difference,
        review: row.review.clone().unwrap_or_default(),
    }
}

/// Writes the review file of a check: an entry for each listed clash, and the entries that are not about a listed
/// clash.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Written<'f> {
        format: &'static str,
        version: u32,
        units: Option<&'static str>,
        findings: Entries<'f>,
    }
    struct Entries<'f>(&'f Findings);
    impl Serialize for Entries<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let rows = self.0.rows.iter().map(|row| entry(self.0, row));
            let others = self.0.other_reviews.iter().flatten().cloned();
            serializer.collect_seq(rows.chain(others))
        }
    }
    let units = findings.assembly.units.map(Unit::symbol);
    let findings = Entries(findings);
    write_json(&Written { format: FORMAT, version: VERSION, units, findings }, out)?;
    writeln!(out)
}
