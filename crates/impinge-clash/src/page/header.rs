//! The header of the page's data: names and single numbers, as JSON. `page/src/data.ts` reads the same
//! fields.

use super::{
    Course, Interval,
    course::HeaderPath,
    keep::{Kept, KeptRow},
};
use crate::{
    cluster::{ClusterNumbers, Clusters},
    colors::color_of,
    findings::{Findings, Row, Status},
    hidden::Hidden,
    identity::PartIdentity,
    review::{Review, ReviewEntry},
};
use impinge::{
    Bounds,
    clash::{self, Side, Verdict},
};
use impinge_io::assembly::{self, Unit};
use impinge_page::MeshInfo;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

#[derive(Serialize)]
pub(super) struct Header<'f> {
    version: &'static str,
    /// File names without their folders.
    files: Vec<String>,
    units: Option<&'static str>,
    touch: f64,
    clearance: f64,
    pairs_checked: u64,
    /// The colour of each verdict, by name.
    colors: BTreeMap<&'static str, String>,
    /// The number of parts of the assembly, kept or not.
    part_count: usize,
    face_count: u64,
    /// Whether the rows are compared with a baseline.
    has_baseline: bool,
    groups: Vec<Group<'f>>,
    parts: Parts<'f>,
    meshes: Vec<MeshInfo>,
    rows: Vec<Clash<'f>>,
    resolved: Vec<Resolved<'f>>,
    skipped: Vec<Skipped<'f>>,
    /// Parts whose surfaces have gaps.
    gaps: Vec<Gap>,
    /// How many findings are not listed and how many pairs were not compared, by reason.
    hidden: Hidden,
    /// Files and elements that were not read by design.
    left_out: Vec<LeftOut<'f>>,
    /// The clusters by part and by place.
    clusters: &'f Clusters,
    /// How the parts of findings are recognised in later runs: the number of each part, and its identity.
    identities: Vec<(u32, PartIdentity)>,
    /// Entries of the review file that are not about a listed finding; null without a review file.
    other_reviews: Option<&'f [ReviewEntry]>,
    /// Whether only verdicts were decided, without depths and faces.
    is_quick: bool,
    /// False for a scene that was not checked.
    pub(super) is_checked: bool,
    /// The path that was checked; null for an assembly at rest.
    path: Option<HeaderPath<'f>>,
}

#[derive(Serialize)]
struct LeftOut<'f> {
    kind: &'f str,
    count: usize,
    names: &'f [String],
}

#[derive(Serialize)]
struct Gap {
    part: u32,
    width: f64,
    closed: bool,
}

#[derive(Serialize)]
struct Group<'f> {
    name: &'f str,
    parent: Option<u32>,
}

/// One list per column, because there may be a hundred thousand rows.
#[derive(Serialize)]
struct Parts<'f> {
    name: Vec<&'f str>,
    group: Vec<Option<u32>>,
    mesh: Vec<Option<u32>>,
}

#[derive(Serialize)]
struct Clash<'f> {
    a: Option<u32>,
    b: Option<u32>,
    /// The same in later runs.
    key: &'f str,
    verdict: &'static str,
    /// Which part is inside the other: `a` or `b`.
    inside: Option<&'static str>,
    band: f64,
    /// Lower and upper bound.
    depth: Option<f64>,
    depth_at_most: Option<f64>,
    /// A translation of the second part that frees the parts.
    separation: Option<[f64; 3]>,
    volume: Option<f64>,
    fit: Option<Fit>,
    distance: f64,
    points: [[f64; 3]; 2],
    /// The number of face pairs, and how many of them the page has.
    pairs: usize,
    pairs_kept: usize,
    /// The number of distinct faces of a and of b.
    faces: [usize; 2],
    length: f64,
    extent: Option<[[f64; 3]; 2]>,
    place_count: usize,
    places: Vec<Place>,
    closed: [bool; 2],
    status: Option<&'static str>,
    /// What people decided; null without a review file.
    review: Option<&'f Review>,
    /// What was measured when the finding was approved.
    approved_as: Option<Approved>,
    /// The numbers of the clusters.
    cluster: ClusterNumbers,
    /// Along a path: when.
    interval: Option<Interval>,
}

#[derive(Serialize)]
struct Approved {
    verdict: &'static str,
    depth: Option<f64>,
    depth_at_most: Option<f64>,
    distance: f64,
    volume: Option<f64>,
    fit_difference: Option<f64>,
}

#[derive(Serialize)]
struct Fit {
    /// The part with the shaft: `a` or `b`.
    shaft: &'static str,
    shaft_radius: f64,
    hole_radius: f64,
    difference: f64,
}

#[derive(Serialize)]
struct Place {
    point: [f64; 3],
    length: f64,
    extent: Option<[[f64; 3]; 2]>,
    pairs: usize,
    pairs_kept: usize,
}

#[derive(Serialize)]
struct Resolved<'f> {
    a: &'f str,
    b: &'f str,
    verdict: &'f str,
}

#[derive(Serialize)]
struct Skipped<'f> {
    name: &'f str,
    why: String,
}

