//! Changes made by a decision about a candidate.

use super::single_line;
use canonry_memory::lesson_rule::RuleInsertion;
use canonry_memory::lessons::LessonAddition;
use canonry_memory::review::{ReviewDecision, ReviewEvent};
use canonry_text::RepoPath;

/// The changes of a decision.
#[derive(Default)]
pub(super) struct ReviewChanges {
    pub events: Vec<ReviewEvent>,
    pub lessons: Option<LessonsChange>,
    pub skill: Option<SkillDraft>,
    /// The line that is added to the archive of lessons.
    pub retired: Option<String>,
    pub spec: Option<SpecAddition>,
    /// The file that has the rule afterwards, and its change, if it has to change.
    pub placed: Option<PlacedFile>,
    pub insertion: Option<FileInsertion>,
    pub message: String,
}

pub(super) enum LessonsChange {
    Append(LessonAddition),
    Replace(String),
}

/// Text to append to a page of the spec.
pub(super) struct SpecAddition {
    pub path: RepoPath,
    pub before: Option<Vec<u8>>,
    pub text: String,
}

pub(super) struct SkillDraft {
    pub path: RepoPath,
    pub text: String,
}

impl ReviewChanges {
    /// The decision was made before, for example by a run that was interrupted and resumed.
    pub fn already_decided(verb: &str, decision: &ReviewDecision) -> Self {
        let ReviewDecision { candidate, by, reason, .. } = decision;
        Self { message: single_line(&format!("{candidate} was already {verb}, by {by}: {reason}")), ..Self::default() }
    }
}

/// The file of an accepted rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFile {
    /// The path.
    pub path: RepoPath,
    /// The line that said so before, from 1; `None` if the rule was added.
    pub existing_line: Option<usize>,
}

/// The change of the file of an accepted rule.
pub(super) struct FileInsertion {
    pub path: RepoPath,
    /// `None` if the file does not exist.
    pub before: Option<String>,
    pub insertion: RuleInsertion,
}
