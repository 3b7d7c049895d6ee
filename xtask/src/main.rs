//! The project's own chores: `cargo xtask test`, `bench`, `compare`, `kernels`, `page`, `pictures`,
//! `python`, `python-docs`, `step`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

#[cfg(test)]
mod arrows;
mod bench;
mod clock;
mod command;
mod compare;
mod kernels;
mod opencascade;
mod package;
mod page;
mod pictures;
mod provide;
mod python;
mod python_docs;
mod readme;
mod step;

use clock::Stopwatch;
use kernels::Then;
use std::{env, path::Path, process::ExitCode};
use step::{Outcome, Step};

const USAGE: &str = "\
usage: cargo xtask test [--quick]
       cargo xtask bench [NAME…]
       cargo xtask compare [OPTION…]
       cargo xtask kernels [--record]
       cargo xtask page [--keep]
       cargo xtask pictures
       cargo xtask python
       cargo xtask python-docs
       cargo xtask step

  test           everything that CI checks: format, lints, all tests, docs, packages, the README's commands,
                 STEP files, the Python package, the instructions that kernels take, the report page in a browser
  test --quick   the tests alone, with fewer pairs and less fuzzing: for the loop at the desk
  bench          runs the comparisons, all or those named, and writes docs/benchmarks.md
  compare        runs `impinge bench`, with its options, beside parry3d
  kernels        counts the instructions that kernels take, and fails if one takes 3 % more than are on
                 record for the same compiler, valgrind and instruction set; --record puts them on record
  page           checks the page of `impinge clash --report`: types, that it is what its sources make, and what
                 it does in a browser; --keep builds it anew and keeps it
  pictures       draws a picture of each verdict of `impinge clash`, for docs/clash.md
  python         builds the Python package, installs it in a fresh virtual environment, and runs its tests
  python-docs    builds the documentation site of the Python package into target/python-docs, and checks its links
  step           builds impinge-step, which reads STEP files, and puts it beside impinge

Environment:
  IMPINGE_DATA   a folder of real files for the corpus tests; they are left out without it
  CI=true        nothing may be left out for want of a tool";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["test"] => test(&Step::all()),
        ["test", "--quick"] => test(&Step::quick()),
        ["bench", ref names @ ..] => exit(bench::run(root(), names)),
        ["compare", ref options @ ..] => exit(compare::run(root(), options)),
        ["kernels"] => exit(required(kernels::run(root(), Then::Compare))),
        ["kernels", "--record"] => exit(required(kernels::run(root(), Then::Record))),
        ["page"] => exit(required(page::run(root(), page::Then::Check))),
        ["page", "--keep"] => exit(required(page::run(root(), page::Then::Keep))),
        ["pictures"] => exit(pictures::run(root())),
        ["python"] => exit(required(python::check(root()))),
        ["python-docs"] => exit(python_docs::build(root())),
        ["step"] => exit(opencascade::build(root()).map(|_| ())),
        ["--help" | "-h" | "help"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn exit(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// By itself a step is not left out for want of a tool: who asks for it wants it.
fn required(outcome: Outcome) -> Result<(), String> {
    match outcome {
        Outcome::Passed => Ok(()),
        Outcome::Failed(why) | Outcome::LeftOut(why) => Err(why),
    }
}

/// The folder of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace")
}

/// Runs the steps in order, all of them even if one fails, and sums up.
fn test(steps: &[Step]) -> ExitCode {
    let root = root();
    let must_be_whole = env::var("CI").is_ok_and(|ci| ci == "true");
    let stopwatch = Stopwatch::start();
    let mut summary = Vec::new();
    let (mut passed, mut failed, mut left_out) = (0, 0, 0);
    for step in steps {
        println!("\n== {}", step.name);
        let stopwatch = Stopwatch::start();
        let outcome = step.run(root);
        let taken = stopwatch.taken();
        let line = match &outcome {
            Outcome::Passed => {
                passed += 1;
                format!("passed   {} ({taken})", step.name)
            }
            Outcome::Failed(why) => {
                failed += 1;
                format!("FAILED   {} ({taken}): {why}", step.name)
            }
            Outcome::LeftOut(why) => {
                left_out += 1;
                format!("left out {}: {why}", step.name)
            }
        };
        println!("{line}");
        summary.push(line);
    }
    println!("\n== summary\n{}", summary.join("\n"));
    let must_fail = failed > 0 || (must_be_whole && left_out > 0);
    // Real files are the caller's to bring, so doing without them is no failure.
    if env::var_os("IMPINGE_DATA").is_none_or(|data| data.is_empty()) {
        println!("left out corpus tests: IMPINGE_DATA names no folder of real files");
        left_out += 1;
    }
    println!("all steps: {}", stopwatch.taken());
    println!("steps: {passed} passed, {failed} failed, {left_out} skipped");
    if must_fail {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
