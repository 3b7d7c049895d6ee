//! Ctrl-C and requests to end: no half-written file stays behind, whatever command runs.

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
/// Work that checks for this now and then ([`Interrupt::during`]) ends in order. Otherwise, and when asked
/// twice, the program ends at once, and files that it has not finished are removed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_checked: AtomicBool,
    is_asked: AtomicBool,
}

impl Interrupt {
    /// Watches for Ctrl-C, SIGTERM and SIGHUP from now on.
    pub(crate) fn watch() -> Self {
        let interrupt = Self::default();
        let state = Arc::clone(&interrupt.0);
        let handler = move || {
            let was_asked = state.is_asked.swap(true, Ordering::SeqCst);
            if was_asked || !state.is_checked.load(Ordering::SeqCst) {
                impinge_io::abandon_files();
                std::process::exit(INTERRUPTED);
            }
        };
        // Where signals cannot be watched they end the program as they always do.
        let _ = ctrlc::set_handler(handler);
        interrupt
    }

    /// Does some work that checks for interrupts now and then. Work that is done when the program is asked
    /// to end counts as done.
    pub(crate) fn during<T>(
        &self,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.0.is_checked.store(true, Ordering::SeqCst);
        let result = work();
        self.0.is_checked.store(false, Ordering::SeqCst);
        match result {
            // Errors that follow an interrupt come from it.
            Err(failure) if self.is_asked() => Err(match failure {
                Failure::Interrupted(_) => failure,
                _ => interrupted(),
            }),
            result => result,
        }
    }

    /// Ends the work here if that was asked for.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.is_asked() { Err(interrupted()) } else { Ok(()) }
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::SeqCst)
    }

    /// A stream that fails once the program was asked to end.
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
        match self.interrupt.is_asked() {
            true => Err(io::Error::other("interrupted")),
            false => self.out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
