//! Runs the command and checks its exit code and output.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use std::{
    fmt,
    io::Read,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A time limit far above what any test needs.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Runs the command to its end.
pub(crate) fn impinge<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> Finished {
    Run::new(arguments).finish()
}

/// A command line that has not been started.
pub(crate) struct Run {
    arguments: Vec<String>,
    command: Command,
    time_limit: Duration,
}

impl Run {
    pub(crate) fn new<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> Self {
        Self::through(Command::new(env!("CARGO_BIN_EXE_impinge")), arguments)
    }

    /// Runs in a shell after the commands `before`, for example a limit; `exec` keeps the process.
    #[cfg(unix)]
    pub(crate) fn after<S: AsRef<str>>(
        before: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{before}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_impinge")]);
        Self::through(shell, arguments)
    }

    /// Limits memory to 512 MB, far more than small files need, on systems that support it.
    pub(crate) fn in_little_memory<S: AsRef<str>>(arguments: impl IntoIterator<Item = S>) -> Self {
        #[cfg(unix)]
        return Self::after("ulimit -v 524288", arguments);
        #[cfg(not(unix))]
        return Self::new(arguments);
    }

    fn through<S: AsRef<str>>(
        mut command: Command,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let arguments: Vec<String> = arguments.into_iter().map(|a| a.as_ref().to_owned()).collect();
        command.args(&arguments).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { arguments, command, time_limit: TIME_LIMIT }
    }

    /// Redirects standard output.
    pub(crate) fn stdout(mut self, to: impl Into<Stdio>) -> Self {
        self.command.stdout(to);
        self
    }

    /// Redirects standard error.
    pub(crate) fn stderr(mut self, to: impl Into<Stdio>) -> Self {
        self.command.stderr(to);
        self
    }

    /// Runs in a folder.
    pub(crate) fn at(mut self, folder: &str) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn within(mut self, time_limit: Duration) -> Self {
        self.time_limit = time_limit;
        self
    }

    /// Waits for the end.
    ///
    /// # Panics
    ///
    /// If the command does not end in time; it is killed then.
    pub(crate) fn finish(mut self) -> Finished {
        let what = format!("impinge {}", self.arguments.join(" "));
        let mut child = self.command.spawn().unwrap_or_else(|error| panic!("{what}: {error}"));
        // Both streams are read during the run; otherwise a full pipe would block it.
        let stdout = child.stdout.take().map(drain);
        let stderr = child.stderr.take().map(drain);
        let code = wait(&mut child, self.time_limit)
            .unwrap_or_else(|| panic!("{what}: not done after {:?}", self.time_limit));
        let text = |stream: Option<thread::JoinHandle<Vec<u8>>>| {
            let bytes = stream.map(|thread| thread.join().unwrap()).unwrap_or_default();
            String::from_utf8(bytes).unwrap_or_else(|error| panic!("{what}: {error}"))
        };
        Finished { stdout: text(stdout), stderr: text(stderr), what, code }
    }
}

fn drain(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

/// Returns the exit code (`None` within if a signal ended the process), or nothing if the time was up.
fn wait(child: &mut Child, time_limit: Duration) -> Option<Option<i32>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status.code());
        }
        if start.elapsed() > time_limit {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// A finished run.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The command line, for messages.
    pub(crate) what: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Finished {
    /// Asserts exit code 0 and an empty standard error.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!((self.code, &*self.stderr), (Some(0), ""), "{}", self.what);
        self
    }

    /// Asserts exit code 2 and one message that contains all pieces.
    #[track_caller]
    pub(crate) fn refuses(&self, pieces: &[&str]) {
        if let Some(fault) = self.refusal_fault(pieces) {
            panic!("{}: {fault}", self.what);
        }
    }

    /// Returns what is wrong with the exit code or message of a rejected input.
    pub(crate) fn refusal_fault(&self, pieces: &[&str]) -> Option<String> {
        let Self { code, stdout, stderr, .. } = self;
        let lacks = pieces.iter().find(|piece| !stderr.contains(**piece));
        if *code != Some(2) {
            Some(format!("exit code {code:?}, not 2: {stderr}{stdout}"))
        } else if !stdout.is_empty() {
            Some(format!("on standard output: {stdout}"))
        } else if stderr.lines().count() != 1 || !stderr.starts_with("error: ") {
            Some(format!("not one message: {stderr:?}"))
        } else if stderr.chars().count() > 600 {
            Some(format!("a message of {} characters", stderr.chars().count()))
        } else {
            lacks.map(|piece| format!("`{piece}` is not in {stderr:?}"))
        }
    }

    /// Asserts a usage error: the message of the argument parser, which may have several lines.
    #[track_caller]
    pub(crate) fn misused(&self, pieces: &[&str]) {
        assert_eq!(self.code, Some(2), "{}: {}", self.what, self.stderr);
        assert_eq!(self.stdout, "", "{}", self.what);
        assert!(!self.stderr.contains("panicked"), "{}: {}", self.what, self.stderr);
        for piece in pieces {
            assert!(self.stderr.contains(piece), "{}: no `{piece}`: {}", self.what, self.stderr);
        }
    }

    /// Returns each line of standard output as JSON.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parse = |line| {
            serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}: {error} in {line}", self.what))
        };
        self.stdout.lines().map(parse).collect()
    }

    /// Returns standard output as one line of JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "{}: {}", self.what, self.stdout);
        lines.remove(0)
    }

    /// Returns the field names of the only line of JSON, in order.
    #[track_caller]
    pub(crate) fn json_keys(&self) -> Vec<String> {
        let Keys(keys) = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{}: {error} in {}", self.what, self.stdout));
        keys
    }
}

/// Returns the field names of a JSON object in the order of the text, which a parsed value has lost.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Keys, M::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}
