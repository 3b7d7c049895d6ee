//! A program with the tools that it uses, loaded from what a user names: files, specifications, tables.
//!
//! The command and the Python package call it. It relies on `program/` and `tool/` for the single formats.

use crate::{GcodeOptions, Machine, Motion, Program, Tool, Tools, Unit, program, tool};
use impinge::glam::DVec3;
use impinge_io::{Error, Location};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

/// How a program is read, and which tools it uses.
#[derive(Clone, Debug, Default)]
pub struct JobOptions {
    /// The tools, one by one. They take precedence over those of the table.
    pub tools: Vec<ToolChoice>,
    /// A tool table: a file of LinuxCNC, CAMotics or TOML.
    pub tool_table: Option<PathBuf>,
    /// A machine with rotary axes: a TOML file, or the name of a built-in machine.
    pub machine: Option<String>,
    /// Where the program's zero is in the coordinates of the part, in millimetres.
    pub origin: DVec3,
    /// Everything else that a program does not say. Its `origin`, `tools`, `other_tools` and `machine` are replaced.
    pub gcode: GcodeOptions,
}

/// A tool that a user has named: `ball:d=6`, or `2=ball:d=6` for the tool with number 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolChoice {
    /// The number; `None` if the tool is for all moves.
    pub number: Option<u32>,
    /// A specification, or the path of a tool table or a mesh: see [`tool::load`].
    pub spec: String,
}

impl FromStr for ToolChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbered = text.split_once('=').and_then(|(number, spec)| {
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then_some((number, spec))
        });
        match numbered {
            None => Ok(Self { number: None, spec: text.to_owned() }),
            Some((number, spec)) => {
                let number = number.parse().map_err(|_| format!("{number} is too large"))?;
                Ok(Self { number: Some(number), spec: spec.to_owned() })
            }
        }
    }
}

/// A program with its tools.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// How the program is named in reports.
    pub name: String,
    /// The text of the program.
    pub source: String,
    /// The program.
    pub program: Program,
    /// The tools that the program moves, by number.
    pub tools: BTreeMap<u32, Tool>,
    /// Remarks about the program and the tools.
    pub notes: Vec<String>,
}

/// Why a program with its tools cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// The program or the machine cannot be read.
    #[error(transparent)]
    File(#[from] Error),
    /// A tool cannot be read.
    #[error(transparent)]
    Tool(Error),
    /// A tool table cannot be read.
    #[error(transparent)]
    Table(Error),
    /// No tool is named.
    #[error("there is no tool: name one, such as ball:d=6,length=20, or a tool table")]
    NoTool,
    /// Two tools are for all moves.
    #[error("{0}: there is a tool for all moves already; name the numbers of the tools")]
    SecondTool(String),
    /// The file of a tool table holds something else.
    #[error("{0}: is no tool table")]
    NotATable(String),
    /// A table has no tool with the number that was asked for.
    #[error("{number}={spec}: the tool table has no tool {number}")]
    NotInTable {
        /// The number.
        number: u32,
        /// The table.
        spec: String,
    },
    /// The program moves before it has selected a tool, and no tool is for all moves.
    #[error(
        "{path}: line {line}: the program moves without having selected a tool; name the tool without a number"
    )]
    NothingSelected {
        /// The program.
        path: String,
        /// The line of the first such move.
        line: u32,
    },
    /// The program selects a tool that is not named.
    #[error("{path}: line {line}: there is no tool {number}")]
    UnknownTool {
        /// The program.
        path: String,
        /// The line of its first move.
        line: u32,
        /// The number.
        number: u32,
    },
}

impl Job {
    /// Loads a program, which is G-code or a CSV path, and the tools that it uses.
    ///
    /// # Errors
    /// If a file cannot be read, a tool is missing, or the program has no moves.
    pub fn load(path: impl AsRef<Path>, options: &JobOptions) -> Result<Self, JobError> {
        let path = path.as_ref();
        let bytes =
            fs::read(path).map_err(|error| file_error(path, format!("cannot be read: {error}")))?;
        let source = match String::from_utf8(bytes) {
            Ok(text) => text,
            // Comments may have any encoding.
            Err(error) => error.as_bytes().iter().map(|&byte| char::from(byte)).collect(),
        };
        Self::read(source, path, options)
    }

    /// Reads the text of a program. `path` stands for its file in messages and reports.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn read(
        source: String,
        path: impl AsRef<Path>,
        options: &JobOptions,
    ) -> Result<Self, JobError> {
        let path = path.as_ref();
        let given = options.gcode.unit;
        let mut choice = Choice::load(options, given)?;
        let mut program = moves(&source, path, &choice, options)?;
        if program.unit != given {
            // Tools are in the unit of the program, which only the program tells.
            choice = Choice::load(options, program.unit)?;
            program = moves(&source, path, &choice, options)?;
        }
        if program.moves.is_empty() {
            return Err(file_error(path, "has no moves to check".to_owned()).into());
        }
        let tools = choice.tools_of(&program, path)?;
        let mut notes: Vec<String> =
            program.notes.iter().map(|note| format!("{}: {note}", path.display())).collect();
        notes.append(&mut choice.notes);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, source, program, tools, notes })
    }
}

fn file_error(path: &Path, message: String) -> Error {
    Error { path: path.to_owned(), location: Location::File, message }
}

