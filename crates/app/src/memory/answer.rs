//! Accepting what a person completes: the answer to a question.

use super::decide::AcceptOptions;
use super::review_context::{ReviewChanges, ReviewContext, refused};
use super::single_line;
use crate::Error;
use canonry_memory::review::{CandidateKind, QUESTION_PREFIX, QueueEntry, StagedCandidate};

impl ReviewContext<'_> {
    /// Adds the answer as a lesson, with the episodes that the log has by now.
    pub(super) fn answer_question(&self, entry: &QueueEntry, options: &AcceptOptions) -> Result<ReviewChanges, Error> {
        if options.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
            let name = single_line(&entry.staged.candidate);
            let help = format!("state the lesson: `canonry memory accept {name} --as LESSON --reason WHY`");
            return Err(refused(format!("`{name}` is a question, not a lesson"), help));
        }
        let mut staged = StagedCandidate { kind: CandidateKind::Lesson, ..entry.staged.clone() };
        self.add_logged_episodes(&mut staged);
        self.accept_lesson(&QueueEntry { staged, status: entry.status.clone() }, options)
    }

    fn add_logged_episodes(&self, staged: &mut StagedCandidate) {
        let Some(decision) = &self.files.decision else { return };
        let pattern = staged.candidate.strip_prefix(QUESTION_PREFIX).unwrap_or_default();
        if let Some(logged) = decision.patterns.iter().find(|logged| decision.pattern_id(logged) == pattern) {
            staged.episodes = logged.rows.iter().rev().map(|row| decision.row_id(*row)).collect();
            staged.total = staged.total.max(logged.rows.len());
        }
    }
}
