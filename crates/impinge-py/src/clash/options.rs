//! The options of a check, from keyword arguments.

use crate::{
    arguments::{self, integer, texts},
    error::{io_error, value_error},
};
use impinge_clash::{Baseline, CheckOptions, Pattern, ReviewFile, Rule, SameGroup, Sort, Verdicts};
use impinge_io::assembly::Unit;
use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use std::path::PathBuf;

/// Reads a length: a number in the unit of the assembly, or a text such as '0.5mm'.
fn length(name: &str, object: &Bound<'_, PyAny>, units: Option<Unit>) -> PyResult<f64> {
    let length = arguments::length(name, object, |length| {
        length.within(units).ok_or_else(|| {
            value_error(format!(
                "{name}: the length has a unit, but that of the assembly is not known; give a number, or the unit of \
                 the assembly"
            ))
        })
    })?;
    arguments::distance(name, length)?;
    Ok(length)
}

fn verdicts(text: &str) -> PyResult<Verdicts> {
    text.parse().map_err(value_error)
}

/// The options of a check, from keyword arguments.
pub(crate) fn options_of(
    options: Option<&Bound<'_, PyDict>>,
    units: Option<Unit>,
) -> PyResult<CheckOptions> {
    let mut check = CheckOptions::default();
    let Some(options) = options else { return Ok(check) };
    for (name, value) in options {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        match &*name {
            "touch" => check.touch = Some(length("touch", &value, units)?),
            "clearance" => check.clearance = length("clearance", &value, units)?,
            "quick" => check.is_quick = value.extract()?,
            "ignore" => {
                let rules = texts(&value)?;
                let rule = |text: &String| {
                    text.parse::<Rule>()
                        .map_err(|error| value_error(format!("ignore: `{text}`: {error}")))
                };
                check.pairs.ignore = rules.iter().map(rule).collect::<PyResult<_>>()?;
            }
            "only" => check.pairs.only = verdicts(&texts(&value)?.join(","))?,
            "between" => {
                let groups = match value.extract::<[String; 2]>() {
                    Ok(pair) => vec![pair],
                    Err(_) => value.extract().map_err(|error: PyErr| {
                        match error.is_instance_of::<PyValueError>(value.py()) {
                            true => value_error("between is two names, or several pairs of names"),
                            false => error,
                        }
                    })?,
                };
                let pair = |[a, b]: [String; 2]| [Pattern::new(a), Pattern::new(b)];
                check.pairs.between = groups.into_iter().map(pair).collect();
            }
            "same_group" => {
                check.pairs.same_group = match &*value.extract::<String>()? {
                    "skip" => Some(SameGroup::Skip),
                    "only" => Some(SameGroup::Only),
                    other => {
                        return Err(value_error(format!(
                            "same_group is 'skip' or 'only', not '{other}'"
                        )));
                    }
                }
            }
            "group_level" => {
                let level = integer("group_level", "a positive number", &value)?;
                check.pairs.group_level = Some(level);
            }
            "adjacent" => check.pairs.adjacent = value.extract()?,
            "allow" => {
                let mut rest = Vec::new();
                for text in texts(&value)? {
                    match &*text {
                        "known" => check.listing.allowed.known = true,
                        "approved" => check.listing.allowed.approved = true,
                        _ => rest.push(text),
                    }
                }
                if !rest.is_empty() {
                    check.listing.allowed.verdicts = verdicts(&rest.join(","))?;
                }
            }
            "baseline" => {
                let path: PathBuf = value.extract()?;
                check.listing.baseline = Some(Baseline::load(path).map_err(io_error)?);
            }
            "review" => {
                let path: PathBuf = value.extract()?;
                check.listing.review = Some(match path.exists() {
                    true => ReviewFile::load(path).map_err(io_error)?,
                    false => ReviewFile::default(),
                });
            }
            "sort" => {
                check.listing.sort = match &*value.extract::<String>()? {
                    "severity" => Sort::Severity,
                    "depth" => Sort::Depth,
                    "distance" => Sort::Distance,
                    "name" => Sort::Name,
                    other => {
                        return Err(value_error(format!(
                            "sort is 'severity', 'depth', 'distance' or 'name', not '{other}'"
                        )));
                    }
                }
            }
            "limit" => {
                check.listing.limit = Some(integer("limit", "a number of clashes", &value)?);
            }
            "totals" => check.listing.with_totals = value.extract()?,
            other => return Err(value_error(format!("clash has no option '{other}'"))),
        }
    }
    Ok(check)
}
