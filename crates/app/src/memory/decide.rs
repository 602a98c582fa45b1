//! Accepts or rejects candidates of the review queue.

use super::batch::{DecisionBatch, OriginalFiles};
pub use super::place::{LessonRule, Placement, RuleDestination, check_placement};
use super::queue::ReviewFiles;
pub use super::review_changes::PlacedFile;
use super::review_context::{LessonsChange, ReviewChanges, ReviewContext, SkillDraft, SpecAddition, refused, subject};
pub use super::selection::CandidateSelection;
use super::single_line;
use super::write::{commit_note, write_files};
use crate::consolidation::transaction::{Resumed, check_commit_possible, resume};
use crate::memory_files::{read_optional, refuse_links, staging_folders};
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_memory::Ruleset;
use canonry_memory::lessons::{append_lessons, lessons, remove_lesson, select_new, strike_out};
use canonry_memory::promotion::RETIRE_PREFIX;
pub use canonry_memory::review::CandidateKind;
use canonry_memory::review::{QueueEntry, ReviewEvent, ReviewStatus};
use canonry_memory::skill_candidates::{SKILL_PREFIX, draft_skill, proposed_skill_name, skill_name};
use canonry_memory::spec_learnings::{learning_addition, page};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::apply::Session;
use canonry_repo::apply::log_transaction::{LogChanges, sweep};
pub use canonry_repo::git::commit::Committed;
use canonry_repo::git::commit::{committer, unoccupied};
use canonry_repo::view::{IgnoreMode, PathKind};
use canonry_text::RepoPath;

/// Names of candidates in the message of a commit; the others are counted.
const MAX_LISTED: usize = 100;

