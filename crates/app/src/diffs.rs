//! The changes of a run as file contents, which front ends show as diffs.

use canonry_mirror::{DesiredFile, Refusal, RefusalReason, SyncPlan};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::edit::{Edit, EditContent};
use canonry_repo::view::View;
use canonry_text::RepoPath;

/// Largest file, in bytes, whose content is read for a diff.
const MAX_BYTES: u64 = 4 << 20;

/// The difference that a run makes, or would make, at one path. Paths start at the top of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileDiff {
    /// A file that is created, changed or removed.
    Changed {
        /// The file.
        path: RepoPath,
        /// Its content before; `None` if it did not exist.
        old: Option<FileContent>,
        /// Its content after; `None` if it is removed.
        new: Option<FileContent>,
    },
    /// A file that gets another name.
    Renamed {
        /// The old name.
        path: RepoPath,
        /// The new name.
        to: RepoPath,
        /// The bytes before and after, if they change too.
        contents: Option<(Vec<u8>, Vec<u8>)>,
    },
}

/// One side of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    /// Regular file, executable, or link.
    pub mode: FileMode,
    /// The bytes, or a link's text; `None` if the file is too large or not readable.
    pub bytes: Option<Vec<u8>>,
}

impl FileDiff {
    /// The difference that an edit makes.
    pub fn from_edit(view: &View, edit: &Edit) -> Self {
        let new = match edit {
            Edit::Rename { path, to, .. } => return Self::from_rename(view, path, to, None),
            Edit::Remove { .. } => None,
            Edit::Write { content, now, .. } => Some(FileContent { mode: now.mode, bytes: new_bytes(view, content) }),
        };
        let old = edit.was().map(|was| current_content(view, edit.path(), was));
        Self::Changed { path: view.full(edit.path()), old, new }
    }

    /// The difference that a rename makes together with `edit`, an edit of the same file.
    pub fn from_rename(view: &View, path: &RepoPath, to: &RepoPath, edit: Option<&Edit>) -> Self {
        let contents = edit.and_then(|edit| match edit {
            Edit::Write { content, .. } => Some((read(view, path)?, new_bytes(view, content)?)),
            Edit::Remove { .. } | Edit::Rename { .. } => None,
        });
        Self::Renamed { path: view.full(path), to: view.full(to), contents }
    }

    /// The difference between a refused file and what the canon wants there; `None` if the file does not exist.
    fn from_refusal(view: &View, refusal: &Refusal) -> Option<Self> {
        let old = current_content(view, &refusal.path, refusal.current?);
        let content = |want: &DesiredFile| FileContent { mode: want.state.mode, bytes: new_bytes(view, &want.content) };
        let new = refusal.desired.as_ref().map(content);
        Some(Self::Changed { path: view.full(&refusal.path), old: Some(old), new })
    }
}

/// The differences that all edits of a plan make.
pub fn edit_diffs(view: &View, plan: &SyncPlan) -> Vec<FileDiff> {
    plan.edits.iter().map(|edit| FileDiff::from_edit(view, edit)).collect()
}

/// The differences that a plan refuses to make.
pub fn refusal_diffs(view: &View, plan: &SyncPlan) -> Vec<FileDiff> {
    refusals_by_file(plan).filter_map(|refusal| FileDiff::from_refusal(view, refusal)).collect()
}

/// The refused differences that `--force` would make.
pub fn forcible_diffs(view: &View, plan: &SyncPlan) -> Vec<FileDiff> {
    let is_forcible = |reason: &RefusalReason| {
        use RefusalReason::{Edited, Occupied, PartEdited, PartOccupied};
        matches!(reason, Edited | Occupied { .. } | PartEdited(_) | PartOccupied(_))
    };
    let refusals = refusals_by_file(plan).filter(|refusal| is_forcible(&refusal.reason));
    refusals.filter_map(|refusal| FileDiff::from_refusal(view, refusal)).collect()
}

/// One refusal for each file: the refused parts of a shared file share one difference.
fn refusals_by_file(plan: &SyncPlan) -> impl Iterator<Item = &Refusal> {
    plan.refused.chunk_by(|a, b| a.path == b.path).filter_map(<[Refusal]>::first)
}

fn current_content(view: &View, path: &RepoPath, state: FileState) -> FileContent {
    let bytes = match state.mode {
        FileMode::Link => view.link_text(path).map(Vec::from),
        _ => read(view, path),
    };
    FileContent { mode: state.mode, bytes }
}

fn new_bytes(view: &View, content: &EditContent) -> Option<Vec<u8>> {
    match content {
        EditContent::CopyOf(path) => read(view, path),
        EditContent::Link(text) => Some(text.to_vec()),
        EditContent::Bytes(bytes) => Some(bytes.clone()),
    }
}

fn read(view: &View, path: &RepoPath) -> Option<Vec<u8>> {
    view.read(path, MAX_BYTES).into_bytes()
}
