//! Projects and tool tables of CAMotics: JSON with an object per tool number.
//!
//! A project has the tools under `tools`, and the stock under `workpiece`. A tool table is the object of the tools by
//! itself. Each tool states its own unit; the box of the workpiece is always in millimetres.

use super::{ToolTable, table_error, toml::stock_bounds, unit_from_name};
use crate::tool::{TipShape, Tool, mesh::spheroid_parts, shape::Cutter};
use impinge::glam::DVec3;
use impinge_io::{Error, Location, assembly::Unit, excerpt};
use serde_json::{Map, Value};
use std::path::Path;

pub(super) fn read(text: &str, path: &Path, factor: f64) -> Result<ToolTable, Error> {
    let fail = |location, message: &str| table_error(path, location, message);
    let json = |pointer: &str, message: &str| fail(Location::Json(pointer.into()), message);
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line().max(1), error.column().max(1));
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        fail(Location::Character { line, column }, &format!("this is no JSON: {message}"))
    })?;
    let Value::Object(root) = &value else {
        return Err(fail(Location::File, "must be a JSON object with a tool for each number"));
    };
    let (prefix, tools) = match root.get("tools") {
        Some(Value::Object(tools)) => ("tools.", tools),
        Some(_) => return Err(json("tools", "must be an object with a tool for each number")),
        None if root.contains_key("workpiece") || root.contains_key("files") => {
            return Err(fail(Location::File, "the project has no `tools`"));
        }
        None => ("", root),
    };
    let unit = root.get("units").and_then(Value::as_str).and_then(unit_from_name);
    let mut table = ToolTable { unit, ..ToolTable::default() };
    for (key, entry) in tools {
        let pointer = format!("{prefix}{}", excerpt(key, 40));
        let number: u32 = key
            .parse()
            .map_err(|_| json(&pointer, "the key of a tool must be its number, such as \"1\""))?;
        let entry = entry.as_object().ok_or_else(|| {
            json(&pointer, "a tool must be an object with `shape`, `length` and `diameter`")
        })?;
        let (mut tool, note) = tool(entry, factor).map_err(|message| json(&pointer, &message))?;
        if tool.name.is_empty() {
            tool.name = format!("T{number}");
        }
        tool.number = Some(number);
        table.notes.extend(note.map(|note| format!("T{number}: {note}")));
        if table.tools.insert(number, tool).is_some() {
            return Err(json(&pointer, &format!("the tool {number} is there more than once")));
        }
    }
    if let Some(bounds) = root.get("workpiece").and_then(|workpiece| workpiece.get("bounds")) {
        let corner = |name: &str| {
            let numbers = bounds.get(name)?.as_array()?;
            let [x, y, z] = numbers.as_slice() else { return None };
            Some(DVec3::new(x.as_f64()?, y.as_f64()?, z.as_f64()?))
        };
        let pointer = "workpiece.bounds";
        let (min, max) = corner("min")
            .zip(corner("max"))
            .ok_or_else(|| json(pointer, "needs `min` and `max` with three numbers each"))?;
        table.stock = Some(stock_bounds(min, max).map_err(|message| json(pointer, message))?);
    }
    Ok(table)
}

