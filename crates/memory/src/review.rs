//! The review queue `semantic/REVIEW.jsonl`: candidates that wait for a person, and the decisions made.
//!
//! The file is append-only, one JSON object per line, so the union of the lines of two branches is their merge.

use super::lesson_rule::LessonRule;
use super::lessons::{LessonCandidate, MAX_CITATIONS, normalized, single_line};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroUsize;

/// Prefix of the name of a question, before the pattern id.
pub const QUESTION_PREFIX: &str = "question:";
/// Characters of the shortest prefix that identifies a candidate.
const MIN_PREFIX: usize = 4;

/// Kind of entry that an accepted candidate becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum CandidateKind {
    /// A lesson
    Lesson,
    /// A skill
    Skill,
    /// The retirement of a lesson
    Retire,
    /// An addition to a page of the spec
    Spec,
    /// A failure that recurs, and whose lesson a person has to state
    Question,
    /// The rewrite or the retirement of a skill, by a person
    Upkeep,
}

impl CandidateKind {
    /// The word for it, as in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lesson => "lesson",
            Self::Skill => "skill",
            Self::Retire => "retire",
            Self::Spec => "spec",
            Self::Question => "question",
            Self::Upkeep => "upkeep",
        }
    }
}

/// A line of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum ReviewEvent {
    /// A dream proposed a candidate.
    Staged(StagedCandidate),
    /// A person accepted it.
    Accepted(ReviewDecision),
    /// A person rejected it.
    Rejected(ReviewDecision),
}

/// A candidate as a dream found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedCandidate {
    /// The name: a pattern id for a lesson, `retire:` and a pattern id for a retirement, `skill:` and the skill's name for a
    /// skill, `question:` and a pattern id for a question.
    pub candidate: String,
    /// The kind.
    pub kind: CandidateKind,
    /// The date it was found.
    pub date: String,
    /// The text of the lesson, what the skill does, or the question.
    pub text: String,
    /// The steps of a skill, from the reflections of its episodes; of a question, what worked later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// The ids of the first episodes.
    pub episodes: Vec<String>,
    /// The number of episodes.
    #[serde(rename = "of")]
    pub total: usize,
    /// The page below `spec/` that an addition belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// A row of the log that a candidate comes from, for a person who decides about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvidenceRow {
    /// The id of the row.
    pub id: String,
    /// When it happened, as in `2026-05-01`.
    pub date: String,
    /// The action, in one line.
    pub action: String,
    /// The reflection, in one line; may be empty.
    pub reflection: String,
}

impl fmt::Display for EvidenceRow {
    /// One line, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { date, action, reflection, .. } = self;
        let colon = if action.is_empty() || reflection.is_empty() { "" } else { ": " };
        write!(f, "{date}  {action}{colon}{reflection}")
    }
}

/// A person's decision about a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewDecision {
    /// The candidate's name.
    pub candidate: String,
    /// The time, RFC 3339.
    pub timestamp: String,
    /// The person: name and address, as in git.
    pub by: String,
    /// The reason.
    pub reason: String,
    /// The accepted text, if it differs from the candidate's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The rule that the lesson became, if it was not added to `LESSONS.md`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<PlacedRule>,
}

/// A lesson that was accepted as a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedRule {
    /// The path of the file.
    pub to: String,
    /// Content of the rule.
    #[serde(flatten)]
    pub rule: LessonRule,
}

/// The state of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewStatus {
    /// Waits for a decision.
    Pending,
    /// Accepted.
    Accepted(ReviewDecision),
    /// Rejected.
    Rejected(ReviewDecision),
}

/// A candidate with its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueEntry {
    /// The candidate as it was first found.
    pub staged: StagedCandidate,
    /// The state after the last decision.
    pub status: ReviewStatus,
}

/// A line that is not an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidEvent {
    /// The line number, from 1.
    pub line: NonZeroUsize,
    /// Description of the problem.
    pub reason: String,
}

/// All candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewQueue {
    /// The candidates in the order they were found.
    pub entries: Vec<QueueEntry>,
    /// Lines that were skipped.
    pub invalid: Vec<InvalidEvent>,
}

/// Why a name identifies no candidate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindCandidateError {
    /// No candidate has the name or starts with it.
    #[error("there is no candidate `{0}`")]
    NotFound(String),
    /// Several candidates start with it.
    #[error("`{name}` is ambiguous: it could be {}", candidates.join(", "))]
    Ambiguous {
        /// The given name.
        name: String,
        /// The candidates that start with it.
        candidates: Vec<String>,
    },
}

