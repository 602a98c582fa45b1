//! Accepts or rejects a candidate of the review queue.

pub use super::place::{Destination, LessonRule, Placement, check_placement};
use super::queue::ReviewFiles;
pub use super::review_context::PlacedFile;
use super::review_context::{
    FileInsertion, LessonsChange, ReviewChanges, ReviewContext, SkillDraft, SpecAddition, refused, subject,
};
use super::single_line;
use super::write::{commit_note, event_lines, write_files};
use crate::app::consolidation::transaction::{Resumed, check_commit_possible, resume};
use crate::app::memory_files::{read_optional, refuse_links, staging_folders};
use crate::app::{Error, ErrorKind, Progress, Workspace};
use crate::apply::Session;
use crate::apply::log_transaction::{FileChange, LogChanges, sweep};
use crate::canon::timestamp::Timestamp;
pub use crate::git::commit::Committed;
use crate::git::commit::{committer, unoccupied};
use crate::memory::Ruleset;
use crate::memory::lessons::{append_lessons, dated_lessons, remove_lesson, select_new, strike_out};
use crate::memory::promotion::RETIRE_PREFIX;
use crate::memory::review::{CandidateKind, QueueEntry, ReviewEvent, ReviewStatus, on_new_line};
use crate::memory::skill_candidates::{SKILL_PREFIX, draft_skill, proposed_skill_name, skill_name};
use crate::memory::spec_learnings::{learning_addition, page};
use crate::mirror::MirrorRoot;
use crate::syntax::RepoPath;
use crate::view::{IgnoreMode, PathKind};

/// The first lines of a new archive of lessons.
const RETIRED_HEADER: &str = "# Retired lessons\n\nThese lessons no longer apply, or moved to the file that they name. They are kept for \
                              reference.\n\n";

/// A decision about a candidate.
#[derive(Clone, Debug)]
pub struct Request {
    /// The candidate, by its name or an unambiguous prefix.
    pub candidate: String,
    /// The decision.
    pub verdict: ReviewVerdict,
    /// The reason; recorded with the name of the git user.
    pub reason: String,
    /// Do not commit the written files.
    pub no_commit: bool,
    /// The time of the decision; the current time by default.
    pub now: Option<Timestamp>,
}

/// Accept or reject.
#[derive(Clone, Debug)]
pub enum ReviewVerdict {
    /// A lesson is added to `LESSONS.md`, a skill draft to `skills/`, a learning to its page of `spec/`, and a lesson to
    /// retire is archived.
    Accept(AcceptOptions),
    /// The candidate is never proposed again.
    Reject,
}

/// How to accept a candidate.
#[derive(Clone, Debug, Default)]
pub struct AcceptOptions {
    /// Another text for the lesson, or another name for the skill.
    pub text: Option<String>,
    /// Strike out contradicting lessons and reject contradicting candidates, instead of refusing.
    pub supersede: bool,
    /// Add a lesson as a rule to a file that agents follow, instead of `LESSONS.md`. `memory undo` can undo it.
    pub placement: Option<Placement>,
}

/// What the decision changed.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One line that says what was done, or that it had been done before.
    pub message: String,
    /// The draft that was written for an accepted skill.
    pub skill_draft: Option<RepoPath>,
    /// The file that a lesson was added to as a rule.
    pub placed: Option<PlacedFile>,
    /// The commit.
    pub commit: Option<Committed>,
}

