//! Clash checks on a Ray cluster: the option `--ray`.
//!
//! The cluster itself is a matter of the Python package, which calls [`run_on`](crate::run_on) with it. The program
//! without Python hands the whole command over to Python.

use crate::failure::Failure;
use impinge_clash::{Outcome, Plan};
use impinge_io::assembly::{Assembly, LoadOptions};
use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    path::PathBuf,
    process::{Command, Stdio},
    sync::Arc,
};

/// Where clash checks with the option `--ray` are done.
pub trait Cluster: Sync {
    /// Reads files where they are needed, and returns the [outline](Assembly::outline) of their assembly; `None` if they
    /// have to be read here. `proceed` returns whether to continue.
    ///
    /// # Errors
    /// If the cluster cannot be reached, a file cannot be read, or `proceed` ended the reading.
    fn load(
        &self,
        address: &str,
        files: &[PathBuf],
        options: &LoadOptions,
        proceed: Arc<dyn Fn() -> bool + Send + Sync>,
    ) -> Result<Option<Assembly>, ClusterError>;

    /// Checks the pairs of a plan. `proceed` is told the number of pairs that were checked and that of all pairs, and
    /// returns whether to continue.
    ///
    /// # Errors
    /// If the cluster cannot be reached, a task failed, or `proceed` ended the check.
    fn find(
        &self,
        address: &str,
        plan: Plan,
        proceed: &(dyn Fn(u64, u64) -> bool + Sync),
    ) -> Result<Outcome, ClusterError>;
}

/// Why a check on a cluster failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClusterError {
    /// The check was interrupted.
    Stopped,
    /// Anything else.
    Failed(String),
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Stopped => impinge_clash::Error::Stopped.into(),
            ClusterError::Failed(message) => Self::Input(message),
        }
    }
}

/// Tells by its exit code whether the Python package and Ray are installed.
const PROBE: &str = "\
import importlib.util, sys
def has(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False
sys.exit(0 if has('impinge.ray') and has('ray') else 11 if has('impinge.ray') else 10)";

/// Hands a command over to Python: `$IMPINGE_PYTHON`, or else `python3`. Returns its exit code, or does not return at all:
/// on Unix, Python takes the place of this process, so that signals reach it and nothing else.
pub(crate) fn hand_over(arguments: &[OsString]) -> Result<u8, Failure> {
    let chosen = env::var_os("IMPINGE_PYTHON").filter(|python| !python.is_empty());
    let python = chosen.unwrap_or_else(|| "python3".into());
    let name = python.to_string_lossy().into_owned();
    let advice = "IMPINGE_PYTHON names the Python to use";
    let failed = |why: &str| Failure::input(format!("--ray: {why} ({advice})"));
    let probe = Command::new(&python)
        .args([OsStr::new("-c"), OsStr::new(PROBE)])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| failed(&format!("{name} cannot be run: {error}")))?;
    match probe.code() {
        Some(0) => {}
        Some(11) => return Err(failed(&format!("{name} has no package ray; `pip install ray`"))),
        _ => {
            return Err(failed(&format!(
                "{name} has no package impinge; `pip install '.[ray]'` in a checkout of impinge"
            )));
        }
    }
    let mut command = Command::new(&python);
    command.args(["-m", "impinge.ray"]).args(arguments.iter().skip(1));
    run(&mut command).map_err(|error| failed(&format!("{name} cannot be run: {error}")))
}

#[cfg(unix)]
fn run(command: &mut Command) -> io::Result<u8> {
    use std::os::unix::process::CommandExt;
    // Returns only if the program cannot be run.
    Err(command.exec())
}

#[cfg(not(unix))]
fn run(command: &mut Command) -> io::Result<u8> {
    let status = command.status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2))
}
