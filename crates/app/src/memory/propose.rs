//! Puts candidate lessons with their episodes into the review queue, for jobs that find lessons outside of the log.

use super::queue::ReviewFiles;
use super::write::{commit_note, write_files};
use crate::consolidation::transaction::{Resumed, check_commit_possible, resume};
use crate::memory_files::{refuse_links, staging_folders};
use crate::{
    Error, ErrorKind, Progress, Quiet, Workspace,
    log::{self, LogEpisodeRequest, LoggedFields},
};
use canonry_memory::Ruleset;
use canonry_memory::lessons::select_new;
use canonry_memory::proposals::{episode_id, staged_lesson};
use canonry_memory::review::{CandidateKind, QueueEntry, ReviewEvent, ReviewStatus, on_new_line};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::apply::Session;
use canonry_repo::apply::log_transaction::{FileChange, LogChanges, sweep};
pub use canonry_repo::git::commit::Committed;
use canonry_repo::git::commit::unoccupied;
use canonry_text::{RepoPath, secrets};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, BufReader};

/// Lessons to propose.
#[derive(Clone, Debug)]
pub struct ProposeLessonsRequest {
    /// The lessons.
    pub proposals: Vec<LessonProposal>,
    /// Do not commit the review queue. New rows of the log are committed by the next dream.
    pub no_commit: bool,
    /// The date of the candidates; the current time by default.
    pub now: Option<Timestamp>,
}

/// A candidate lesson with what shows that it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonProposal {
    /// Lesson, in one sentence. Proposals with the same words are the same candidate.
    pub text: String,
    /// The rejections it was found in; each becomes an episode of the log.
    pub occurrences: Vec<Occurrence>,
}

/// A step of a workflow that was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The id of the run.
    pub run: String,
    /// The name of the step.
    pub step: String,
    /// When it was rejected.
    pub at: Timestamp,
    /// The reason that was given.
    pub reason: String,
}

/// Results of the proposals.
#[derive(Clone, Debug)]
pub struct ProposedLessons {
    /// The lessons in the order of the request.
    pub lessons: Vec<ProposedLesson>,
    /// The number of rows that were appended to the log.
    pub logged: usize,
    /// The commit of the review queue.
    pub commit: Option<Committed>,
}

/// A proposed lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedLesson {
    /// Its name in the review queue.
    pub candidate: String,
    /// The text that was staged: in one line, without secrets.
    pub text: String,
    /// Whether it is new, or what was decided about it.
    pub state: ProposalState,
    /// The ids of its episodes, the latest first.
    pub episodes: Vec<String>,
}

/// The state of a proposed lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalState {
    /// It is new, and waits for a decision now.
    Staged,
    /// It waited for a decision already.
    Pending,
    /// A person accepted it, or `LESSONS.md` has it.
    Accepted,
    /// A person rejected it.
    Rejected,
}

/// Appends the occurrences to the log as episodes, and stages the lessons. Repeating a call changes nothing: a candidate is
/// identified by its words, an episode by its occurrence.
///
/// # Errors
/// [`ErrorKind::Usage`] if a lesson has no text; [`ErrorKind::Unreadable`] if a file of the memory cannot be read or is a link;
/// [`ErrorKind::Refused`] if a commit is not possible; [`ErrorKind::Contention`] if another process holds the lock or changed
/// the queue.
pub fn run(
    workspace: &Workspace,
    request: &ProposeLessonsRequest,
    progress: &dyn Progress,
) -> Result<ProposedLessons, Error> {
    refuse_links(workspace)?;
    unoccupied(workspace.repo()?)?;
    if !request.no_commit {
        check_commit_possible(workspace, workspace.config.memory.branch.as_deref())?;
    }
    let texts: Vec<String> =
        request.proposals.iter().map(|proposal| secrets::redact_any(&proposal.text).into_owned()).collect();
    if texts.iter().any(|text| text.trim().is_empty()) {
        return Err(Error::new(ErrorKind::Usage, "a proposed lesson has no text"));
    }
    let session = Session::begin(&workspace.git_dir()?)?;
    let _: Resumed = resume(workspace, &session, request.no_commit, progress)?;
    sweep(&session, &workspace.view, &staging_folders(workspace));
    // The rows come first: after an interruption, the candidate is staged again and cites them.
    let logged = log_occurrences(workspace, request, &texts)?;
    let files = ReviewFiles::load(workspace)?;
    let date = request.now.unwrap_or_else(|| workspace.env.clock.now()).date();
    let mut lessons: Vec<ProposedLesson> = Vec::new();
    let mut events: Vec<ReviewEvent> = Vec::new();
    for (proposal, text) in request.proposals.iter().zip(&texts) {
        let episodes = episode_ids(&proposal.occurrences);
        let staged = staged_lesson(text, episodes.clone(), &date);
        let is_repeated = lessons.iter().any(|other| other.candidate == staged.candidate);
        let state = match known_state(&files, &staged.candidate, &staged.text) {
            Some(state) => state,
            None if is_repeated => ProposalState::Pending,
            None if select_new(files.lessons_text(), &[staged.to_lesson(&staged.text)], Ruleset::Current)
                .is_empty() =>
            {
                ProposalState::Accepted
            }
            None => ProposalState::Staged,
        };
        lessons.push(ProposedLesson {
            candidate: staged.candidate.clone(),
            text: staged.text.clone(),
            state,
            episodes,
        });
        if state == ProposalState::Staged {
            events.push(ReviewEvent::Staged(staged));
        }
    }
    let commit = if events.is_empty() { None } else { stage(workspace, &session, &files, &events, request)? };
    Ok(ProposedLessons { lessons, logged, commit })
}

