//! Loads the tools that a user names: by a specification, a tool table or a mesh file. The command line calls it.

use super::{MeshToolOptions, TableFormat, Tool, ToolTable, is_spec, spec::Extras};
use impinge_io::{Error, Format, Location, assembly::Unit, load_mesh, one_line};
use std::{io::ErrorKind, path::Path};

/// The tools of a program: one tool for all moves, or a table with a tool for each number.
#[derive(Clone, Debug, PartialEq)]
pub enum Tools {
    /// One tool, whatever number the program selects.
    One(Box<Tool>),
    /// A tool for each number.
    Table(ToolTable),
}

impl Tools {
    /// The tool for a number that a program selects.
    pub fn get(&self, number: u32) -> Option<&Tool> {
        match self {
            Self::One(tool) => Some(tool),
            Self::Table(table) => table.tools.get(&number),
        }
    }
}

/// Reads the tool or the tool table that a user has named. The text is one of these:
///
/// - a specification, such as `ball:d=6,length=20`;
/// - the path of a tool table of LinuxCNC or CAMotics, or of a tool file in TOML;
/// - the path of a mesh file, optionally with `length`, `shank` and `holder`: `cutter.stl:length=20,holder=40:30`.
///   `length` is then the height up to which the mesh cuts; shank and holder stand on top of the mesh.
///
/// Lengths without a stated unit, also those of a mesh file whose format prescribes no unit, are multiplied by `factor`: the number of millimetres in the unit
/// of the program. The path of an error is the text itself if it is a specification.
pub fn load(text: &str, factor: f64) -> Result<Tools, Error> {
    let error = |path: &str, message: String| Error {
        path: path.into(),
        location: Location::File,
        message,
    };
    if is_spec(text) {
        let tool = Tool::from_spec(text, factor)
            .map_err(|found| error(text, one_line(&found.to_string())))?;
        return Ok(Tools::One(Box::new(tool)));
    }
    let (file, _) = path_and_extras(text);
    if mesh_format(file).is_some() {
        let tool = mesh_tool(text, Path::new(""), factor).map_err(|found| match found {
            MeshFailure::File(found) => found,
            MeshFailure::Other(message) => error(file, message),
        })?;
        return Ok(Tools::One(Box::new(tool)));
    }
    let path = Path::new(text);
    let content = std::fs::read_to_string(path).map_err(|found| {
        let message = match found.kind() {
            ErrorKind::NotFound => "there is no such file; a tool is a specification, such as ball:d=6, or the path of a \
                                    tool table or a mesh"
                .to_owned(),
            _ => format!("cannot be read: {found}"),
        };
        error(text, message)
    })?;
    let Some(format) = TableFormat::detect(path, &content) else {
        return ToolTable::read(&content, path, factor).map(Tools::Table);
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let load_mesh = |text: &str, factor: f64| {
        mesh_tool(text, folder, factor).map_err(|found| match found {
            MeshFailure::File(found) => found.to_string(),
            MeshFailure::Other(message) => message,
        })
    };
    ToolTable::read_as(format, &content, path, factor, &load_mesh).map(Tools::Table)
}

fn mesh_format(path: &str) -> Option<Format> {
    Format::of_path(Path::new(path)).filter(|format| !format.is_grid())
}

/// Divides `cutter.stl:length=20` into the path and the keys after it. A path may contain colons: only the keys of a
/// mesh tool start the second part.
fn path_and_extras(text: &str) -> (&str, &str) {
    let keys = [":length=", ":shank=", ":holder="];
    let at = keys.iter().filter_map(|key| text.find(key)).min();
    at.map_or((text, ""), |at| (&text[..at], &text[at + 1..]))
}

enum MeshFailure {
    File(Error),
    Other(String),
}

/// The tool of a mesh file, with the keys that follow its path.
fn mesh_tool(text: &str, folder: &Path, factor: f64) -> Result<Tool, MeshFailure> {
    let other = |message: String| MeshFailure::Other(message);
    let (file, keys) = path_and_extras(text);
    let Some(format) = mesh_format(file) else {
        return Err(other(format!(
            "`{file}` is neither a specification of a tool nor a mesh file"
        )));
    };
    let extras = Extras::of_mesh(keys).map_err(|error| other(error.to_string()))?;
    let path = folder.join(file);
    let mesh = load_mesh(&path).map_err(MeshFailure::File)?;
    let cutter_length = extras.length.map(|length| length * factor);
    let options = MeshToolOptions { cutter_length, ..MeshToolOptions::default() };
    // Some formats prescribe their unit.
    let mesh_factor = format.units().map_or(factor, |unit| unit.to(Unit::Millimetre));
    let mut tool = Tool::from_mesh(&mesh, file, mesh_factor, &options)
        .map_err(|error| other(error.to_string()))?;
    let height = tool.top();
    extras.stack_on(&mut tool, height, factor).map_err(|error| other(error.to_string()))?;
    Ok(tool)
}
