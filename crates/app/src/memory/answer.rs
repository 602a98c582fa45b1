//! Accepting what a person completes: the answer to a question.

use super::decide::AcceptOptions;
use super::review_context::{ReviewChanges, ReviewContext, refused};
use super::single_line;
use crate::Error;
use crate::consolidation::MemoryState;
use canonry_memory::review::{CandidateKind, QUESTION_PREFIX, QueueEntry, StagedCandidate};
use canonry_memory::{DreamParams, MemoryPolicy, Ruleset, consolidate};

impl ReviewContext<'_> {
    /// Adds the answer as a lesson, with the episodes that the log has by now.
    pub(super) fn answer_question(&self, entry: &QueueEntry, options: &AcceptOptions) -> Result<ReviewChanges, Error> {
        if options.text.as_deref().is_none_or(|text| text.trim().is_empty()) {
            let name = single_line(&entry.staged.candidate);
            let help = format!("state the lesson: `canonry memory accept {name} --as LESSON --reason WHY`");
            return Err(refused(format!("`{name}` is a question, not a lesson"), help));
        }
        let mut staged = StagedCandidate { kind: CandidateKind::Lesson, ..entry.staged.clone() };
        self.add_logged_episodes(&mut staged)?;
        self.accept_lesson(&QueueEntry { staged, status: entry.status.clone() }, options)
    }

    fn add_logged_episodes(&self, staged: &mut StagedCandidate) -> Result<(), Error> {
        let policy = MemoryPolicy::from_config(&self.workspace.config.memory);
        let params = DreamParams { now: self.now, policy, ruleset: Ruleset::Current };
        let state = MemoryState::load(self.workspace, &params)?;
        let rows = state.log.map(|log| log.rows).unwrap_or_default();
        let decision = consolidate(rows, Vec::new(), &params);
        let pattern = staged.candidate.strip_prefix(QUESTION_PREFIX).unwrap_or_default();
        let logged = decision.patterns.iter().find(|logged| decision.pattern_id(logged) == pattern);
        if let Some(logged) = logged {
            staged.episodes = logged.rows.iter().rev().map(|row| decision.row_id(*row)).collect();
            staged.total = staged.total.max(logged.rows.len());
        }
        Ok(())
    }
}
