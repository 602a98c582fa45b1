//! Lists the candidates of the review queue.

use super::queue::{Contradiction, ReviewFiles};
use crate::{Error, Progress, Workspace};
use canonry_memory::review::{CandidateKind, ReviewStatus};
pub use canonry_memory::review::{EvidenceRow, InvalidEvent, QueueEntry};
use canonry_memory::skill_candidates::draft_skill;
use canonry_text::RepoPath;

/// Which candidates to list.
#[derive(Clone, Debug, Default)]
pub struct ReviewQueueRequest {
    /// Only the candidate with this name or unambiguous prefix.
    pub candidate: Option<String>,
    /// Also candidates that were accepted or rejected.
    pub all: bool,
}

/// The listed candidates.
#[derive(Clone, Debug)]
pub struct ReviewQueueOutcome {
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
    /// The rows of the log that a pending candidate comes from.
    pub evidence: Vec<EvidenceRow>,
    /// The text of the lesson that a pending lesson looks like.
    pub like: Option<String>,
    /// Statements that a pending lesson contradicts.
    pub contradictions: Vec<Contradiction>,
    /// Statements of nearly the opposite of a pending lesson.
    pub near_opposites: Vec<Contradiction>,
    /// The draft of a skill's `SKILL.md`.
    pub draft: Option<String>,
}

/// Lists the candidates. Writes nothing.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a file cannot be read, or the candidate of the request does not exist.
pub fn run(
    workspace: &Workspace,
    request: &ReviewQueueRequest,
    _progress: &dyn Progress,
) -> Result<ReviewQueueOutcome, Error> {
    let files = ReviewFiles::load_current(workspace, workspace.env.clock.now())?;
    let entries: Vec<&QueueEntry> = match &request.candidate {
        Some(name) => vec![files.find(name)?],
        None if request.all => files.queue.entries.iter().collect(),
        None => files.queue.pending().collect(),
    };
    let candidates = entries.into_iter().map(|entry| ReviewItem::new(&files, entry)).collect();
    let pending = files.queue.pending().count();
    Ok(ReviewQueueOutcome { pending, candidates, invalid: files.queue.invalid, path: workspace.layout.review() })
}

impl ReviewItem {
    /// A candidate with what a person should know about it.
    pub(super) fn new(files: &ReviewFiles, entry: &QueueEntry) -> Self {
        let staged = &entry.staged;
        let mut item = Self {
            evidence: files.evidence(&staged.candidate).to_vec(),
            like: None,
            contradictions: Vec::new(),
            near_opposites: Vec::new(),
            draft: (staged.kind == CandidateKind::Skill).then(|| draft_skill(staged)),
            entry: entry.clone(),
        };
        if staged.kind == CandidateKind::Lesson && entry.status == ReviewStatus::Pending {
            item.contradictions = files.contradictions(&staged.text, &staged.candidate);
            item.near_opposites = files.near_opposites(&staged.text, &staged.candidate);
            let opposites: Vec<&Contradiction> = item.contradictions.iter().chain(&item.near_opposites).collect();
            item.like = files.similar_lesson(&staged.text, &opposites);
        }
        item
    }
}

/// The number of candidates that wait for a decision.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a file cannot be read.
pub(super) fn count_pending(workspace: &Workspace) -> Result<usize, Error> {
    Ok(ReviewFiles::load(workspace)?.queue.pending().count())
}
