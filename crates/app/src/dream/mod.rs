//! Runs a dream: promotes recurring episodes to lessons, archives old ones, and commits the result.

mod clock;

use crate::consolidation::plan::commit_note;
use crate::consolidation::transaction::{
    Resumed, check_commit_possible, commit_files, execute, redirect_to_branch, resume,
};
use crate::consolidation::{DreamPlan, plan_dream, run_log};
use crate::log::take_pending;
use crate::memory_files::staging_folders;
use crate::{Environment, Error, ErrorKind, Progress, Workspace};
pub use canonry_memory::Ruleset;
use canonry_memory::{DreamParams, MemoryPolicy};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::apply::log_file::ensure_writable;
use canonry_repo::apply::log_transaction::{FileChange, LogChanges, LogTransaction, PrepareError, sweep};
use canonry_repo::apply::{ApplyError, Session};
pub use canonry_repo::git::commit::Committed;
use canonry_repo::git::commit::unoccupied;
use canonry_repo::view::Basis;
use canonry_text::RepoPath;
use clock::check_clock;

/// Attempts at a dream while the log keeps being replaced.
const MAX_ATTEMPTS: usize = 5;

/// Options of a dream.
#[derive(Clone, Copy, Debug, Default)]
pub struct DreamRequest {
    /// Only plan; write nothing.
    pub dry_run: bool,
    /// The time that determines the age of episodes; the current time by default.
    pub now: Option<Timestamp>,
    /// Do not commit the written files.
    pub no_commit: bool,
    /// The rules to follow.
    pub ruleset: Ruleset,
    /// Dream even if the time cannot be right.
    pub trust_clock: bool,
}

/// Changes that the dream made, or would make.
pub struct DreamOutcome {
    /// The plan.
    pub plan: DreamPlan,
    /// The files that change, in the order they are written.
    pub files: Vec<DreamFileChange>,
    /// The files that changed meanwhile and were left alone.
    pub overtaken: Vec<RepoPath>,
    /// A process that still has the old log open for writing.
    pub stale_writer: Option<u32>,
    /// The commit.
    pub commit: Option<Committed>,
    /// Whether this was a dry run.
    pub dry_run: bool,
}

/// A file that a dream changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DreamFileChange {
    /// The path.
    pub path: RepoPath,
    pub change: DreamChangeKind,
    /// The number of log rows it receives, if it receives any.
    pub rows: Option<usize>,
}

/// Kind of a dream's change to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DreamChangeKind {
    /// Candidates are added to the review queue.
    Staged,
    /// Lessons are added.
    Learned,
    /// Rows, or a file of the working memory, are archived to it.
    Archived,
    /// Invalid lines are moved to it.
    Quarantined,
    /// A file of the working memory is reset to its template.
    Reset,
}

/// Opens the workspace of a dream. A night that fails here, for example because the configuration is invalid, is recorded like
/// one that fails later.
///
/// # Errors
/// See [`Workspace::open`]; also if there is no canon.
pub fn open(env: &Environment, request: &DreamRequest, progress: &dyn Progress) -> Result<Workspace, Error> {
    let opened = Workspace::open(env, &Basis::WorkTree);
    if let Err(error) = &opened
        && !request.dry_run
        && let Some(git_dir) = Workspace::find_git_dir(env)
    {
        let now = request.now.unwrap_or_else(|| env.clock.now());
        run_log::append_to(&git_dir, now, &run_log::failure_line(error), progress);
    }
    let workspace = opened?;
    workspace.require_canon()?;
    Ok(workspace)
}

/// Runs a dream.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if a file of the memory cannot be read; [`ErrorKind::Contention`] if another process holds the
/// lock or keeps replacing the log; [`ErrorKind::Refused`] if a commit is not possible; [`ErrorKind::Interrupted`] if the job
/// was cancelled.
pub fn run(workspace: &Workspace, request: &DreamRequest, progress: &dyn Progress) -> Result<DreamOutcome, Error> {
    let now = request.now.unwrap_or_else(|| workspace.env.clock.now());
    let policy = match request.ruleset {
        Ruleset::Seed => MemoryPolicy::seed(),
        Ruleset::Current => MemoryPolicy::from_config(&workspace.config.memory),
    };
    let params = DreamParams { now, policy, ruleset: request.ruleset };
    if request.dry_run {
        let plan = plan_dream(workspace, &params)?;
        report_unknown_ages(&plan, progress);
        let files = plan.changes(&workspace.layout).map(|changes| changed_files(&changes)).unwrap_or_default();
        return Ok(DreamOutcome {
            plan,
            files,
            overtaken: Vec::new(),
            stale_writer: None,
            commit: None,
            dry_run: true,
        });
    }
    let mut mark = run_log::RunMark::default();
    let outcome = write(workspace, request, &params, &mut mark, progress);
    let line = match &outcome {
        Ok(outcome) => {
            run_log::success_line(&outcome.plan.message(), !outcome.files.is_empty(), outcome.commit.as_ref())
        }
        Err(error) => run_log::failure_line(error),
    };
    mark.end(run_log::append(workspace, now, &line, progress));
    outcome
}

