//! Progress bars: shown only on a terminal, and only for work that takes more than a second.

use crate::output::plain;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::{
    fmt::Write,
    io::{self, IsTerminal},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

const DELAY: Duration = Duration::from_secs(1);

/// A progress bar or spinner that appears after one second.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Dropped when the work is over, which ends the thread that shows the bar. `None` without a terminal or
    /// a thread.
    _alive: Option<Sender<()>>,
}

impl Progress {
    /// A spinner, for work of unknown length.
    fn spinner(label: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(ProgressStyle::default_spinner());
        bar.set_message(plain(label));
        Self::shown_later(bar)
    }

    /// A bar for work of `steps` steps.
    pub(crate) fn new(label: &str, steps: u64) -> Self {
        Self::bar(
            label,
            steps,
            "{msg} {wide_bar} {human_pos}/{human_len} {elapsed_precise}, {eta_precise} left",
        )
    }

    /// A bar for work of `steps` steps, with the number of steps per second.
    pub(crate) fn with_rate(label: &str, steps: u64) -> Self {
        Self::bar(
            label,
            steps,
            "{msg} {wide_bar} {human_pos}/{human_len}, {rate} a second, {eta_precise} left",
        )
    }

    fn bar(label: &str, steps: u64, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn Write| {
                let _ = write!(out, "{}", HumanCount(state.per_sec() as u64));
            };
            bar.set_style(style.with_key("rate", rate));
        }
        bar.set_message(plain(label));
        Self::shown_later(bar)
    }

    fn shown_later(bar: ProgressBar) -> Self {
        if !io::stderr().is_terminal() {
            return Self { bar, _alive: None };
        }
        let (alive, waits) = mpsc::channel::<()>();
        let later = bar.clone();
        let wait = move || {
            // Nothing is ever sent: either the second is over, or the work has ended.
            if waits.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                later.set_draw_target(ProgressDrawTarget::stderr());
                later.enable_steady_tick(Duration::from_millis(100));
            }
        };
        let timer = thread::Builder::new().spawn(wait);
        Self { bar, _alive: timer.ok().map(|_| alive) }
    }

    /// Starts another stage at zero.
    pub(crate) fn start_stage(&self, label: &str) {
        self.bar.set_message(plain(label));
        self.bar.set_position(0);
        self.bar.reset_eta();
    }

    /// Sets the bar to `done` of `total` steps.
    pub(crate) fn at(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    /// Returns whether the bar is shown.
    pub(crate) fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Sets the text of the bar.
    pub(crate) fn set_message(&mut self, label: &str) {
        self.bar.set_message(plain(label));
    }

    /// Counts one more step.
    pub(crate) fn advance(&mut self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Does `work`, with a spinner if it takes long.
pub(crate) fn with_spinner<T>(label: &str, work: impl FnOnce() -> T) -> T {
    let _progress = Progress::spinner(label);
    work()
}
