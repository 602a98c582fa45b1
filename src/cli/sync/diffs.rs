//! What a sync changes, or would, as diffs that `git apply` takes.

use crate::canon::{Blob, FileMode, FileState};
use crate::edit::{Edit, EditContent};
use crate::mirror::{DesiredFile, Refusal, RefusalReason, SyncPlan};
use crate::render::diff;
use crate::syntax::RepoPath;
use crate::view::View;

/// Lines of one refused file's diff that are shown unasked.
const DIFF_LINES: usize = 30;
/// Bytes of a file that a diff reads.
const DIFF_LIMIT: u64 = 4 << 20;

/// The changes of a run as a unified diff; with `refused`, also what it would not overwrite.
pub fn diffs(view: &View, decision: &SyncPlan, refused: bool) -> String {
    let mut text: String = decision.edits.iter().map(|edit| diff_of(view, edit)).collect();
    if refused {
        text.extend(by_file(decision).filter_map(|refusal| diff_of_refusal(view, refusal)));
    }
    text
}

/// The first lines of what is refused, for a person to decide about.
pub fn refused_diffs(view: &View, decision: &SyncPlan) -> String {
    let told = |reason: &RefusalReason| {
        matches!(
            reason,
            RefusalReason::Edited
                | RefusalReason::Occupied { .. }
                | RefusalReason::PartEdited(_)
                | RefusalReason::PartOccupied(_)
        )
    };
    let edited = by_file(decision).filter(|refusal| told(&refusal.reason));
    let diffs: String = edited.filter_map(|refusal| diff_of_refusal(view, refusal)).map(|diff| head(&diff)).collect();
    if diffs.is_empty() { diffs } else { format!("What `--force` would change:\n{diffs}") }
}

/// One refusal for each file: the parts of a shared one differ together.
fn by_file(decision: &SyncPlan) -> impl Iterator<Item = &Refusal> {
    decision.refused.chunk_by(|a, b| a.path == b.path).filter_map(<[Refusal]>::first)
}

fn head(diff: &str) -> String {
    let lines = diff.lines().count();
    let mut text: String = diff.split_inclusive('\n').take(DIFF_LINES).collect();
    if lines > DIFF_LINES {
        text.push_str(&format!("… {} more lines; `canonry sync --diff` shows all\n", lines - DIFF_LINES));
    }
    text
}

/// One side of a change; no bytes where they are too many, or cannot be read.
struct Side {
    mode: FileMode,
    bytes: Option<Vec<u8>>,
}

/// One change, in the form that `git apply` takes.
pub fn diff_of(view: &View, edit: &Edit) -> String {
    let old = edit.was().map(|was| held(view, edit.path(), was));
    let new = match edit {
        Edit::Rename { path, to, .. } => return diff_of_rename(view, (path, to), None),
        Edit::Remove { .. } => None,
        Edit::Write { content, now, .. } => Some(Side { mode: now.mode, bytes: bytes(view, content) }),
    };
    change(&view.full(edit.path()), old.as_ref(), new.as_ref())
}

/// A file that gets another name, and with it another content where there is an edit of it.
pub fn diff_of_rename(view: &View, (path, to): (&RepoPath, &RepoPath), edit: Option<&Edit>) -> String {
    let changed = edit.and_then(|edit| match edit {
        Edit::Write { content, .. } => Some((read(view, path)?, bytes(view, content)?)),
        Edit::Remove { .. } | Edit::Rename { .. } => None,
    });
    let (path, to) = (&view.full(path), &view.full(to));
    let text =
        changed.map(|(old, new)| diff::between((&path.to_display(), Some(&old)), (&to.to_display(), Some(&new))));
    let same = if text.is_none() { "similarity index 100%\n" } else { "" };
    let text = text.unwrap_or_default();
    format!("diff --git a/{path} b/{to}\n{same}rename from {path}\nrename to {to}\n{text}")
}

/// From what stands there to what the canon says.
fn diff_of_refusal(view: &View, refusal: &Refusal) -> Option<String> {
    let old = held(view, &refusal.path, refusal.current?);
    let side = |want: &DesiredFile| Side { mode: want.state.mode, bytes: bytes(view, &want.content) };
    let new = refusal.desired.as_ref().map(side);
    Some(change(&view.full(&refusal.path), Some(&old), new.as_ref()))
}

/// In git's form, so that modes and empty files are told too.
fn change(path: &RepoPath, old: Option<&Side>, new: Option<&Side>) -> String {
    let modes = match (old, new) {
        // A file that becomes a link is removed and made anew, as git shows it.
        (Some(was), Some(now)) if was.mode.is_file() != now.mode.is_file() => {
            return change(path, old, None) + &change(path, None, new);
        }
        (None, Some(now)) => format!("new file mode {}\n", now.mode),
        (Some(was), None) => format!("deleted file mode {}\n", was.mode),
        (Some(was), Some(now)) if was.mode != now.mode => format!("old mode {}\nnew mode {}\n", was.mode, now.mode),
        _ => String::new(),
    };
    let text = contents(path, old, new);
    if modes.is_empty() && text.is_empty() {
        return String::new();
    }
    format!("diff --git a/{path} b/{path}\n{modes}{text}")
}

/// Empty where only the mode changes, or an empty file comes or goes.
fn contents(path: &RepoPath, old: Option<&Side>, new: Option<&Side>) -> String {
    let shown = path.to_display();
    let unread = |side: Option<&Side>| side.is_some_and(|side| side.bytes.is_none());
    if unread(old) || unread(new) {
        return format!("Binary files a/{shown} and b/{shown} differ\n");
    }
    let bytes = |side: Option<&'_ Side>| side.and_then(|side| side.bytes.clone());
    let (old, new) = (bytes(old), bytes(new));
    if old.as_ref().is_none_or(Vec::is_empty) && new.as_ref().is_none_or(Vec::is_empty) {
        return String::new();
    }
    diff::unified(&shown, old.as_deref(), new.as_deref())
}

fn held(view: &View, path: &RepoPath, state: FileState) -> Side {
    let bytes = match state.mode {
        FileMode::Link => view.link_text(path).map(Vec::from),
        _ => read(view, path),
    };
    Side { mode: state.mode, bytes }
}

fn bytes(view: &View, content: &EditContent) -> Option<Vec<u8>> {
    match content {
        EditContent::CopyOf(path) => read(view, path),
        EditContent::Link(text) => Some(text.to_vec()),
        EditContent::Bytes(bytes) => Some(bytes.clone()),
    }
}

fn read(view: &View, path: &RepoPath) -> Option<Vec<u8>> {
    match view.read(path, DIFF_LIMIT) {
        Blob::Bytes(bytes) => Some(bytes),
        Blob::Missing(_) => None,
    }
}
