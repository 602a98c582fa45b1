//! The memory as a dream finds it.

use crate::memory_files::{read_lessons, read_optional, refuse_links};
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::review::ReviewQueue;
use canonry_memory::working_memory::{is_stale, is_used};
use canonry_memory::{DreamParams, Ruleset};
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::{FileState, memory_file};
use canonry_repo::git::history::last_change;
use canonry_repo::view::log::{LogRead, read_log};
use canonry_repo::view::{Basis, IgnoreMode, View};
use canonry_text::RepoPath;

/// The files of the memory.
pub struct MemoryState {
    /// The parsed log; `None` if it does not exist.
    pub log: Option<LogRead>,
    /// The lessons; `None` if the file does not exist.
    pub lessons: Option<String>,
    /// The review queue as bytes; `None` if the file does not exist.
    pub review: Option<Vec<u8>>,
    /// The parsed review queue.
    pub queue: ReviewQueue,
    /// The stale files of the working memory.
    pub stale: Vec<StaleFile>,
    /// The files of the working memory that stay because a shallow clone does not know when they changed.
    pub age_unknown: Vec<RepoPath>,
}

/// A file of the working memory that has not changed for a while.
pub struct StaleFile {
    /// The path.
    pub path: RepoPath,
    /// The content.
    pub bytes: Vec<u8>,
    /// The template it is reset to.
    pub template: &'static str,
    /// The snapshot it is archived to; `None` if a snapshot has the same content already.
    pub archive: Option<RepoPath>,
}

impl MemoryState {
    /// Reads the memory.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if a file cannot be read or is a link.
    pub fn load(workspace: &Workspace, params: &DreamParams) -> Result<Self, Error> {
        refuse_links(workspace)?;
        let review = read_optional(workspace, &workspace.layout.review())?;
        let queue = ReviewQueue::parse(&String::from_utf8_lossy(review.as_deref().unwrap_or_default()));
        let log = load_log(workspace, params.ruleset)?;
        let lessons = read_lessons(workspace)?;
        let mut stale = Vec::new();
        let mut age_unknown = Vec::new();
        find_stale_files(workspace, params, &mut stale, &mut age_unknown)?;
        Ok(Self { log, lessons, review, queue, stale, age_unknown })
    }
}

fn load_log(workspace: &Workspace, ruleset: Ruleset) -> Result<Option<LogRead>, Error> {
    let path = workspace.layout.log();
    let Some(on_disk) = workspace.view.on_disk(&path) else { return Ok(None) };
    match read_log(&on_disk, ruleset) {
        Ok(read) => Ok(Some(read)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Error::new(ErrorKind::Unreadable, format!("{path}: cannot read the log: {e}"))
            .help("fix this, then run the command again")),
    }
}

fn find_stale_files(
    workspace: &Workspace,
    params: &DreamParams,
    stale: &mut Vec<StaleFile>,
    age_unknown: &mut Vec<RepoPath>,
) -> Result<(), Error> {
    let layout = &workspace.layout;
    let mut files = vec![(layout.workspace(), memory_file::WORKSPACE)];
    // The seed has no active plan.
    if params.ruleset == Ruleset::Current {
        files.push((layout.active_plan(), memory_file::ACTIVE_PLAN));
    }
    for (path, template) in files {
        let Some(bytes) = read_optional(workspace, &path)? else { continue };
        if !is_used(&String::from_utf8_lossy(&bytes), template) {
            continue;
        }
        let changed = last_changed(workspace, &path, params)?;
        if changed.is_some_and(|changed| is_stale(changed, params.now, &params.policy)) {
            let archive = archive_path(workspace, &path, &bytes, params.now)?;
            stale.push(StaleFile { path, bytes, template, archive });
        } else if workspace.repo()?.is_shallow().unwrap_or(false) {
            age_unknown.push(path);
        }
    }
    Ok(())
}

/// When a file last changed: according to git if the memory's branch or HEAD has the same content, otherwise according to its
/// modification time, which a fresh clone resets.
fn last_changed(workspace: &Workspace, path: &RepoPath, params: &DreamParams) -> Result<Option<Timestamp>, Error> {
    let branch = workspace.config.memory.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
    for rev in branch.as_deref().into_iter().chain(["HEAD"]) {
        if params.ruleset != Ruleset::Current || !is_unchanged_since(workspace, rev, path)? {
            continue;
        }
        let limit = params.now.minus_days(params.policy.stale_after_days).to_jiff().as_second();
        let time = last_change(workspace.repo()?, rev, path.as_bstr(), limit)
            .map_err(|e| Error::new(ErrorKind::Internal, format!("{path}: cannot read git's history: {e}")))?;
        if let Some(moment) = time.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok()) {
            return Ok(Some(Timestamp::from(moment)));
        }
    }
    let modified = workspace.view.on_disk(path).and_then(|at| std::fs::metadata(at).ok()?.modified().ok());
    Ok(modified.and_then(|time| jiff::Timestamp::try_from(time).ok()).map(Timestamp::from))
}

/// Whether a revision has a file with the same content and mode.
///
/// # Errors
/// The files cannot be listed.
pub fn is_unchanged_since(workspace: &Workspace, rev: &str, path: &RepoPath) -> Result<bool, Error> {
    let Ok(commit) = workspace.open_view(&Basis::Commit(rev.to_owned())) else { return Ok(false) };
    let committed = file_state(&commit, path)?;
    Ok(committed.is_some() && committed == file_state(&workspace.view, path)?)
}

fn file_state(view: &View, path: &RepoPath) -> Result<Option<FileState>, Error> {
    let listing = view.list(path, IgnoreMode::Include)?;
    Ok(view.states(&listing.files).into_iter().next().flatten())
}

/// `snapshots/WORKSPACE-2026-05-01.md`, with a number if that has other content; `None` if a snapshot has the same content.
///
/// # Errors
/// A snapshot cannot be read.
pub fn archive_path(
    workspace: &Workspace,
    path: &RepoPath,
    bytes: &[u8],
    now: Timestamp,
) -> Result<Option<RepoPath>, Error> {
    let stem = path.file_name_lossy().trim_end_matches(".md").to_owned();
    let date = now.date();
    for number in 1.. {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let snapshot = workspace.layout.snapshots().join(format!("{stem}-{date}{suffix}.md").as_str());
        match read_optional(workspace, &snapshot)? {
            None => return Ok(Some(snapshot)),
            Some(existing) if existing == bytes => return Ok(None),
            Some(_) => {}
        }
    }
    Ok(None)
}
