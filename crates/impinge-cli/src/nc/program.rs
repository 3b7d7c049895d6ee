//! The program of `impinge nc`, and the tools that it uses.

use super::arguments::Reading;
use crate::{failure::Failure, progress};
use impinge_nc::{GcodeOptions, Job, JobError, JobOptions, ToolChoice, demo};
use std::path::Path;

/// Loads a program and the tools that it uses.
pub(super) fn load(path: &Path, reading: &Reading) -> Result<Job, Failure> {
    let label = format!("reading {}", path.display());
    progress::with_spinner(&label, || Job::load(path, &options(reading))).map_err(failure)
}

/// The built-in example, with its own tools unless others are named.
pub(super) fn example(reading: &Reading) -> Result<Job, Failure> {
    let mut options = options(reading);
    if options.tools.is_empty() && options.tool_table.is_none() {
        let own = demo::TOOLS.map(|(number, spec)| (Some(number), spec.to_owned()));
        options.tools = own.map(|(number, spec)| ToolChoice { number, spec }).into();
    }
    options.gcode.start = options.gcode.start.or(Some(demo::START));
    Job::read(demo::PROGRAM.to_owned(), demo::PROGRAM_NAME, &options).map_err(failure)
}

fn options(reading: &Reading) -> JobOptions {
    let mut gcode = GcodeOptions::default();
    gcode.allow_unknown = reading.allow_unknown;
    gcode.rapids = reading.rapids.into();
    gcode.unit = reading.program_unit.into();
    gcode.start = reading.start;
    gcode.offsets = reading.offset.iter().copied().collect();
    gcode.home = reading.home;
    gcode.block_delete = reading.block_delete;
    JobOptions {
        tools: reading.tool.clone(),
        tool_table: reading.tool_table.clone(),
        machine: reading.machine.clone(),
        origin: reading.origin,
        gcode,
    }
}

/// Says which option helps.
fn failure(error: JobError) -> Failure {
    Failure::Input(match error {
        JobError::Tool(error) => format!("--tool {error}"),
        JobError::Table(error) => format!("--tool-table {error}"),
        JobError::NoTool => {
            "there is no tool: name one with --tool SPEC, as in --tool ball:d=6,length=20, or a table with --tool-table FILE"
                .to_owned()
        }
        JobError::SecondTool(_) => format!("--tool {error}: --tool N=SPEC"),
        JobError::NotATable(_) => format!("--tool-table {error}"),
        JobError::NotInTable { .. } => format!("--tool {error}"),
        JobError::NothingSelected { .. } => format!("{error}: --tool SPEC"),
        JobError::UnknownTool { number, .. } => {
            format!("{error}; name it with --tool {number}=SPEC")
        }
        error => error.to_string(),
    })
}
