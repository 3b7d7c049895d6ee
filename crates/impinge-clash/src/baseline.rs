//! An earlier run to compare with.

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

/// An earlier run to compare with, as [`json::write`](crate::json::write) wrote it.
#[derive(Clone, Debug)]
pub struct Baseline {
    clashes: Vec<Old>,
    /// The clearance that was asked for.
    clearance: f64,
    /// Where each pair is in them, the lesser name first.
    places: HashMap<[String; 2], usize>,
}

/// As much of it as is needed here.
#[derive(Deserialize)]
struct Document {
    clashes: Vec<Old>,
    #[serde(default)]
    total: Option<usize>,
    #[serde(default)]
    clearance: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct Old {
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

/// A pair, whichever of the two comes first.
fn pair(a: &str, b: &str) -> [String; 2] {
    if a <= b { [a.to_owned(), b.to_owned()] } else { [b.to_owned(), a.to_owned()] }
}

impl Baseline {
    /// Reads what `impinge clash --json` printed, or [`json::write`](crate::json::write) wrote.
    ///
    /// # Errors
    /// If the file cannot be read, is something else, or lists only some of its clashes.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let fault =
            |location: Location, message: String| Error { path: path.into(), location, message };
        let cannot =
            |error: &dyn fmt::Display| fault(Location::File, format!("cannot be read: {error}"));
        let kind = fs::metadata(path).map_err(|error| cannot(&error))?;
        if !kind.is_file() {
            return Err(cannot(&"is no regular file"));
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
                        format!("{message}; a baseline is what `impinge clash --json` printed"),
                    ),
                }
            })?;
        let Document { clashes, total, clearance } = document;
        if let Some(total) = total.filter(|&total| total > clashes.len()) {
            let listed = clashes.len();
            let message = format!(
                "lists {listed} of {total} clashes, and the others would be called new; make it \
                 without --limit"
            );
            return Err(fault(Location::File, message));
        }
        let places = (0..).zip(&clashes).map(|(at, old)| (pair(&old.a, &old.b), at)).collect();
        Ok(Self { clashes, clearance, places })
    }

    /// How a clash compares, and the verdict that it had if it had another.
    pub(super) fn status(&self, assembly: &Assembly, clash: &Clash) -> (Status, Option<Verdict>) {
        let [a, b] = [clash.a, clash.b].map(|part| &*assembly.parts[part].name);
        match self.places.get(&pair(a, b)).map(|&at| self.clashes[at].verdict) {
            None => (Status::New, None),
            Some(verdict) if verdict == clash.verdict => (Status::Known, None),
            Some(verdict) => (Status::New, Some(verdict)),
        }
    }

    /// The pairs that clash no longer. Those of which nobody could tell now are not among them: the rules
    /// leave them out, a part was skipped, or less clearance is asked for.
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
        let is_left_out = |old: &Old| {
            if old.verdict == Verdict::Clearance && clearance < self.clearance {
                return true;
            }
            let parts = (names.part(&old.a), names.part(&old.b));
            let (Some(a), Some(b)) = parts else {
                return !assembly.skipped.is_empty() || !filter.is_asked(old.verdict);
            };
            let (a, b) = (a.min(b) as usize, a.max(b) as usize);
            !filter.includes(a, b) || !filter.shows(a, b, old.verdict)
        };
        // Of a pair that is listed twice, the last counts.
        let counts = |at: usize, old: &Old| self.places.get(&pair(&old.a, &old.b)) == Some(&at);
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
