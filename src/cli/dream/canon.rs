//! What a dream asks of the skills.

use crate::app::Error;
use crate::app::Workspace;
use crate::app::recorded::document;
use crate::canon::Layout;
use crate::cli::skills::listing::Listing;
use crate::memory::Decision;
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// The skills' folders, by their names.
pub struct Canon<'a> {
    context: &'a Workspace,
    folders: BTreeMap<String, RepoPath>,
}

impl<'a> Canon<'a> {
    /// Looks, where something was decided for which they count.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn for_the(decision: &Decision, context: &'a Workspace) -> Result<Self, Error> {
        let is_asked = !decision.repeated.is_empty() || decision.rows.iter().any(|row| row.way.violates);
        let skills = if is_asked { Listing::see(context)?.inventory.skills } else { Vec::new() };
        let named = skills.into_iter().map(|skill| (skill.path.file_name_lossy(), skill.path));
        Ok(Self { context, folders: named.collect() })
    }

    /// Whether there is a skill of that name.
    pub fn has(&self, name: &str) -> bool {
        self.folders.contains_key(name)
    }

    /// What a skill knows; empty where that cannot be read, which is for a check to tell.
    pub fn knowledge(&self, skill: &str) -> String {
        let path = self.folders.get(skill).map(Layout::knowledge);
        path.and_then(|path| document(self.context, &path).ok()).unwrap_or_default()
    }
}
