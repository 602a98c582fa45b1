//! Decides which files fixes may change.

use crate::Workspace;
use canonry_lint::Finding;
use canonry_mirror::Lock;
use canonry_model::canon::{Blob, PathKind};
use canonry_model::finding::Applicability;
use canonry_text::RepoPath;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Removes the fixes that must not be made where they are.
pub(super) fn retain_allowed(workspace: &Workspace, findings: &mut [Finding]) {
    let files = FixableFiles { workspace, generated: OnceCell::new() };
    let mut known: BTreeMap<RepoPath, Option<Applicability>> = BTreeMap::new();
    for finding in findings {
        let Some(fix) = &finding.fix else { continue };
        let path = &finding.location.path;
        let allowed = *known.entry(path.clone()).or_insert_with(|| files.allowed(path));
        if allowed.is_none_or(|allowed| fix.applicability > allowed) {
            finding.fix = None;
        }
    }
}

struct FixableFiles<'a> {
    workspace: &'a Workspace,
    /// Lock of the generated files; `None` if a lock cannot be read.
    generated: OnceCell<Option<Lock>>,
}

impl FixableFiles<'_> {
    /// The least certain fix that may be made in a file; `None` if it must not be changed.
    fn allowed(&self, path: &RepoPath) -> Option<Applicability> {
        let Workspace { view, layout, .. } = self.workspace;
        // A link has no content of its own.
        if view.link_text(path).is_some() {
            return None;
        }
        if path.is_within(layout.root()) || layout.is_in_plans(path) {
            return Some(Applicability::Unsafe);
        }
        (!self.is_behind_link(path) && !self.is_foreign(path) && !self.is_generated(path))
            .then_some(Applicability::Safe)
    }

    fn folders(path: &RepoPath) -> impl Iterator<Item = RepoPath> {
        std::iter::successors(path.parent(), RepoPath::parent).take_while(|folder| !folder.is_empty())
    }

    fn is_behind_link(&self, path: &RepoPath) -> bool {
        Self::folders(path).any(|folder| self.workspace.view.link_text(&folder).is_some())
    }

    /// Whether the file belongs to another repository, or to a nested canon, which has its own generated files.
    fn is_foreign(&self, path: &RepoPath) -> bool {
        let has = |folder: &RepoPath, name: &str| self.workspace.view.kind(&folder.join(name)) != PathKind::Nothing;
        Self::folders(path).any(|folder| has(&folder, ".git") || has(&folder, "agent/mirrors.lock"))
    }

    /// Whether sync wrote the file or a part of it. The canon has its source.
    fn is_generated(&self, path: &RepoPath) -> bool {
        let Some(lock) = self.generated.get_or_init(|| self.read_locks()) else { return true };
        let is_part = |row: &RepoPath| {
            row.as_bstr().strip_prefix(path.as_bstr().as_ref() as &[u8]).is_some_and(|rest| rest.starts_with(b"#"))
        };
        lock.owns(path) || lock.entries().iter().any(|(row, _)| is_part(row))
    }

    fn read_locks(&self) -> Option<Lock> {
        let Workspace { view, layout, .. } = self.workspace;
        let mut all = Lock::default();
        for path in [layout.lock(), layout.local_lock()] {
            match view.read(&path, u64::MAX) {
                Blob::Bytes(bytes) => all = all.with(Lock::parse_conflicted(&bytes).ok()?.entries().iter().cloned()),
                Blob::Missing(_) if view.kind(&path) == PathKind::Nothing => {}
                Blob::Missing(_) => return None,
            }
        }
        Some(all)
    }
}
