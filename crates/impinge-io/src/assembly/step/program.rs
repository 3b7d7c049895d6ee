//! The program that knows OpenCASCADE.

use std::{
    env, io,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// What it is called, beside ours or where the system looks for programs.
const NAME: &str = "impinge-step";

/// Names it, wherever it is.
const VARIABLE: &str = "IMPINGE_STEP";

/// How much of its complaint is read, and shown.
const MAX_COMPLAINT: u64 = 1 << 12;
const MAX_SHOWN: usize = 400;

/// Runs the program on a file and returns what it answers. It gets no longer than the limit.
pub(super) fn answer(
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
            "reading STEP takes the program `{}`, which is not there: `cargo xtask step` builds it; or \
             save the file as .glb or .stl",
            program.display()
        ),
        _ => format!("reading STEP takes the program `{}`: {error}", program.display()),
    })?;
    let mut running = Running(child);
    let Child { stdin, stdout, stderr, .. } = &mut running.0;
    let (Some(mut stdin), Some(mut stdout), Some(stderr)) =
        (stdin.take(), stdout.take(), stderr.take())
    else {
        return Err(format!("`{NAME}` has no streams"));
    };
    let (mut answer, mut complaint) = (Vec::new(), Vec::new());
    let (mut read, mut status) = (Ok(0), None);
    thread::scope(|scope| {
        // It may end before it has read everything, and then says why.
        scope.spawn(move || {
            let _ = stdin.write_all(file);
        });
        scope.spawn(|| read = stdout.read_to_end(&mut answer));
        scope.spawn(|| {
            let _ = stderr.take(MAX_COMPLAINT).read_to_end(&mut complaint);
        });
        status = running.wait(limit);
    });
    match status {
        None => Err(format!(
            "it was not read within {} s: a larger tolerance takes less time, and the limit can be raised",
            limit.as_secs_f64()
        )),
        Some(status) if !status.success() => Err(failure(status, &complaint)),
        Some(_) => match read {
            Ok(_) => Ok(answer),
            Err(error) => Err(format!("`{NAME}` was not heard: {error}")),
        },
    }
}

/// Named by the environment, or beside this program, or to be found by the system.
fn find() -> PathBuf {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return named.into();
    }
    let name = format!("{NAME}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().map(|ours| ours.with_file_name(&name));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}

/// What it says, or how it ended if it could not say anything.
fn failure(status: ExitStatus, complaint: &[u8]) -> String {
    let complaint = String::from_utf8_lossy(complaint);
    match complaint.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => {
            // It quotes the file, which may hold anything.
            let visible = |sign: char| if sign.is_control() { ' ' } else { sign };
            line.chars().take(MAX_SHOWN).map(visible).collect()
        }
        None => format!("it cannot be read: OpenCASCADE ended with {status}"),
    }
}

/// A program that does not outlive the wish for its answer.
struct Running(Child);

impl Running {
    /// How it ended; `None` if it had to be ended.
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

    /// A program of a line of shell, removed at the end. One at a time: a program that starts while another
    /// is being written holds it open, and what is open for writing does not start.
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
    fn it_is_given_the_file_and_answers() {
        let file = vec![b'x'; 1 << 20];
        assert_eq!(Script::new("cat", "cat").run(&file).unwrap(), file);
        let told = Script::new("echo", "echo \"$@\"").run(&file).unwrap();
        assert_eq!(told, b"--tolerance 0.5\n");
    }

    #[test]
    fn however_it_ends_the_reason_is_one_line() {
        // Neither reads its input, which is more than a pipe holds.
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
    fn it_does_not_outlive_its_time() {
        let script = Script::new("hangs", "exec sleep 600");
        let start = Instant::now();
        let error = run(&script.0, b"x", None, Duration::from_millis(200)).unwrap_err();
        assert!(error.starts_with("it was not read within 0.2 s"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn without_it_what_to_do_is_said() {
        let error = run(Path::new("/no/such/program"), b"x", None, Duration::MAX).unwrap_err();
        assert!(error.contains("`cargo xtask step` builds it"), "{error}");
        let script = Script::new("locked", "exit 0");
        fs::set_permissions(&script.0, PermissionsExt::from_mode(0o600)).unwrap();
        let error = script.run(b"x").unwrap_err();
        assert!(error.contains("denied"), "{error}");
    }
}