fn write(
    workspace: &Workspace,
    request: &DreamRequest,
    params: &DreamParams,
    mark: &mut run_log::RunMark,
    progress: &dyn Progress,
) -> Result<DreamOutcome, Error> {
    ensure_log_writable(workspace)?;
    // Rows must not be moved while git merges the log.
    unoccupied(workspace.repo()?)?;
    if !request.no_commit {
        check_commit_possible(workspace, workspace.config.memory.branch.as_deref())?;
    }
    let session = Session::begin(&workspace.git_dir()?)?;
    mark.begin(workspace, params.now, progress);
    let _: Resumed = resume(workspace, &session, request.no_commit, progress)?;
    sweep(&session, &workspace.view, &staging_folders(workspace));
    let mut has_new_rows = false;
    for _ in 0..MAX_ATTEMPTS {
        if let Some(mut outcome) = attempt(workspace, request, params, &session, &mut has_new_rows, progress)? {
            // Without another change, nothing else would commit the rows.
            if has_new_rows && outcome.files.is_empty() && !request.no_commit {
                outcome.commit = commit_log(workspace, &session, &outcome.plan)?;
            }
            return Ok(outcome);
        }
    }
    let message = format!("{}: another program keeps replacing the log", workspace.layout.log());
    Err(Error::new(ErrorKind::Contention, message).help("find out which program writes it, then run this again"))
}

/// Commits the log.
fn commit_log(workspace: &Workspace, session: &Session, plan: &DreamPlan) -> Result<Option<Committed>, Error> {
    let mut changes = LogChanges { log: None, files: Vec::new(), commit: None };
    let note = commit_note(&changes, &workspace.layout, plan.commit_message());
    changes.commit = Some(redirect_to_branch(workspace, note)?);
    let transaction = match LogTransaction::prepare(session, &workspace.view, changes) {
        Ok(transaction) => transaction,
        Err(PrepareError::Changed) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(execute(workspace, transaction, commit_files)?.commit)
}

/// One attempt; `None` if the log was replaced meanwhile. `has_new_rows` is set if pending rows moved to the log.
fn attempt(
    workspace: &Workspace,
    request: &DreamRequest,
    params: &DreamParams,
    session: &Session,
    has_new_rows: &mut bool,
    progress: &dyn Progress,
) -> Result<Option<DreamOutcome>, Error> {
    let plan = plan_dream(workspace, params)?;
    check_clock(workspace, request, &plan)?;
    if workspace.env.is_cancelled() {
        return Err(ApplyError::Interrupted.into());
    }
    *has_new_rows |= take_pending(workspace)?;
    report_unknown_ages(&plan, progress);
    let Some(mut changes) = plan.changes(&workspace.layout) else {
        let files = Vec::new();
        let overtaken = Vec::new();
        return Ok(Some(DreamOutcome { plan, files, overtaken, stale_writer: None, commit: None, dry_run: false }));
    };
    let files = changed_files(&changes);
    if !request.no_commit {
        let note = commit_note(&changes, &workspace.layout, plan.commit_message());
        changes.commit = Some(redirect_to_branch(workspace, note)?);
    }
    let transaction = match LogTransaction::prepare_dream(session, &workspace.view, changes, plan.message()) {
        Ok(transaction) => transaction,
        Err(PrepareError::Changed) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let done = execute(workspace, transaction, commit_files)?;
    if done.abandoned {
        return Ok(None);
    }
    let overtaken = done.overtaken;
    let stale_writer = done.stale_writer;
    let commit = done.commit;
    Ok(Some(DreamOutcome { plan, files, overtaken, stale_writer, commit, dry_run: false }))
}

/// A clone with a part of the history never archives these files, which nobody would notice.
fn report_unknown_ages(plan: &DreamPlan, progress: &dyn Progress) {
    for path in &plan.state.age_unknown {
        progress.notice(&format!(
            "{path} is not archived: this shallow clone does not know when it changed. Fetch the whole history: `git fetch \
             --unshallow`, or `fetch-depth: 0` in CI.\n"
        ));
    }
}

/// Appends of hooks would fail too, and rows must not be copied out of a log that they cannot leave.
fn ensure_log_writable(workspace: &Workspace) -> Result<(), Error> {
    let path = workspace.layout.log();
    let Some(log) = workspace.view.on_disk(&path) else { return Ok(()) };
    ensure_writable(&log).map_err(|error| {
        Error::new(ErrorKind::Internal, format!("{path}: the log cannot be written: {error}; nothing was changed"))
            .help(format!("make it writable, for example with `chmod u+w {path}`"))
    })
}

fn changed_files(changes: &LogChanges<'_>) -> Vec<DreamFileChange> {
    let file = |change: &FileChange<'_>| {
        let (change, path) = match change {
            FileChange::Append { path, .. } if path.as_bstr().ends_with(b".jsonl") => (DreamChangeKind::Staged, path),
            FileChange::Append { path, .. } | FileChange::Insert { path, .. } => (DreamChangeKind::Learned, path),
            FileChange::Replace { path, before: None, .. } => (DreamChangeKind::Archived, path),
            FileChange::Replace { path, .. } => (DreamChangeKind::Reset, path),
        };
        DreamFileChange { path: path.clone(), change, rows: None }
    };
    let mut files: Vec<DreamFileChange> = changes.files.iter().map(file).collect();
    if let Some(split) = &changes.log {
        let mut counts = vec![0; split.to.len()];
        split.moved.iter().for_each(|line| counts[line.to] += 1);
        files.extend(split.to.iter().zip(counts).map(|((path, header), count)| {
            let change = if header.is_empty() { DreamChangeKind::Archived } else { DreamChangeKind::Quarantined };
            DreamFileChange { path: path.clone(), change, rows: Some(count) }
        }));
    }
    files
}
