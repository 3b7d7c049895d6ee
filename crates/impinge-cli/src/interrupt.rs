//! Ctrl-C: no half-written file stays behind.

use crate::failure::Failure;
use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// What shells say of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// Whether somebody has had enough.
///
/// What looks up now and then is asked to end in order; else, and if asked twice, the program ends
/// at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<State>);

#[derive(Debug, Default)]
struct State {
    looks_up: AtomicBool,
    is_asked: AtomicBool,
}

impl Interrupt {
    /// From now on Ctrl-C is watched for.
    pub(super) fn watch() -> Result<Self, Failure> {
        let interrupt = Self::default();
        let state = Arc::clone(&interrupt.0);
        let handler = move || {
            let was_asked = state.is_asked.swap(true, Ordering::SeqCst);
            if was_asked || !state.looks_up.load(Ordering::SeqCst) {
                impinge_io::abandon_files();
                std::process::exit(INTERRUPTED);
            }
        };
        ctrlc::set_handler(handler)
            .map_err(|error| Failure::input(format!("cannot watch for Ctrl-C: {error}")))?;
        Ok(interrupt)
    }

    /// Does some work that looks up now and then. What is done when it is asked to end is done all
    /// the same.
    pub(super) fn during<T>(
        &self,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.0.looks_up.store(true, Ordering::SeqCst);
        let result = work();
        self.0.looks_up.store(false, Ordering::SeqCst);
        match result {
            // Whatever went wrong, went wrong because of it.
            Err(_) if self.is_asked() => Err(interrupted()),
            result => result,
        }
    }

    /// Ends the work here if that was asked for.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.is_asked() { Err(interrupted()) } else { Ok(()) }
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::SeqCst)
    }

    /// A stream that fails when somebody has had enough.
    pub(super) fn stream<'w>(&'w self, out: &'w mut dyn Write) -> impl Write + 'w {
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