/// Reads the moves of G-code or of a CSV path.
fn moves(
    source: &str,
    path: &Path,
    choice: &Choice,
    options: &JobOptions,
) -> Result<Program, JobError> {
    let given = options.gcode.unit;
    if program::is_csv_path(source) {
        let mut program = Program::read_csv(source, path, given.to(Unit::Millimetre))?;
        program.unit = given;
        program.lines = source.lines().count() as u32;
        program.moves.iter_mut().for_each(|step| shift(&mut step.motion, options.origin));
        return Ok(program);
    }
    let mut gcode = options.gcode.clone();
    // The part's zero, seen from the program's.
    gcode.origin = -options.origin;
    if let Some(tools) = &choice.any {
        gcode.use_tools(tools);
    }
    gcode.tools.extend(choice.numbered.iter().map(|(&number, tool)| (number, tool.into())));
    gcode.machine = options.machine.as_deref().map(Machine::load).transpose()?.map(Arc::new);
    Ok(Program::read_gcode(source, path, &gcode)?)
}

/// Moves the motion of a CSV path.
fn shift(motion: &mut Motion, by: DVec3) {
    match motion {
        Motion::Straight { from, to, .. } => [from, to].map(|end| *end += by),
        Motion::Tilting { from, to } => [&mut from.tip, &mut to.tip].map(|end| *end += by),
        // CSV paths have no other motions.
        _ => return,
    };
}

/// The tools that the user has named.
struct Choice {
    /// For all numbers that nothing else names.
    any: Option<Tools>,
    numbered: BTreeMap<u32, Tool>,
    notes: Vec<String>,
}

impl Choice {
    /// Loads the tools. Lengths without a unit are in `unit`.
    fn load(options: &JobOptions, unit: Unit) -> Result<Self, JobError> {
        let mut choice = Self { any: None, numbered: BTreeMap::new(), notes: Vec::new() };
        let factor = unit.to(Unit::Millimetre);
        // A table is overridden by the tools that are named one by one.
        if let Some(file) = &options.tool_table {
            let spec = file.to_string_lossy();
            match tool::load(&spec, factor).map_err(JobError::Table)? {
                Tools::Table(table) => {
                    choice.notes.extend(table.notes);
                    choice.numbered.extend(table.tools);
                }
                Tools::One(_) => return Err(JobError::NotATable(spec.into_owned())),
            }
        }
        for ToolChoice { number, spec } in &options.tools {
            let loaded = tool::load(spec, factor).map_err(JobError::Tool)?;
            match (*number, loaded) {
                (None, Tools::Table(table)) => {
                    choice.notes.extend(table.notes);
                    choice.numbered.extend(table.tools);
                }
                (Some(number), Tools::Table(table)) => {
                    let tool = table.tools.get(&number).cloned();
                    let spec = spec.clone();
                    let tool = tool.ok_or(JobError::NotInTable { number, spec })?;
                    choice.numbered.insert(number, tool);
                }
                (Some(number), Tools::One(tool)) => {
                    choice.numbered.insert(number, *tool);
                }
                (None, _) if choice.any.is_some() => {
                    return Err(JobError::SecondTool(spec.clone()));
                }
                (None, loaded) => choice.any = Some(loaded),
            }
        }
        match choice.any.is_none() && choice.numbered.is_empty() {
            false => Ok(choice),
            true => Err(JobError::NoTool),
        }
    }

    fn get(&self, number: u32) -> Option<&Tool> {
        self.numbered.get(&number).or_else(|| self.any.as_ref()?.get(number))
    }

    /// The tools that a program moves.
    fn tools_of(&self, program: &Program, path: &Path) -> Result<BTreeMap<u32, Tool>, JobError> {
        let tool = |&number: &u32| match self.get(number) {
            Some(tool) => Ok((number, tool.clone())),
            None => {
                let first = program.moves.iter().find(|step| step.tool == number);
                let line = first.map_or(0, |step| step.line);
                let path = path.display().to_string();
                Err(match number {
                    0 => JobError::NothingSelected { path, line },
                    _ => JobError::UnknownTool { path, line, number },
                })
            }
        };
        let numbers: BTreeSet<u32> = program.moves.iter().map(|step| step.tool).collect();
        numbers.iter().map(tool).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_may_have_numbers() {
        let choice = |text: &str| text.parse::<ToolChoice>().unwrap();
        let tool = |number, spec: &str| ToolChoice { number, spec: spec.to_owned() };
        assert_eq!(choice("ball:d=6"), tool(None, "ball:d=6"));
        assert_eq!(choice("12=ball:d=6"), tool(Some(12), "ball:d=6"));
        assert_eq!(choice("0=tools/a=b.stl"), tool(Some(0), "tools/a=b.stl"));
        assert!("99999999999=ball:d=6".parse::<ToolChoice>().is_err());
    }

    #[test]
    fn missing_tools_are_named_by_line() {
        let read = |text: &str, tools: &[&str]| {
            let tools = tools.iter().map(|tool| tool.parse().unwrap()).collect();
            let options = JobOptions { tools, ..JobOptions::default() };
            Job::read(text.to_owned(), "a.nc", &options).map(|job| job.tools.len())
        };
        let program = "G21 G90\nT1 M6\nG0 X0 Y0 Z0\nT3 M6\nG1 X5 F100\n";
        assert!(matches!(read(program, &["ball:d=6"]), Ok(2)));
        assert!(matches!(read(program, &[]), Err(JobError::NoTool)));
        assert!(matches!(
            read(program, &["1=ball:d=6"]),
            Err(JobError::UnknownTool { line: 5, number: 3, .. })
        ));
        assert!(matches!(
            read(program, &["ball:d=6", "flat:d=6"]),
            Err(JobError::SecondTool(spec)) if spec == "flat:d=6"
        ));
        let text = read("(nothing)\n", &["ball:d=6"]).unwrap_err().to_string();
        assert_eq!(text, "a.nc: has no moves to check");
    }
}
