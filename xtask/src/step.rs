//! What is checked: each step a command, and what to do where its tool is missing.
//!
//! All steps compile in the release profile, so that crates of others are compiled once. Tests switch checks on in our
//! own crates (`cargo checked`, see `.cargo/config.toml`). They are always selected with `--workspace`, because
//! cargo would compile again with other features for a single crate.

use crate::{
    command,
    kernels::{self, Then},
    opencascade, package, page, provide, python, readme,
};
use std::{fs, path::Path};

/// One thing to check.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    check: Check,
}

enum Check {
    /// A cargo command with its environment.
    Cargo {
        arguments: &'static [&'static str],
        environment: &'static [(&'static str, &'static str)],
    },
    /// A program that tests run.
    Program { program: &'static str, package: &'static str },
    /// A cargo command that needs a component of the toolchain.
    Component { component: &'static str, arguments: &'static [&'static str] },
    /// That every crate to be published can be packaged.
    Packages,
    /// The programs in the library's `examples` folder, each of which asserts what it shows.
    Examples,
    /// The commands that the README promises.
    Readme,
    /// The tests that need the program that reads STEP files.
    Opencascade,
    /// The Python package, as a wheel in a fresh virtual environment.
    Python,
    /// That no kernel takes more instructions than are on record.
    Kernels,
    /// That the report page is what its sources make, and works in a browser.
    Page,
}

pub(crate) enum Outcome {
    Passed,
    Failed(String),
    LeftOut(String),
}

impl Step {
    pub(crate) fn all() -> Vec<Self> {
        let cargo = |arguments, environment| Check::Cargo { arguments, environment };
        vec![
            Self {
                name: "format",
                check: Check::Component {
                    component: "rustfmt",
                    arguments: &["fmt", "--all", "--check"],
                },
            },
            Self {
                name: "lints",
                check: Check::Component {
                    component: "clippy",
                    arguments: &[
                        "clippy",
                        "--release",
                        "--config=profile.release.debug-assertions=true",
                        "--workspace",
                        "--all-targets",
                        "--",
                        "-D",
                        "warnings",
                    ],
                },
            },
            Self {
                name: "terminal tests (need `script`)",
                check: Check::Program { program: "script", package: "bsdutils" },
            },
            Self { name: "tests", check: cargo(&["checked", "--workspace"], &[]) },
            Self {
                name: "docs",
                check: cargo(
                    &["doc", "--release", "--workspace", "--no-deps", "--lib"],
                    &[("RUSTDOCFLAGS", "-D warnings")],
                ),
            },
            Self { name: "packages", check: Check::Packages },
            Self { name: "examples", check: Check::Examples },
            Self { name: "README", check: Check::Readme },
            Self { name: "STEP", check: Check::Opencascade },
            Self { name: "Python", check: Check::Python },
            Self { name: "kernels", check: Check::Kernels },
            Self { name: "page", check: Check::Page },
        ]
    }

    pub(crate) fn quick() -> Vec<Self> {
        let environment = &[
            ("IMPINGE_PAIRS", "2000"),
            ("IMPINGE_MOTIONS", "40"),
            ("IMPINGE_FUZZ_SECONDS", "0.3"),
        ];
        let check = Check::Cargo { arguments: &["checked", "--workspace"], environment };
        vec![Self { name: "tests", check }]
    }

    pub(crate) fn run(&self, root: &Path) -> Outcome {
        match &self.check {
            Check::Cargo { arguments, environment } => cargo(root, arguments, environment),
            Check::Component { component, arguments } => {
                if let Err(why) = provide::component(component) {
                    return Outcome::LeftOut(why);
                }
                cargo(root, arguments, &[])
            }
            Check::Program { program, package } => match provide::program(program, package) {
                Ok(()) => Outcome::Passed,
                Err(why) => Outcome::LeftOut(why),
            },
            Check::Packages => package::check(root),
            Check::Examples => examples(root),
            Check::Readme => readme::check(root),
            Check::Opencascade => opencascade::check(root),
            Check::Python => python::check(root),
            Check::Kernels => kernels::run(root, Then::Compare),
            Check::Page => page::run(root, page::Then::Check),
        }
    }
}

/// Runs every example of the library, in the profile in which tests have compiled it already.
fn examples(root: &Path) -> Outcome {
    let folder = root.join("crates/impinge/examples");
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => return Outcome::Failed(format!("{}: {error}", folder.display())),
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    names.sort_unstable();
    if names.is_empty() {
        return Outcome::Failed(format!("{} has no examples", folder.display()));
    }
    for name in &names {
        let arguments = ["run", "--release", "--quiet", "-p", "impinge", "--example", name];
        let outcome = cargo(root, &arguments, &[]);
        if !matches!(outcome, Outcome::Passed) {
            return outcome;
        }
    }
    Outcome::Passed
}

/// Runs cargo, the same that runs us.
pub(crate) fn cargo(root: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let shown = format!("cargo {}", arguments.join(" "));
    let status = command::cargo(root, arguments).envs(environment.iter().copied()).status();
    match status {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(format!("`{shown}` ended with {status}")),
        Err(error) => Outcome::Failed(format!("`{shown}` did not start: {error}")),
    }
}
