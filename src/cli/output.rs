//! The output streams of a command, and the progress that a terminal shows. Everything that a command prints goes through
//! [`Out`], which escapes the control characters and direction marks of texts from repositories.

use crate::render::human::{Colour, Style};
use canonry_app::Progress;
use canonry_text::printable::{for_stream, one_line};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use textwrap::{WordSeparator, WordSplitter};

/// Delay before progress is shown: most runs are over by then.
const PROGRESS_DELAY: Duration = Duration::from_millis(500);
/// Upper bound on redraws per second.
const REDRAW_HZ: u8 = 10;

/// The output streams: results go to stdout, everything else to stderr.
pub struct Out<'a> {
    stdout: Mutex<&'a mut (dyn Write + Send)>,
    stderr: Mutex<&'a mut (dyn Write + Send)>,
    /// Layout of text for people.
    pub style: Style,
    task: Mutex<Option<ProgressTask>>,
}

/// The task whose progress is shown.
struct ProgressTask {
    bar: ProgressBar,
    started: Instant,
    is_shown: bool,
}

impl<'a> Out<'a> {
    /// Results go to `stdout`, everything else to `stderr`.
    pub fn new(stdout: &'a mut (dyn Write + Send), stderr: &'a mut (dyn Write + Send), style: Style) -> Self {
        Self { stdout: Mutex::new(stdout), stderr: Mutex::new(stderr), style, task: Mutex::new(None) }
    }

    /// Writes a result. A closed pipe is not an error: the reader has what it wanted.
    pub fn result(&self, text: &str) {
        let _ = self.try_result(text);
    }

    /// Writes a result in sentences, wrapped if stdout is a terminal.
    pub fn message(&self, text: &str) {
        match self.style.message_width {
            Some(width) => self.result(&wrapped(text, width)),
            None => self.result(text),
        }
    }

    /// Writes a result that must not get lost.
    ///
    /// # Errors
    /// Nobody reads it.
    pub fn try_result(&self, text: &str) -> io::Result<()> {
        write(&self.stdout, &for_stream(text, self.style.colour == Colour::Ansi))
    }

    /// Clears the terminal and moves to its top.
    pub fn clear(&self) {
        let _ = write(&self.stdout, "\u{1b}[H\u{1b}[2J");
    }

    /// Writes a notice to stderr, wrapped if that is a terminal.
    pub fn remark(&self, text: &str) {
        let text = for_stream(text, self.style.colour == Colour::Ansi);
        let _ = match self.style.notice_width {
            Some(width) => write(&self.stderr, &wrapped(&text, width)),
            None => write(&self.stderr, &text),
        };
    }

    /// Writes lines of files to stderr, which are not wrapped.
    pub fn excerpt(&self, text: &str) {
        let _ = write(&self.stderr, &for_stream(text, self.style.colour == Colour::Ansi));
    }

    fn task(&self) -> MutexGuard<'_, Option<ProgressTask>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Breaks long lines between words. The next lines are indented like the text behind `help:`.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let wrap = |line: &str| {
        let body = line.trim_start();
        let indent = " ".repeat(line.len() - body.len() + label_width(body));
        let options = textwrap::Options::new(width).break_words(false).subsequent_indent(&indent);
        let options = options.word_splitter(WordSplitter::NoHyphenation).word_separator(WordSeparator::AsciiSpace);
        textwrap::wrap(line, options).join("\n")
    };
    text.split('\n').map(wrap).collect::<Vec<_>>().join("\n")
}

/// Columns of a label, such as `help: `, or a word and the spaces that align what follows; 0 without a label.
fn label_width(line: &str) -> usize {
    let Some((word, rest)) = line.split_once(' ') else { return 0 };
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    if word.ends_with(':') || spaces > 0 { word.len() + 1 + spaces } else { 0 }
}

fn write(stream: &Mutex<&mut (dyn Write + Send)>, text: &str) -> io::Result<()> {
    let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
    stream.write_all(text.as_bytes()).and_then(|()| stream.flush())
}

impl Progress for Out<'_> {
    fn start(&self, task: &str, total: usize) {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(&format!("{{pos}}/{{len}} {}", one_line(task))) {
            bar.set_style(style);
        }
        *self.task() = Some(ProgressTask { bar, started: Instant::now(), is_shown: false });
    }

    fn advance(&self, count: usize) {
        let mut task = self.task();
        let Some(task) = task.as_mut() else { return };
        task.bar.inc(count as u64);
        if !task.is_shown && task.started.elapsed() > PROGRESS_DELAY {
            task.is_shown = true;
            // Draws nothing unless stderr is a terminal.
            task.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAW_HZ));
        }
    }

    fn finish(&self) {
        if let Some(task) = self.task().take() {
            task.bar.finish_and_clear();
        }
    }

    fn notice(&self, message: &str) {
        self.remark(message);
    }
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn notices_are_broken_between_words() {
        for (text, want) in [
            ("note: short\n", "note: short\n"),
            ("note: one two three four\n", "note: one two\n      three\n      four\n"),
            ("  help: run `one two`\n", "  help: run\n        `one\n        two`\n"),
            ("note: https://example.org/a-long/path\n", "note:\n      https://example.org/a-long/path\n"),
            ("cursor    one two\n", "cursor    one\n          two\n"),
            ("a sentence with: a colon", "a sentence\nwith: a colon"),
        ] {
            assert_eq!(wrapped(text, 14), want, "{text}");
        }
    }
}
