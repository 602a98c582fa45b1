//! What waits for a person's word, and what was said: one JSON object a line, to which lines are added and from which none
//! is taken, so that two branches of it merge as the lines of both.

use super::lessons::{Candidate, folded, single_line};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

/// Episodes that a candidate names; the others are counted.
const NAMED: usize = 5;
/// Characters that name a candidate at least.
const SHORTEST: usize = 4;

/// What a candidate would become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A lesson.
    Lesson,
    /// A skill.
    Skill,
    /// A lesson that is to leave.
    Retire,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// It waits from now on.
    Staged(Staged),
    /// It was taken.
    Accepted(Word),
    /// It was not.
    Rejected(Word),
}

/// A candidate as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staged {
    /// What it is called: a lesson by its pattern, one that is to leave by `retire:` and its
    /// pattern, a skill by `skill:` and the name that it would have.
    pub candidate: String,
    /// What it would become.
    pub kind: Kind,
    /// The day on which it was found.
    pub date: String,
    /// The lesson's words; what the skill would do.
    pub text: String,
    /// How that is done, as its episodes say it; of a skill.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// Ids of its first episodes.
    pub episodes: Vec<String>,
    /// How many episodes there were in all.
    pub of: usize,
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// Of what.
    pub candidate: String,
    /// When, RFC 3339.
    pub timestamp: String,
    /// Who: a name and an address, as git has them.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The words that were taken, where they are others than those that were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// How a candidate stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It waits.
    Waiting,
    /// It was taken.
    Accepted(Word),
    /// It was not.
    Rejected(Word),
}

/// A candidate, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As it was found first.
    pub staged: Staged,
    /// By the last word on it.
    pub standing: Standing,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// From 1.
    pub line: NonZeroUsize,
    /// What is wrong.
    pub reason: String,
}

/// All candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// In the order in which they were found.
    pub entries: Vec<Entry>,
    /// Lines that were passed over.
    pub bad: Vec<BadLine>,
}

/// Why nothing is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// Nothing is called so.
    #[error("there is no candidate `{0}`")]
    Missing(String),
    /// Several are.
    #[error("`{name}` may be any of {}", candidates.join(", "))]
    Several {
        /// What was given.
        name: String,
        /// What is called so.
        candidates: Vec<String>,
    },
}

impl Queue {
    /// Reads the lines. Of two that find the same candidate the first counts, of words on it the last.
    pub fn parse(text: &str) -> Self {
        let mut queue = Self::default();
        let mut words: BTreeMap<String, Standing> = BTreeMap::new();
        let mut met: BTreeSet<String> = BTreeSet::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(Event::Staged(staged)) => {
                    if met.insert(staged.candidate.clone()) {
                        queue.entries.push(Entry { staged, standing: Standing::Waiting });
                    }
                }
                Ok(Event::Accepted(word)) => drop(words.insert(word.candidate.clone(), Standing::Accepted(word))),
                Ok(Event::Rejected(word)) => drop(words.insert(word.candidate.clone(), Standing::Rejected(word))),
                Err(error) => {
                    let line = NonZeroUsize::MIN.saturating_add(number);
                    queue.bad.push(BadLine { line, reason: without_place(&error.to_string()) });
                }
            }
        }
        for entry in &mut queue.entries {
            if let Some(standing) = words.remove(&entry.staged.candidate) {
                entry.standing = standing;
            }
        }
        queue
    }

    /// Those that wait.
    pub fn waiting(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.standing == Standing::Waiting)
    }

    /// The candidate that a name, or the first characters of one, means.
    ///
    /// # Errors
    /// None, or several.
    pub fn find(&self, name: &str) -> Result<&Entry, NotFound> {
        let called = |entry: &&Entry| entry.staged.candidate == name;
        let begins = |entry: &&Entry| name.len() >= SHORTEST && entry.staged.candidate.starts_with(name);
        if let Some(entry) = self.entries.iter().find(called) {
            return Ok(entry);
        }
        let found: Vec<&Entry> = self.entries.iter().filter(begins).collect();
        match found[..] {
            [entry] => Ok(entry),
            [] => Err(NotFound::Missing(name.to_owned())),
            _ => {
                let candidates = found.iter().map(|entry| entry.staged.candidate.clone()).collect();
                Err(NotFound::Several { name: name.to_owned(), candidates })
            }
        }
    }

    /// Whether something is in it, whatever was said of it: by its name, or by its words.
    pub fn knows(&self, kind: Kind, name: &str, text: &str) -> bool {
        let text = folded(text);
        let same = |entry: &Entry| entry.staged.candidate == name || folded(&entry.staged.text) == text;
        self.entries.iter().filter(|entry| entry.staged.kind == kind).any(same)
    }
}

impl Staged {
    /// A lesson that waits.
    pub fn lesson(candidate: &Candidate, date: &str) -> Self {
        let name = candidate.pattern.clone().unwrap_or_default();
        Self {
            candidate: name,
            kind: Kind::Lesson,
            date: date.to_owned(),
            text: single_line(&candidate.text),
            steps: Vec::new(),
            episodes: candidate.ids.iter().take(NAMED).cloned().collect(),
            of: candidate.of,
        }
    }

    /// The lesson that it becomes, in these words.
    pub fn candidate(&self, text: &str) -> Candidate {
        let pattern = Some(self.candidate.clone());
        Candidate { text: text.to_owned(), ids: self.episodes.clone(), of: self.of, pattern }
    }
}

impl Event {
    /// Its line, with the end of it.
    ///
    /// # Errors
    /// None of its values is one that JSON does not have; the library's error is passed on.
    pub fn line(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|line| line + "\n")
    }
}

/// What goes behind a file, on lines of its own: an editor may have left the last one without its end.
pub fn behind(before: Option<&[u8]>, lines: String) -> String {
    let is_torn = before.is_some_and(|before| !before.is_empty() && !before.ends_with(b"\n"));
    if is_torn { format!("\n{lines}") } else { lines }
}

/// The parser says `at line 1 column 7`; the line is told by whoever tells the error.
fn without_place(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
