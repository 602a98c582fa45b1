//! What is decided with, and what was decided.

use crate::app::Workspace;
use crate::apply::Session;
use crate::canon::timestamp::Timestamp;
use crate::cli::memory::look::plain;
use crate::cli::memory::queue::Waiting;
use crate::memory::lessons::Addition;
use crate::memory::review::{Event, Staged, Word};
use crate::syntax::RepoPath;

/// How a candidate is taken.
pub struct How<'a> {
    /// In these words, or under this name.
    pub words: Option<&'a str>,
    /// What becomes of the lessons that it is opposed to.
    pub opposed: Opposed,
}

/// What becomes of lessons that one is opposed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opposed {
    /// They stay, and it is not taken.
    Stay,
    /// They are struck out.
    StruckOut,
}

/// What is to be written.
#[derive(Default)]
pub struct Settled {
    pub events: Vec<Event>,
    pub lessons: Option<NewLessons>,
    pub skill: Option<(RepoPath, String)>,
    pub retired: Option<String>,
    pub message: String,
}

/// Characters of a message's first line.
const SUBJECT: usize = 72;

/// What is said of it: the first line of the commit's message.
pub fn subject(what: &str, text: &str) -> String {
    let said = format!("{what}: {}", plain(text));
    match said.char_indices().nth(SUBJECT) {
        Some((end, _)) => format!("{}…", said[..end].trim_end()),
        None => said,
    }
}

impl Settled {
    /// Nothing is left to do, as after a run that was killed and finished.
    pub fn already(what: &str, word: &Word) -> Self {
        let message = plain(&format!("{} was {what} already, by {}: {}", word.candidate, word.by, word.reason));
        Self { message, ..Self::default() }
    }
}

/// The lessons afterwards.
pub enum NewLessons {
    /// With more behind them.
    Longer(Addition),
    /// Another text.
    Other(String),
}

/// All that a decision needs to know.
pub struct ReviewContext<'a> {
    pub context: &'a Workspace,
    pub session: &'a Session,
    pub waiting: Waiting,
    pub by: String,
    pub reason: String,
    pub now: Timestamp,
}

impl ReviewContext<'_> {
    /// What the person says of a candidate.
    pub fn word(&self, staged: &Staged, text: Option<String>) -> Word {
        let timestamp = self.now.to_string();
        Word { candidate: staged.candidate.clone(), timestamp, by: self.by.clone(), reason: self.reason.clone(), text }
    }
}
