//! Options of the commands that run workers: the limits of a run, and the display of its events.

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::render::run::events::{event_to_json, event_to_text};
use crate::render::workers::worker_to_text;
use canonry_app::workers::{Observer, RunLimits, WorkerState};
use canonry_runs::exec::ExecEvent;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::io::IsTerminal as _;

// Options of a run. Not a doc comment: clap would show it as the description of the command.
#[derive(Debug, clap::Args)]
pub struct RunOptions {
    /// Maximum number of workers at a time
    #[arg(long, value_name = "N")]
    pub workers: Option<usize>,
    /// Maximum number of minutes
    #[arg(long, value_name = "N")]
    pub minutes: Option<u64>,
    /// Maximum number of attempts
    #[arg(long, value_name = "N")]
    pub attempts: Option<u64>,
    /// Do not wait for the end of a usage limit
    #[arg(long)]
    pub no_wait: bool,
    /// Output format; `json` prints a document per event
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

impl RunOptions {
    /// The limits that replace those in `owners.yaml`.
    pub fn limits(&self) -> RunLimits {
        RunLimits { workers: self.workers, minutes: self.minutes, attempts: self.attempts, no_wait: self.no_wait }
    }
}

/// Shows the events of a run: in the JSON format as one document each on stdout, otherwise as lines on stderr. In a
/// terminal, the workers are below them, one line each.
pub struct RunDisplay<'o, 'a> {
    out: &'o Out<'a>,
    format: Format,
    live: Option<LiveLines>,
}

impl<'o, 'a> RunDisplay<'o, 'a> {
    /// A display in this format.
    pub fn new(out: &'o Out<'a>, format: Format) -> Self {
        let is_live = matches!(format, Format::Human) && std::io::stderr().is_terminal();
        Self { out, format, live: is_live.then(LiveLines::default) }
    }
}

impl Observer for RunDisplay<'_, '_> {
    fn event(&self, event: &ExecEvent) {
        match (self.format, &self.live) {
            (Format::Json, _) => self.out.result(&event_to_json(event)),
            (Format::Human, Some(live)) => live.bars.suspend(|| self.out.remark(&event_to_text(event))),
            (Format::Human, None) => self.out.remark(&event_to_text(event)),
        }
    }

    fn tick(&self, workers: &[WorkerState]) {
        if let Some(live) = &self.live {
            live.show(workers);
        }
    }
}

/// One line per worker at the bottom of the terminal.
#[derive(Default)]
struct LiveLines {
    bars: MultiProgress,
    lines: RefCell<Vec<ProgressBar>>,
}

impl LiveLines {
    fn show(&self, workers: &[WorkerState]) {
        let mut lines = self.lines.borrow_mut();
        while lines.len() > workers.len() {
            if let Some(line) = lines.pop() {
                line.finish_and_clear();
                self.bars.remove(&line);
            }
        }
        while lines.len() < workers.len() {
            let line = self.bars.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                line.set_style(style);
            }
            lines.push(line);
        }
        for (line, worker) in lines.iter().zip(workers) {
            line.set_message(worker_to_text(worker));
            line.tick();
        }
    }
}
