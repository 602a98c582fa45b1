//! Lessons whose episodes are nowhere, as `check` sees them.

use crate::app::Workspace;
use crate::canon::Blob;
use crate::finding::Location;
use crate::memory::lessons::{Citation, citations, retain_unresolved};
use crate::syntax::RepoPath;
use crate::view::{IgnoreMode, PathKind, load, log};

/// The episodes that lessons name and that are nowhere. Where there is no log, or one that cannot be read, nothing is
/// said: it may be kept elsewhere, and a log that cannot be read is told by itself.
pub fn lost_episodes(context: &Workspace) -> Vec<(Location, String)> {
    let (view, layout) = (&context.view, &context.layout);
    let Some(source) = load::source(view, &layout.lessons()) else { return Vec::new() };
    let mut left = citations(source.text());
    if left.is_empty() || view.kind(&layout.log()) != PathKind::File || !resolve(context, &layout.log(), &mut left) {
        return Vec::new();
    }
    let snapshots = if left.is_empty() { None } else { view.list(&layout.snapshots(), IgnoreMode::Exclude).ok() };
    for file in snapshots.into_iter().flat_map(|listing| listing.files) {
        let path = file.entry.path;
        let is_rows = path.as_bstr().ends_with(b".jsonl");
        if is_rows && !left.is_empty() && !resolve(context, &path, &mut left) {
            return Vec::new();
        }
    }
    left.into_iter().map(|Citation { id, span }| (Location::at(&source, span), id)).collect()
}

/// Takes out what a file of rows holds. `false` where it cannot be read, so that nothing is known of what is left.
fn resolve(context: &Workspace, path: &RepoPath, left: &mut Vec<Citation>) -> bool {
    let Blob::Bytes(bytes) = context.view.read(path, load::LOG_LIMIT) else { return false };
    let Ok(rows) = log::rows(&bytes) else { return false };
    retain_unresolved(left, &rows);
    true
}
