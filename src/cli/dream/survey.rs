//! What a dream looks at.

use crate::app::Error;
use crate::app::ErrorKind;
use crate::app::Workspace;
use crate::canon::blob::{Blob, BlobError};
use crate::canon::timestamp::Timestamp;
use crate::canon::{FileState, memory_file};
use crate::git::history::last_change;
use crate::memory::review::Queue;
use crate::memory::workspace::{is_stale, is_used};
use crate::memory::{Night, Ruleset};
use crate::mirror::MirrorRoot;
use crate::syntax::RepoPath;
use crate::view::load::DOCUMENT_LIMIT;
use crate::view::log::{LogRead, read_log};
use crate::view::{Basis, IgnoreMode, View};

/// What there is.
pub struct Survey {
    /// The log; `None` where there is none.
    pub log: Option<LogRead>,
    /// The lessons' text; `None` where there are none.
    pub lessons: Option<String>,
    /// What waits for a person, and what was said, as it stands there; `None` where there is nothing.
    pub review: Option<Vec<u8>>,
    /// The same, read.
    pub queue: Queue,
    /// Files of the working memory that are stale.
    pub stale: Vec<Stale>,
}

/// A file of the working memory that nobody has touched for a while.
pub struct Stale {
    /// The file.
    pub path: RepoPath,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// What it is reset to.
    pub template: &'static str,
    /// Where it is archived; `None` where it is already, as it is.
    pub archive: Option<RepoPath>,
}

/// Looks.
///
/// # Errors
/// A file that cannot be read, or a link where a file of the memory should be.
pub fn survey(context: &Workspace, night: &Night) -> Result<Survey, Error> {
    no_links(context)?;
    let review = bytes(context, &context.layout.review())?;
    let queue = Queue::parse(&String::from_utf8_lossy(review.as_deref().unwrap_or_default()));
    let (log, lessons) = (log(context, night.ruleset)?, lessons(context)?);
    Ok(Survey { log, lessons, review, queue, stale: stale(context, night)? })
}

/// Behind a link may lie anyone's file, and a rename would put ours in the link's place.
///
/// # Errors
/// There is one where a file of the memory should be.
pub fn no_links(context: &Workspace) -> Result<(), Error> {
    let layout = &context.layout;
    let files = [
        layout.log(),
        layout.lessons(),
        layout.review(),
        layout.retired_lessons(),
        layout.workspace(),
        layout.active_plan(),
        layout.quarantine(),
    ];
    let folders = files.iter().filter_map(RepoPath::parent).chain([layout.snapshots()]);
    for folder in folders {
        match context.view.root(&folder) {
            MirrorRoot::Folder => {}
            MirrorRoot::NotAFolder(path) => return Err(unreadable(&path, "is not a folder", "move it away")),
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => {
                return Err(unreadable(&folder, "is a link, or lies below one", "put a folder in its place"));
            }
        }
    }
    match files.iter().find(|file| context.view.link_text(file).is_some()) {
        Some(link) => Err(unreadable(link, "is a link", "put the file that it leads to in its place")),
        None => Ok(()),
    }
}

fn unreadable(path: &RepoPath, what: &str, help: &str) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{path}: {what}")).help(help)
}

fn log(context: &Workspace, ruleset: Ruleset) -> Result<Option<LogRead>, Error> {
    let path = context.layout.log();
    let Some(at) = context.view.on_disk(&path) else { return Ok(None) };
    match read_log(&at, ruleset) {
        Ok(read) => Ok(Some(read)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(unreadable(&path, &format!("the log cannot be read: {e}"), "mend that and run this again")),
    }
}

/// The text of the lessons; `None` where there are none.
///
/// # Errors
/// They cannot be read, or are not UTF-8.
pub fn lessons(context: &Workspace) -> Result<Option<String>, Error> {
    let path = context.layout.lessons();
    let Some(bytes) = bytes(context, &path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
        Error::new(ErrorKind::Unreadable, format!("{path}:{line}: the lessons are not UTF-8"))
            .help("save the file as UTF-8 and run this again")
    })
}

