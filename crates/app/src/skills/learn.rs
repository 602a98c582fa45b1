//! Records what a skill has learned in its `KNOWLEDGE.md`, updates the mirrors, and commits both.

use crate::consolidation::transaction::{check_commit_possible, commit_files, execute};
use crate::memory::single_line;
use crate::memory_files::{read_optional, read_or_empty, read_text, require_file};
use crate::skill_catalog::find_skill;
use crate::sync::{self, CanonResult, SyncMode, SyncRequest};
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_memory::skill_knowledge::{KnowledgeChange, learn};
use canonry_model::canon::Layout;
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::apply::Session;
use canonry_repo::apply::log_transaction::{FileChange, LogChanges, LogTransaction, PendingCommit, sweep};
pub use canonry_repo::git::commit::Committed;
use canonry_repo::git::commit::unoccupied;
use canonry_repo::view::Basis;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::{RepoPath, secrets};
use std::collections::BTreeSet;

/// Characters of an entry. What is longer belongs into the skill itself.
const MAX_TEXT: usize = 500;
/// Characters of a commit subject.
const MAX_SUBJECT: usize = 72;

/// Knowledge that a skill gained.
#[derive(Clone, Debug)]
pub struct LearnRequest {
    /// The name of the skill's folder.
    pub name: String,
    /// Knowledge, in one sentence.
    pub text: String,
    /// Do not commit the written files.
    pub no_commit: bool,
    /// The time of the entry; the current time by default.
    pub now: Option<Timestamp>,
}

/// Recorded knowledge.
#[derive(Clone, Debug)]
pub struct LearnOutcome {
    /// The `KNOWLEDGE.md`.
    pub path: RepoPath,
    /// Whether it said so already.
    pub is_known: bool,
    /// The mirrors of the file that were updated.
    pub mirrors: Vec<RepoPath>,
    /// Whether the mirrors are not part of the commit: they or the lock had other changes, or there are none yet.
    pub needs_sync: bool,
    /// The commit.
    pub commit: Option<Committed>,
}

/// Adds the entry, unless the file has it. Repeating a call finishes what an interrupted one began.
///
/// # Errors
/// [`ErrorKind::Usage`] if the text is empty or too long; [`ErrorKind::Unreadable`] if the skill does not exist or the file
/// cannot be read; [`ErrorKind::Refused`] if the file is a link, has no place for an entry, or a commit is not possible;
/// [`ErrorKind::Contention`] if another process holds the lock or changed the file.
pub fn run(workspace: &Workspace, request: &LearnRequest, progress: &dyn Progress) -> Result<LearnOutcome, Error> {
    let text = checked_text(&request.text)?;
    unoccupied(workspace.repo()?)?;
    if !request.no_commit {
        check_commit_possible(workspace, None)?;
    }
    let skill = find_skill(workspace, &request.name)?;
    let name = skill.file_name_lossy();
    let path = Layout::knowledge(&skill);
    require_file(workspace, &path)?;
    let was_in_sync = sync_mirrors(workspace, SyncMode::Preview, progress)?.is_some_and(|changed| changed.is_empty());
    let now = request.now.unwrap_or_else(|| workspace.env.clock.now());
    let is_known = write(workspace, &path, &name, &text, now)?;
    // Only after a sync without differences, everything that this one writes is due to the entry.
    let synced = if was_in_sync { sync_mirrors(workspace, SyncMode::Write, progress)? } else { None };
    let mirrors = synced.clone().unwrap_or_default();
    let copies = synced.map_or(Ok(None), |written| copies_to_commit(workspace, &path, written))?;
    let mut commit = None;
    if !request.no_commit {
        let mut paths = vec![path.clone()];
        paths.extend(copies.clone().unwrap_or_default());
        let paths = paths.iter().map(RepoPath::to_display).collect();
        let message = subject(&format!("skill-update: {name}, {text}"));
        commit = commit_files(workspace, &PendingCommit { message, paths, branch: None })?;
    }
    let needs_sync = copies.is_none();
    Ok(LearnOutcome { path, is_known, mirrors, needs_sync, commit })
}

