//! Baselines: earlier runs, with which a check compares its clashes. `outcome.rs` asks for the status of each
//! clash.

use crate::{
    filter::Filter,
    findings::{Resolved, Status},
    pattern::Names,
    verdicts,
};
use impinge::clash::{Clash, Verdict};
use impinge_io::{Error, Location, assembly::Assembly, excerpt};
use serde::{Deserialize, Deserializer, de::Error as _};
use std::{collections::HashMap, fmt, fs, io::BufReader, path::Path};

/// An earlier run, as written by [`json::write`](crate::json::write).
#[derive(Clone, Debug)]
pub struct Baseline {
    clashes: Vec<BaselineClash>,
    /// The clearance of the earlier run.
    clearance: f64,
    /// The index of each pair in `clashes`; the smaller name comes first.
    places: HashMap<[String; 2], usize>,
}

/// The fields of the JSON object that a baseline needs.
#[derive(Deserialize)]
struct Document {
    clashes: Vec<BaselineClash>,
    #[serde(default)]
    total: Option<usize>,
    #[serde(default)]
    clearance: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct BaselineClash {
    a: String,
    b: String,
    #[serde(deserialize_with = "verdict")]
    verdict: Verdict,
}

fn verdict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Verdict, D::Error> {
    let name = String::deserialize(deserializer)?;
    verdicts::named(&name)
        .ok_or_else(|| D::Error::custom(format!("`{}` is not a verdict", excerpt(&name, 40))))
}

/// Returns the names of a pair in alphabetical order.
fn pair(a: &str, b: &str) -> [String; 2] {
    if a <= b { [a.to_owned(), b.to_owned()] } else { [b.to_owned(), a.to_owned()] }
}

impl Baseline {
    /// Loads a file that `impinge clash --json` printed or [`json::write`](crate::json::write) wrote.
    ///
    /// # Errors
    /// If the file cannot be read, is not such a file, or lists only some of its clashes.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let fault =
            |location: Location, message: String| Error { path: path.into(), location, message };
        let cannot =
            |error: &dyn fmt::Display| fault(Location::File, format!("cannot be read: {error}"));
        let kind = fs::metadata(path).map_err(|error| cannot(&error))?;
        if !kind.is_file() {
            return Err(cannot(&"is not a regular file"));
        }
        let file = fs::File::open(path).map_err(|error| cannot(&error))?;
        let document: Document =
            serde_json::from_reader(BufReader::new(file)).map_err(|error| {
                let (line, column) = (error.line(), error.column());
                let message = error.to_string();
                let message = excerpt(message.split(" at line ").next().unwrap_or_default(), 120);
                match line {
                    0 => cannot(&message),
                    _ => fault(
                        Location::Character { line, column },
                        format!(
                            "{message}; a baseline must be the output of `impinge clash --json`"
                        ),
                    ),
                }
            })?;
        let Document { clashes, total, clearance } = document;
        if let Some(total) = total.filter(|&total| total > clashes.len()) {
            let listed = clashes.len();
            let message = format!(
                "lists only {listed} of {total} clashes, so the others would be reported as new; write it \
                 without --limit"
            );
            return Err(fault(Location::File, message));
        }
        let places = (0..).zip(&clashes).map(|(at, old)| (pair(&old.a, &old.b), at)).collect();
        Ok(Self { clashes, clearance, places })
    }

    /// Returns the status of a clash, and its verdict in the baseline if that differs.
    pub(super) fn status(&self, assembly: &Assembly, clash: &Clash) -> (Status, Option<Verdict>) {
        let [a, b] = [clash.a, clash.b].map(|part| &*assembly.parts[part].name);
        match self.places.get(&pair(a, b)).map(|&at| self.clashes[at].verdict) {
            None => (Status::New, None),
            Some(verdict) if verdict == clash.verdict => (Status::Known, None),
            Some(verdict) => (Status::New, Some(verdict)),
        }
    }

    /// Returns the pairs of the baseline that no longer clash. Pairs that were not checked now are not among
    /// them: a rule excludes them, a part was skipped, or the clearance is smaller than before.
    pub(super) fn resolved(
        &self,
        assembly: &Assembly,
        filter: &Filter<'_>,
        clearance: f64,
        clashes: &[Clash],
    ) -> Vec<Resolved> {
        let mut is_there = vec![false; self.clashes.len()];
        for clash in clashes {
            let [a, b] = [clash.a, clash.b].map(|part| &*assembly.parts[part].name);
            if let Some(&at) = self.places.get(&pair(a, b)) {
                is_there[at] = true;
            }
        }
        let names = Names::new(assembly);
        let is_left_out = |old: &BaselineClash| {
            if old.verdict == Verdict::Clearance && clearance < self.clearance {
                return true;
            }
            let parts = (names.part(&old.a), names.part(&old.b));
            let (Some(a), Some(b)) = parts else {
                return !assembly.skipped.is_empty() || !filter.lists(old.verdict);
            };
            let (a, b) = (a.min(b) as usize, a.max(b) as usize);
            !filter.includes(a, b) || !filter.shows(a, b, old.verdict)
        };
        // If a pair is listed twice, the last entry counts.
        let counts =
            |at: usize, old: &BaselineClash| self.places.get(&pair(&old.a, &old.b)) == Some(&at);
        let gone = self
            .clashes
            .iter()
            .enumerate()
            .filter(|&(at, old)| !is_there[at] && counts(at, old) && !is_left_out(old));
        gone.map(|(_, old)| Resolved {
            a: old.a.clone(),
            b: old.b.clone(),
            verdict: old.verdict.name().to_owned(),
        })
        .collect()
    }
}
