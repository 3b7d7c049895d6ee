//! Writes a report as one JSON object. It is streamed, so that a million gouges are never copied.

use crate::{Gouge, Report};
use impinge_io::write_json;
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::io::{self, Write};

/// Writes the report as one JSON object and a line end. `docs/output.md` in the repository describes every field.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_json(&Document(report), out)?;
    writeln!(out)
}

struct Document<'r>(&'r Report<'r>);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let (outcome, options) = (report.outcome, report.options);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("engine", "impinge")?;
        map.serialize_entry("version", env!("CARGO_PKG_VERSION"))?;
        map.serialize_entry("part", report.part_name)?;
        map.serialize_entry("program", report.program_name)?;
        map.serialize_entry("unit", "mm")?;
        map.serialize_entry("program_unit", report.program.unit.symbol())?;
        map.serialize_entry("tolerance", &options.tolerance)?;
        map.serialize_entry("stock_to_leave", &options.stock_to_leave)?;
        map.serialize_entry("clearance", &options.clearance)?;
        map.serialize_entry("lines", &report.program.lines)?;
        map.serialize_entry("moves", &outcome.moves)?;
        map.serialize_entry("gouging_moves", &outcome.gouging_moves)?;
        map.serialize_entry("worst_depth", &outcome.worst_depth)?;
        map.serialize_entry("seconds", &report.seconds)?;
        map.serialize_entry("tools", &Tools(report))?;
        map.serialize_entry("bodies", &Bodies(report))?;
        map.serialize_entry("notes", report.notes)?;
        map.serialize_entry("gouges", &Gouges(report))?;
        map.end()
    }
}

struct Tools<'r>(&'r Report<'r>);

impl Serialize for Tools<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Entry<'t> {
            number: u32,
            name: &'t str,
        }
        let tools = self.0.tools.iter();
        serializer.collect_seq(tools.map(|(&number, tool)| Entry { number, name: &tool.name }))
    }
}

struct Bodies<'r>(&'r Report<'r>);

impl Serialize for Bodies<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Entry<'b> {
            name: &'b str,
            role: &'static str,
            faces: usize,
            closed: bool,
        }
        serializer.collect_seq(self.0.setup.bodies.iter().map(|body| Entry {
            name: &body.name,
            role: body.role.name(),
            faces: body.mesh().faces().len(),
            closed: body.is_solid(),
        }))
    }
}

struct Gouges<'r>(&'r Report<'r>);

impl Serialize for Gouges<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.outcome.gouges.iter().map(|gouge| Entry::new(self.0, gouge)))
    }
}

#[derive(Serialize)]
struct Entry<'r> {
    line: u32,
    depth: f64,
    depth_at_most: f64,
    at: [f64; 3],
    with: &'static str,
    faces: &'r [u32],
    face_count: usize,
    lift: f64,
    body: &'r str,
    role: &'static str,
    r#move: usize,
    rapid: bool,
    tool: u32,
    tip: [f64; 3],
    axis: [f64; 3],
}

impl<'r> Entry<'r> {
    fn new(report: &Report<'r>, gouge: &'r Gouge) -> Self {
        Self {
            line: gouge.line,
            depth: gouge.depth,
            depth_at_most: gouge.depth_at_most,
            at: gouge.at.into(),
            with: gouge.with.name(),
            faces: &gouge.faces,
            face_count: gouge.face_count,
            lift: gouge.lift,
            body: report.body_name(gouge),
            role: report.role(gouge).name(),
            r#move: gouge.move_index,
            rapid: gouge.is_rapid(),
            tool: gouge.tool,
            tip: gouge.tip.into(),
            axis: gouge.axis.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{demo::FAULTS, report::sample::Sample};
    use serde_json::Value;

    #[test]
    fn the_object_has_all_gouges_in_the_order_of_the_program() {
        let sample = Sample::demo();
        let mut text = Vec::new();
        write(&sample.report(), &mut text).unwrap();
        assert!(text.ends_with(b"}\n"));
        let json: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(json["gouging_moves"], 3);
        assert_eq!(json["notes"], serde_json::json!(["a note"]));
        let gouges = json["gouges"].as_array().unwrap();
        let lines: Vec<u64> = gouges.iter().map(|gouge| gouge["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, FAULTS.map(|fault| u64::from(fault.line)));
        let deepest = gouges.iter().map(|gouge| gouge["depth"].as_f64().unwrap());
        assert_eq!(json["worst_depth"].as_f64(), deepest.reduce(f64::max));
        assert_eq!(gouges[1]["with"], "holder");
        assert_eq!((&gouges[2]["rapid"], &gouges[2]["role"]), (&true.into(), &"part".into()));
        for gouge in gouges {
            assert!(!gouge["faces"].as_array().unwrap().is_empty(), "{gouge}");
            assert!(gouge["at"].as_array().unwrap().len() == 3, "{gouge}");
        }
    }
}
