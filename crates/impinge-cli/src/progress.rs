//! Progress bars: on a terminal, for what takes more than a second, and nowhere else.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// A bar that stays invisible until a second has passed.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
    is_shown: bool,
}

const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// For so many steps of something.
    pub(crate) fn new(label: &str, steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(
            "{msg} {wide_bar} {human_pos}/{human_len} {elapsed_precise}, {eta_precise} left",
        ) {
            bar.set_style(style);
        }
        bar.set_message(label.to_owned());
        Self { bar, start: Instant::now(), is_shown: false }
    }

    /// One more step is done.
    pub(crate) fn advance(&mut self) {
        if !self.is_shown && self.start.elapsed() > PATIENCE {
            // Standard error hides itself again where it is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.is_shown = true;
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A sign of life for work that cannot say how far it is, such as loading a file.
pub(crate) fn waiting<T>(label: &str, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (done, waits) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Nothing is sent: the channel closes when the work is over.
        let spin = move || {
            if waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let bar = ProgressBar::new_spinner().with_message(label.to_owned());
                bar.enable_steady_tick(Duration::from_millis(100));
                let _ = waits.recv();
                bar.finish_and_clear();
            }
        };
        // Without a thread to spare the work goes on in silence.
        let _ = thread::Builder::new().spawn_scoped(scope, spin);
        let result = work();
        drop(done);
        result
    })
}
