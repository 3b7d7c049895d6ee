//! The arguments of a check of a tool path.

use super::bodies::{bodies, stock};
use crate::{
    arguments::{self, integer, texts},
    error::value_error,
};
use impinge::glam::DVec3;
use impinge_io::assembly::Unit;
use impinge_nc::{Body, GcodeOptions, JobOptions, Options, Rapids, Role};
use pyo3::{
    prelude::*,
    types::{PyDict, PyString},
};

/// Reads a length in millimetres: a number, or a text such as '0.01in'.
fn millimetres(name: &str, object: &Bound<'_, PyAny>) -> PyResult<f64> {
    arguments::length(name, object, |length| Ok(length.to(Unit::Millimetre)))
}

/// The largest coordinate or angle, in millimetres or degrees: that of the command.
const LARGEST: f64 = 1e9;

/// Reads numbers of which there are three or six.
fn numbers(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let values: Vec<f64> = object.extract()?;
    match values.iter().find(|value| value.is_nan() || value.abs() > LARGEST) {
        None => Ok(values),
        Some(bad) => {
            Err(value_error(format!("{name} holds {bad}, not a number up to {LARGEST:e}")))
        }
    }
}

/// Reads a point: three numbers in millimetres.
fn point(name: &str, object: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    match numbers(name, object)?[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err(value_error(format!("{name}: expected X, Y, Z in millimetres"))),
    }
}

/// Reads X, Y, Z in millimetres, and A, B, C in degrees if they are given.
fn axes(name: &str, object: &Bound<'_, PyAny>) -> PyResult<[f64; 6]> {
    match numbers(name, object)?[..] {
        [x, y, z] => Ok([x, y, z, 0.0, 0.0, 0.0]),
        [x, y, z, a, b, c] => Ok([x, y, z, a.to_radians(), b.to_radians(), c.to_radians()]),
        _ => Err(value_error(format!(
            "{name}: expected X, Y, Z in millimetres, or X, Y, Z, A, B, C with degrees"
        ))),
    }
}

/// Reads specifications of tools: one, several, or a dictionary of them by number.
fn tools(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let Ok(tools) = value.cast::<PyDict>() else { return texts(value) };
    let tool = |(number, spec): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let number: u32 = integer("the number of a tool", "from 0 to 4294967295", &number)?;
        Ok(format!("{number}={}", spec.extract::<String>()?))
    };
    tools.iter().map(tool).collect()
}

/// Everything that a check is given.
pub(super) struct Arguments {
    pub(super) job: JobOptions,
    pub(super) check: Options,
    /// The unit of meshes, and of files that do not name one.
    pub(super) part_unit: Option<Unit>,
    /// Stock and fixtures.
    pub(super) around: Vec<Body>,
}

impl Arguments {
    pub(super) fn read(options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut job = JobOptions { gcode: GcodeOptions::default(), ..JobOptions::default() };
        let mut check = Options::default();
        let mut part_unit = None;
        let mut around = Vec::new();
        if let Some(unit) = options.get_item("part_unit")?.filter(|unit| !unit.is_none()) {
            part_unit = crate::assembly::unit(Some(&unit.extract::<String>()?))?;
        }
        for (name, value) in options {
            if value.is_none() {
                continue;
            }
            match &*name.extract::<String>()? {
                "tool" => {
                    let choice = |spec: &String| spec.parse().map_err(value_error);
                    job.tools = tools(&value)?.iter().map(choice).collect::<PyResult<_>>()?;
                }
                "tool_table" => job.tool_table = Some(value.extract()?),
                "machine" => job.machine = Some(value.extract()?),
                "origin" => job.origin = point("origin", &value)?,
                "start" => job.gcode.start = Some(point("start", &value)?),
                "home" => job.gcode.home = Some(axes("home", &value)?),
                "offsets" => {
                    for (name, place) in value.cast::<PyDict>()? {
                        let name: String = name.extract()?;
                        let number = impinge_nc::program::gcode::work_offset_number(&name);
                        let number = number.ok_or_else(|| {
                            value_error(format!(
                                "{name} is no coordinate system; they are G54 to G59.3"
                            ))
                        })?;
                        job.gcode.offsets.insert(number, axes(&name, &place)?);
                    }
                }
                "block_delete" => job.gcode.block_delete = value.extract()?,
                "allow_unknown" => job.gcode.allow_unknown = value.extract()?,
                "rapids" => {
                    job.gcode.rapids = match &*value.extract::<String>()? {
                        "straight" => Rapids::Straight,
                        "dogleg" => Rapids::Dogleg,
                        "both" => Rapids::Both,
                        other => {
                            return Err(value_error(format!(
                                "rapids is 'straight', 'dogleg' or 'both', not '{other}'"
                            )));
                        }
                    }
                }
                "program_unit" => {
                    job.gcode.unit = match &*value.extract::<String>()? {
                        "mm" => Unit::Millimetre,
                        "in" => Unit::Inch,
                        other => {
                            return Err(value_error(format!(
                                "program_unit is 'mm' or 'in', not '{other}'"
                            )));
                        }
                    }
                }
                "part_unit" => {}
                "stock" => around.append(&mut stock(&value, part_unit)?),
                // One file, or several bodies.
                "fixtures" if value.is_instance_of::<PyString>() => {
                    around.append(&mut bodies(&value, Role::Fixture, part_unit)?.1);
                }
                "fixtures" => {
                    for fixture in value.try_iter()? {
                        around.append(&mut bodies(&fixture?, Role::Fixture, part_unit)?.1);
                    }
                }
                "stock_to_leave" => check.stock_to_leave = millimetres("stock_to_leave", &value)?,
                "clearance" => check.clearance = millimetres("clearance", &value)?,
                "tolerance" => check.tolerance = millimetres("tolerance", &value)?,
                other => return Err(value_error(format!("nc has no option '{other}'"))),
            }
        }
        // A tolerance that is not a number passes no comparison.
        let is_usable = check.tolerance >= 1e-9 && check.tolerance.is_finite();
        let is_length = |length: f64| length >= 0.0 && length.is_finite();
        if !is_usable || !is_length(check.stock_to_leave) || !is_length(check.clearance) {
            return Err(value_error(
                "tolerance must be at least 1e-9 mm, stock_to_leave and clearance at least 0",
            ));
        }
        Ok(Self { job, check, part_unit, around })
    }
}
