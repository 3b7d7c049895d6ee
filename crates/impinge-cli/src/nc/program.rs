//! The program of `impinge nc`, and the tools that it uses.

use super::arguments::{Reading, ToolChoice};
use crate::{failure::Failure, progress};
use impinge::glam::DVec3;
use impinge_nc::{GcodeOptions, Machine, Motion, Program, Tool, Tools, Unit, demo, program, tool};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

/// A program with its tools.
pub(super) struct Loaded {
    /// How the part is named in reports.
    pub(super) part_name: String,
    /// How the program is named in reports.
    pub(super) name: String,
    pub(super) source: String,
    pub(super) program: Program,
    /// The tools that the program moves, by number.
    pub(super) tools: BTreeMap<u32, Tool>,
    /// Remarks about the program and the tools.
    pub(super) notes: Vec<String>,
}

/// Loads a program and the tools that it uses.
pub(super) fn load(path: &Path, reading: &Reading) -> Result<Loaded, Failure> {
    let bytes = fs::read(path)
        .map_err(|error| Failure::input(format!("{}: cannot be read: {error}", path.display())))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = match String::from_utf8(bytes) {
        Ok(text) => text,
        // Comments may have any encoding.
        Err(error) => error.as_bytes().iter().map(|&byte| char::from(byte)).collect(),
    };
    let label = format!("reading {}", path.display());
    progress::with_spinner(&label, || {
        read(&source, path, name, reading.start, &reading.tool, reading)
    })
}

/// The built-in example, with its own tools unless others are named.
pub(super) fn example(reading: &Reading) -> Result<Loaded, Failure> {
    let own = demo::TOOLS
        .map(|(number, spec)| ToolChoice { number: Some(number), spec: spec.to_owned() });
    let is_own = reading.tool.is_empty() && reading.tool_table.is_none();
    let tools = if is_own { &own[..] } else { &reading.tool };
    let name = demo::PROGRAM_NAME;
    let start = reading.start.or(Some(demo::START));
    read(demo::PROGRAM, name.as_ref(), name.to_owned(), start, tools, reading)
}

fn read(
    source: &str,
    path: &Path,
    name: String,
    start: Option<DVec3>,
    choices: &[ToolChoice],
    reading: &Reading,
) -> Result<Loaded, Failure> {
    let given = reading.program_unit.into();
    let mut choice = Choice::load(choices, reading, given)?;
    let mut program = moves(source, path, start, &choice, reading)?;
    if program.unit != given {
        // Tools are in the unit of the program, which only the program tells.
        choice = Choice::load(choices, reading, program.unit)?;
        program = moves(source, path, start, &choice, reading)?;
    }
    if program.moves.is_empty() {
        return Err(Failure::input(format!("{}: has no moves to check", path.display())));
    }
    let tools = choice.tools_of(&program, path)?;
    let mut notes: Vec<String> =
        program.notes.iter().map(|note| format!("{}: {note}", path.display())).collect();
    notes.append(&mut choice.notes);
    Ok(Loaded { part_name: String::new(), name, source: source.to_owned(), program, tools, notes })
}