/// A decision about candidates.
#[derive(Clone, Debug)]
pub struct DecideCandidatesRequest {
    /// The candidates.
    pub selection: CandidateSelection,
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

/// Options for accepting a candidate.
#[derive(Clone, Debug, Default)]
pub struct AcceptOptions {
    /// Another text for the lesson, or another name for the skill.
    pub text: Option<String>,
    /// Strike out contradicting lessons and reject contradicting candidates, instead of refusing.
    pub supersede: bool,
    /// Add a lesson as a rule to a file that agents follow, instead of `LESSONS.md`. `memory undo` can undo it.
    pub placement: Option<Placement>,
}

/// Changes made by the decisions.
#[derive(Clone, Debug, Default)]
pub struct DecidedCandidates {
    /// The candidates that were decided, in the order of the queue or the request.
    pub decided: Vec<DecidedCandidate>,
    /// The candidates that still wait, because the decision about them was refused. A decision about one candidate is refused
    /// as an error instead.
    pub refused: Vec<RefusedCandidate>,
    /// The written files.
    pub paths: Vec<RepoPath>,
    /// The commit.
    pub commit: Option<Committed>,
}

/// A candidate that was decided.
#[derive(Clone, Debug)]
pub struct DecidedCandidate {
    /// Its name.
    pub candidate: String,
    /// One line that says what was done, or that it had been done before.
    pub message: String,
    /// Whether it had been decided before, so that nothing changed.
    pub is_repeated: bool,
    /// The draft that was written for an accepted skill.
    pub skill_draft: Option<RepoPath>,
    /// The file that a lesson was added to as a rule.
    pub placed: Option<PlacedFile>,
}

/// A candidate whose decision was refused.
#[derive(Clone, Debug)]
pub struct RefusedCandidate {
    /// Its name.
    pub candidate: String,
    /// Why.
    pub error: Error,
}

/// Records the decisions and makes their changes, in one commit.
///
/// If several candidates are selected, those whose decision is refused keep waiting, and the others are decided.
///
/// # Errors
/// [`ErrorKind::Usage`] if the reason is empty, or options for one candidate are given for several;
/// [`ErrorKind::Unreadable`] if a candidate does not exist or a file cannot be read; [`ErrorKind::Refused`] if the lesson
/// contradicts another, the skill exists, or a commit is not possible; [`ErrorKind::Contention`] if another process holds the
/// lock or changed a file.
pub fn run(
    workspace: &Workspace,
    request: &DecideCandidatesRequest,
    progress: &dyn Progress,
) -> Result<DecidedCandidates, Error> {
    refuse_links(workspace)?;
    unoccupied(workspace.repo()?)?;
    if !request.no_commit {
        check_commit_possible(workspace, workspace.config.memory.branch.as_deref())?;
    }
    let session = Session::begin(&workspace.git_dir()?)?;
    let resumed = resume(workspace, &session, request.no_commit, progress)?;
    let now = request.now.unwrap_or_else(|| workspace.env.clock.now());
    // A rejection records no number of episodes, and reading the whole log takes time.
    let files = match request.verdict {
        ReviewVerdict::Accept(_) => ReviewFiles::load_current(workspace, now)?,
        ReviewVerdict::Reject => ReviewFiles::load(workspace)?,
    };
    let mut context = ReviewContext {
        workspace,
        session: &session,
        files,
        batch: DecisionBatch::default(),
        by: committer(workspace.repo()?)?,
        reason: request.reason.trim().to_owned(),
        now,
        is_resumed: resumed == Resumed::Dream,
    };
    let original = OriginalFiles::new(&context.files);
    let names = request.selection.resolve(&context.files, |name| context.resolve_name(name, &request.verdict))?;
    check_single(&names, &request.verdict)?;
    sweep(&session, &workspace.view, &staging_folders(workspace));
    let mut outcome = DecidedCandidates::default();
    for name in &names {
        match context.decide(name, &request.verdict, names.len() > 1) {
            Ok(decided) => outcome.decided.push(decided),
            Err(error) if names.len() > 1 && error.kind == ErrorKind::Refused => {
                outcome.refused.push(RefusedCandidate { candidate: name.clone(), error });
            }
            Err(error) => return Err(error),
        }
    }
    if context.batch.events.is_empty() {
        return Ok(outcome);
    }
    let ReviewContext { batch, reason, .. } = context;
    let files = batch.file_changes(&workspace.layout, &original);
    outcome.paths = files.iter().map(|file| file.path().clone()).collect();
    let mut changes = LogChanges { log: None, files, commit: None };
    if !request.no_commit {
        let message = commit_message(&outcome.decided, &request.verdict, &reason);
        changes.commit = Some(commit_note(workspace, &changes, message)?);
    }
    let placed = outcome.decided.iter().find(|decided| decided.placed.is_some());
    let undo = placed.map(|decided| decided.message.as_str());
    outcome.commit = write_files(workspace, &session, changes, undo)?;
    Ok(outcome)
}

/// Refuses options that are about one candidate if several are selected.
fn check_single(names: &[String], verdict: &ReviewVerdict) -> Result<(), Error> {
    let ReviewVerdict::Accept(options) = verdict else { return Ok(()) };
    let flag = match options {
        AcceptOptions { text: Some(_), .. } => "--as",
        AcceptOptions { placement: Some(_), .. } => "--to",
        _ => return Ok(()),
    };
    if names.len() == 1 {
        return Ok(());
    }
    let message = format!("`{flag}` applies to one candidate, and {} are selected", names.len());
    Err(Error::new(ErrorKind::Usage, message)
        .help(format!("accept one candidate with `{flag}`, and the others without it")))
}

fn commit_message(decided: &[DecidedCandidate], verdict: &ReviewVerdict, reason: &str) -> String {
    let verb = match verdict {
        ReviewVerdict::Accept(_) => "accepted",
        ReviewVerdict::Reject => "rejected",
    };
    let new: Vec<&DecidedCandidate> = decided.iter().filter(|decided| !decided.is_repeated).collect();
    match new[..] {
        [one] => format!("{}\n\n{reason}\n", one.message),
        _ => format!("{} candidates {verb}\n\n{reason}\n\n{}", new.len(), message_list(&new)),
    }
}

/// The messages of decisions as a list, for the body of a commit message.
pub(super) fn message_list(decided: &[&DecidedCandidate]) -> String {
    let mut list: String = decided.iter().take(MAX_LISTED).map(|decided| format!("- {}\n", decided.message)).collect();
    if let Some(more) = decided.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        list.push_str(&format!("- and {more} more\n"));
    }
    list
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
    /// Decides about one candidate and adds the changes to the batch.
    fn decide(&mut self, name: &str, verdict: &ReviewVerdict, is_bulk: bool) -> Result<DecidedCandidate, Error> {
        let entry = &self.find(name, verdict)?;
        if is_bulk && self.batch.decides(name) {
            let help = "run `canonry memory review --all` to see the decision";
            return Err(refused(format!("`{name}` was rejected, because another candidate superseded it"), help));
        }
        let changes = match verdict {
            ReviewVerdict::Reject => self.reject(entry),
            ReviewVerdict::Accept(options) if entry.staged.kind == CandidateKind::Question => {
                self.answer_question(entry, options)?
            }
            ReviewVerdict::Accept(AcceptOptions { placement: Some(placement), supersede, .. }) => {
                check_placement(placement)?;
                self.place_lesson(entry, placement, *supersede)?
            }
            ReviewVerdict::Accept(options) => match entry.staged.kind {
                CandidateKind::Lesson => self.accept_lesson(entry, options)?,
                CandidateKind::Skill => self.accept_skill(entry, options.text.as_deref())?,
                CandidateKind::Retire => self.retire_lesson(entry),
                CandidateKind::Spec => self.accept_learning(entry, options.text.as_deref())?,
                CandidateKind::Question => self.answer_question(entry, options)?,
                CandidateKind::Upkeep => self.accept_upkeep(entry),
            },
        };
        let decided = DecidedCandidate {
            candidate: entry.staged.candidate.clone(),
            message: changes.message.clone(),
            is_repeated: changes.events.is_empty(),
            skill_draft: changes.skill.as_ref().map(|skill| skill.path.clone()),
            placed: changes.placed.clone(),
        };
        self.batch.add(&mut self.files, changes);
        Ok(decided)
    }

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
            CandidateKind::Upkeep => "upkeep",
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
        let lessons = if superseded.is_empty() {
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
        let path = folder.join("SKILL.md");
        let is_taken = self.batch.writes(&path)
            || match view.kind(&folder) {
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
            skill: Some(SkillDraft { path, text: draft_skill(&staged) }),
            message: format!("skill accepted: {valid_name}"),
            ..ReviewChanges::default()
        })
    }

    /// Records the agreement. A person, or an agent with the skill `skillforge`, then changes the skill.
    fn accept_upkeep(&self, entry: &QueueEntry) -> ReviewChanges {
        if let ReviewStatus::Accepted(decision) = &entry.status {
            return ReviewChanges::already_decided("accepted", decision);
        }
        ReviewChanges {
            events: vec![ReviewEvent::Accepted(self.decision(&entry.staged, None))],
            message: subject("upkeep accepted", &entry.staged.text),
            ..ReviewChanges::default()
        }
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
        let mut so_far = before.clone().unwrap_or_default();
        so_far.extend(self.batch.spec_addition(&path).into_bytes());
        let is_new = so_far.is_empty() && before.is_none();
        let before_text = (!is_new).then(|| String::from_utf8_lossy(&so_far));
        let other_text = other_text.map(str::trim).filter(|text| !text.is_empty());
        let text = other_text.unwrap_or(&staged.text);
        let person = self.by.split(" <").next().expect("split is never empty");
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
        let lesson = lessons(existing).into_iter().find(|lesson| lesson.pattern.as_deref() == Some(pattern));
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
}
