//! Which files of a canon come from elsewhere, for messages about them.

use canonry_exchange::remote_skills::{PinnedSkill, RemoteItem, SkillsLock};
use canonry_model::canon::{FileSource, Layout};
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::RepoPath;
use gix::bstr::ByteSlice as _;

/// The pins of a canon. Empty if there is no lock or it cannot be read, which other commands report.
pub(crate) struct Origins {
    layout: Layout,
    lock: SkillsLock,
}

impl Origins {
    pub(crate) fn read(files: &(impl FileSource + ?Sized), layout: &Layout) -> Self {
        // A rule of its own reports a lock that cannot be read.
        let lock = files.read(&layout.skills_lock(), DOCUMENT_LIMIT).into_text();
        let lock = lock.and_then(|text| SkillsLock::parse(&text).ok());
        Self { layout: layout.clone(), lock: lock.unwrap_or_default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock.items.is_empty()
    }

    /// Where a file comes from: the source, and the commit that it is pinned to.
    pub(crate) fn describe(&self, path: &RepoPath) -> Option<String> {
        let PinnedSkill { source, commit, .. } = self.find(path)?;
        Some(format!("{source} (commit {})", commit.to_hex_with_len(10)))
    }

    fn find(&self, path: &RepoPath) -> Option<&PinnedSkill> {
        let items = &self.lock.items;
        if let Some(below) = path.below(&self.layout.skills()) {
            // A skill may be in a category.
            let names = below.split_str("/").filter_map(|part| part.to_str().ok());
            return names.into_iter().find_map(|name| items.get(&RemoteItem::Skill(name.to_owned())));
        }
        items.get(&RemoteItem::File(RepoPath::new(path.below(self.layout.root())?)))
    }
}
