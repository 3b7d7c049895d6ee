//! `cargo xtask kernels`: counts the instructions of the bench `kernels` under valgrind, and compares them
//! with those on record.

mod record;

use crate::{
    command::{cargo, output_of, rust_version, target},
    provide,
    step::Outcome,
};
use record::{Change, Record};
use serde_json::Value;
use std::{collections::BTreeMap, fs, path::Path, process::Command};

const FILE: &str = "crates/impinge-bench/kernels.toml";

/// What to do with the counts.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Fail where a kernel has grown by much.
    Compare,
    /// Put them on record, to be compared with from now on.
    Record,
}

pub(crate) fn run(root: &Path, then: Then) -> Outcome {
    let runner = provide::program("valgrind", "valgrind").and_then(|()| provide::gungraun(root));
    let runner = match runner {
        Ok(runner) => runner,
        Err(why) => return Outcome::LeftOut(why),
    };
    let result = count(root, &runner).and_then(|now| match then {
        Then::Compare => compare(root, &now),
        Then::Record => replace(root, &now),
    });
    result.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

fn compare(root: &Path, now: &Record) -> Result<(), String> {
    let before = read(root)?;
    let changes = now.changes(&before);
    show("All kernels", changes.iter());
    let other = now.other_origin(&before);
    if !other.is_empty() {
        println!("\nCounted with {other}: changes may come from that.");
    }
    let less = changes.iter().filter(|change| change.has_shrunk());
    show("Less than on record (`cargo xtask kernels --record` makes it stay so)", less);
    let failures: Vec<&Change> = changes.iter().filter(|change| change.fails()).collect();
    show("More than on record, or not to be compared", failures.iter().copied());
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} of {} kernels; if there is a good reason, `cargo xtask kernels --record`",
        failures.len(),
        changes.len()
    ))
}

fn replace(root: &Path, now: &Record) -> Result<(), String> {
    // What cannot be read is to be replaced all the more.
    let before = read(root).unwrap_or_default();
    show("All kernels", now.changes(&before).iter());
    fs::write(root.join(FILE), now.to_string()).map_err(|error| format!("{FILE}: {error}"))?;
    println!("\n{FILE} is up to date; let the commit say why it changed");
    Ok(())
}

fn read(root: &Path) -> Result<Record, String> {
    let text = fs::read_to_string(root.join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    Record::parse(&text).map_err(|why| format!("{FILE}: {why}"))
}

fn show<'c>(heading: &str, changes: impl Iterator<Item = &'c Change>) {
    let lines: Vec<String> = changes.map(|change| format!("  {change}")).collect();
    if !lines.is_empty() {
        println!("\n{heading}:\n{}", lines.join("\n"));
    }
}

/// Runs all kernels under valgrind.
fn count(root: &Path, runner: &Path) -> Result<Record, String> {
    let arguments = ["bench", "-p", "impinge-bench", "--bench", "kernels", "--"];
    let arguments = [
        &arguments[..],
        &["--output-format=json", "--parallel=auto", "--callgrind-args=--cache-sim=no"],
    ]
    .concat();
    let lines = output_of(cargo(root, &arguments).env("GUNGRAUN_RUNNER", runner))?;
    let counts = lines.lines().map(|line| kernel(line).ok_or(line));
    let counts: Result<BTreeMap<_, _>, _> = counts.collect();
    let counts = counts.map_err(|line| format!("gungraun says what we cannot read: {line}"))?;
    if counts.is_empty() {
        return Err("gungraun counted nothing".to_owned());
    }
    Ok(Record { origin: origin(root)?, counts })
}

/// A kernel's name and count, from what gungraun says of it.
fn kernel(line: &str) -> Option<(String, u64)> {
    let summary: Value = serde_json::from_str(line).ok()?;
    let part = |name| summary.get(name)?.as_str();
    let count = summary.pointer("/profiles/0/data/total/metrics/Ir/values/new")?.as_u64()?;
    Some((format!("{}.{}", part("function_name")?, part("id")?), count))
}

/// What counts depend on besides the code.
fn origin(root: &Path) -> Result<BTreeMap<String, String>, String> {
    // Which instructions there are as seen from within valgrind, which does not know all.
    let build = ["build", "--release", "-p", "impinge-bench", "--example", "lanes"];
    output_of(&mut cargo(root, &build))?;
    let lanes = target()?.join("release/examples/lanes");
    let lanes = output_of(Command::new("valgrind").args(["--quiet", "--tool=none"]).arg(lanes))?;
    let valgrind = output_of(Command::new("valgrind").arg("--version"))?;
    let all = [("lanes", lanes), ("rust", rust_version()), ("valgrind", valgrind)];
    Ok(all.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).into())
}
