//! Runs a program that reads a file from its standard input and writes a stream of parts.

use std::{
    ffi::OsString,
    io,
    io::{Read, Write},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The number of bytes read from the program's error output, and the number of characters shown.
const MAX_STDERR: u64 = 1 << 12;
const MAX_SHOWN: usize = 400;

/// The exit code of a program that lacks the library that it needs.
const LIBRARY_IS_MISSING: i32 = 3;

/// A program that reads files of one format.
#[derive(Debug)]
pub(in crate::assembly) struct Program {
    pub(in crate::assembly) path: PathBuf,
    pub(in crate::assembly) arguments: Vec<OsString>,
    /// The name of the format in messages.
    pub(in crate::assembly) format: &'static str,
    /// The library that may crash.
    pub(in crate::assembly) library: &'static str,
    /// What to do if the program is missing.
    pub(in crate::assembly) advice: &'static str,
}

impl Program {
    /// Runs the program on a file and returns its output. The program is killed after `limit`.
    pub(in crate::assembly) fn run(&self, file: &[u8], limit: Duration) -> Result<Vec<u8>, String> {
        let Self { path, arguments, format, library, advice } = self;
        let shown = path.display();
        let mut command = Command::new(path);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                format!("{format} files need the program `{shown}`, which was not found; {advice}")
            }
            _ => format!(
                "{format} files need the program `{shown}`, which cannot be started: {error}"
            ),
        })?;
        let mut running = Running(child);
        let Child { stdin, stdout, stderr, .. } = &mut running.0;
        let (Some(mut stdin), Some(mut stdout), Some(stderr)) =
            (stdin.take(), stdout.take(), stderr.take())
        else {
            return Err(format!("the streams of `{shown}` cannot be opened"));
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
            Some(status) if status.code() == Some(LIBRARY_IS_MISSING) => {
                Err(format!("{format} files need {library}, which was not found; {advice}"))
            }
            Some(status) if !status.success() => Err(failure(status, &stderr_bytes, library)),
            Some(_) => match read {
                Ok(_) => Ok(answer),
                Err(error) => Err(format!("the output of `{shown}` cannot be read: {error}")),
            },
        }
    }
}

/// Returns the program's first line of error output, or its exit status if there is none.
fn failure(status: ExitStatus, stderr_bytes: &[u8], library: &str) -> String {
    let stderr_text = String::from_utf8_lossy(stderr_bytes);
    match stderr_text.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => {
            // The line quotes the file, which may hold control characters.
            let visible = |sign: char| if sign.is_control() { ' ' } else { sign };
            line.chars().take(MAX_SHOWN).map(visible).collect()
        }
        None => format!("the file cannot be read: {library} ended with {status}"),
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
        env, fs,
        os::unix::fs::PermissionsExt,
        path::Path,
        sync::{Mutex, MutexGuard, PoisonError},
    };

    /// A one-line shell script, removed when dropped. Only one at a time: a process that is started while another
    /// script is being written holds that script open, and the system does not run a file that is open for
    /// writing.
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
            program(&self.0).run(file, Duration::from_secs(60))
        }

        fn error(&self, file: &[u8]) -> String {
            self.run(file).unwrap_err()
        }
    }

    fn program(path: &Path) -> Program {
        Program {
            path: path.to_owned(),
            arguments: vec!["--tolerance".into(), "0.5".into()],
            format: "STEP",
            library: "OpenCASCADE",
            advice: "build it",
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
        let complains = "echo; echo half; printf 'a\\tb\\nc\\n' >&2; exit 4";
        assert_eq!(Script::new("complains", complains).error(&file), "a b");
        let silent = Script::new("silent", "exit 4").error(&file);
        assert!(silent.contains("exit status: 4"), "{silent}");
        let crashed = Script::new("crashes", "kill -SEGV $$").error(&file);
        assert!(crashed.contains("OpenCASCADE ended with signal: 11"), "{crashed}");
        let talkative =
            "i=0; while [ $i -lt 99999 ]; do echo complaint >&2; i=$((i+1)); done; exit 1";
        assert_eq!(Script::new("talks", talkative).error(&file), "complaint");
    }

    #[test]
    fn the_program_is_killed_after_the_limit() {
        let script = Script::new("hangs", "exec sleep 600");
        let start = Instant::now();
        let error = program(&script.0).run(b"x", Duration::from_millis(200)).unwrap_err();
        assert!(error.starts_with("the file was not read within 0.2 s"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_missing_program_is_reported_with_advice() {
        let missing = program(Path::new("/no/such/program"));
        let error = missing.run(b"x", Duration::MAX).unwrap_err();
        assert!(error.ends_with("which was not found; build it"), "{error}");
        let error = Script::new("lacks", "exit 3").run(b"x").unwrap_err();
        assert!(error.contains("need OpenCASCADE, which was not found; build it"), "{error}");
        let script = Script::new("locked", "exit 0");
        fs::set_permissions(&script.0, PermissionsExt::from_mode(0o600)).unwrap();
        let error = script.run(b"x").unwrap_err();
        assert!(error.contains("denied"), "{error}");
    }
}
