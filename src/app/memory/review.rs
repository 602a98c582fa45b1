//! Lists the candidates of the review queue.

use super::queue::{Contradiction, ReviewFiles};
use super::selection::group_of;
use crate::app::{Error, Progress, Workspace};
use crate::memory::review::{CandidateKind, ReviewStatus};
pub use crate::memory::review::{InvalidEvent, QueueEntry};
use crate::memory::skill_candidates::draft_skill;
use crate::syntax::RepoPath;

/// Which candidates to list.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Only the candidate with this name or unambiguous prefix.
    pub candidate: Option<String>,
    /// Also candidates that were accepted or rejected.
    pub all: bool,
}

/// The listed candidates.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The number of all pending candidates.
    pub pending: usize,
    /// The candidates.
    pub candidates: Vec<ReviewItem>,
    /// Lines of the queue that were skipped.
    pub invalid: Vec<InvalidEvent>,
    /// The path of the queue.
    pub path: RepoPath,
}

/// A candidate.
#[derive(Clone, Debug)]
pub struct ReviewItem {
    /// The candidate and its state.
    pub entry: QueueEntry,
    /// What a pending lesson contradicts.
    pub contradictions: Vec<Contradiction>,
    /// The name of its group.
    pub group: Option<String>,
    /// What says nearly the opposite of a pending lesson.
    pub near_opposites: Vec<Contradiction>,
    /// The texts of the log that a pending lesson stands for.
    pub stands_for: Vec<String>,
    /// The draft of a skill's `SKILL.md`.
    pub draft: Option<String>,
}

/// Lists the candidates. Writes nothing.
///
/// # Errors
/// [`crate::app::ErrorKind::Unreadable`] if a file cannot be read, or the candidate of the request does not exist.
pub fn run(workspace: &Workspace, request: &Request, _progress: &dyn Progress) -> Result<Outcome, Error> {
    let files = ReviewFiles::load_current(workspace, workspace.env.clock.now())?;
    let entries: Vec<&QueueEntry> = match &request.candidate {
        Some(name) => vec![files.find(name)?],
        None if request.all => files.queue.entries.iter().collect(),
        None => files.queue.pending().collect(),
    };
    let item = |entry: &QueueEntry| ReviewItem {
        contradictions: match (entry.staged.kind, &entry.status) {
            (CandidateKind::Lesson, ReviewStatus::Pending) => {
                files.contradictions(&entry.staged.text, &entry.staged.candidate)
            }
            _ => Vec::new(),
        },
        group: group_of(entry).map(str::to_owned),
        near_opposites: match (entry.staged.kind, &entry.status) {
            (CandidateKind::Lesson, ReviewStatus::Pending) => {
                files.near_opposites(&entry.staged.text, &entry.staged.candidate)
            }
            _ => Vec::new(),
        },
        stands_for: match entry.status {
            ReviewStatus::Pending => files.stands_for(&entry.staged.candidate),
            ReviewStatus::Accepted(_) | ReviewStatus::Rejected(_) => Vec::new(),
        },
        draft: (entry.staged.kind == CandidateKind::Skill).then(|| draft_skill(&entry.staged)),
        entry: entry.clone(),
    };
    let candidates = in_groups(entries.into_iter().map(item).collect());
    let pending = files.queue.pending().count();
    Ok(Outcome { pending, candidates, invalid: files.queue.invalid, path: workspace.layout.review() })
}

/// The candidates in their order, but those of a group one after the other.
fn in_groups(items: Vec<ReviewItem>) -> Vec<ReviewItem> {
    let groups: Vec<Option<String>> = items.iter().map(|item| group_of(&item.entry).map(str::to_owned)).collect();
    let first_of_group = |at: usize| match &groups[at] {
        Some(group) => groups.iter().position(|other| other.as_ref() == Some(group)).unwrap_or(at),
        None => at,
    };
    let mut numbered: Vec<(usize, ReviewItem)> = items.into_iter().enumerate().collect();
    numbered.sort_by_key(|(at, _)| (first_of_group(*at), *at));
    numbered.into_iter().map(|(_, item)| item).collect()
}

/// The number of candidates that wait for a decision.
///
/// # Errors
/// [`crate::app::ErrorKind::Unreadable`] if a file cannot be read.
pub(super) fn count_pending(workspace: &Workspace) -> Result<usize, Error> {
    Ok(ReviewFiles::load(workspace)?.queue.pending().count())
}
