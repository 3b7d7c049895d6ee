//! `cargo xtask step`: the program that reads STEP files. It is C++, because OpenCASCADE is.

use crate::{
    command, provide,
    step::{self, Outcome},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

const NAME: &str = "impinge-step";

/// Where OpenCASCADE's headers are, on Debian and elsewhere.
const HEADERS: [&str; 3] = [
    "/usr/include/opencascade",
    "/usr/local/include/opencascade",
    "/opt/homebrew/include/opencascade",
];

const PACKAGE: &str = "libocct-data-exchange-dev";

/// Those of OpenCASCADE 7.6 that are called by name; they bring the others.
const LIBRARIES: [&str; 13] = [
    "TKernel",
    "TKMath",
    "TKBRep",
    "TKG3d",
    "TKGeomBase",
    "TKTopAlgo",
    "TKMesh",
    "TKXSBase",
    "TKSTEP",
    "TKSTEPBase",
    "TKXDESTEP",
    "TKXCAF",
    "TKLCAF",
];

/// Builds the program, unless it is newer than its sources, and puts it beside `impinge`.
pub(crate) fn build(root: &Path) -> Result<PathBuf, String> {
    let compiler = env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    provide::program(&compiler, "g++")?;
    let headers = headers()?;
    let (sources, changed) = sources(&root.join("tools/step"))?;
    let target = command::target()?;
    let program = target.join("tools").join(NAME);
    let built = fs::metadata(&program).and_then(|file| file.modified());
    if built.is_ok_and(|built| built > changed) {
        return Ok(program);
    }
    let cannot = |error: std::io::Error| format!("{}: {error}", program.display());
    fs::create_dir_all(target.join("tools")).map_err(cannot)?;
    let mut command = Command::new(compiler);
    command.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-isystem"]).arg(&headers);
    command.args(&sources).arg("-o").arg(&program);
    if let Some(prefix) = headers.ancestors().nth(2) {
        command.arg("-L").arg(prefix.join("lib"));
    }
    command.args(LIBRARIES.map(|library| format!("-l{library}")));
    println!("$ {command:?}");
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("the compiler ended with {status}")),
        Err(error) => return Err(format!("the compiler did not start: {error}")),
    }
    for profile in ["debug", "release"] {
        let copy = target.join(profile).join(NAME);
        fs::create_dir_all(target.join(profile)).map_err(cannot)?;
        // One that is running cannot be written to, but replaced.
        let _ = fs::remove_file(&copy);
        fs::copy(&program, &copy).map_err(cannot)?;
        println!("built {}", copy.display());
    }
    Ok(program)
}

/// Builds the program and runs the tests that need it.
pub(crate) fn check(root: &Path) -> Outcome {
    let program = match build(root) {
        Ok(program) => program,
        Err(why) => return Outcome::LeftOut(why),
    };
    let arguments =
        ["checked", "--workspace", "--test", "suite", "step::", "--", "--include-ignored"];
    step::cargo(root, &arguments, &[("IMPINGE_STEP", &program.to_string_lossy())])
}

fn headers() -> Result<PathBuf, String> {
    let find = || HEADERS.map(PathBuf::from).into_iter().find(|path| path.is_dir());
    if let Some(path) = find() {
        return Ok(path);
    }
    provide::apt_install(PACKAGE);
    find().ok_or_else(|| {
        format!("OpenCASCADE is missing; on Debian `apt-get install {PACKAGE}` installs it")
    })
}

/// The files to compile, and when any file of the program was changed last.
fn sources(folder: &Path) -> Result<(Vec<PathBuf>, SystemTime), String> {
    let cannot = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut changed = SystemTime::UNIX_EPOCH;
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let modified = entry.metadata().and_then(|file| file.modified()).map_err(cannot)?;
        changed = changed.max(modified);
        if entry.path().extension().is_some_and(|extension| extension == "cpp") {
            sources.push(entry.path());
        }
    }
    sources.sort_unstable();
    Ok((sources, changed))
}
