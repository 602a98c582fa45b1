//! Where links lead.

use super::{PathKind, Resolved, View};
use crate::canon::FileMode;
use crate::canon::blob::BlobError;
use crate::mirror::MirrorRoot;
use crate::syntax::RepoPath;
use gix::bstr::{BString, ByteSlice};

/// Links followed before a loop is assumed, as Linux does.
pub(super) const MAX_LINKS: usize = 40;

impl View {
    /// Why a link leads to nothing of the repository; `None` where it leads to something, and where nobody can tell, as
    /// of a submodule that is not checked out.
    pub fn dead_link(&self, link: &RepoPath) -> Option<BlobError> {
        let target = || self.link_text(link).unwrap_or_default().to_str_lossy().into_owned();
        let mut here = link.clone();
        for _ in 0..MAX_LINKS {
            let Some((at, text)) = self.first_link(&here) else {
                let nothing = self.kind(&here) == PathKind::Nothing && !self.in_submodule(&here);
                return nothing.then(|| BlobError::Dangling { target: target() });
            };
            let Some(to) = at.resolve_beside(&text) else { return Some(BlobError::Outside { target: target() }) };
            here = to.join(here.below(&at).unwrap_or_default());
        }
        Some(BlobError::Loop { target: target() })
    }

    /// The first link on the way to a path, itself included, and its text.
    fn first_link(&self, path: &RepoPath) -> Option<(RepoPath, BString)> {
        let mut here = RepoPath::default();
        path.components().find_map(|part| {
            here = here.join(part);
            self.link_text(&here).map(|text| (here.clone(), text))
        })
    }

    fn in_submodule(&self, path: &RepoPath) -> bool {
        let mut above = std::iter::successors(path.parent(), RepoPath::parent);
        self.shared.with(&self.repo, |repo| {
            above.any(|path| self.object_at(repo, &path).is_some_and(|(_, mode)| mode == FileMode::Submodule))
        })
    }

    /// What stands at a mirror's root, links on the way to it told.
    pub fn root(&self, root: &RepoPath) -> MirrorRoot {
        let mut here = RepoPath::default();
        for part in root.components() {
            here = here.join(part);
            if let Some(text) = self.link_text(&here) {
                let rest = root.below(&here).unwrap_or_default();
                return self.linked_root(&here, &text, rest);
            }
            match self.kind(&here) {
                PathKind::File => return MirrorRoot::NotAFolder(here),
                PathKind::Nothing => return MirrorRoot::Folder,
                PathKind::Folder => {}
            }
        }
        MirrorRoot::Folder
    }

    fn linked_root(&self, link: &RepoPath, text: &BString, rest: &gix::bstr::BStr) -> MirrorRoot {
        let outside = || MirrorRoot::LinkOutside(text.to_str_lossy().into_owned());
        if let Resolved::WorkTree = self.basis {
            let real = self.on_disk(link).and_then(|path| std::fs::canonicalize(path).ok());
            if let Some(real) = real {
                return self.inside(&real).map_or_else(outside, |path| MirrorRoot::LinkInside(path.join(rest)));
            }
        }
        link.resolve_beside(text).map_or_else(outside, |path| MirrorRoot::LinkInside(path.join(rest)))
    }
}