/// The copies of a file with the lock, for a commit; `None` if the lock also has other changes since HEAD, which a commit of the
/// lock would take along. `written` are the files that the sync wrote.
fn copies_to_commit(
    workspace: &Workspace,
    path: &RepoPath,
    written: Vec<RepoPath>,
) -> Result<Option<Vec<RepoPath>>, Error> {
    let lock = workspace.layout.lock();
    let now = read_optional(workspace, &lock)?.unwrap_or_default();
    let head = lock_in_head(workspace)?;
    let rows = |lock: &[u8]| -> BTreeSet<String> { String::from_utf8_lossy(lock).lines().map(str::to_owned).collect() };
    let now = rows(&now);
    let head = rows(&head);
    // The skill's folder and the file, which every mirror has under these names.
    let folder = path.parent().unwrap_or_default().file_name_lossy();
    let suffix = format!("/{folder}/{}", path.file_name_lossy());
    let row_path = |row: &String| row.splitn(3, ' ').nth(2).map(RepoPath::from);
    let is_copy = |path: &RepoPath| path.as_bstr().ends_with(suffix.as_bytes()) || written.contains(path);
    if !now.symmetric_difference(&head).filter_map(row_path).all(|path| is_copy(&path)) {
        return Ok(None);
    }
    let mut copies: Vec<RepoPath> = now.iter().filter_map(row_path).filter(|path| is_copy(path)).collect();
    copies.extend(written.iter().filter(|path| !copies.contains(path)).cloned().collect::<Vec<_>>());
    if workspace.config.files.git.ignore {
        copies.retain(|path| !workspace.config.is_in_mirror(path));
    }
    copies.push(lock);
    Ok(Some(copies))
}

/// The lock in HEAD; empty without a file.
pub(super) fn lock_in_head(workspace: &Workspace) -> Result<Vec<u8>, Error> {
    match workspace.open_view(&Basis::Commit("HEAD".to_owned())) {
        Ok(head) => read_or_empty(&head, &workspace.layout.lock(), DOCUMENT_LIMIT),
        Err(_) => Ok(Vec::new()),
    }
}

fn checked_text(text: &str) -> Result<String, Error> {
    let text = single_line(&secrets::redact(text));
    let length = text.chars().count();
    if text.trim().is_empty() {
        return Err(Error::new(ErrorKind::Usage, "there is nothing to learn: the text is empty")
            .help("say in one sentence what would have helped"));
    }
    if length > MAX_TEXT {
        return Err(Error::new(ErrorKind::Usage, format!("the text has {length} characters, more than {MAX_TEXT}"))
            .help("say it in one sentence, and change the skill itself for more"));
    }
    Ok(text)
}

/// Writes the entry; returns whether the file had it.
fn write(workspace: &Workspace, path: &RepoPath, name: &str, text: &str, now: Timestamp) -> Result<bool, Error> {
    let session = Session::begin(&workspace.git_dir()?)?;
    // An interrupted run may have left a temporary file.
    sweep(&session, &workspace.view, &[path.parent().unwrap_or_default()]);
    let before = read_text(workspace, path)?;
    let change = learn(before.as_deref(), name, text, &now.date());
    let file = match &change {
        KnowledgeChange::Known => return Ok(true),
        KnowledgeChange::NoPlace => {
            let message = format!("{path}: the place for the entry is inside a code block, a comment or HTML");
            return Err(Error::new(ErrorKind::Refused, message)
                .help("close the block, or add a heading `## Lessons` where the entries belong"));
        }
        KnowledgeChange::NewFile(text) => FileChange::Replace {
            path: path.clone(),
            before: before.as_deref().map(str::as_bytes),
            now: text.as_bytes(),
        },
        KnowledgeChange::Insertion(insertion) => FileChange::Insert {
            path: path.clone(),
            before: before.as_deref().unwrap_or_default().as_bytes(),
            at: insertion.offset,
            text: &insertion.text,
        },
    };
    let changes = LogChanges { log: None, files: vec![file], commit: None };
    let transaction = LogTransaction::prepare(&session, &workspace.view, changes)?;
    let done = execute(workspace, transaction, |_, _| Ok(None))?;
    match done.overtaken.first() {
        None => Ok(false),
        Some(path) => Err(Error::changed_meanwhile(path)),
    }
}

/// The files that a sync writes or would write; `None` if there are no mirrors yet, or some are refused.
pub(super) fn sync_mirrors(
    workspace: &Workspace,
    mode: SyncMode,
    progress: &dyn Progress,
) -> Result<Option<Vec<RepoPath>>, Error> {
    let request = SyncRequest { mode, ..SyncRequest::preview() };
    let outcome = sync::run(&workspace.env, &request, progress)?;
    // Files of several canons would need several commits.
    if outcome.canons.len() != 1 {
        return Ok(None);
    }
    let mut changed = Vec::new();
    for canon in outcome.canons {
        match canon.result {
            CanonResult::Synced(synced) if synced.never_synced || !synced.refused.is_empty() => return Ok(None),
            // A repaired lock is part of the lock that is committed.
            CanonResult::Synced(synced) => changed.extend(synced.written.into_iter().chain(synced.removed)),
            CanonResult::NotStaged => {}
            CanonResult::Failed(error) => return Err(error),
        }
    }
    Ok(Some(changed))
}

fn subject(text: &str) -> String {
    match text.char_indices().nth(MAX_SUBJECT) {
        Some((end, _)) => format!("{}…\n", text[..end].trim_end()),
        None => format!("{text}\n"),
    }
}
