//! `cargo xtask kernels`: counts the instructions of the kernels in `impinge-kernels` under valgrind, and compares
//! them with those on record.
//!
//! Counts are compared in earnest only where compiler, valgrind and instruction set are those on record. Elsewhere
//! differences are shown and nothing fails.

mod record;

use crate::{
    command::{cargo, output_of, rust_version, target},
    provide,
    step::Outcome,
};
use record::{Change, Record, Verdict};
use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

const FILE: &str = "crates/impinge-kernels/kernels.toml";

/// What to do with the counts.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// Fail where a kernel has grown by much.
    Compare,
    /// Put them on record, to be compared with from now on.
    Record,
}

pub(crate) fn run(root: &Path, then: Then) -> Outcome {
    if let Err(why) = provide::program("valgrind", "valgrind") {
        return Outcome::LeftOut(why);
    }
    let result = count(root).and_then(|now| match then {
        Then::Compare => compare(root, &now),
        Then::Record => replace(root, &now),
    });
    result.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

fn compare(root: &Path, now: &Record) -> Result<(), String> {
    let before = read(root)?;
    let changes = now.changes(&before);
    show("All kernels", changes.iter());
    let less = changes.iter().filter(|change| change.has_shrunk());
    show("Less than on record (`cargo xtask kernels --record` makes it stay so)", less);
    let more = changes.iter().filter(|change| change.fails());
    show("More than on record, or not to be compared", more);
    let verdict = now.verdict(&before);
    if let Verdict::Incomparable(why) = &verdict {
        println!("\nCounted with {why}: a difference may come from that, so none is an error.");
    }
    verdict.into_result()
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

/// Counts the instructions of every kernel, each in a process of its own.
fn count(root: &Path) -> Result<Record, String> {
    output_of(&mut cargo(root, &["build", "--release", "-p", "impinge-kernels"]))?;
    let target = target()?;
    let program = target.join("release/impinge-kernels");
    let files = target.join("kernels");
    fs::create_dir_all(&files).map_err(|error| format!("{}: {error}", files.display()))?;
    let names = output_of(Command::new(&program).arg("--list"))?;
    let names: Vec<&str> = names.lines().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counts = Vec::new();
        while let Some(&name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            counts.push((name.to_owned(), instructions(&program, name, &files)?));
        }
        Ok(counts)
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let counts: Result<Vec<Vec<_>>, String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| worker.join().expect("no panic");
        workers.into_iter().map(join).collect()
    });
    Ok(Record { origin: origin(&program)?, counts: counts?.into_iter().flatten().collect() })
}

/// Runs one kernel under callgrind. Returns the instructions that it took.
fn instructions(program: &Path, kernel: &str, files: &Path) -> Result<u64, String> {
    let file = files.join(kernel);
    let file = file.to_str().ok_or("valgrind cannot be told the folder to write to")?;
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--quiet", "--tool=callgrind", "--toggle-collect=impinge_kernels::counted"])
        .arg(format!("--callgrind-out-file={file}"))
        .arg(program)
        .arg(kernel)
        // Every process finds the same on its stack.
        .env_clear()
        .envs(env::var_os("PATH").map(|path| ("PATH", path)));
    output_of(&mut valgrind)?;
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    match totals(&text) {
        Some(count) if count > 0 => Ok(count),
        _ => Err(format!("{file} says nothing of the instructions of {kernel}")),
    }
}

/// The sum of all instructions in a file that callgrind wrote.
fn totals(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok()
}

/// What counts depend on besides the code.
fn origin(program: &Path) -> Result<BTreeMap<String, String>, String> {
    // As seen from within valgrind, which does not know all instructions.
    let lanes = ["--quiet", "--tool=none"];
    let lanes = output_of(Command::new("valgrind").args(lanes).arg(program).arg("--lanes"))?;
    let valgrind = output_of(Command::new("valgrind").arg("--version"))?;
    let all = [("lanes", lanes), ("rust", rust_version()), ("valgrind", valgrind)];
    Ok(all.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callgrind_says_how_many_instructions() {
        let file = "version: 1\nevents: Ir\nfn=(1) f\n3 4\n\ntotals: 1234\n";
        assert_eq!(totals(file), Some(1234));
        assert_eq!(totals("events: Ir\n"), None);
        assert_eq!(totals("totals: many\n"), None);
    }
}