impl<'f> Header<'f> {
    pub(super) fn new(findings: &'f Findings, course: Option<&'f Course>, kept: &Kept) -> Self {
        let assembly = &findings.assembly;
        let file =
            |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).display().to_string();
        let part = |&part: &usize| &assembly.parts[part];
        let parts = || kept.parts.iter().map(part);
        let group = |group: &'f assembly::Group| Group { name: &group.name, parent: group.parent };
        let skipped = |skipped: &'f assembly::Skipped| Skipped {
            name: &skipped.name,
            why: skipped.error.to_string(),
        };
        let gap = |gap: &clash::Gap| {
            let part = kept.number[gap.part]?;
            Some(Gap { part, width: gap.width, closed: gap.is_closed })
        };
        let left_out = |it: &'f assembly::LeftOut| LeftOut {
            kind: &it.kind,
            count: it.count,
            names: &it.names,
        };
        Self {
            version: env!("CARGO_PKG_VERSION"),
            files: assembly.files.iter().map(file).collect(),
            units: assembly.units.map(Unit::symbol),
            touch: findings.touch,
            clearance: findings.clearance,
            pairs_checked: findings.pairs_checked,
            colors: Verdict::ALL.map(|it| (it.name(), css(color_of(it)))).into(),
            part_count: assembly.parts.len(),
            face_count: assembly.face_count(),
            has_baseline: !findings.resolved.is_empty()
                || findings.rows.iter().any(|row| row.status.is_some()),
            groups: assembly.groups.iter().map(group).collect(),
            parts: Parts {
                name: parts().map(|part| &*part.name).collect(),
                group: parts().map(|part| part.group).collect(),
                mesh: parts().map(|part| kept.mesh_number[part.mesh]).collect(),
            },
            meshes: kept
                .meshes
                .iter()
                .map(|mesh| MeshInfo::new(&assembly.meshes[mesh.number], mesh.has_faces))
                .collect(),
            rows: findings
                .rows
                .iter()
                .zip(&kept.rows)
                .enumerate()
                .map(|(number, (row, cut))| {
                    let interval = course.map(|course| course.intervals[number]);
                    Clash { interval, ..Clash::new(row, cut, kept) }
                })
                .collect(),
            resolved: findings
                .resolved
                .iter()
                .map(|pair| Resolved { a: &pair.a, b: &pair.b, verdict: &pair.verdict })
                .collect(),
            skipped: assembly.skipped.iter().map(skipped).collect(),
            gaps: findings.gaps.iter().filter_map(gap).collect(),
            hidden: findings.hidden,
            left_out: assembly.left_out.iter().map(left_out).collect(),
            clusters: &findings.clusters,
            identities: identities(findings, kept),
            other_reviews: findings.other_reviews.as_deref(),
            is_quick: findings.is_quick,
            is_checked: true,
            path: course.map(|course| HeaderPath::new(course, kept)),
        }
    }
}

/// Returns the identities of the parts that clash.
fn identities(findings: &Findings, kept: &Kept) -> Vec<(u32, PartIdentity)> {
    let parts = findings.rows.iter().flat_map(|row| [row.clash.a, row.clash.b]);
    let parts: BTreeSet<usize> = parts.collect();
    let identity = |part: usize| Some((kept.number[part]?, findings.identity(part)));
    parts.into_iter().filter_map(identity).collect()
}

/// Returns the name of a side.
fn side(side: Side) -> &'static str {
    match side {
        Side::A => "a",
        Side::B => "b",
    }
}

/// Returns a colour as in CSS.
fn css([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

impl<'f> Clash<'f> {
    fn new(row: &'f Row, cut: &KeptRow, kept: &Kept) -> Self {
        let clash = &row.clash;
        let places = clash.places.iter().zip(&cut.places);
        Self {
            a: kept.number[clash.a],
            b: kept.number[clash.b],
            key: &row.key,
            verdict: clash.verdict.name(),
            inside: clash.inner.filter(|_| clash.verdict == Verdict::Inside).map(side),
            band: clash.band,
            depth: clash.least_depth(),
            depth_at_most: clash.depth.and_then(|depth| depth.at_most()),
            separation: clash.depth.and_then(|depth| depth.way_out).map(|way| way.to_array()),
            volume: clash.volume,
            fit: clash.fit.map(|fit| Fit {
                shaft: side(fit.shaft),
                shaft_radius: fit.shaft_radius,
                hole_radius: fit.hole_radius,
                difference: fit.difference(),
            }),
            distance: clash.distance,
            points: clash.points.map(|point| point.to_array()),
            pairs: clash.faces.len(),
            pairs_kept: cut.pairs,
            faces: [
                different(clash.faces.iter().map(|pair| pair.a).collect()),
                different(clash.faces.iter().map(|pair| pair.b).collect()),
            ],
            length: clash.length,
            extent: corners(&clash.extent),
            place_count: clash.places.len(),
            places: places
                .map(|(place, &pairs_kept)| Place {
                    point: place.point.to_array(),
                    length: place.length,
                    extent: corners(&place.extent),
                    pairs: place.faces.len(),
                    pairs_kept,
                })
                .collect(),
            closed: clash.is_closed,
            status: row.status.map(Status::name),
            review: row.review.as_ref(),
            approved_as: row.approved_as.map(|it| Approved {
                verdict: it.verdict.name(),
                depth: it.depth,
                depth_at_most: it.depth_at_most,
                distance: it.distance,
                volume: it.volume,
                fit_difference: it.fit_difference,
            }),
            cluster: row.cluster,
            interval: None,
        }
    }
}

fn different(mut faces: Vec<u32>) -> usize {
    faces.sort_unstable();
    faces.dedup();
    faces.len()
}

fn corners(bounds: &Bounds) -> Option<[[f64; 3]; 2]> {
    (!bounds.is_empty()).then(|| [bounds.min.to_array(), bounds.max.to_array()])
}
