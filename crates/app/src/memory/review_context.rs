//! State that decisions about candidates share: their inputs, and their changes.

use super::batch::DecisionBatch;
use super::queue::{Contradiction, ReviewFiles};
pub(super) use super::review_changes::{
    FileInsertion, LessonsChange, PlacedFile, ReviewChanges, SkillDraft, SpecAddition,
};
use super::single_line;
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::review::{ReviewDecision, ReviewEvent, StagedCandidate};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::apply::Session;
use canonry_text::Span;

/// Characters of a commit subject.
const MAX_SUBJECT: usize = 72;

/// Everything a decision depends on.
pub(super) struct ReviewContext<'a> {
    pub workspace: &'a Workspace,
    pub session: &'a Session,
    /// The files with the changes of the decisions so far.
    pub files: ReviewFiles,
    pub batch: DecisionBatch,
    pub by: String,
    pub reason: String,
    pub now: Timestamp,
    /// Whether this run has finished a decision that was interrupted.
    pub is_resumed: bool,
}

impl ReviewContext<'_> {
    pub fn decision(&self, staged: &StagedCandidate, text: Option<String>) -> ReviewDecision {
        ReviewDecision {
            candidate: staged.candidate.clone(),
            timestamp: self.now.to_string(),
            by: self.by.clone(),
            reason: self.reason.clone(),
            text,
            rule: None,
        }
    }

    /// Rejects the pending candidates that contradict a text, and returns the positions of the lessons that do.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if something contradicts the text and must not be superseded.
    pub fn resolve_contradictions(
        &self,
        staged: &StagedCandidate,
        text: &str,
        supersede: bool,
    ) -> Result<(Vec<ReviewEvent>, Vec<Span>), Error> {
        let contradictions = self.files.contradictions(text, &staged.candidate);
        if !contradictions.is_empty() && !supersede {
            return Err(contradiction_error(staged, &contradictions));
        }
        let mut events = Vec::new();
        let mut superseded = Vec::new();
        for contradiction in contradictions {
            match contradiction {
                Contradiction::Lesson { span, .. } => superseded.push(span),
                Contradiction::Candidate { name, .. } => {
                    let reason = format!("superseded by {}: {}", staged.candidate, self.reason);
                    let decision = ReviewDecision { candidate: name, reason, ..self.decision(staged, None) };
                    events.push(ReviewEvent::Rejected(decision));
                }
            }
        }
        Ok((events, superseded))
    }
}

pub(super) fn refused(message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, message).help(help)
}

/// The first line of the commit message.
pub(super) fn subject(what: &str, text: &str) -> String {
    let subject = format!("{what}: {}", single_line(text));
    match subject.char_indices().nth(MAX_SUBJECT) {
        Some((end, _)) => format!("{}…", subject[..end].trim_end()),
        None => subject,
    }
}

fn contradiction_error(staged: &StagedCandidate, contradictions: &[Contradiction]) -> Error {
    let all: Vec<String> = contradictions.iter().map(ToString::to_string).collect();
    let name = &staged.candidate;
    refused(
        format!("`{name}` contradicts {}", all.join("\n  and ")),
        format!(
            "to keep the existing lesson, run `canonry memory reject {name}`; to state when each of them applies, accept it with \
             `--as TEXT`; to replace the other, accept it with `--supersede`"
        ),
    )
}
