//! The review queue with the files it refers to.

use super::single_line;
use crate::consolidation::{DreamPlan, plan_dream};
use crate::memory_files::{read_lessons, read_optional};
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::evidence::{find_evidence, set_counts};
use canonry_memory::lessons::{Lesson, lessons};
use canonry_memory::opposites::{find_contradictions, find_near_opposites};
use canonry_memory::review::{CandidateKind, EvidenceRow, QueueEntry, ReviewQueue};
use canonry_memory::{DreamDecision, DreamParams, MemoryPolicy, Ruleset};
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::similarity::most_alike;
use canonry_text::{RepoPath, Span};
use std::collections::HashMap;
use std::fmt;

/// The review queue, the lessons, and the archive of retired lessons.
pub struct ReviewFiles {
    /// The parsed queue.
    pub queue: ReviewQueue,
    /// The queue as bytes; `None` if the file does not exist.
    pub review: Option<Vec<u8>>,
    /// The lessons; `None` if the file does not exist.
    pub lessons: Option<String>,
    /// The retired lessons as bytes; `None` if the file does not exist.
    pub retired: Option<Vec<u8>>,
    /// The rows of the pending candidates, by name; empty if the log was not read.
    evidence: HashMap<String, Vec<EvidenceRow>>,
    /// The decision about the rows of the log; `None` if the log was not read.
    pub decision: Option<DreamDecision>,
    lessons_path: RepoPath,
}

/// A lesson or a candidate that contradicts a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// An existing lesson.
    Lesson {
        /// The path of the lessons.
        path: RepoPath,
        /// The line number, from 1.
        line: usize,
        /// The position in the lessons.
        span: Span,
        /// The text.
        text: String,
    },
    /// Another pending candidate.
    Candidate {
        /// The name.
        name: String,
        /// The text.
        text: String,
    },
}

impl fmt::Display for Contradiction {
    /// One line, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&single_line(&match self {
            Self::Lesson { path, line, text, .. } => format!("{path}:{line}: {text}"),
            Self::Candidate { name, text } => format!("candidate {name}: {text}"),
        }))
    }
}

impl ReviewFiles {
    /// Reads the files.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if a file exists and cannot be read.
    pub fn load(workspace: &Workspace) -> Result<Self, Error> {
        let review = read_optional(workspace, &workspace.layout.review())?;
        let queue = ReviewQueue::parse(&String::from_utf8_lossy(review.as_deref().unwrap_or_default()));
        let retired = read_optional(workspace, &workspace.layout.retired_lessons())?;
        let lessons = read_lessons(workspace)?;
        let lessons_path = workspace.layout.lessons();
        Ok(Self { queue, review, lessons, retired, evidence: HashMap::new(), decision: None, lessons_path })
    }

    /// Reads the files, and what the log as it is now says about the pending candidates.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if a file exists and cannot be read.
    pub fn load_current(workspace: &Workspace, now: Timestamp) -> Result<Self, Error> {
        let mut files = Self::load(workspace)?;
        if files.queue.pending().next().is_some() {
            let policy = MemoryPolicy::from_config(&workspace.config.memory);
            let plan = plan_dream(workspace, &DreamParams { now, policy, ruleset: Ruleset::Current })?;
            files.add_log(&plan);
            files.decision = Some(plan.decision);
        }
        Ok(files)
    }

    /// Adds what a log that is read already says about the pending candidates.
    pub fn add_log(&mut self, plan: &DreamPlan) {
        set_counts(&mut self.queue, &plan.decision, &plan.candidates);
        self.evidence = find_evidence(&self.queue, &plan.decision);
    }

    /// The rows of the log that a pending candidate comes from.
    pub fn evidence(&self, candidate: &str) -> &[EvidenceRow] {
        self.evidence.get(candidate).map_or(&[], Vec::as_slice)
    }

    /// Finds a candidate by its name or an unambiguous prefix.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if no candidate matches, or several do.
    pub fn find(&self, name: &str) -> Result<&QueueEntry, Error> {
        self.queue.find(name).map_err(|e| {
            Error::new(ErrorKind::Unreadable, e.to_string()).help("run `canonry memory review --all` to list the names")
        })
    }

    /// The text of the lessons.
    pub fn lessons_text(&self) -> &str {
        self.lessons.as_deref().unwrap_or_default()
    }

    /// Statements that a lesson text contradicts. `candidate` is the name of the candidate it belongs to.
    pub fn contradictions(&self, text: &str, candidate: &str) -> Vec<Contradiction> {
        self.compare(text, candidate, find_contradictions)
    }

    /// Statements of nearly the opposite of a lesson text, except for contradictions.
    pub fn near_opposites(&self, text: &str, candidate: &str) -> Vec<Contradiction> {
        let contradictions = self.contradictions(text, candidate);
        let mut opposites = self.compare(text, candidate, find_near_opposites);
        opposites.retain(|opposite| !contradictions.contains(opposite));
        opposites
    }

    /// The lesson that a text looks like, except for its opposites.
    pub fn similar_lesson(&self, text: &str, opposites: &[&Contradiction]) -> Option<String> {
        let is_opposite = |lesson: &Lesson| {
            opposites.iter().any(|other| matches!(other, Contradiction::Lesson { span, .. } if *span == lesson.span))
        };
        let mut lessons = lessons(self.lessons_text());
        lessons.retain(|lesson| !is_opposite(lesson));
        let texts: Vec<&str> = lessons.iter().map(|lesson| lesson.text.as_str()).collect();
        most_alike(text, &texts).map(|at| single_line(&lessons[at].text))
    }

    fn compare(&self, text: &str, candidate: &str, find: impl Fn(&[&str]) -> Vec<Vec<usize>>) -> Vec<Contradiction> {
        let lessons = lessons(self.lessons_text());
        let is_other =
            |entry: &&QueueEntry| entry.staged.kind == CandidateKind::Lesson && entry.staged.candidate != candidate;
        let others: Vec<&QueueEntry> = self.queue.pending().filter(is_other).collect();
        let texts: Vec<&str> = std::iter::once(text)
            .chain(lessons.iter().map(|lesson| lesson.text.as_str()))
            .chain(others.iter().map(|entry| entry.staged.text.as_str()))
            .collect();
        let contradiction = |at: &usize| match lessons.get(at - 1) {
            Some(lesson) => Contradiction::Lesson {
                path: self.lessons_path.clone(),
                line: 1 + self.lessons_text().bytes().take(lesson.span.offset).filter(|b| *b == b'\n').count(),
                span: lesson.span,
                text: lesson.text.clone(),
            },
            None => {
                let staged = &others[at - 1 - lessons.len()].staged;
                Contradiction::Candidate { name: staged.candidate.clone(), text: staged.text.clone() }
            }
        };
        find(&texts).first().into_iter().flatten().map(contradiction).collect()
    }
}
