//! Files outside the canon that sync wrote: their sources are checked instead.

use crate::Workspace;
use canonry_mirror::Lock;
use canonry_model::canon::inventory::Inventory;
use canonry_model::config::{Config, Target};
use canonry_repo::view::locks;
use canonry_repo::view::tool_files::may_be_owned;
use canonry_text::RepoPath;
use gix::bstr::BString;
use std::cell::LazyCell;
use std::collections::{BTreeSet, HashSet};

/// The mirrors of the canon's skills, and the files that its locks own.
pub(super) struct GeneratedFiles<'a> {
    config: &'a Config,
    targets: BTreeSet<Target>,
    /// The names of the folders of the canon's skills.
    skills: HashSet<BString>,
    /// The locks, read when a path may be in one.
    owned: LazyCell<Lock, Box<dyn FnOnce() -> Lock + 'a>>,
}

impl<'a> GeneratedFiles<'a> {
    pub fn new(workspace: &'a Workspace, canon: &Inventory) -> Self {
        Self {
            config: &workspace.config,
            targets: workspace.config.known_targets(),
            skills: canon.skills.iter().map(|skill| skill.path.file_name().to_owned()).collect(),
            owned: LazyCell::new(Box::new(|| locks::owned(&workspace.view, &workspace.layout))),
        }
    }

    /// Whether a path is, or is in, such a file.
    pub fn contains(&self, path: &RepoPath) -> bool {
        if self.config.is_in_mirror(path) && self.is_mirrored_skill(path) {
            return true;
        }
        may_be_owned(path) && self.owned.owns(path)
    }

    fn is_mirrored_skill(&self, path: &RepoPath) -> bool {
        let mut mirrors = self.targets.iter().filter(|target| target.contains(path));
        mirrors.any(|target| {
            let below = path.as_bstr().strip_prefix(target.mirror().as_bytes());
            let name = below.and_then(|below| below.strip_prefix(b"/")?.split(|byte| *byte == b'/').next());
            name.is_some_and(|name| self.skills.contains(name))
        })
    }
}
