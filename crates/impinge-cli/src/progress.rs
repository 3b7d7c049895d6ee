//! Progress bars: on a terminal, for what takes more than a second, and nowhere else.

use crate::output::plain;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread,
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(1);

/// A bar, or a sign of life, that appears when a second has passed, whatever the work is at.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Closes when the work is over. Without a terminal, or a thread to spare, there is none.
    _alive: Option<Sender<()>>,
}

impl Progress {
    /// For work that cannot say how far it is.
    fn spinner(label: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(ProgressStyle::default_spinner());
        bar.set_message(plain(label));
        Self::shown_later(bar)
    }

    /// For so many steps of something.
    pub(crate) fn new(label: &str, steps: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(
            "{msg} {wide_bar} {human_pos}/{human_len} {elapsed_precise}, {eta_precise} left",
        ) {
            bar.set_style(style);
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
            // Nothing is ever sent: either the time is up, or the work is.
            if waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                later.set_draw_target(ProgressDrawTarget::stderr());
                later.enable_steady_tick(Duration::from_millis(100));
            }
        };
        let timer = thread::Builder::new().spawn(wait);
        Self { bar, _alive: timer.ok().map(|_| alive) }
    }

    /// Something else begins, of which nothing is done yet.
    pub(crate) fn begin(&self, label: &str) {
        self.bar.set_message(plain(label));
        self.bar.set_position(0);
        self.bar.reset_eta();
    }

    /// So many steps of so many are done.
    pub(crate) fn at(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    /// Whether anyone sees it, so that there is something to say.
    pub(crate) fn is_shown(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// What it is at.
    pub(crate) fn say(&mut self, label: &str) {
        self.bar.set_message(plain(label));
    }

    /// One more step is done.
    pub(crate) fn advance(&mut self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Does some work, with a sign of life if it takes long.
pub(crate) fn waiting<T>(label: &str, work: impl FnOnce() -> T) -> T {
    let _progress = Progress::spinner(label);
    work()
}
