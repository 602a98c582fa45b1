//! How far a long run is: on stderr, only on a terminal, and gone when the run ends.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Most runs are over before anyone wonders.
const PATIENCE: Duration = Duration::from_millis(500);
/// Redrawn so many times a second at most.
const HERTZ: u8 = 10;

/// A count that is shown once it takes long.
pub struct Progress {
    bar: ProgressBar,
    began: Instant,
    is_shown: AtomicBool,
}

impl Progress {
    /// Over so many skills.
    pub fn over(count: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{pos} of {len} skills judged") {
            bar.set_style(style);
        }
        Self { bar, began: Instant::now(), is_shown: AtomicBool::new(false) }
    }

    /// One of them is judged.
    pub fn one_more(&self) {
        self.bar.inc(1);
        if self.began.elapsed() > PATIENCE && !self.is_shown.swap(true, Ordering::Relaxed) {
            // Draws nothing where stderr is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(HERTZ));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