/// The tool of one object, and a note about what was assumed.
fn tool(entry: &Map<String, Value>, factor: f64) -> Result<(Tool, Option<String>), String> {
    let mut note = None;
    let factor = match entry.get("units").and_then(Value::as_str) {
        None => factor,
        Some(name) => unit_from_name(name)
            .ok_or_else(|| {
                format!("`units` is {}: use \"metric\" or \"imperial\"", excerpt(name, 40))
            })?
            .to(Unit::Millimetre),
    };
    let number = |key: &str| {
        let found = entry.get(key).map(|value| value.as_f64().filter(|x| (0.0..=1e6).contains(x)));
        match found {
            None => Ok(None),
            Some(Some(number)) if number > 0.0 || key == "snub_diameter" => {
                Ok(Some(number * factor))
            }
            Some(_) => Err(format!("`{key}` must be a number greater than 0 and at most 1000000")),
        }
    };
    let required =
        |key: &str| number(key)?.ok_or_else(|| format!("`{key}` is missing: add it as a number"));
    let (length, diameter) = (required("length")?, required("diameter")?);
    let snub = number("snub_diameter")?.unwrap_or(0.0);
    let description = entry.get("description").and_then(Value::as_str).unwrap_or_default();
    let name = excerpt(description.trim(), 100);
    let shape = entry.get("shape").and_then(Value::as_str).unwrap_or("cylindrical");
    let mut shape = shape.to_ascii_lowercase();
    if let Some(short) = shape.strip_prefix("ts_") {
        shape = short.into();
    }
    let (cutter, length) = match shape.as_str() {
        "cylindrical" => (Cutter::new(TipShape::Flat, diameter, 0.0), length),
        // The cylinder of a ball-end mill has the stated length and starts at the centre of the ball.
        "ballnose" => (Cutter::new(TipShape::Ball, diameter, 0.0), diameter / 2.0 + length),
        "conical" => (Cutter::cone_to(length, diameter, 0.0), length),
        "snubnose" if snub <= diameter => (Cutter::cone_to(length, diameter, snub), length),
        "snubnose" => return Err("`snub_diameter` must be at most `diameter`".into()),
        "spheroid" => {
            let cutter = Cutter::new(TipShape::Spheroid, diameter, 0.0);
            let mut tool = cutter.tool(name, Some(length)).map_err(|error| error.to_string())?;
            tool.parts = spheroid_parts(diameter, length).map_err(|error| error.to_string())?;
            return Ok((tool, None));
        }
        _ => {
            return Err(format!(
                "the shape `{}` is not known: use cylindrical, conical, ballnose, spheroid or \
                 snubnose",
                excerpt(&shape, 40)
            ));
        }
    };
    let least = cutter.least_length();
    if length < least {
        note = Some(format!("the length is taken as {least} mm, so that the whole tip fits"));
    }
    let tool = cutter.tool(name, Some(length.max(least))).map_err(|error| error.to_string())?;
    Ok((tool, note))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::shape::disc;

    fn try_read(text: &str) -> Result<ToolTable, Error> {
        read(text, Path::new("a.json"), 1.0)
    }

    /// The table of one tool.
    fn one(tool: &str) -> ToolTable {
        try_read(&format!("{{\"7\": {{{tool}}}}}"))
            .unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    fn discs(tool: &str) -> Vec<impinge::solid::RoundedDisc> {
        one(tool).tools[&7].parts[0].solid.discs().to_vec()
    }

    #[test]
    fn shapes_have_the_discs_that_camotics_simulates() {
        let tool = |shape: &str| format!("\"shape\":\"{shape}\",\"length\":20,\"diameter\":6");
        assert_eq!(discs(&tool("cylindrical")), [disc(0., 3., 0.), disc(20., 3., 0.)]);
        assert_eq!(discs(&tool("ballnose")), [disc(3., 0., 3.), disc(23., 3., 0.)]);
        assert_eq!(discs(&tool("CONICAL")), [disc(0., 0., 0.), disc(20., 3., 0.)]);
        let snub = format!("{},\"snub_diameter\":2", tool("snubnose"));
        assert_eq!(discs(&snub), [disc(0., 1., 0.), disc(20., 3., 0.)]);
        let imperial = "\"units\":\"imperial\",\"length\":1,\"diameter\":0.125";
        assert_eq!(discs(imperial), [disc(0., 1.5875, 0.), disc(25.4, 1.5875, 0.)]);
    }

    /// The pieces of a spheroid enclose its ellipse, and exceed it by little.
    #[test]
    fn a_spheroid_is_enclosed() {
        let table = one("\"shape\":\"spheroid\",\"length\":20,\"diameter\":6");
        let tool = &table.tools[&7];
        let corners: Vec<_> = tool.parts.iter().flat_map(|part| part.solid.discs()).collect();
        for pair in corners.windows(2).filter(|pair| pair[0].height < pair[1].height) {
            let middle = (pair[0].height + pair[1].height) / 2.0;
            let radius = (pair[0].radius + pair[1].radius) / 2.0;
            let truth = 3.0 * (1.0 - ((middle - 10.0) / 10.0).powi(2)).sqrt();
            assert!(radius >= truth - 1e-9, "{middle}: {radius} is less than {truth}");
            assert!(radius <= truth + 0.3, "{middle}: {radius} is far from {truth}");
        }
        assert_eq!((corners[0].height, corners[corners.len() - 1].height), (0.0, 20.0));
        assert!((tool.greatest_radius() - 3.0).abs() < 1e-3);
    }

    #[test]
    fn a_short_ball_gets_a_note() {
        let table = one("\"shape\":\"ballnose\",\"length\":1,\"diameter\":6");
        assert_eq!(table.tools[&7].length, Some(6.0));
        assert_eq!(table.notes, ["T7: the length is taken as 6 mm, so that the whole tip fits"]);
    }

    #[test]
    fn errors_name_the_tool() {
        for (text, expected) in [
            ("", "a.json:1:1: this is no JSON"),
            ("{\n\"1\": }", "a.json:2:6: this is no JSON: expected value"),
            ("[]", "a.json: must be a JSON object"),
            ("{\"tools\": 3}", "a.json: tools: must be an object"),
            ("{\"files\": []}", "a.json: the project has no `tools`"),
            ("{\"x\": {}}", "a.json: x: the key of a tool must be its number"),
            ("{\"1\": 3}", "a.json: 1: a tool must be an object"),
            ("{\"tools\": {\"1\": {}}}", "a.json: tools.1: `length` is missing"),
            ("{\"1\": {\"length\": -1}}", "a.json: 1: `length` must be a number greater than 0"),
            ("{\"1\": {\"length\": \"x\"}}", "a.json: 1: `length` must be a number greater than 0"),
            (
                "{\"1\": {\"length\":1,\"diameter\":1,\"shape\":\"star\"}}",
                "a.json: 1: the shape `star` is not known: use cylindrical",
            ),
            ("{\"1\": {\"units\":\"foot\"}}", "a.json: 1: `units` is foot: use \"metric\""),
            (
                "{\"tools\": {}, \"workpiece\": {\"bounds\": {\"min\": [0, 0]}}}",
                "a.json: workpiece.bounds: needs `min` and `max` with three numbers each",
            ),
        ] {
            let message = try_read(text).expect_err(text).to_string();
            assert!(message.starts_with(expected), "{text}: {message}");
        }
    }
}
