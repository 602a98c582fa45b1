//! Lessons that a person removed or added again since a dream wrote them. Git's history shows what `LESSONS.md` had before.

use super::state::MemoryState;
use crate::memory_files::read_optional;
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::lessons::{LessonCandidate, RemovedLessons, cited_lessons};
use canonry_memory::review::{CandidateKind, ReviewDecision, ReviewEvent, ReviewStatus, StagedCandidate};
use canonry_memory::{DreamDecision, DreamParams};
use canonry_repo::git::history::{head_time, versions};
use std::cell::OnceCell;

/// Who decided, if the decision was found in `LESSONS.md`.
const BY: &str = "canonry dream";
/// Days before the oldest row of the log, and before the newest commit, from which the history is read. A lesson may have been
/// learned from rows that have left the log since.
const MARGIN_DAYS: i64 = 400;

/// Effects of a person's changes to `LESSONS.md` on the candidates of a dream.
pub struct Removals<'a> {
    /// The repository.
    pub workspace: &'a Workspace,
    /// The memory.
    pub state: &'a MemoryState,
    /// The decision about the rows of the log.
    pub decision: &'a DreamDecision,
    /// The parameters of the dream.
    pub params: &'a DreamParams,
    /// Read when it is first needed: most dreams find nothing new.
    removed: OnceCell<RemovedLessons>,
}

impl<'a> Removals<'a> {
    /// Reads nothing yet.
    pub fn new(
        workspace: &'a Workspace,
        state: &'a MemoryState,
        decision: &'a DreamDecision,
        params: &'a DreamParams,
    ) -> Self {
        Self { workspace, state, decision, params, removed: OnceCell::new() }
    }

    /// Drops the candidates that were removed, and adds a rejection of each to `events`.
    ///
    /// # Errors
    /// A file or git's history cannot be read.
    pub fn reject_removed(
        &self,
        candidates: &[LessonCandidate],
        new: Vec<usize>,
        events: &mut Vec<ReviewEvent>,
    ) -> Result<Vec<usize>, Error> {
        if new.is_empty() {
            return Ok(new);
        }
        let removed = self.removed()?;
        let (gone, new): (Vec<usize>, Vec<usize>) = new.into_iter().partition(|at| removed.contains(&candidates[*at]));
        for at in gone {
            let staged = StagedCandidate::from_lesson(&candidates[at], &self.params.now.date());
            let rejected = self.decision_about(&staged.candidate, "the lesson was removed from LESSONS.md");
            events.extend([ReviewEvent::Staged(staged), ReviewEvent::Rejected(rejected)]);
        }
        Ok(new)
    }

    /// Acceptances of the rejected lessons that `LESSONS.md` has: whoever added them there has changed the decision.
    pub fn added_again(&self) -> Vec<ReviewEvent> {
        let entries = self.state.queue.entries.iter().filter(|entry| entry.staged.kind == CandidateKind::Lesson);
        let mut rejected = entries.filter(|entry| matches!(entry.status, ReviewStatus::Rejected(_))).peekable();
        if rejected.peek().is_none() {
            return Vec::new();
        }
        let existing = cited_lessons(self.state.lessons.as_deref().unwrap_or_default());
        let again = rejected
            .filter(|entry| existing.iter().any(|lesson| lesson.is(Some(&entry.staged.candidate), &entry.staged.text)));
        let reason = "the lesson is in LESSONS.md again";
        again.map(|entry| ReviewEvent::Accepted(self.decision_about(&entry.staged.candidate, reason))).collect()
    }

    fn removed(&self) -> Result<&RemovedLessons, Error> {
        if let Some(removed) = self.removed.get() {
            return Ok(removed);
        }
        let removed = self.load()?;
        Ok(self.removed.get_or_init(|| removed))
    }

    fn load(&self) -> Result<RemovedLessons, Error> {
        let oldest = self.decision.rows.iter().map(|row| row.at).min();
        let (Ok(repo), Some(oldest)) = (self.workspace.repo(), oldest) else { return Ok(RemovedLessons::default()) };
        let layout = &self.workspace.layout;
        let branch = &self.workspace.config.memory.branch;
        let path = layout.lessons();
        let oldest = oldest.to_jiff().as_second();
        let since = head_time(repo).map_or(oldest, |head| head.min(oldest)) - MARGIN_DAYS * 86_400;
        let branch = branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
        let revs: Vec<String> = branch.into_iter().chain(["HEAD".to_owned()]).collect();
        let versions = versions(repo, &revs, self.workspace.view.full(&path).as_bstr(), since)
            .map_err(|e| Error::new(ErrorKind::Internal, format!("{path}: cannot read git's history: {e}")))?;
        let versions: Vec<String> = versions.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        let retired = read_optional(self.workspace, &layout.retired_lessons())?.unwrap_or_default();
        let current = self.state.lessons.as_deref().unwrap_or_default();
        let retired = String::from_utf8_lossy(&retired);
        Ok(RemovedLessons::new(versions.iter().map(String::as_str), current, &retired))
    }

    fn decision_about(&self, candidate: &str, reason: &str) -> ReviewDecision {
        ReviewDecision {
            candidate: candidate.to_owned(),
            timestamp: self.params.now.to_string(),
            by: BY.to_owned(),
            reason: reason.to_owned(),
            text: None,
            rule: None,
        }
    }
}