/// What a file of the memory holds; `None` where there is none.
///
/// # Errors
/// It cannot be read.
pub fn bytes(context: &Workspace, path: &RepoPath) -> Result<Option<Vec<u8>>, Error> {
    match context.view.read(path, DOCUMENT_LIMIT) {
        Blob::Bytes(bytes) => Ok(Some(bytes)),
        Blob::Missing(BlobError::Absent) => Ok(None),
        Blob::Missing(missing) => Err(unreadable(path, &missing.to_string(), "mend that and run this again")),
    }
}

fn stale(context: &Workspace, night: &Night) -> Result<Vec<Stale>, Error> {
    let layout = &context.layout;
    let mut files = vec![(layout.workspace(), memory_file::WORKSPACE)];
    // The seed knows no other.
    if night.ruleset == Ruleset::Current {
        files.push((layout.active_plan(), memory_file::ACTIVE_PLAN));
    }
    let mut stale = Vec::new();
    for (path, template) in files {
        let Some(bytes) = bytes(context, &path)? else { continue };
        if !is_used(&String::from_utf8_lossy(&bytes), template) {
            continue;
        }
        let changed = changed(context, &path, night)?;
        if changed.is_some_and(|changed| is_stale(changed, night.now, &night.policy)) {
            let archive = archive(context, &path, &bytes, night)?;
            stale.push(Stale { path, bytes, template, archive });
        }
    }
    Ok(stale)
}

/// When a file last changed: by git's history where it is as the memory's branch or HEAD has it, else by its time on disk.
fn changed(context: &Workspace, path: &RepoPath, night: &Night) -> Result<Option<Timestamp>, Error> {
    let own = context.config.memory.branch.as_ref().map(|branch| format!("refs/heads/{branch}"));
    for rev in own.as_deref().into_iter().chain(["HEAD"]) {
        if night.ruleset != Ruleset::Current || !is_as_in(context, rev, path)? {
            continue;
        }
        let limit = night.now.minus_days(night.policy.stale_after_days).to_jiff().as_second();
        let time = last_change(context.repo()?, rev, path.as_bstr(), limit)
            .map_err(|e| Error::new(ErrorKind::Internal, format!("{path}: git's history cannot be read: {e}")))?;
        if let Some(moment) = time.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok()) {
            return Ok(Some(Timestamp::from(moment)));
        }
    }
    let on_disk = context.view.on_disk(path).and_then(|at| std::fs::metadata(at).ok()?.modified().ok());
    Ok(on_disk.and_then(|time| jiff::Timestamp::try_from(time).ok()).map(Timestamp::from))
}

/// Whether a file is in a commit as it is here.
///
/// # Errors
/// The work tree cannot be listed.
pub fn is_as_in(context: &Workspace, rev: &str, path: &RepoPath) -> Result<bool, Error> {
    let Ok(commit) = context.open_view(&Basis::Commit(rev.to_owned())) else { return Ok(false) };
    let committed = state(&commit, path)?;
    Ok(committed.is_some() && committed == state(&context.view, path)?)
}

fn state(view: &View, path: &RepoPath) -> Result<Option<FileState>, Error> {
    let listing = view.list(path, IgnoreMode::Include)?;
    Ok(view.states(&listing.files).into_iter().next().flatten())
}

/// `snapshots/WORKSPACE-2026-05-01.md`, with a number where that holds something else.
fn archive(context: &Workspace, path: &RepoPath, bytes: &[u8], night: &Night) -> Result<Option<RepoPath>, Error> {
    let stem = path.file_name_lossy().trim_end_matches(".md").to_owned();
    let date = night.now.date();
    for number in 1.. {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let name = context.layout.snapshots().join(format!("{stem}-{date}{suffix}.md").as_str());
        match self::bytes(context, &name)? {
            None => return Ok(Some(name)),
            Some(there) if there == bytes => return Ok(None),
            Some(_) => {}
        }
    }
    Ok(None)
}
