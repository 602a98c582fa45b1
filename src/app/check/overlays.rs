//! The overlays as `check` sees them.

use crate::app::Workspace;
use crate::app::check::scope::Whole;
use crate::canon::{Blob, TreeEntry};
use crate::mirror::overlay::{UnusedOverlay, unused_overlays};
use crate::mirror::overlay_check::OverlayContext;
use crate::syntax::RepoPath;
use crate::view::load::DOCUMENT_LIMIT;

/// Overlays that do nothing, and those that cannot be used.
pub struct Overlays {
    /// By their folders, with the reason.
    pub unused: Vec<(RepoPath, UnusedOverlay)>,
    /// Files, with the reason.
    pub unusable: Vec<(RepoPath, String)>,
}

/// Looks at all overlays of a canon.
pub fn overlays(context: &Workspace, whole: &Whole) -> Overlays {
    let (view, root) = (&context.view, context.layout.overlays());
    let entries: Vec<TreeEntry> =
        whole.listed.iter().map(|file| &file.entry).filter(|entry| entry.path.is_within(&root)).cloned().collect();
    let sight = OverlayContext {
        root: &root,
        entries: &entries,
        targets: &context.config.targets,
        inventory: &whole.inventory,
        read: &|path| match view.read(path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => Some(bytes),
            Blob::Missing(_) => None,
        },
        link: &|path| view.link_text(path),
    };
    let unused =
        unused_overlays(entries.iter().map(|entry| &entry.path), &root, &context.config.targets, &sight.names());
    Overlays { unused: unused.into_iter().collect(), unusable: sight.unusable() }
}
