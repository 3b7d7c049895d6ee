//! Finds and runs `impinge-step`, the program that contains OpenCASCADE.

use std::{
    env, io,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The program's name, beside our own executable or in the search path of the system.
const NAME: &str = "impinge-step";

/// The environment variable that holds the path of the program.
const VARIABLE: &str = "IMPINGE_STEP";

/// The number of bytes read from the program's error output, and the number of characters shown.
const MAX_STDERR: u64 = 1 << 12;
const MAX_SHOWN: usize = 400;

/// Runs the program on a file and returns its output. The program is killed after `limit`.
pub(super) fn triangulate(
    file: &[u8],
    tolerance: Option<f64>,
    limit: Duration,
) -> Result<Vec<u8>, String> {
    run(&find(), file, tolerance, limit)
}

fn run(
    program: &Path,
    file: &[u8],
    tolerance: Option<f64>,
    limit: Duration,
) -> Result<Vec<u8>, String> {
    let mut command = Command::new(program);
    if let Some(millimetres) = tolerance {
        command.arg("--tolerance").arg(millimetres.to_string());
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!(
            "STEP files need the program `{}`, which was not found; build it with `cargo xtask step`, or \
             save the file as .glb or .stl",
            program.display()
        ),
        _ => format!("STEP files need the program `{}`, which cannot be started: {error}", program.display()),
    })?;
    let mut running = Running(child);
    let Child { stdin, stdout, stderr, .. } = &mut running.0;
    let (Some(mut stdin), Some(mut stdout), Some(stderr)) =
        (stdin.take(), stdout.take(), stderr.take())
    else {
        return Err(format!("the streams of `{NAME}` cannot be opened"));
    };
    let (mut answer, mut stderr_bytes) = (Vec::new(), Vec::new());
    let (mut read, mut status) = (Ok(0), None);
    thread::scope(|scope| {
        // The program may exit before it has read everything; its error output then says why.
        scope.spawn(move || {
            let _ = stdin.write_all(file);
        });
        scope.spawn(|| read = stdout.read_to_end(&mut answer));
        scope.spawn(|| {
            let _ = stderr.take(MAX_STDERR).read_to_end(&mut stderr_bytes);
        });
        status = running.wait(limit);
    });
    match status {
        None => Err(format!(
            "the file was not read within {} s; use a larger tolerance or a longer time limit",
            limit.as_secs_f64()
        )),
        Some(status) if !status.success() => Err(failure(status, &stderr_bytes)),
        Some(_) => match read {
            Ok(_) => Ok(answer),
            Err(error) => Err(format!("the output of `{NAME}` cannot be read: {error}")),
        },
    }
}

/// Returns the path from the environment variable, or the program beside our executable, or its bare name.
fn find() -> PathBuf {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return named.into();
    }
    let name = format!("{NAME}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().map(|ours| ours.with_file_name(&name));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}

/// Returns the program's first line of error output, or its exit status if there is none.
fn failure(status: ExitStatus, stderr_bytes: &[u8]) -> String {
    let stderr_text = String::from_utf8_lossy(stderr_bytes);
    match stderr_text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => {
            // The line quotes the file, which may hold control characters.
            let visible = |sign: char| if sign.is_control() { ' ' } else { sign };
            line.chars().take(MAX_SHOWN).map(visible).collect()
        }
        None => format!("the file cannot be read: OpenCASCADE ended with {status}"),
    }
}

/// A child process that is killed when dropped.
struct Running(Child);

impl Running {
    /// Waits for the process and returns its exit status; kills it after `limit` and returns `None`.
    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Ok(Some(status)) = self.0.try_wait() {
                return Some(status);
            }
            if start.elapsed() >= limit {
                self.end();
                return None;
            }
            thread::sleep(pause.min(limit.saturating_sub(start.elapsed())));
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::{
        fs,
        os::unix::fs::PermissionsExt,
        sync::{Mutex, MutexGuard, PoisonError},
    };

    /// A one-line shell script, removed when dropped. Only one at a time: a process that is started while another script is
    /// being written holds that script open, and the system does not run a file that is open for writing.
    struct Script(PathBuf, #[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

    impl Script {
        fn new(name: &str, line: &str) -> Self {
            static ONE: Mutex<()> = Mutex::new(());
            let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
            let name = format!("impinge-step-{name}-{}", std::process::id());
            let path = env::temp_dir().join(name);
            fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
            fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
            Self(path, one)
        }

        fn run(&self, file: &[u8]) -> Result<Vec<u8>, String> {
            run(&self.0, file, Some(0.5), Duration::from_secs(60))
        }
    }

    impl Drop for Script {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    #[test]
    fn the_program_gets_the_file_and_its_output_is_returned() {
        let file = vec![b'x'; 1 << 20];
        assert_eq!(Script::new("cat", "cat").run(&file).unwrap(), file);
        let told = Script::new("echo", "echo \"$@\"").run(&file).unwrap();
        assert_eq!(told, b"--tolerance 0.5\n");
    }

    #[test]
    fn every_failure_is_reported_in_one_line() {
        // The scripts do not read their input, which is larger than a pipe buffer.
        let file = vec![b'x'; 1 << 20];
        let complains = "echo; echo half; printf 'a\\tb\\nc\\n' >&2; exit 3";
        assert_eq!(Script::new("complains", complains).run(&file).unwrap_err(), "a b");
        let silent = Script::new("silent", "exit 3").run(&file).unwrap_err();
        assert!(silent.contains("exit status: 3"), "{silent}");
        let crashed = Script::new("crashes", "kill -SEGV $$").run(&file).unwrap_err();
        assert!(crashed.contains("OpenCASCADE ended with signal: 11"), "{crashed}");
        let talkative =
            "i=0; while [ $i -lt 99999 ]; do echo complaint >&2; i=$((i+1)); done; exit 1";
        assert_eq!(Script::new("talks", talkative).run(&file).unwrap_err(), "complaint");
    }

    #[test]
    fn the_program_is_killed_after_the_limit() {
        let script = Script::new("hangs", "exec sleep 600");
        let start = Instant::now();
        let error = run(&script.0, b"x", None, Duration::from_millis(200)).unwrap_err();
        assert!(error.starts_with("the file was not read within 0.2 s"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_missing_program_is_reported_with_advice() {
        let error = run(Path::new("/no/such/program"), b"x", None, Duration::MAX).unwrap_err();
        assert!(error.contains("build it with `cargo xtask step`"), "{error}");
        let script = Script::new("locked", "exit 0");
        fs::set_permissions(&script.0, PermissionsExt::from_mode(0o600)).unwrap();
        let error = script.run(b"x").unwrap_err();
        assert!(error.contains("denied"), "{error}");
    }
}
