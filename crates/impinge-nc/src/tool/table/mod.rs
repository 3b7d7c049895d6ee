//! Tool tables: the tools of a machine or of a project, by number.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod.rs` | [`ToolTable`], and how a format is recognised |
//! | `linuxcnc.rs` | tool tables of LinuxCNC (`.tbl`) |
//! | `camotics.rs` | projects and tool tables of CAMotics (JSON) |
//! | `toml.rs` | tool files with a specification per tool (TOML) |

mod camotics;
mod linuxcnc;
mod toml;

use super::Tool;
use impinge::Bounds;
use impinge_io::{Error, Location, assembly::Unit, one_line};
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// Tools by their number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolTable {
    /// The tools by their number.
    pub tools: BTreeMap<u32, Tool>,
    /// Assumptions of the reader and entries that it left out, for the user to check; one sentence each.
    pub notes: Vec<String>,
    /// The box of the stock, in millimetres, if the file has one.
    pub stock: Option<Bounds>,
    /// The unit that the file states for itself. The tools are in millimetres in any case.
    pub unit: Option<Unit>,
}

/// The unit of this name: `mm`, `metric`, `inch`, `imperial` and similar.
fn unit_from_name(name: &str) -> Option<Unit> {
    match name.trim().to_ascii_lowercase().as_str() {
        "mm" | "metric" | "units_mm" => Some(Unit::Millimetre),
        "in" | "inch" | "imperial" | "units_inch" => Some(Unit::Inch),
        _ => None,
    }
}

/// The format of a tool table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableFormat {
    /// A tool table of LinuxCNC.
    LinuxCnc,
    /// A project or a tool table of CAMotics.
    Camotics,
    /// A tool file with a specification per tool.
    Toml,
}

impl TableFormat {
    /// Recognises a format, first by the extension (`tbl`, `camotics`, `json`, `toml`), then by the first characters of
    /// the text: `{` starts JSON, a `T` with a number starts a LinuxCNC table, and `[tool.` or `[tool ` starts TOML.
    pub fn detect(path: &Path, text: &str) -> Option<Self> {
        let extension = path.extension().map(OsStr::to_ascii_lowercase);
        match extension.as_ref().and_then(|extension| extension.to_str()) {
            Some("tbl") => return Some(Self::LinuxCnc),
            Some("camotics" | "json") => return Some(Self::Camotics),
            Some("toml") => return Some(Self::Toml),
            _ => {}
        }
        let text = text.trim_start_matches('\u{FEFF}');
        let first = text
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with(';') && !line.starts_with('#'))?;
        let is_tool_word = |line: &str| {
            let mut chars = line.chars();
            matches!(chars.next(), Some('T' | 't')) && matches!(chars.next(), Some('0'..='9' | '+'))
        };
        if first.starts_with('{') {
            Some(Self::Camotics)
        } else if is_tool_word(first) {
            Some(Self::LinuxCnc)
        } else if text.lines().any(|line| line.trim().replace(' ', "").starts_with("[tool.")) {
            Some(Self::Toml)
        } else {
            None
        }
    }
}

impl ToolTable {
    /// Reads a tool table. `path` is used for messages and to recognise the format. Lengths of a file that states no
    /// unit are multiplied by `factor`: the number of millimetres in the unit of the program.
    ///
    /// A tool file in TOML may name mesh files; only [`load`](crate::tool::load) reads these.
    ///
    /// ```
    /// use impinge_nc::ToolTable;
    ///
    /// let table = ToolTable::read("T3 P3 Z51.2 D6 ;6 mm ball end mill", "mill.tbl", 1.0)?;
    /// assert_eq!(table.tools[&3].corner_radius, 3.0);
    /// # Ok::<(), impinge_io::Error>(())
    /// ```
    pub fn read(text: &str, path: impl AsRef<Path>, factor: f64) -> Result<Self, Error> {
        let path = path.as_ref();
        let format = TableFormat::detect(path, text).ok_or_else(|| {
            let message = "is no tool table: it must be a LinuxCNC table (.tbl), a CAMotics file \
                           (.camotics, .json) or a TOML file with a table [tool.1] for each tool";
            table_error(path, Location::File, message)
        })?;
        Self::read_as(format, text, path, factor, &|_, _| {
            Err("a mesh file can only be used in a tool file that is loaded from disk".into())
        })
    }

    /// Reads a table of a known format. `load_mesh` loads the tool that a tool file describes by a mesh.
    pub(crate) fn read_as(
        format: TableFormat,
        text: &str,
        path: &Path,
        factor: f64,
        load_mesh: LoadMesh<'_>,
    ) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        if !(factor.is_finite() && factor > 0.0) {
            let message = format!("the factor to millimetres is {factor}: it must be positive");
            return Err(table_error(path, Location::File, &message));
        }
        match format {
            TableFormat::LinuxCnc => linuxcnc::read(text, path, factor),
            TableFormat::Camotics => camotics::read(text, path, factor),
            TableFormat::Toml => toml::read(text, path, factor, load_mesh),
        }
    }
}

/// Loads a tool from a mesh file and the text that follows its path; the second argument is the factor to millimetres.
/// The error is a message.
pub(crate) type LoadMesh<'a> = &'a dyn Fn(&str, f64) -> Result<Tool, String>;

fn table_error(path: &Path, location: Location, message: &str) -> Error {
    Error { path: PathBuf::from(path), location, message: one_line(message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognised_by_extension_and_by_content() {
        for (path, text, expected) in [
            ("a.tbl", "", Some(TableFormat::LinuxCnc)),
            ("a.CAMOTICS", "", Some(TableFormat::Camotics)),
            ("a.json", "", Some(TableFormat::Camotics)),
            ("a.toml", "", Some(TableFormat::Toml)),
            ("a.txt", ";comment\n\n T1 P1 D3\n", Some(TableFormat::LinuxCnc)),
            ("a", "\u{FEFF} {\"tools\": {}}", Some(TableFormat::Camotics)),
            ("a", "# mine\nunit='mm'\n[ tool . 3 ]\n", Some(TableFormat::Toml)),
            ("a", "solid cube\n", None),
            ("a", "", None),
        ] {
            assert_eq!(TableFormat::detect(Path::new(path), text), expected, "{path} {text:?}");
        }
        let message = ToolTable::read("solid", "a.txt", 1.0).unwrap_err().to_string();
        assert!(message.starts_with("a.txt: is no tool table"), "{message}");
    }
}
