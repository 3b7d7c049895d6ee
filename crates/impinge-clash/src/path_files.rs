//! Writes the outcome of a check along a path: JSON and CSV.

use crate::{
    options::CheckOptions,
    path::{Doubt, PathClash, PathOutcome, PathPlace},
    totals::Summary,
};
use impinge::{clash::Verdict, glam::DVec3};
use impinge_io::{
    PathRows,
    assembly::{Assembly, Unit},
    csv_field, write_json,
};
use serde::{Serialize, Serializer};
use std::{
    io::{self, Write},
    path::Path,
};

/// A path, and what was found along it.
#[derive(Clone, Copy, Debug)]
pub struct CheckedPath<'c> {
    /// All parts.
    pub assembly: &'c Assembly,
    /// The rows of the path.
    pub rows: &'c PathRows,
    /// The file of the path.
    pub file: &'c Path,
    /// The options of the check.
    pub options: &'c CheckOptions,
    /// What was found.
    pub outcome: &'c PathOutcome,
}

impl CheckedPath<'_> {
    /// Writes one JSON object. `docs/output.md` in the repository describes every field.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { assembly, rows, file, options, outcome } = self;
        let files = assembly.files.iter().map(|file| file.to_string_lossy().into_owned());
        let object = Object {
            version: env!("CARGO_PKG_VERSION"),
            files: files.collect(),
            units: assembly.units.map(Unit::symbol),
            path: file.to_string_lossy().into_owned(),
            rows: rows.row_count(),
            moving: outcome.moving.iter().map(|&part| self.name(part)).collect(),
            parts: assembly.parts.len(),
            pairs_checked: outcome.pairs_checked,
            touch: outcome.touch,
            touch_given: options.touch,
            clearance: options.clearance,
            summary: Summary(&Verdict::ALL.map(|verdict| outcome.count(verdict))),
            hidden: outcome.hidden,
            uncertified: outcome.doubtful,
            failures: outcome.failures(),
            clashes: outcome.clashes.iter().map(|clash| self.clash(clash)).collect(),
        };
        write_json(&object, out)?;
        writeln!(out)
    }

    fn clash(&self, clash: &PathClash) -> Clash<'_> {
        Clash {
            pair: PairVerdict::new(
                [clash.moving, clash.other].map(|it| self.name(it)),
                clash.verdict,
            ),
            from: self.place(clash.from),
            until: self.place(clash.until),
            at: self.place(clash.at),
            point: clash.verdict.map(|_| clash.point),
            distance: clash.distance,
            distance_at_least: clash.distance_at_least,
            certainty: Certainty::new(clash.doubt),
            uncertified_rows: clash.doubtful_steps.iter().map(|step| step + 1).collect(),
            allowed: !clash.fails,
            a_path: self.assembly.full_name(clash.moving),
            b_path: self.assembly.full_name(clash.other),
        }
    }

    /// Returns the name of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn name(&self, part: usize) -> &str {
        &self.assembly.parts[part].name
    }

    fn place(&self, place: PathPlace) -> Place {
        Place {
            row: place.row + 1,
            line: self.rows.lines()[place.row],
            fraction: place.fraction,
            time: place.time(self.rows),
        }
    }

    /// Writes a header, and one row for each clash.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "a,b,verdict,certified,doubt,allowed")?;
        for place in ["from", "until", "at"] {
            write!(out, ",{place}_row,{place}_line,{place}_fraction,{place}_time")?;
        }
        writeln!(out, ",x,y,z,distance,distance_at_least,a_path,b_path")?;
        for clash in &self.outcome.clashes {
            let clash = self.clash(clash);
            let (pair, certainty) = (&clash.pair, &clash.certainty);
            let [a, b] = [pair.a, pair.b].map(csv_field);
            write!(out, "{a},{b},{},{}", pair.verdict.unwrap_or_default(), certainty.certified)?;
            write!(out, ",{},{}", certainty.doubt.unwrap_or_default(), clash.allowed)?;
            for Place { row, line, fraction, time } in [clash.from, clash.until, clash.at] {
                let time = time.map(|time| time.to_string()).unwrap_or_default();
                write!(out, ",{row},{line},{fraction},{time}")?;
            }
            match clash.point {
                Some(DVec3 { x, y, z }) => write!(out, ",{x},{y},{z}")?,
                None => write!(out, ",,,")?,
            }
            let paths = [&clash.a_path, &clash.b_path].map(|path| csv_field(path));
            let [a, b] = paths;
            writeln!(out, ",{},{},{a},{b}", clash.distance, clash.distance_at_least)?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Object<'o> {
    version: &'static str,
    files: Vec<String>,
    units: Option<&'static str>,
    path: String,
    rows: usize,
    moving: Vec<&'o str>,
    parts: usize,
    pairs_checked: u64,
    touch: f64,
    touch_given: Option<f64>,
    clearance: f64,
    summary: Summary<'o>,
    hidden: u64,
    uncertified: u64,
    failures: usize,
    clashes: Vec<Clash<'o>>,
}

/// The names of two parts, and their verdict.
#[derive(Serialize)]
pub(crate) struct PairVerdict<'o> {
    pub(crate) a: &'o str,
    pub(crate) b: &'o str,
    pub(crate) verdict: Option<&'static str>,
}

impl<'o> PairVerdict<'o> {
    pub(crate) fn new([a, b]: [&'o str; 2], verdict: Option<Verdict>) -> Self {
        Self { a, b, verdict: verdict.map(Verdict::name) }
    }
}

/// Whether something worse than a verdict can be ruled out, or why not.
#[derive(Serialize)]
pub(crate) struct Certainty {
    pub(crate) certified: bool,
    doubt: Option<&'static str>,
}

impl Certainty {
    pub(crate) fn new(doubt: Option<Doubt>) -> Self {
        Self { certified: doubt.is_none(), doubt: doubt.map(Doubt::name) }
    }
}

#[derive(Serialize)]
struct Clash<'o> {
    #[serde(flatten)]
    pair: PairVerdict<'o>,
    from: Place,
    until: Place,
    at: Place,
    #[serde(serialize_with = "point")]
    point: Option<DVec3>,
    distance: f64,
    distance_at_least: f64,
    #[serde(flatten)]
    certainty: Certainty,
    uncertified_rows: Vec<usize>,
    allowed: bool,
    a_path: String,
    b_path: String,
}

#[derive(Serialize)]
struct Place {
    row: usize,
    line: usize,
    fraction: f64,
    time: Option<f64>,
}

fn point<S: Serializer>(point: &Option<DVec3>, serializer: S) -> Result<S::Ok, S::Error> {
    point.map(|point| point.to_array()).serialize(serializer)
}