/// Records the decision and makes its changes.
///
/// # Errors
/// [`ErrorKind::Usage`] if the reason is empty; [`ErrorKind::Unreadable`] if the candidate does not exist or a file cannot be
/// read; [`ErrorKind::Refused`] if the lesson contradicts another, the skill exists, or a commit is not possible;
/// [`ErrorKind::Contention`] if another process holds the lock or changed a file.
pub fn run(workspace: &Workspace, request: &Request, progress: &dyn Progress) -> Result<Outcome, Error> {
    refuse_links(workspace)?;
    unoccupied(workspace.repo()?)?;
    if !request.no_commit {
        check_commit_possible(workspace, workspace.config.memory.branch.as_deref())?;
    }
    let session = Session::begin(&workspace.git_dir()?)?;
    let resumed = resume(workspace, &session, request.no_commit, progress)?;
    let context = ReviewContext {
        workspace,
        session: &session,
        files: ReviewFiles::load(workspace)?,
        by: committer(workspace.repo()?)?,
        reason: request.reason.trim().to_owned(),
        now: request.now.unwrap_or_else(|| workspace.env.clock.now()),
        is_resumed: resumed == Resumed::Dream,
    };
    let named = context.find(request)?;
    let entry = &named;
    sweep(&session, &workspace.view, &staging_folders(workspace));
    let changes = match &request.verdict {
        ReviewVerdict::Reject => context.reject(entry),
        ReviewVerdict::Accept(options) if entry.staged.kind == CandidateKind::Question => {
            context.answer_question(entry, options)?
        }
        ReviewVerdict::Accept(AcceptOptions { placement: Some(placement), supersede, .. }) => {
            check_placement(placement)?;
            context.place_lesson(entry, placement, *supersede)?
        }
        ReviewVerdict::Accept(options) => match entry.staged.kind {
            CandidateKind::Lesson => context.accept_lesson(entry, options)?,
            CandidateKind::Skill => context.accept_skill(entry, options.text.as_deref())?,
            CandidateKind::Retire => context.retire_lesson(entry),
            CandidateKind::Spec => context.accept_learning(entry, options.text.as_deref())?,
            CandidateKind::Question => context.answer_question(entry, options)?,
        },
    };
    let commit = context.write(&changes, request.no_commit)?;
    let skill_draft = changes.skill.map(|skill| skill.path);
    Ok(Outcome { message: changes.message, skill_draft, placed: changes.placed, commit })
}

/// Checks the reason of a decision before anything else is read.
///
/// # Errors
/// [`ErrorKind::Usage`] if it is empty.
pub fn check_reason(reason: &str) -> Result<(), Error> {
    if reason.trim().is_empty() {
        return Err(Error::new(ErrorKind::Usage, "`--reason` is empty").help("give a reason for later readers"));
    }
    Ok(())
}