impl ReviewQueue {
    /// Parses the lines of the file. The first event that stages a candidate counts, and the last decision
    /// about it.
    pub fn parse(text: &str) -> Self {
        let mut queue = Self::default();
        let mut decisions: BTreeMap<String, ReviewStatus> = BTreeMap::new();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(ReviewEvent::Staged(staged)) => {
                    if seen.insert(staged.candidate.clone()) {
                        queue.entries.push(QueueEntry { staged, status: ReviewStatus::Pending });
                    }
                }
                Ok(ReviewEvent::Accepted(decision)) => {
                    decisions.insert(decision.candidate.clone(), ReviewStatus::Accepted(decision));
                }
                Ok(ReviewEvent::Rejected(decision)) => {
                    decisions.insert(decision.candidate.clone(), ReviewStatus::Rejected(decision));
                }
                Err(error) => {
                    let line = NonZeroUsize::MIN.saturating_add(number);
                    queue.invalid.push(InvalidEvent { line, reason: without_position(&error.to_string()) });
                }
            }
        }
        for entry in &mut queue.entries {
            if let Some(status) = decisions.remove(&entry.staged.candidate) {
                entry.status = status;
            }
        }
        queue
    }

    /// The candidates that wait for a decision.
    pub fn pending(&self) -> impl Iterator<Item = &QueueEntry> {
        self.entries.iter().filter(|entry| entry.status == ReviewStatus::Pending)
    }

    /// Finds a candidate by its name or an unambiguous prefix.
    ///
    /// # Errors
    /// No candidate matches, or several do.
    pub fn find(&self, name: &str) -> Result<&QueueEntry, FindCandidateError> {
        let is_named = |entry: &&QueueEntry| entry.staged.candidate == name;
        let has_prefix = |entry: &&QueueEntry| name.len() >= MIN_PREFIX && entry.staged.candidate.starts_with(name);
        if let Some(entry) = self.entries.iter().find(is_named) {
            return Ok(entry);
        }
        let found: Vec<&QueueEntry> = self.entries.iter().filter(has_prefix).collect();
        match found[..] {
            [entry] => Ok(entry),
            [] => Err(FindCandidateError::NotFound(name.to_owned())),
            _ => {
                let candidates = found.iter().map(|entry| entry.staged.candidate.clone()).collect();
                Err(FindCandidateError::Ambiguous { name: name.to_owned(), candidates })
            }
        }
    }

    /// Whether a candidate with this name or this text exists, in any state.
    pub fn contains(&self, kind: CandidateKind, name: &str, text: &str) -> bool {
        self.lookup(kind, name, text).is_some()
    }

    /// The candidate with this name or this text, in any state.
    pub fn lookup(&self, kind: CandidateKind, name: &str, text: &str) -> Option<&QueueEntry> {
        let text = normalized(text);
        let is_same = |entry: &&QueueEntry| entry.staged.candidate == name || normalized(&entry.staged.text) == text;
        self.entries.iter().filter(|entry| entry.staged.kind == kind).find(is_same)
    }
}

impl StagedCandidate {
    /// A candidate without evidence.
    pub fn new(kind: CandidateKind, candidate: String, text: String, date: String) -> Self {
        Self { candidate, kind, date, text, steps: Vec::new(), episodes: Vec::new(), total: 0, target: None }
    }

    /// Stages a lesson.
    pub fn from_lesson(lesson: &LessonCandidate, date: &str) -> Self {
        let name = lesson.pattern.clone().unwrap_or_default();
        Self {
            episodes: lesson.episodes.iter().take(MAX_CITATIONS).cloned().collect(),
            total: lesson.total,
            ..Self::new(CandidateKind::Lesson, name, single_line(&lesson.text), date.to_owned())
        }
    }

    /// The lesson this candidate becomes, with this text.
    pub fn to_lesson(&self, text: &str) -> LessonCandidate {
        LessonCandidate {
            text: text.to_owned(),
            episodes: self.episodes.clone(),
            total: self.total,
            pattern: Some(self.candidate.strip_prefix(QUESTION_PREFIX).unwrap_or(&self.candidate).to_owned()),
            salience: None,
        }
    }
}

impl ReviewEvent {
    /// The line of the event, with its line ending.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("an event of texts and numbers has a JSON form") + "\n"
    }
}

/// The sentence about candidates that wait, without a line ending: in a dream's output and at the start of a session.
pub fn waiting_message(count: usize) -> String {
    let candidates = if count == 1 { "1 candidate waits".to_owned() } else { format!("{count} candidates wait") };
    format!("{candidates} for a decision: run `canonry memory review`.")
}

/// Lines to append to a file that may lack its last line ending.
pub fn on_new_line(before: Option<&[u8]>, lines: String) -> String {
    let is_open = before.is_some_and(|before| !before.is_empty() && !before.ends_with(b"\n"));
    if is_open { format!("\n{lines}") } else { lines }
}

/// Removes the parser's ` at line 1 column 7`: the caller knows the line in the file.
fn without_position(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
