//! Ctrl-C and other requests to end: no incomplete file stays behind, whatever command runs.

use crate::failure::Failure;
use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The exit code that shells give to a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Whether the program was asked to end.
///
/// Work that checks for this from time to time ([`Interrupt::during`]) ends in order. All other work ends at
/// once, and so does work that is interrupted twice; incomplete files are removed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_checked: AtomicBool,
    is_requested: AtomicBool,
}

impl Interrupt {
    /// Watches for Ctrl-C, SIGTERM and SIGHUP from now on.
    pub(crate) fn watch() -> Self {
        let interrupt = Self::default();
        let state = Arc::clone(&interrupt.0);
        let handler = move || {
            let was_requested = state.is_requested.swap(true, Ordering::SeqCst);
            if was_requested || !state.is_checked.load(Ordering::SeqCst) {
                impinge_io::abandon_files();
                std::process::exit(INTERRUPTED);
            }
        };
        // If signals cannot be watched, they end the program as by default.
        let _ = ctrlc::set_handler(handler);
        interrupt
    }

    /// Does work that checks for interrupts from time to time. Work that finishes in spite of an interrupt
    /// counts as done.
    pub(crate) fn during<T>(
        &self,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.0.is_checked.store(true, Ordering::SeqCst);
        let result = work();
        self.0.is_checked.store(false, Ordering::SeqCst);
        match result {
            // Errors after an interrupt are caused by it.
            Err(failure) if self.is_requested() => Err(match failure {
                Failure::Interrupted(_) => failure,
                _ => interrupted(),
            }),
            result => result,
        }
    }

    /// Fails if the program was asked to end.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.is_requested() { Err(interrupted()) } else { Ok(()) }
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.0.is_requested.load(Ordering::SeqCst)
    }

    /// Returns a stream that fails once the program was asked to end.
    pub(crate) fn stream<'w>(&'w self, out: &'w mut dyn Write) -> impl Write + 'w {
        Stream { interrupt: self, out }
    }
}

fn interrupted() -> Failure {
    Failure::Interrupted("interrupted; no file was written".into())
}

struct Stream<'w> {
    interrupt: &'w Interrupt,
    out: &'w mut dyn Write,
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.interrupt.is_requested() {
            true => Err(io::Error::other("interrupted")),
            false => self.out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
