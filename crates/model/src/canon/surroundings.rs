//! Files around a skill in its repository, as far as the skill's links lead out of it.

use canonry_text::RepoPath;
use canonry_text::link_target::path_of;
use canonry_text::markdown::MarkdownLink;
use std::collections::BTreeSet;

/// Where a skill is.
#[derive(Clone, Copy, Debug)]
pub struct SkillPlace<'a> {
    pub folder: &'a RepoPath,
    /// Its `SKILL.md`.
    pub document: &'a RepoPath,
    /// Where that is stored, if it is a symbolic link inside the repository.
    pub stored_document: Option<&'a RepoPath>,
}

/// The repository around a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder of the plugin that contains the skill. A plugin is installed as a whole.
    pub plugin: Option<RepoPath>,
    /// The folders that contain the skill, from the nearest to the root of the repository. A path may be meant from any of them:
    /// from a project, a plugin, an outer skill, or a folder that is linked into the user's home as a whole.
    above: Vec<RepoPath>,
    /// Links of a document that is a symbolic link, if their targets exist from where the document is stored.
    pub from_stored_document: BTreeSet<String>,
    /// Whether the manifest of a plugin gives the skill's folder itself as a path of skills.
    pub is_listed_in_manifest: bool,
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
    /// Looks up what the links of a skill name, each with the path of its file. Most skills have no links that lead out of them or
    /// nowhere, and nothing is looked up for these. `is_own` says whether the skill has a file or folder, `exists` whether there is
    /// anything at a path of the repository.
    pub fn collect<'l>(
        place: SkillPlace<'_>,
        links: impl Iterator<Item = (&'l RepoPath, &'l MarkdownLink)>,
        is_own: impl Fn(&RepoPath) -> bool,
        exists: impl Fn(&RepoPath) -> bool,
    ) -> Self {
        let SkillPlace { folder, document, stored_document } = place;
        let mut outside = BTreeSet::new();
        let mut from_stored_document = BTreeSet::new();
        for (file, link) in links {
            let Some(path) = path_of(&link.target) else { continue };
            let beside = file.resolve_beside(&path);
            if beside.as_ref().is_some_and(&is_own) {
                continue;
            }
            outside.extend(beside.filter(|path| !path.is_within(folder)).map(CandidatePath::Path));
            outside.extend(from_top(&path).map(CandidatePath::FromAbove));
            let is_stored = |stored: &RepoPath| stored.resolve_beside(&path).is_some_and(|path| exists(&path));
            if file == document && stored_document.is_some_and(is_stored) {
                from_stored_document.insert(link.target.clone());
            }
        }
        if outside.is_empty() {
            return Self::default();
        }
        let plugin = plugin_of(folder, &exists);
        let above: Vec<RepoPath> = std::iter::successors(folder.parent(), RepoPath::parent).collect();
        let existing = outside.iter().flat_map(|candidate| candidate.paths(&above));
        let existing = existing.filter(|path| !path.is_within(folder) && exists(path)).collect();
        Self { plugin, above, from_stored_document, is_listed_in_manifest: false, existing, mirrored: None }
    }

    /// Looks up the plugin for a skill with symbolic links out of it.
    pub fn find_plugin(&mut self, folder: &RepoPath, exists: impl Fn(&RepoPath) -> bool) {
        if self.plugin.is_none() {
            self.plugin = plugin_of(folder, exists);
        }
    }

    /// Whether a path exists if it is read from a folder that contains the skill.
    pub fn has_from_above(&self, path: &[u8]) -> bool {
        // A file name alone is relative to its text, except at the top of a repository or plugin.
        let is_name = !path.contains(&b'/');
        let is_top = |folder: &RepoPath| folder.is_empty() || self.plugin.as_ref() == Some(folder);
        from_top(path).is_some_and(|path| {
            let folders = self.above.iter().filter(|folder| !is_name || is_top(folder));
            folders.map(|folder| folder.join(path.as_bstr())).any(|path| self.existing.contains(&path))
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
enum CandidatePath {
    Path(RepoPath),
    /// Relative to a folder that contains the skill.
    FromAbove(RepoPath),
}

impl CandidatePath {
    /// The paths that it may mean.
    fn paths(&self, above: &[RepoPath]) -> Vec<RepoPath> {
        match self {
            Self::Path(path) => vec![path.clone()],
            Self::FromAbove(path) => above.iter().map(|folder| folder.join(path.as_bstr())).collect(),
        }
    }
}

/// The path without a leading slash, if it does not lead upwards.
fn from_top(path: &[u8]) -> Option<RepoPath> {
    let path = path.strip_prefix(b"/").unwrap_or(path);
    RepoPath::from("top").resolve_beside(path).filter(|path| !path.is_empty())
}