/// Reads the moves of G-code or of a CSV path.
fn moves(
    source: &str,
    path: &Path,
    start: Option<DVec3>,
    choice: &Choice,
    reading: &Reading,
) -> Result<Program, Failure> {
    let given: Unit = reading.program_unit.into();
    if program::is_csv_path(source) {
        let mut program = Program::read_csv(source, path, given.millimetres())?;
        program.unit = given;
        program.lines = source.lines().count() as u32;
        program.moves.iter_mut().for_each(|step| shift(&mut step.motion, reading.origin));
        return Ok(program);
    }
    let mut options = GcodeOptions::default();
    options.allow_unknown = reading.allow_unknown;
    options.rapids = reading.rapids.into();
    options.unit = given;
    // The part's zero, seen from the program's.
    options.origin = -reading.origin;
    options.start = start;
    options.offsets = reading.offset.iter().copied().collect();
    options.home = reading.home;
    options.block_delete = reading.block_delete;
    if let Some(tools) = &choice.any {
        options.use_tools(tools);
    }
    options.tools.extend(choice.numbered.iter().map(|(&number, tool)| (number, tool.into())));
    options.machine = reading.machine.as_deref().map(Machine::load).transpose()?.map(Arc::new);
    Ok(Program::read_gcode(source, path, &options)?)
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

/// The tools that the command line names.
struct Choice {
    /// For all numbers that no other option names.
    any: Option<Tools>,
    numbered: BTreeMap<u32, Tool>,
    notes: Vec<String>,
}

impl Choice {
    /// Loads the tools. Lengths without a unit are in `unit`.
    fn load(choices: &[ToolChoice], reading: &Reading, unit: Unit) -> Result<Self, Failure> {
        let mut choice = Self { any: None, numbered: BTreeMap::new(), notes: Vec::new() };
        let table = reading.tool_table.as_ref().map(|file| file.to_string_lossy().into_owned());
        let table = table.map(|spec| ("--tool-table", None, spec));
        let tools = choices.iter().map(|it| ("--tool", it.number, it.spec.clone()));
        let mut has_plain = false;
        // A table is overridden by the tools that are named one by one.
        for (option, number, spec) in table.into_iter().chain(tools) {
            let loaded = tool::load(&spec, unit.millimetres())
                .map_err(|error| Failure::input(format!("{option} {error}")))?;
            match (number, loaded) {
                (_, Tools::Table(table)) if number.is_none() => {
                    choice.notes.extend(table.notes);
                    choice.numbered.extend(table.tools);
                }
                (Some(number), Tools::Table(table)) => {
                    let tool = table.tools.get(&number).cloned().ok_or_else(|| {
                        Failure::input(format!(
                            "{option} {number}={spec}: the tool table has no tool {number}"
                        ))
                    })?;
                    choice.numbered.insert(number, tool);
                }
                (Some(number), Tools::One(tool)) => {
                    choice.numbered.insert(number, *tool);
                }
                (None, loaded) if option == "--tool" && !has_plain => {
                    has_plain = true;
                    choice.any = Some(loaded);
                }
                (None, _) if option == "--tool" => {
                    return Err(Failure::input(format!(
                        "--tool {spec}: there is a tool for all moves already; name the numbers of the tools: --tool \
                         N=SPEC"
                    )));
                }
                (None, _) => {
                    return Err(Failure::input(format!("{option} {spec}: is no tool table")));
                }
            }
        }
        match choice.any.is_none() && choice.numbered.is_empty() {
            false => Ok(choice),
            true => Err(Failure::input(
                "there is no tool: name one with --tool SPEC, as in --tool ball:d=6,length=20, or a table with \
                 --tool-table FILE",
            )),
        }
    }

    fn get(&self, number: u32) -> Option<&Tool> {
        self.numbered.get(&number).or_else(|| self.any.as_ref()?.get(number))
    }

    /// The tools that a program moves.
    fn tools_of(&self, program: &Program, path: &Path) -> Result<BTreeMap<u32, Tool>, Failure> {
        let tool = |&number: &u32| match self.get(number) {
            Some(tool) => Ok((number, tool.clone())),
            None => {
                let first = program.moves.iter().find(|step| step.tool == number);
                let line = first.map_or(0, |step| step.line);
                let path = path.display();
                Err(Failure::input(match number {
                    0 => format!(
                        "{path}: line {line}: the program moves without having selected a tool; name the tool \
                         without a number: --tool SPEC"
                    ),
                    _ => format!(
                        "{path}: line {line}: there is no tool {number}; name it with --tool {number}=SPEC"
                    ),
                }))
            }
        };
        let numbers: BTreeSet<u32> = program.moves.iter().map(|step| step.tool).collect();
        numbers.iter().map(tool).collect()
    }
}
