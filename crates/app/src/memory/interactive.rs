//! Reviews the pending candidates one after the other with a person.
//!
//! Each decision is written at once, so that nothing decided is lost if the process is killed. One commit at the end has all of
//! them.

use super::decide::{
    self, AcceptOptions, CandidateSelection, DecideCandidatesRequest, DecidedCandidate, DecidedCandidates,
    ReviewVerdict, message_list,
};
use super::queue::Contradiction;
use super::review::{self, ReviewItem, ReviewQueueRequest};
use super::write::commit_paths;
use crate::consolidation::transaction::check_commit_possible;
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_memory::review::CandidateKind;
use canonry_memory::skill_candidates::proposed_skill_name;
use canonry_repo::exec::editor;
pub use canonry_repo::git::commit::Committed;
use canonry_repo::git::commit::unoccupied;
use canonry_repo::git::config::core_editor;
use canonry_text::RepoPath;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// Options of a review.
#[derive(Clone, Debug)]
pub struct InteractiveReviewRequest {
    /// The reason of every decision; recorded with the name of the git user.
    pub reason: String,
    /// Do not commit the written files.
    pub no_commit: bool,
}

/// Answer of the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewAnswer {
    /// Accept the candidate.
    Accept,
    /// Accept it with other words.
    Edit,
    /// Reject it.
    Reject,
    /// Decide later.
    Skip,
    /// Stop here.
    Quit,
    /// Stop here, because of Ctrl-C.
    Interrupt,
}

/// A candidate that needs an answer.
pub struct ReviewQuestion<'a> {
    /// The candidate.
    pub item: &'a ReviewItem,
    /// Its number among all, from 1.
    pub number: usize,
    /// The number of all candidates.
    pub total: usize,
}

