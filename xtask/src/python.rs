//! `cargo xtask python`: the Python package. Builds the wheel as `pip install .` does, installs it in a fresh virtual
//! environment, and checks format, lints, types and tests.

use crate::{command, opencascade, provide, step::Outcome};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The folder of the package's crate.
const FOLDER: &str = "crates/impinge-py";

/// A virtual environment with the wheel installed.
pub(crate) struct Environment {
    root: PathBuf,
    folder: PathBuf,
    /// The program that reads STEP files, for the tests that compare with it.
    step: Option<PathBuf>,
}

impl Environment {
    /// Makes a fresh one in a folder of the target folder, without the package.
    pub(crate) fn fresh(root: &Path, name: &str) -> Result<Self, String> {
        provide::program("python3", "python3-venv")?;
        let folder = command::target()?.join(name);
        let cannot = |error: std::io::Error| format!("{}: {error}", folder.display());
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(cannot)?;
        }
        fs::create_dir_all(&folder).map_err(cannot)?;
        let made = Self { root: root.to_owned(), folder, step: None };
        let at = made.folder.join("venv");
        run(Command::new("python3").args(["-m", "venv"]).arg(&at), root)?;
        Ok(made)
    }

    /// Builds the wheel, and installs it with the packages of a requirements file in the folder of the crate.
    pub(crate) fn install(&self, requirements: &str) -> Result<(), String> {
        let wheels = self.folder.join("wheels");
        let wheels =
            wheels.to_str().ok_or("the folder of wheels has no name that pip can be told")?;
        self.python(&["-m", "pip", "--quiet", "wheel", ".", "--no-deps", "--wheel-dir", wheels])?;
        let requirements = format!("{FOLDER}/{requirements}");
        let wheel = fs::read_dir(wheels)
            .ok()
            .and_then(|mut files| files.next()?.ok())
            .ok_or_else(|| format!("pip has put no wheel into {wheels}"))?;
        let wheel = wheel.path().to_string_lossy().into_owned();
        self.python(&["-m", "pip", "--quiet", "install", &wheel, "--requirement", &requirements])
    }

    /// Runs Python in the workspace.
    pub(crate) fn python(&self, arguments: &[&str]) -> Result<(), String> {
        let python = self.folder.join("venv/bin/python");
        let mut command = Command::new(python);
        // Without this, pip would tell of newer versions of itself.
        command.args(arguments).env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        if let Some(step) = &self.step {
            command.env("IMPINGE_STEP", step);
        }
        run(&mut command, &self.root)
    }
}

/// Builds the wheel and checks it.
pub(crate) fn check(root: &Path) -> Outcome {
    let mut environment = match Environment::fresh(root, "python") {
        Ok(environment) => environment,
        Err(why) => return Outcome::LeftOut(why),
    };
    // Without it, the tests that need it are skipped, but they fail in CI.
    match opencascade::build(root) {
        Ok(program) => environment.step = Some(program),
        Err(why) => println!("no reader of STEP files: {why}"),
    }
    let checks: [&[&str]; 4] = [
        &["-m", "ruff", "format", "--check", FOLDER],
        &["-m", "ruff", "check", FOLDER],
        &["-m", "mypy", "--strict", "-p", "impinge"],
        &["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "crates/impinge-py/tests"],
    ];
    let checked = environment
        .install("tests/requirements.txt")
        .and_then(|()| checks.iter().try_for_each(|check| environment.python(check)));
    checked.map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

fn run(command: &mut Command, folder: &Path) -> Result<(), String> {
    println!("$ {command:?}");
    match command.current_dir(folder).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(error) => Err(format!("{command:?} did not start: {error}")),
    }
}
