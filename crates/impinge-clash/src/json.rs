//! Writes the outcome as one JSON object. It is streamed, so that a hundred thousand clashes are never
//! copied.

use crate::{
    cluster::ClusterNumbers,
    findings::{Resolved, Row, Status},
    identity::PartIdentity,
    outcome::Outcome,
    review::Review,
    totals::Summary,
};
use impinge::{
    Bounds, FacePair,
    clash::{self, Gap, Place, Side, Verdict},
    glam::DVec3,
};
use impinge_io::{
    assembly::{LeftOut, Skipped, Unit},
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
        map.serialize_entry("touch_given", &findings.touch_given)?;
        map.serialize_entry("clearance", &findings.clearance)?;
        map.serialize_entry("quick", &findings.is_quick)?;
        map.serialize_entry("parts", &assembly.parts.len())?;
        map.serialize_entry("pairs_checked", &findings.pairs_checked)?;
        map.serialize_entry("open_parts", &outcome.open_parts())?;
        map.serialize_entry(
            "gaps",
            &Each(findings.gaps.iter().map(|gap| Open::new(outcome, gap))),
        )?;
        map.serialize_entry("total", &outcome.total())?;
        map.serialize_entry("failures", &outcome.failures)?;
        map.serialize_entry("summary", &Summary(&outcome.counts))?;
        if let Some(totals) = &outcome.totals {
            map.serialize_entry("groups", totals)?;
        }
        map.serialize_entry("clusters", &findings.clusters)?;
        map.serialize_entry(
            "clashes",
            &Each(findings.rows.iter().map(|row| Clash::new(outcome, row))),
        )?;
        map.serialize_entry("resolved", &Each(findings.resolved.iter().map(Gone::new)))?;
        map.serialize_entry("hidden", &findings.hidden)?;
        map.serialize_entry("skipped", &Each(assembly.skipped.iter().map(Left::new)))?;
        map.serialize_entry("left_out", &Each(assembly.left_out.iter().map(NotRead::new)))?;
        map.end()
    }
}

type Point = [f64; 3];

#[derive(Serialize)]
struct Clash<'o> {
    key: &'o str,
    a: &'o str,
    b: &'o str,
    verdict: &'static str,
    inside: Option<&'static str>,
    band: f64,
    depth: Option<f64>,
    depth_at_most: Option<f64>,
    separation: Option<Point>,
    volume: Option<f64>,
    fit: Option<Fit>,
    distance: f64,
    point: Point,
    faces: Faces<'o>,
    a_path: String,
    b_path: String,
    parts: [PartIdentity; 2],
    points: [Point; 2],
    length: f64,
    extent: Option<Extent>,
    places: Places<'o>,
    closed: [bool; 2],
    status: Option<&'static str>,
    was: Option<&'static str>,
    review: Option<&'o Review>,
    cluster: ClusterNumbers,
    allowed: bool,
}

/// A shaft in a hole.
#[derive(Serialize)]
struct Fit {
    shaft: &'static str,
    shaft_radius: f64,
    hole_radius: f64,
    difference: f64,
}

impl Fit {
    fn new(fit: &clash::Fit) -> Self {
        Self {
            shaft: side(fit.shaft),
            shaft_radius: fit.shaft_radius,
            hole_radius: fit.hole_radius,
            difference: fit.difference(),
        }
    }
}

/// The field that names a part of a clash.
fn side(side: Side) -> &'static str {
    match side {
        Side::A => "a",
        Side::B => "b",
    }
}

impl<'o> Clash<'o> {
    fn new(outcome: &'o Outcome, row: &'o Row) -> Self {
        let clash = &row.clash;
        let assembly = &outcome.findings.assembly;
        let points = clash.points.map(DVec3::into);
        Self {
            key: &row.key,
            a: outcome.name(clash.a),
            b: outcome.name(clash.b),
            verdict: clash.verdict.name(),
            inside: clash.inner.map(side),
            band: clash.band,
            depth: clash.least_depth(),
            depth_at_most: clash.depth.and_then(|depth| depth.at_most()),
            separation: clash.depth.and_then(|depth| depth.way_out).map(DVec3::into),
            volume: clash.volume,
            fit: clash.fit.as_ref().map(Fit::new),
            distance: clash.distance,
            point: points[0],
            faces: Faces(&clash.faces),
            a_path: assembly.full_name(clash.a),
            b_path: assembly.full_name(clash.b),
            parts: [clash.a, clash.b].map(|part| outcome.findings.identity(part)),
            points,
            length: clash.length,
            extent: Extent::of(&clash.extent),
            places: Places(&clash.places),
            closed: clash.is_closed,
            status: row.status.map(Status::name),
            was: row.was.map(Verdict::name),
            review: row.review.as_ref(),
            cluster: row.cluster,
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
    key: &'o str,
    a: &'o str,
    b: &'o str,
    verdict: &'o str,
}

impl<'o> Gone<'o> {
    fn new(resolved: &'o Resolved) -> Self {
        Self { key: &resolved.key, a: &resolved.a, b: &resolved.b, verdict: &resolved.verdict }
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

/// Files or elements that were left out by design.
#[derive(Serialize)]
struct NotRead<'o> {
    kind: &'o str,
    count: usize,
    names: &'o [String],
}

impl<'o> NotRead<'o> {
    fn new(left_out: &'o LeftOut) -> Self {
        let LeftOut { kind, count, names, .. } = left_out;
        Self { kind, count: *count, names }
    }
}

/// A part with gaps.
#[derive(Serialize)]
struct Open<'o> {
    part: &'o str,
    width: f64,
    closed: bool,
}

impl<'o> Open<'o> {
    fn new(outcome: &'o Outcome, gap: &Gap) -> Self {
        Self { part: outcome.name(gap.part), width: gap.width, closed: gap.is_closed }
    }
}
