//! What is around a skill in its repository, as far as the skill's links lead out of it.

use crate::syntax::RepoPath;
use crate::syntax::link_target::path_of;
use std::collections::BTreeSet;

/// The repository around a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder of the plugin that contains the skill. A plugin is installed as a whole.
    pub plugin: Option<RepoPath>,
    /// The folder of the skill that contains this one. Commands of a nested skill may be meant for it.
    pub outer: Option<RepoPath>,
    /// Paths outside of the skill that its links name and that exist.
    pub existing: BTreeSet<RepoPath>,
    /// The canon's folder with skills, if it contains the skill directly. Then every mirror is `.TOOL/skills/NAME`.
    pub mirrored: Option<RepoPath>,
}

/// The depth of `.TOOL/skills`.
const MIRROR_DEPTH: usize = 2;

/// Files that make the folder which contains them a plugin or an extension, which is installed as a whole.
const MANIFESTS: [&str; 6] = [
    ".claude-plugin/plugin.json",
    ".codex-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
    ".github/plugin/plugin.json",
    "gemini-extension.json",
    "plugin.json",
];

impl Surroundings {
    /// Looks up what the links of the skill in `folder` name: for each, the path of its file and its target. Most skills have no
    /// links that lead out of them, and nothing is looked up for these. `is_own` says whether a file belongs to the skill.
    pub fn collect<'l>(
        folder: &RepoPath,
        outer: Option<&RepoPath>,
        links: impl Iterator<Item = (&'l RepoPath, &'l str)>,
        is_own: impl Fn(&RepoPath) -> bool,
        exists: impl Fn(&RepoPath) -> bool,
    ) -> Self {
        let mut outside = BTreeSet::new();
        for (file, target) in links {
            let Some(path) = path_of(target) else { continue };
            let beside = file.resolve_beside(&path);
            if beside.as_ref().is_some_and(&is_own) {
                continue;
            }
            outside.extend(beside.filter(|path| !path.is_within(folder)).map(Candidate::Path));
            outside.extend(from_top(&path).map(Candidate::FromRoot));
        }
        if outside.is_empty() {
            return Self::default();
        }
        let plugin = plugin_of(folder, &exists);
        let existing = outside.into_iter().flat_map(|candidate| candidate.paths([plugin.as_ref(), outer]));
        let existing = existing.filter(|path| !path.is_within(folder) && exists(path)).collect();
        Self { plugin, outer: outer.cloned(), existing, mirrored: None }
    }

    /// Looks up the plugin for a skill with symbolic links out of it.
    pub fn find_plugin(&mut self, folder: &RepoPath, exists: impl Fn(&RepoPath) -> bool) {
        if self.plugin.is_none() {
            self.plugin = plugin_of(folder, exists);
        }
    }

    /// Whether a path written relative to the root of the repository, of the plugin or of the outer skill exists.
    pub fn has_from_root(&self, path: &[u8]) -> bool {
        // A file name alone is relative to its text.
        let outer = self.outer.as_ref().filter(|_| path.contains(&b'/'));
        from_top(path).is_some_and(|path| {
            Candidate::FromRoot(path).paths([self.plugin.as_ref(), outer]).any(|path| self.existing.contains(&path))
        })
    }

    /// Whether a link to an existing path leads to a file from each mirror, too: to another skill, which is mirrored beside this
    /// one, or out of a canon whose skills are as deep in the repository as a mirror's.
    pub fn is_reached_from_mirrors(&self, path: &RepoPath) -> bool {
        let Some(skills) = &self.mirrored else { return false };
        let is_out = || {
            skills.components().count() == MIRROR_DEPTH && !skills.parent().is_some_and(|canon| path.is_within(&canon))
        };
        self.existing.contains(path) && (path.is_within(skills) || is_out())
    }

    /// Whether a path is part of the plugin that contains the skill.
    pub fn is_in_plugin(&self, path: &RepoPath) -> bool {
        self.plugin.as_ref().is_some_and(|plugin| path.is_within(plugin))
    }
}

fn plugin_of(folder: &RepoPath, exists: impl Fn(&RepoPath) -> bool) -> Option<RepoPath> {
    let is_plugin = |folder: &RepoPath| MANIFESTS.iter().any(|file| exists(&folder.join(file)));
    std::iter::successors(folder.parent(), RepoPath::parent).find(is_plugin)
}

/// A path to look up.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Candidate {
    Path(RepoPath),
    /// Relative to the root of the repository, of the plugin or of the outer skill.
    FromRoot(RepoPath),
}

impl Candidate {
    /// The paths that it may mean, given the roots besides the repository.
    fn paths(self, roots: [Option<&RepoPath>; 2]) -> impl Iterator<Item = RepoPath> {
        let (path, in_roots) = match self {
            Self::Path(path) => (path, [None, None]),
            Self::FromRoot(path) => {
                let in_roots = roots.map(|root| root.map(|root| root.join(path.as_bstr())));
                (path, in_roots)
            }
        };
        std::iter::once(path).chain(in_roots.into_iter().flatten())
    }
}

/// The path without a leading slash, if it does not lead upwards.
fn from_top(path: &[u8]) -> Option<RepoPath> {
    let path = path.strip_prefix(b"/").unwrap_or(path);
    RepoPath::from("top").resolve_beside(path).filter(|path| !path.is_empty())
}