/// The candidate's state, if the queue has it under this name or with these words.
fn known_state(files: &ReviewFiles, candidate: &str, text: &str) -> Option<ProposalState> {
    let entry = files.queue.lookup(CandidateKind::Lesson, candidate, text)?;
    Some(match &entry {
        QueueEntry { status: ReviewStatus::Pending, .. } => ProposalState::Pending,
        QueueEntry { status: ReviewStatus::Accepted(_), .. } => ProposalState::Accepted,
        QueueEntry { status: ReviewStatus::Rejected(_), .. } => ProposalState::Rejected,
    })
}

fn stage(
    workspace: &Workspace,
    session: &Session,
    files: &ReviewFiles,
    events: &[ReviewEvent],
    request: &ProposeLessonsRequest,
) -> Result<Option<Committed>, Error> {
    let before = files.review.as_deref();
    let text = on_new_line(before, events.iter().map(ReviewEvent::to_line).collect());
    let file = FileChange::Append { path: workspace.layout.review(), before, text };
    let mut changes = LogChanges { log: None, files: vec![file], commit: None };
    if !request.no_commit {
        let message = match events.len() {
            1 => "memory: stage 1 lesson for review\n".to_owned(),
            count => format!("memory: stage {count} lessons for review\n"),
        };
        changes.commit = Some(commit_note(workspace, &changes, message)?);
    }
    write_files(workspace, session, changes, None)
}

/// The ids of the episodes, the latest first.
fn episode_ids(occurrences: &[Occurrence]) -> Vec<String> {
    let mut sorted: Vec<&Occurrence> = occurrences.iter().collect();
    sorted.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| (&a.run, &a.step).cmp(&(&b.run, &b.step))));
    let mut ids: Vec<String> = sorted.into_iter().map(Occurrence::id).collect();
    let mut seen = BTreeSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    ids
}

impl Occurrence {
    fn id(&self) -> String {
        episode_id(&self.run, &self.step, &self.at.to_string(), &self.reason)
    }
}

/// Appends the occurrences that neither the log nor a snapshot has; returns how many.
fn log_occurrences(workspace: &Workspace, request: &ProposeLessonsRequest, texts: &[String]) -> Result<usize, Error> {
    let mut new: BTreeMap<(Timestamp, String), (&Occurrence, &str)> = BTreeMap::new();
    for (proposal, text) in request.proposals.iter().zip(texts) {
        for occurrence in &proposal.occurrences {
            new.entry((occurrence.at, occurrence.id())).or_insert((occurrence, text));
        }
    }
    let known = logged_ids(workspace, new.keys())?;
    new.retain(|(_, id), _| !known.contains(id));
    for ((at, id), (occurrence, text)) in &new {
        let fields = LoggedFields {
            timestamp: Some(at.to_string()),
            id: Some(id.clone()),
            action: Some(format!("step {} was rejected: {text}", occurrence.step)),
            result: Some("failure".to_owned()),
            detail: Some(occurrence.reason.clone()).filter(|reason| !reason.trim().is_empty()),
            reflection: Some((*text).to_owned()),
            context: Some(format!("workflow run {}, step {}", occurrence.run, occurrence.step)),
            ..LoggedFields::default()
        };
        log::run(workspace, &LogEpisodeRequest { fields, ..LogEpisodeRequest::default() }, &Quiet)?;
    }
    Ok(new.len())
}

/// Which of these episodes the log has, or the snapshot of their month.
fn logged_ids<'a>(
    workspace: &Workspace,
    wanted: impl Iterator<Item = &'a (Timestamp, String)>,
) -> Result<BTreeSet<String>, Error> {
    let layout = &workspace.layout;
    let mut paths: BTreeSet<RepoPath> = BTreeSet::from([layout.log()]);
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for (at, id) in wanted {
        paths.insert(layout.snapshots().join(format!("{}.jsonl", at.month()).as_str()));
        ids.insert(id);
    }
    let mut found = BTreeSet::new();
    for path in paths.iter().filter(|_| !ids.is_empty()) {
        let read = rows_with_ids(workspace, path, &ids, &mut found);
        read.map_err(|e| Error::new(ErrorKind::Unreadable, format!("{path}: cannot be read: {e}")))?;
    }
    Ok(found)
}

/// Rows are parsed only if they contain one of the ids: a log may have a million rows.
fn rows_with_ids(
    workspace: &Workspace,
    path: &RepoPath,
    ids: &BTreeSet<&str>,
    found: &mut BTreeSet<String>,
) -> io::Result<()> {
    let Some(path) = workspace.view.on_disk(path) else { return Ok(()) };
    let file = match canonry_repo::fs::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => BufReader::new(file?),
    };
    let finder = aho_corasick::AhoCorasick::new(ids).map_err(io::Error::other)?;
    for line in file.split(b'\n') {
        let line = line?;
        if !finder.is_match(&line) {
            continue;
        }
        let row: Option<Value> = serde_json::from_slice(&line).ok();
        let id = row.as_ref().and_then(|row| row.get("id")).and_then(Value::as_str);
        found.extend(id.filter(|id| ids.contains(id)).map(str::to_owned));
    }
    Ok(())
}

#[cfg(test)]
#[path = "propose_tests.rs"]
mod tests;
