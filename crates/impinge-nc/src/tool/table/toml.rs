//! Tool files: a specification for each tool number, in TOML.
//!
//! ```toml
//! unit = "mm"
//! [tool.3]
//! spec = "ball:d=6,length=20,shank=6:30"
//! name = "finishing"
//! [stock]
//! min = [0, 0, -20]
//! max = [80, 80, 0]
//! ```

use super::{LoadMesh, ToolTable, unit_from_name};
use crate::{
    toml_file::TomlFile,
    tool::{Tool, is_spec},
};
use impinge::{Bounds, glam::DVec3};
use impinge_io::{Error, assembly::Unit, excerpt, one_line};
use serde::Deserialize;
use std::{collections::BTreeMap, path::Path};
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolFile {
    unit: Option<Spanned<String>>,
    #[serde(default)]
    tool: BTreeMap<Spanned<String>, ToolEntry>,
    stock: Option<Spanned<StockEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolEntry {
    spec: Spanned<String>,
    name: Option<String>,
    length_offset: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StockEntry {
    min: [f64; 3],
    max: [f64; 3],
}

pub(super) fn read(
    text: &str,
    path: &Path,
    factor: f64,
    load_mesh: LoadMesh<'_>,
) -> Result<ToolTable, Error> {
    let file = TomlFile::new(path, text);
    let read: ToolFile = file.parse("tool files")?;
    let unit = match &read.unit {
        None => None,
        Some(name) => Some(
            unit_from_name(name.get_ref())
                .ok_or_else(|| file.at(&name.span(), "`unit` must be \"mm\" or \"inch\""))?,
        ),
    };
    let factor = unit.map_or(factor, |unit| unit.to(Unit::Millimetre));
    let mut table = ToolTable { unit, ..ToolTable::default() };
    // In the order of the file, so that an error names the second of two equal numbers.
    let mut entries: Vec<_> = read.tool.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, entry) in entries {
        let number = key.get_ref().parse::<u32>().map_err(|_| {
            let found = excerpt(key.get_ref(), 40);
            let message =
                format!("`{found}` is no tool number: the table of tool 3 starts with [tool.3]");
            file.at(&key.span(), &message)
        })?;
        let spec = entry.spec.get_ref();
        let made = if is_spec(spec) {
            Tool::from_spec(spec, factor).map_err(|error| error.to_string())
        } else {
            load_mesh(spec, factor)
        };
        let mut tool = made.map_err(|message| file.at(&entry.spec.span(), &one_line(&message)))?;
        tool.number = Some(number);
        tool.length_offset = entry.length_offset.map(|length| length * factor);
        if let Some(name) = &entry.name {
            tool.name = one_line(name);
        }
        if table.tools.insert(number, tool).is_some() {
            let message = format!("the tool {number} is there more than once");
            return Err(file.at(&key.span(), &message));
        }
    }
    if let Some(stock) = &read.stock {
        let [min, max] = [stock.get_ref().min, stock.get_ref().max].map(DVec3::from_array);
        table.stock = Some(
            stock_bounds(min * factor, max * factor)
                .map_err(|message| file.at(&stock.span(), message))?,
        );
    }
    Ok(table)
}

/// The box of the stock, in millimetres.
pub(super) fn stock_bounds(min: DVec3, max: DVec3) -> Result<Bounds, &'static str> {
    let is_usable = [min, max].iter().all(|corner| corner.abs().max_element() <= 1e100);
    if !is_usable || min.is_nan() || max.is_nan() || min.cmpgt(max).any() {
        return Err(
            "the stock needs finite numbers, and no coordinate of `min` above that of `max`",
        );
    }
    Ok(Bounds { min, max })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_read(text: &str) -> Result<ToolTable, Error> {
        ToolTable::read(text, "tools.toml", 1.0)
    }

    #[test]
    fn tools_are_those_of_their_specifications() {
        let text = "unit='inch'\n[tool.3]\nspec='ball:d=0.25,length=1'\nname='finish'\n\
                    length_offset=2\n[tool.12]\nspec='flat:d=1'\n\
                    [stock]\nmin=[0,0,-1]\nmax=[4,4,0]\n";
        let table = try_read(text).unwrap();
        let expected = Tool::from_spec("ball:d=6.35,length=25.4", 1.0).unwrap();
        let tool = &table.tools[&3];
        assert_eq!(tool.parts, expected.parts);
        assert_eq!((tool.name.as_str(), tool.number), ("finish", Some(3)));
        assert_eq!(tool.length_offset, Some(50.8));
        assert_eq!(table.tools[&12].name, "flat:d=1");
        let stock = table.stock.unwrap();
        assert_eq!((stock.min.z, stock.max.x), (-25.4, 101.6));
        assert_eq!(table.unit, Some(Unit::Inch));
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, expected) in [
            ("[tool.3]\nspec='bal:d=6'", "tools.toml:2:6: `bal` is no shape of a tool"),
            ("[tool.x]\nspec='ball:d=6'", "tools.toml:1:7: `x` is no tool number"),
            (
                "[tool.3]\nspec='ball:d=6'\n[tool.03]\nspec='ball:d=6'",
                "tools.toml:3:7: the tool 3 is",
            ),
            ("[tool.3]\nspec='a.stl'", "tools.toml:2:6: a mesh file can only be used"),
            ("[tool.3]\nd=6", "tools.toml:2:1: unknown field `d`"),
            ("unit='foot'", "tools.toml:1:6: `unit` must be \"mm\" or \"inch\""),
            ("[stock]\nmin=[0,0,0]\nmax=[1,nan,1]", "tools.toml:1:1: the stock needs finite"),
            ("[stock]\nmin=[2,0,0]\nmax=[1,1,1]", "tools.toml:1:1: the stock needs finite"),
            ("[tool.3", "tools.toml:1:8: "),
        ] {
            let message = try_read(text).expect_err(text).to_string();
            assert!(message.starts_with(expected), "{text}\n{message}\n{expected}");
        }
    }
}
