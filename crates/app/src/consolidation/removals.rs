//! Lessons that a person removed or added again since a dream wrote them. Git's history shows what `LESSONS.md` had before.

use super::state::MemoryState;
use crate::memory_files::read_optional;
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::lessons::{LessonCandidate, RemovedLessons, lessons};
use canonry_memory::review::{CandidateKind, ReviewDecision, ReviewEvent, ReviewStatus, StagedCandidate};
use canonry_memory::{DreamDecision, DreamParams};
use canonry_repo::git::history::{head_time, versions};

/// Who decided, if the decision was found in `LESSONS.md`.
const BY: &str = "canonry dream";
/// Days before the oldest row of the log, and before the newest commit, from which the history is read. A lesson may have been
/// learned from rows that have left the log since.
const MARGIN_DAYS: i64 = 400;

/// Reads which lessons were removed. `current` is the text of the lessons.
///
/// # Errors
/// A file or git's history cannot be read.
pub fn removed_lessons(
    workspace: &Workspace,
    decision: &DreamDecision,
    current: &str,
) -> Result<RemovedLessons, Error> {
    let oldest = decision.log.rows.iter().map(|row| row.at).min();
    let (Ok(repo), Some(oldest)) = (workspace.repo(), oldest) else { return Ok(RemovedLessons::default()) };
    let path = workspace.layout.lessons();
    let oldest = oldest.to_jiff().as_second();
    let since = head_time(repo).map_or(oldest, |head| head.min(oldest)) - MARGIN_DAYS * 86_400;
    let branch = workspace.config.memory.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
    let revs: Vec<String> = branch.into_iter().chain(["HEAD".to_owned()]).collect();
    let versions = versions(repo, &revs, workspace.view.full(&path).as_bstr(), since)
        .map_err(|e| Error::new(ErrorKind::Internal, format!("{path}: cannot read git's history: {e}")))?;
    let versions: Vec<_> = versions.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect();
    let retired = read_optional(workspace, &workspace.layout.retired_lessons())?.unwrap_or_default();
    let versions = versions.iter().map(AsRef::as_ref);
    Ok(RemovedLessons::new(versions, current, &String::from_utf8_lossy(&retired)))
}

/// Drops the candidates that were removed, and adds a rejection of each to `events`.
pub fn reject_removed(
    removed: &RemovedLessons,
    candidates: &[LessonCandidate],
    new: Vec<usize>,
    params: &DreamParams,
    events: &mut Vec<ReviewEvent>,
) -> Vec<usize> {
    let (gone, new): (Vec<usize>, Vec<usize>) = new.into_iter().partition(|at| removed.contains(&candidates[*at]));
    for at in gone {
        let staged = StagedCandidate::from_lesson(&candidates[at], &params.now.date());
        let rejected = decision_about(&staged.candidate, params, "the lesson was removed from LESSONS.md");
        events.extend([ReviewEvent::Staged(staged), ReviewEvent::Rejected(rejected)]);
    }
    new
}

/// Acceptances of the rejected lessons that `LESSONS.md` has: whoever added them there has changed the decision.
pub fn added_again(state: &MemoryState, params: &DreamParams) -> Vec<ReviewEvent> {
    let entries = state.queue.entries.iter().filter(|entry| entry.staged.kind == CandidateKind::Lesson);
    let rejected: Vec<_> = entries.filter(|entry| matches!(entry.status, ReviewStatus::Rejected(_))).collect();
    if rejected.is_empty() {
        return Vec::new();
    }
    let existing = lessons(state.lessons.as_deref().unwrap_or_default());
    let again = rejected
        .into_iter()
        .filter(|entry| existing.iter().any(|lesson| lesson.is(Some(&entry.staged.candidate), &entry.staged.text)));
    let reason = "the lesson is in LESSONS.md again";
    again.map(|entry| ReviewEvent::Accepted(decision_about(&entry.staged.candidate, params, reason))).collect()
}

fn decision_about(candidate: &str, params: &DreamParams, reason: &str) -> ReviewDecision {
    ReviewDecision {
        candidate: candidate.to_owned(),
        timestamp: params.now.to_string(),
        by: BY.to_owned(),
        reason: reason.to_owned(),
        text: None,
        rule: None,
    }
}