/// The person.
pub trait Reviewer {
    /// Shows the candidate and waits for an answer.
    ///
    /// # Errors
    /// The terminal cannot be read.
    fn ask(&mut self, question: &ReviewQuestion<'_>) -> Result<ReviewAnswer, Error>;

    /// Lets the person edit a text; `None` if the editor failed.
    ///
    /// # Errors
    /// The editor cannot be started.
    fn edit(&mut self, text: &str) -> Result<Option<String>, Error>;

    /// Shows what was done.
    fn decided(&mut self, candidates: &[DecidedCandidate]);

    /// Shows why nothing was done.
    fn refused(&mut self, error: &Error);
}

/// The result of a review.
#[derive(Clone, Debug, Default)]
pub struct InteractiveReview {
    /// The number of accepted candidates.
    pub accepted: usize,
    /// The number of rejected candidates.
    pub rejected: usize,
    /// The number of candidates that still wait.
    pub pending: usize,
    /// The commit.
    pub commit: Option<Committed>,
    /// Whether the person stopped with Ctrl-C.
    pub interrupted: bool,
}

/// The decisions so far.
#[derive(Default)]
struct ReviewDecisions {
    accepted: Vec<DecidedCandidate>,
    rejected: Vec<DecidedCandidate>,
    names: BTreeSet<String>,
    paths: BTreeSet<RepoPath>,
}

/// Asks about each pending candidate until all are decided or the person stops.
///
/// # Errors
/// [`ErrorKind::Refused`] if a commit is not possible, before the first question; otherwise see [`decide::run`]. What was
/// decided before an error stays decided.
pub fn run(
    workspace: &Workspace,
    request: &InteractiveReviewRequest,
    reviewer: &mut dyn Reviewer,
    progress: &dyn Progress,
) -> Result<InteractiveReview, Error> {
    unoccupied(workspace.repo()?)?;
    if !request.no_commit {
        check_commit_possible(workspace, workspace.config.memory.branch.as_deref())?;
    }
    let listed = review::run(workspace, &ReviewQueueRequest::default(), progress)?;
    let items = listed.candidates;
    let mut decisions = ReviewDecisions::default();
    let ended = ask_all(workspace, request, &items, &mut decisions, reviewer, progress);
    let ReviewDecisions { accepted, rejected, paths, .. } = decisions;
    let mut outcome =
        InteractiveReview { accepted: accepted.len(), rejected: rejected.len(), ..InteractiveReview::default() };
    if !paths.is_empty() && !request.no_commit {
        let all: Vec<&DecidedCandidate> = accepted.iter().chain(&rejected).collect();
        let count = all.len();
        let reason = request.reason.trim();
        let subject = match all[..] {
            [one] => one.message.clone(),
            _ => format!("{count} candidates reviewed: {} accepted, {} rejected", accepted.len(), rejected.len()),
        };
        let list = if count == 1 { String::new() } else { format!("\n{}", message_list(&all)) };
        let message = format!("{subject}\n\n{reason}\n{list}");
        outcome.commit = commit_paths(workspace, &paths, message).inspect_err(|_| {
            progress.notice("The decisions are written, but not committed.\n");
        })?;
    }
    outcome.interrupted = ended? == ReviewAnswer::Interrupt;
    outcome.pending = review::count_pending(workspace)?;
    Ok(outcome)
}

/// Asks until the end; returns the last answer.
fn ask_all(
    workspace: &Workspace,
    request: &InteractiveReviewRequest,
    items: &[ReviewItem],
    decisions: &mut ReviewDecisions,
    reviewer: &mut dyn Reviewer,
    progress: &dyn Progress,
) -> Result<ReviewAnswer, Error> {
    for (at, item) in items.iter().enumerate() {
        let name = &item.entry.staged.candidate;
        while !decisions.names.contains(name) {
            let item = decisions.still_contradicted(item);
            let answer = reviewer.ask(&ReviewQuestion { item: &item, number: at + 1, total: items.len() })?;
            let verdict = match answer {
                ReviewAnswer::Quit | ReviewAnswer::Interrupt => return Ok(answer),
                ReviewAnswer::Skip => break,
                ReviewAnswer::Accept => ReviewVerdict::Accept(AcceptOptions::default()),
                ReviewAnswer::Reject => ReviewVerdict::Reject,
                ReviewAnswer::Edit => match edited(&item, reviewer)? {
                    Some(text) => ReviewVerdict::Accept(AcceptOptions { text: Some(text), ..AcceptOptions::default() }),
                    None => continue,
                },
            };
            let selection = CandidateSelection::Named(vec![name.clone()]);
            let request = DecideCandidatesRequest {
                selection,
                verdict,
                reason: request.reason.clone(),
                no_commit: true,
                now: None,
            };
            match decide::run(workspace, &request, progress) {
                Ok(outcome) => decisions.add(outcome, &request.verdict, reviewer),
                // For example a contradiction: the person can still reject, edit or skip it.
                Err(error) if error.kind == ErrorKind::Refused => reviewer.refused(&error),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(ReviewAnswer::Quit)
}

/// The text that the person gives the candidate; `None` if there is none.
fn edited(item: &ReviewItem, reviewer: &mut dyn Reviewer) -> Result<Option<String>, Error> {
    let staged = &item.entry.staged;
    let (text, what) = match staged.kind {
        CandidateKind::Skill => (proposed_skill_name(staged), "the name of the skill"),
        CandidateKind::Lesson | CandidateKind::Spec => (staged.text.as_str(), "the text"),
        CandidateKind::Question => (staged.steps.first().map_or("", String::as_str), "the lesson"),
        CandidateKind::Retire | CandidateKind::Upkeep => {
            reviewer.refused(&Error::new(ErrorKind::Refused, "this has no text to edit; accept, reject or skip it"));
            return Ok(None);
        }
    };
    let template = format!(
        "{text}\n\n# Edit {what} above, then save and close the editor to accept it.\n# Lines that start with `#` are ignored. Without text, nothing is decided.\n"
    );
    let Some(edited) = reviewer.edit(&template)? else {
        reviewer.refused(&Error::new(ErrorKind::Refused, "the editor failed; nothing was decided"));
        return Ok(None);
    };
    let lines: Vec<&str> = edited.lines().filter(|line| !line.starts_with('#')).map(str::trim).collect();
    let text = lines.join(" ").trim().to_owned();
    if text.is_empty() {
        reviewer.refused(&Error::new(ErrorKind::Refused, "the text is empty; nothing was decided"));
        return Ok(None);
    }
    Ok(Some(text))
}

/// Lets the person edit a text in the editor that git would start; `None` if the editor failed.
///
/// # Errors
/// The editor cannot be started.
pub fn edit_text(workspace: &Workspace, text: &str) -> Result<Option<String>, Error> {
    let command = editor::command_line(core_editor(workspace.repo()?));
    let was_cancelled = workspace.env.is_cancelled();
    let edited = editor::edit(&command, text, &workspace.env.cwd)
        .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot edit with `{command}`: {e}")))?;
    // Ctrl-C in the editor is about the editor.
    workspace.env.cancel.store(was_cancelled, Ordering::Relaxed);
    Ok(edited)
}

impl ReviewDecisions {
    fn add(&mut self, outcome: DecidedCandidates, verdict: &ReviewVerdict, reviewer: &mut dyn Reviewer) {
        reviewer.decided(&outcome.decided);
        for refused in &outcome.refused {
            reviewer.refused(&refused.error);
        }
        self.names.extend(outcome.decided.iter().map(|decided| decided.candidate.clone()));
        self.paths.extend(outcome.paths);
        match verdict {
            ReviewVerdict::Accept(_) => self.accepted.extend(outcome.decided),
            ReviewVerdict::Reject => self.rejected.extend(outcome.decided),
        }
    }

    /// The item without contradictions that are resolved by now.
    fn still_contradicted(&self, item: &ReviewItem) -> ReviewItem {
        let is_rejected = |name: &str| self.rejected.iter().any(|decided| decided.candidate == name);
        let mut item = item.clone();
        item.contradictions
            .retain(|other| !matches!(other, Contradiction::Candidate { name, .. } if is_rejected(name)));
        item
    }
}
