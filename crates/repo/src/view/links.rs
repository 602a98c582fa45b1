//! Where links lead.

use super::git_source::MAX_LINKS;
use super::{GitSource, PathKind, View};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::blob::BlobError;
use canonry_text::RepoPath;
use gix::bstr::{BString, ByteSlice};

impl View {
    /// Why a link leads to nothing in the repository. `None` for a link with a target, and for a link into a submodule,
    /// which may not be checked out.
    pub fn dead_link(&self, link: &RepoPath) -> Option<BlobError> {
        let target = || self.link_text(link).unwrap_or_default().to_str_lossy().into_owned();
        let mut here = link.clone();
        for _ in 0..MAX_LINKS {
            let Some((at, text)) = self.first_link(&here) else {
                let in_submodule = |git: &GitSource| git.in_submodule(&here);
                let nothing = self.kind(&here) == PathKind::Nothing && !self.git().is_some_and(in_submodule);
                return nothing.then(|| BlobError::Dangling { target: target() });
            };
            let Some(to) = at.resolve_beside(&text) else { return Some(BlobError::Outside { target: target() }) };
            here = to.join(here.below(&at).unwrap_or_default());
        }
        Some(BlobError::Loop { target: target() })
    }

    /// The first link among a path and the folders above it, and its target.
    fn first_link(&self, path: &RepoPath) -> Option<(RepoPath, BString)> {
        let mut here = RepoPath::default();
        path.components().find_map(|part| {
            here = here.join(part);
            self.link_text(&here).map(|text| (here.clone(), text))
        })
    }

    /// Content of the root of a mirror. Reports links on the way to it.
    pub fn root(&self, root: &RepoPath) -> MirrorRoot {
        let mut here = RepoPath::default();
        for part in root.components() {
            here = here.join(part);
            if let Some(text) = self.link_text(&here) {
                let rest = root.below(&here).unwrap_or_default();
                return match self.resolve_link(&here, text.as_bstr()) {
                    Some(path) => MirrorRoot::LinkInside(path.join(rest)),
                    None => MirrorRoot::LinkOutside(text.to_str_lossy().into_owned()),
                };
            }
            if self.is_other_repository(&here) {
                return MirrorRoot::Submodule(here);
            }
            match self.kind(&here) {
                PathKind::File => return MirrorRoot::NotAFolder(here),
                PathKind::Nothing => return MirrorRoot::Folder,
                PathKind::Folder => {}
            }
        }
        MirrorRoot::Folder
    }
}