impl ReviewContext<'_> {
    fn reject(&self, entry: &QueueEntry) -> ReviewChanges {
        let removal = self.remove_rejected(entry);
        if let (ReviewStatus::Rejected(decision), None) = (&entry.status, &removal) {
            return ReviewChanges::already_decided("rejected", decision);
        }
        let kind = match entry.staged.kind {
            CandidateKind::Lesson => "lesson",
            CandidateKind::Skill => "skill",
            CandidateKind::Retire => "retirement",
            CandidateKind::Spec => "learning",
            CandidateKind::Question => "question",
        };
        ReviewChanges {
            events: self.rejection(entry),
            lessons: removal.map(LessonsChange::Replace),
            message: subject(&format!("{kind} rejected"), &entry.staged.text),
            ..ReviewChanges::default()
        }
    }

    pub(super) fn accept_lesson(&self, entry: &QueueEntry, options: &AcceptOptions) -> Result<ReviewChanges, Error> {
        let staged = &entry.staged;
        let other_text = options.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let text = other_text.unwrap_or(&staged.text);
        let existing = self.files.lessons_text();
        let candidates = [staged.to_lesson(text)];
        let new = select_new(existing, &candidates, Ruleset::Current);
        if let (ReviewStatus::Accepted(decision), true) = (&entry.status, new.is_empty()) {
            return Ok(ReviewChanges::already_decided("accepted", decision));
        }
        let (mut events, superseded) = self.resolve_contradictions(staged, text, options.supersede)?;
        events.insert(0, ReviewEvent::Accepted(self.decision(staged, other_text.map(str::to_owned))));
        let date = self.now.date();
        let added = if other_text.is_none() { self.added_to_similar(staged, &superseded) } else { None };
        let lessons = if let Some(text) = added {
            LessonsChange::Replace(text)
        } else if superseded.is_empty() {
            LessonsChange::Append(append_lessons(existing, &candidates, new, &date))
        } else {
            let rest = strike_out(existing, &superseded, &date);
            let added = append_lessons(&rest, &candidates, new, &date);
            LessonsChange::Replace(rest + &added.text)
        };
        let message = subject("lesson accepted", text);
        Ok(ReviewChanges { events, lessons: Some(lessons), message, ..ReviewChanges::default() })
    }

    fn accept_skill(&self, entry: &QueueEntry, name: Option<&str>) -> Result<ReviewChanges, Error> {
        let mut staged = entry.staged.clone();
        if let ReviewStatus::Accepted(decision) = &entry.status {
            return Ok(ReviewChanges::already_decided("accepted", decision));
        }
        // Anyone can write the queue file: only a valid skill name may become a path.
        let valid_name = skill_name(name.unwrap_or(proposed_skill_name(&entry.staged)));
        staged.candidate = format!("{SKILL_PREFIX}{valid_name}");
        let view = &self.workspace.view;
        let skills = self.workspace.layout.skills();
        if view.root(&skills) != MirrorRoot::Folder {
            return Err(refused(format!("{skills} is a link, or not a directory"), "replace it with a directory"));
        }
        let folder = skills.join(valid_name.as_str());
        let is_taken = match view.kind(&folder) {
            PathKind::Nothing => false,
            PathKind::File => true,
            PathKind::Folder => {
                // An interrupted run may have left the directory with a temporary file.
                sweep(self.session, view, std::slice::from_ref(&folder));
                !view.list(&folder, IgnoreMode::Include)?.files.is_empty()
            }
        };
        if is_taken {
            return Err(refused(format!("{folder} exists already"), "choose another name with `--as NAME`"));
        }
        let decision = self.decision(&entry.staged, name.map(str::to_owned));
        Ok(ReviewChanges {
            events: vec![ReviewEvent::Accepted(decision)],
            skill: Some(SkillDraft { path: folder.join("SKILL.md"), text: draft_skill(&staged) }),
            message: format!("skill accepted: {valid_name}"),
            ..ReviewChanges::default()
        })
    }

    /// Appends the learning to its page of the spec, with its origin.
    fn accept_learning(&self, entry: &QueueEntry, other_text: Option<&str>) -> Result<ReviewChanges, Error> {
        let staged = &entry.staged;
        if let ReviewStatus::Accepted(decision) = &entry.status {
            return Ok(ReviewChanges::already_decided("accepted", decision));
        }
        // Anyone can write the queue file: only a Markdown file in the spec may be changed.
        let target = staged.target.as_deref().unwrap_or_default();
        let Some(page) = page(target) else {
            let message = format!("`{}` is not a Markdown file in the spec", single_line(target));
            return Err(refused(message, "reject the candidate, and correct the task"));
        };
        let path = self.workspace.layout.spec().join(page.as_bstr());
        let view = &self.workspace.view;
        let is_file = matches!(view.kind(&path), PathKind::File | PathKind::Nothing) && view.link_text(&path).is_none();
        if view.root(&path.parent().unwrap_or_default()) != MirrorRoot::Folder || !is_file {
            return Err(refused(format!("{path} is a link or below one, or not a file"), "replace it with a file"));
        }
        let before = read_optional(self.workspace, &path)?;
        let before_text = before.as_deref().map(String::from_utf8_lossy);
        let other_text = other_text.map(str::trim).filter(|text| !text.is_empty());
        let text = other_text.unwrap_or(&staged.text);
        let person = self.by.split(" <").next().unwrap_or_default();
        let origin = format!("{}, {}", self.now.date(), single_line(person));
        let text = learning_addition(before_text.as_deref(), &path, staged, text, &origin);
        Ok(ReviewChanges {
            events: vec![ReviewEvent::Accepted(self.decision(staged, other_text.map(str::to_owned)))],
            message: subject("learning accepted", &staged.text),
            spec: Some(SpecAddition { path, before, text }),
            ..ReviewChanges::default()
        })
    }

    /// Moves the lesson to the archive, unless someone has removed it already.
    fn retire_lesson(&self, entry: &QueueEntry) -> ReviewChanges {
        if let ReviewStatus::Accepted(decision) = &entry.status {
            return ReviewChanges::already_decided("accepted", decision);
        }
        let existing = self.files.lessons_text();
        let pattern = entry.staged.candidate.strip_prefix(RETIRE_PREFIX).unwrap_or_default();
        let lesson = dated_lessons(existing).into_iter().find(|lesson| lesson.pattern == pattern);
        let mut changes = ReviewChanges {
            events: vec![ReviewEvent::Accepted(self.decision(&entry.staged, None))],
            message: subject("lesson retired", &entry.staged.text),
            ..ReviewChanges::default()
        };
        if let Some(lesson) = lesson {
            changes.retired = Some(format!("{}\n", existing[lesson.span.range()].trim_end()));
            changes.lessons = Some(LessonsChange::Replace(remove_lesson(existing, lesson.span)));
        }
        changes
    }

    fn write(&self, changes: &ReviewChanges, no_commit: bool) -> Result<Option<Committed>, Error> {
        if changes.events.is_empty() {
            return Ok(None);
        }
        let mut log_changes = LogChanges { log: None, files: self.file_changes(changes)?, commit: None };
        if !no_commit {
            let message = format!("{}\n\n{}\n", changes.message, self.reason);
            log_changes.commit = Some(commit_note(self.workspace, &log_changes, message)?);
        }
        let undo = changes.placed.is_some().then_some(changes.message.as_str());
        write_files(self.workspace, self.session, log_changes, undo)
    }

    fn file_changes<'c>(&'c self, changes: &'c ReviewChanges) -> Result<Vec<FileChange<'c>>, Error> {
        let layout = &self.workspace.layout;
        let lines = event_lines(&changes.events)?;
        let mut files = Vec::new();
        let before = self.files.lessons.as_deref().map(str::as_bytes);
        match &changes.lessons {
            Some(LessonsChange::Append(added)) if !added.text.is_empty() => {
                files.push(FileChange::Append { path: layout.lessons(), before, text: added.text.clone() });
            }
            Some(LessonsChange::Replace(text)) => {
                files.push(FileChange::Replace { path: layout.lessons(), before, now: text.as_bytes() });
            }
            _ => {}
        }
        if let Some(line) = &changes.retired {
            let before = self.files.retired.as_deref();
            let text = if before.is_none() { format!("{RETIRED_HEADER}{line}") } else { line.clone() };
            let (path, text) = (layout.retired_lessons(), on_new_line(before, text));
            files.push(FileChange::Append { path, before, text });
        }
        if let Some(skill) = &changes.skill {
            let (path, now) = (skill.path.clone(), skill.text.as_bytes());
            files.push(FileChange::Replace { path, before: None, now });
        }
        if let Some(SpecAddition { path, before, text }) = &changes.spec {
            files.push(FileChange::Append { path: path.clone(), before: before.as_deref(), text: text.clone() });
        }
        if let Some(FileInsertion { path, before, insertion }) = &changes.insertion {
            let (path, text) = (path.clone(), &insertion.text);
            files.push(match before {
                None => FileChange::Append { path, before: None, text: text.clone() },
                Some(before) => FileChange::Insert { path, before: before.as_bytes(), at: insertion.offset, text },
            });
        }
        let before = self.files.review.as_deref();
        files.push(FileChange::Append { path: layout.review(), before, text: on_new_line(before, lines) });
        Ok(files)
    }
}
