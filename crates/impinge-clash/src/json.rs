//! Writes the outcome as one JSON object. It is streamed, so that a hundred thousand clashes are never
//! copied.

use crate::{
    findings::{Resolved, Row, Status},
    outcome::Outcome,
    totals::Summary,
};
use impinge::{
    Bounds, FacePair,
    clash::{Place, Verdict},
    glam::DVec3,
};
use impinge_io::{
    assembly::{Skipped, Unit},
    write_json,
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::io::{self, Write};

/// Writes the outcome as one JSON object and a line end. `docs/output.md` in the repository describes every
/// field.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    write_json(&Document(outcome), out)?;
    writeln!(out)
}

/// Serializes an iterator as a list.
struct Each<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Each<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

struct Document<'o>(&'o Outcome);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let outcome = self.0;
        let findings = &outcome.findings;
        let assembly = &findings.assembly;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("version", env!("CARGO_PKG_VERSION"))?;
        map.serialize_entry(
            "files",
            &Each(assembly.files.iter().map(|file| file.to_string_lossy())),
        )?;
        map.serialize_entry("units", &assembly.units.map(Unit::symbol))?;
        map.serialize_entry("touch", &findings.touch)?;
        map.serialize_entry("clearance", &findings.clearance)?;
        map.serialize_entry("parts", &assembly.parts.len())?;
        map.serialize_entry("pairs_checked", &findings.pairs_checked)?;
        map.serialize_entry("open_parts", &outcome.open_parts)?;
        map.serialize_entry("total", &outcome.total())?;
        map.serialize_entry("failures", &outcome.failures)?;
        map.serialize_entry("summary", &Summary(&outcome.counts))?;
        if let Some(totals) = &outcome.totals {
            map.serialize_entry("groups", totals)?;
        }
        map.serialize_entry(
            "clashes",
            &Each(findings.rows.iter().map(|row| Clash::new(outcome, row))),
        )?;
        map.serialize_entry("resolved", &Each(findings.resolved.iter().map(Gone::new)))?;
        map.serialize_entry("skipped", &Each(assembly.skipped.iter().map(Left::new)))?;
        map.end()
    }
}

type Point = [f64; 3];

#[derive(Serialize)]
struct Clash<'o> {
    a: &'o str,
    b: &'o str,
    verdict: &'static str,
    depth: Option<f64>,
    distance: f64,
    point: Point,
    faces: Faces<'o>,
    a_path: String,
    b_path: String,
    points: [Point; 2],
    length: f64,
    extent: Option<Extent>,
    places: Places<'o>,
    closed: [bool; 2],
    status: Option<&'static str>,
    was: Option<&'static str>,
    allowed: bool,
}

impl<'o> Clash<'o> {
    fn new(outcome: &'o Outcome, row: &'o Row) -> Self {
        let clash = &row.clash;
        let assembly = &outcome.findings.assembly;
        let points = clash.points.map(DVec3::into);
        Self {
            a: outcome.name(clash.a),
            b: outcome.name(clash.b),
            verdict: clash.verdict.name(),
            depth: clash.least_depth(),
            distance: clash.distance,
            point: points[0],
            faces: Faces(&clash.faces),
            a_path: assembly.full_name(clash.a),
            b_path: assembly.full_name(clash.b),
            points,
            length: clash.length,
            extent: Extent::of(&clash.extent),
            places: Places(&clash.places),
            closed: clash.is_closed,
            status: row.status.map(Status::name),
            was: outcome.was(row).map(Verdict::name),
            allowed: outcome.is_allowed(row),
        }
    }
}

struct Faces<'o>(&'o [FacePair]);

impl Serialize for Faces<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|faces| [faces.a, faces.b]))
    }
}

/// A bounding box; `None` if it is empty.
#[derive(Serialize)]
struct Extent {
    min: Point,
    max: Point,
}

impl Extent {
    fn of(bounds: &Bounds) -> Option<Self> {
        (!bounds.is_empty()).then(|| Self { min: bounds.min.into(), max: bounds.max.into() })
    }
}

struct Places<'o>(&'o [Place]);

impl Serialize for Places<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'o> {
            point: Point,
            length: f64,
            extent: Option<Extent>,
            faces: &'o [u32],
        }
        serializer.collect_seq(self.0.iter().map(|place| Shown {
            point: place.point.into(),
            length: place.length,
            extent: Extent::of(&place.extent),
            faces: &place.faces,
        }))
    }
}

#[derive(Serialize)]
struct Gone<'o> {
    a: &'o str,
    b: &'o str,
    verdict: &'o str,
}

impl<'o> Gone<'o> {
    fn new(resolved: &'o Resolved) -> Self {
        Self { a: &resolved.a, b: &resolved.b, verdict: &resolved.verdict }
    }
}

#[derive(Serialize)]
struct Left<'o> {
    name: &'o str,
    error: String,
}

impl<'o> Left<'o> {
    fn new(skipped: &'o Skipped) -> Self {
        Self { name: &skipped.name, error: skipped.error.to_string() }
    }
}
