//! The header of the page's data: names and single numbers, as JSON. `page/src/nc/data.ts` of `impinge-page` reads the same
//! fields.

use super::Content;
use crate::{
    Gouge, Report, Tool, ToolPartKind,
    colors::{HIT_FACES, PathClass, Rgb, body_color, tool_color},
    drawn_path::PathPoint,
    tool_mesh::contour,
};
use impinge::{Bounds, glam::DVec3};
use impinge_io::excerpt;
use impinge_page::MeshInfo;
use serde::Serialize;
use std::collections::BTreeMap;

/// The most letters of a line of the program.
const LETTERS: usize = 120;

#[derive(Serialize)]
pub(super) struct Header<'r> {
    version: &'static str,
    part: &'r str,
    program: &'r str,
    program_unit: &'static str,
    tolerance: f64,
    stock_to_leave: f64,
    clearance: f64,
    lines: u32,
    moves: usize,
    gouging_moves: usize,
    worst_depth: f64,
    seconds: f64,
    notes: &'r [String],
    colors: Colors,
    bodies: Vec<Body<'r>>,
    tools: Vec<ToolEntry<'r>>,
    path: Path,
    /// The number of gouges, in the page or not.
    gouge_count: usize,
    /// Worst first.
    gouges: Vec<Entry>,
    /// The lines of the program; null if there was no room for them.
    source: Option<Vec<String>>,
}

/// Colours by name, as in CSS.
#[derive(Serialize)]
struct Colors {
    path: BTreeMap<&'static str, String>,
    tool: BTreeMap<&'static str, String>,
    faces: String,
}

#[derive(Serialize)]
struct Body<'r> {
    name: &'r str,
    role: &'static str,
    closed: bool,
    color: String,
    mesh: MeshInfo,
}

#[derive(Serialize)]
struct ToolEntry<'r> {
    number: u32,
    name: &'r str,
    parts: Vec<ToolPart>,
}

#[derive(Serialize)]
struct ToolPart {
    kind: &'static str,
    /// Radius and height of each point, from the lowest to the highest point of the axis.
    contour: Vec<[f64; 2]>,
}

/// The path: positions in the lists are relative to `center` and divided by `scale`.
#[derive(Serialize)]
struct Path {
    points: usize,
    center: [f64; 3],
    scale: f64,
    has_axes: bool,
    /// How far the true path may be from the line; 0 if no point was left out.
    deviation: f64,
}

#[derive(Serialize)]
struct Entry {
    line: u32,
    text: String,
    r#move: usize,
    rapid: bool,
    tool: u32,
    with: &'static str,
    body: usize,
    depth: f64,
    lift: f64,
    at: [f64; 3],
    tip: [f64; 3],
    axis: [f64; 3],
    faces: usize,
    faces_kept: usize,
}

impl<'r> Header<'r> {
    pub(super) fn new(report: &Report<'r>, content: &Content<'_>) -> Self {
        let (outcome, options) = (report.outcome, report.options);
        let lines: Vec<&str> = report.source.lines().collect();
        let (center, scale) = path_frame(&content.path.points);
        Self {
            version: env!("CARGO_PKG_VERSION"),
            part: report.part_name,
            program: report.program_name,
            program_unit: report.program.unit.symbol(),
            tolerance: options.tolerance,
            stock_to_leave: options.stock_to_leave,
            clearance: options.clearance,
            lines: report.program.lines,
            moves: outcome.moves,
            gouging_moves: outcome.gouging_moves,
            worst_depth: outcome.worst_depth,
            seconds: report.seconds,
            notes: report.notes,
            colors: Colors::new(),
            bodies: bodies(report, &content.has_faces),
            tools: tools(report),
            path: Path {
                points: content.path.points.len(),
                center: center.into(),
                scale,
                has_axes: content.has_axes,
                deviation: content.path.deviation,
            },
            gouge_count: outcome.gouges.len(),
            gouges: content
                .gouges
                .iter()
                .map(|(gouge, kept)| entry(&lines, gouge, *kept))
                .collect(),
            source: content.has_source.then(|| lines.iter().map(|line| shown(line)).collect()),
        }
    }
}

/// A line of the program as the page shows it.
fn shown(line: &str) -> String {
    excerpt(line.trim(), LETTERS)
}

impl Colors {
    fn new() -> Self {
        let kinds = [ToolPartKind::Cutter, ToolPartKind::Shank, ToolPartKind::Holder];
        Self {
            path: PathClass::ALL.map(|class| (class.name(), css(class.color()))).into(),
            tool: kinds.map(|kind| (kind.name(), css(tool_color(kind)))).into(),
            faces: css(HIT_FACES),
        }
    }
}

fn css([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn bodies<'r>(report: &Report<'r>, has_faces: &[bool]) -> Vec<Body<'r>> {
    let bodies = report.setup.bodies.iter().zip(has_faces);
    let body = |(body, &has_faces): (&'r crate::Body, &bool)| {
        let [red, green, blue, _] = body_color(body.role);
        Body {
            name: &body.name,
            role: body.role.name(),
            closed: body.is_solid(),
            color: css([red, green, blue]),
            mesh: MeshInfo::new(body.mesh(), has_faces),
        }
    };
    bodies.map(body).collect()
}

fn tools<'r>(report: &Report<'r>) -> Vec<ToolEntry<'r>> {
    // A cutter without a length is drawn as long as half the part is large.
    let reach = 0.5 * report.setup.bounds().size().length();
    let parts = |tool: &Tool| {
        let tool = tool.with_reach(reach);
        let part = |part: &crate::ToolPart| ToolPart {
            kind: part.kind.name(),
            contour: contour(part).into_iter().map(Into::into).collect(),
        };
        tool.parts.iter().map(part).collect()
    };
    let tools = report.tools.iter();
    tools
        .map(|(&number, tool)| ToolEntry { number, name: &tool.name, parts: parts(tool) })
        .collect()
}

fn entry(lines: &[&str], gouge: &Gouge, faces_kept: usize) -> Entry {
    Entry {
        line: gouge.line,
        text: lines
            .get((gouge.line as usize).wrapping_sub(1))
            .map(|line| shown(line))
            .unwrap_or_default(),
        r#move: gouge.move_index,
        rapid: gouge.is_rapid(),
        tool: gouge.tool,
        with: gouge.with.name(),
        body: gouge.body,
        depth: gouge.depth,
        lift: gouge.lift,
        at: gouge.at.into(),
        tip: gouge.tip.into(),
        axis: gouge.axis.into(),
        faces: gouge.face_count,
        faces_kept,
    }
}

/// The centre of the points, and half the longest side of the box around them.
pub(super) fn path_frame(points: &[PathPoint]) -> (DVec3, f64) {
    let mut bounds = Bounds::EMPTY;
    for point in points {
        bounds.min = bounds.min.min(point.pose.tip);
        bounds.max = bounds.max.max(point.pose.tip);
    }
    if bounds.is_empty() {
        return (DVec3::ZERO, 1.0);
    }
    let half = 0.5 * bounds.size().max_element();
    (bounds.center(), if half > 0.0 { half } else { 1.0 })
}
