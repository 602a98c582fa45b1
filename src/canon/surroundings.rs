//! What is around a skill in its repository, as far as the skill's links lead out of it.

use crate::syntax::RepoPath;
use crate::syntax::link_target::path_of;
use crate::syntax::markdown::{LinkKind, MarkdownLink};
use std::collections::{BTreeMap, BTreeSet};

/// The repository that contains a skill, as far as a link of the skill asks for it.
pub trait RepositoryFiles {
    /// Whether there is anything at a path.
    fn has(&self, path: &RepoPath) -> bool;
    /// Whether a folder that belongs to no skill has a file at this path, which starts with `scripts/`.
    fn has_script(&self, path: &str) -> bool;
    /// The names of the folders of all skills that have a file at this path.
    fn skills_with(&self, path: &str) -> BTreeSet<String>;
    /// Whether the folder of a skill has this name.
    fn is_skill(&self, name: &str) -> bool;
    /// Whether people clone the whole repository as a tool's folder with skills.
    fn is_cloned_as_skills_folder(&self) -> bool;
}

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
    /// Paths into `scripts/` that the skill's texts name, and that another folder of the repository has, wherever it is.
    pub elsewhere: BTreeSet<String>,
    /// The names of the other skills that have a file, by the bare path in this skill's document. This skill does not have it.
    pub in_other_skills: BTreeMap<String, BTreeSet<String>>,
    /// Links `/name` with the name of another skill, which a person types to start it.
    pub slash_commands: BTreeSet<String>,
    /// Links of a document that is a symbolic link, if their targets exist from where the document is stored.
    pub from_stored_document: BTreeSet<String>,
    /// Whether the skill is part of the source of a website, whose links are routes.
    pub is_website: bool,
    /// The folder with files of the user's configuration of a tool, if the skill is in its `skills/`. It is used as a whole.
    pub tool_home: Option<RepoPath>,
    /// Whether the skill is directly in a repository that people clone as a tool's folder with skills.
    pub is_in_cloned_folder: bool,
    /// Whether the manifest of a plugin gives the skill's folder itself as a path of skills.
    pub is_listed_in_manifest: bool,
    /// Whether a tool may copy the skill alone: a folder above it is one for skills, or has a manifest.
    pub is_copied: bool,
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

/// Files at the top of the source of a website, whose pages link to routes.
pub const WEBSITE_FILES: [&str; 15] = [
    "_config.yml",
    "_config.yaml",
    "mkdocs.yml",
    "mkdocs.yaml",
    "docusaurus.config.js",
    "docusaurus.config.ts",
    "astro.config.mjs",
    "astro.config.ts",
    "hugo.toml",
    "hugo.yaml",
    "gatsby-config.js",
    ".eleventy.js",
    "eleventy.config.js",
    ".vitepress/config.ts",
    ".vitepress/config.mts",
];

/// Files of the folder in which a tool keeps a user's configuration. The folder of such files and `skills/` is linked as a whole.
const TOOL_HOME_FILES: [&str; 4] = ["settings.json", "config.toml", "opencode.json", "mcp.json"];

/// Files that list what a repository offers to install.
const COLLECTION_MANIFESTS: [&str; 5] = [
    ".claude-plugin/marketplace.json",
    ".cursor-plugin/marketplace.json",
    ".github/plugin/marketplace.json",
    "skills.json",
    "skills.sh.json",
];

/// Whether a folder is one from which tools copy single skills.
fn is_for_skills(folder: &RepoPath) -> bool {
    let name = folder.file_name_lossy().to_lowercase();
    matches!(name.as_str(), "skills" | "agents" | "plugins") || name.ends_with("-skills") || name.ends_with("_skills")
}

/// The folder that contains `skills/`, unless it is the root of the repository, whose files belong to a project.
fn tool_home(above: &[RepoPath]) -> Option<&RepoPath> {
    let skills = above.iter().position(|folder| folder.file_name() == "skills")?;
    above.get(skills + 1).filter(|home| !home.is_empty())
}

/// Whether a folder is that of one tool among those of others, as in `~/.config/` and in collections of such files.
fn is_in_config(home: &RepoPath) -> bool {
    home.parent().is_some_and(|parent| [".config", "config"].iter().any(|name| parent.file_name() == *name))
}

impl Surroundings {
    /// Looks up what the links of a skill name, each with the path of its file. Most skills have no links that lead out of them or
    /// nowhere, and nothing is looked up for these. `is_own` says whether the skill has a file or folder.
    pub fn collect<'l>(
        place: SkillPlace<'_>,
        links: impl Iterator<Item = (&'l RepoPath, &'l MarkdownLink)>,
        is_own: impl Fn(&RepoPath) -> bool,
        files: &impl RepositoryFiles,
    ) -> Self {
        let SkillPlace { folder, document, stored_document } = place;
        let mut outside = BTreeSet::new();
        let mut scripts = BTreeSet::new();
        let mut bare_paths = BTreeSet::new();
        let mut slash_commands = BTreeSet::new();
        let mut from_stored_document = BTreeSet::new();
        let mut has_route = false;
        for (file, link) in links {
            let target = link.target.as_str();
            let Some(path) = path_of(target) else { continue };
            let beside = file.resolve_beside(&path);
            if beside.as_ref().is_some_and(&is_own) {
                continue;
            }
            outside.extend(beside.filter(|path| !path.is_within(folder)).map(Candidate::Path));
            outside.extend(from_top(&path).map(Candidate::FromAbove));
            has_route |= target.ends_with('/');
            if target.starts_with("scripts/") {
                scripts.insert(target);
            }
            if file == document {
                let is_stored = |stored: &RepoPath| stored.resolve_beside(&path).is_some_and(|path| files.has(&path));
                if stored_document.is_some_and(is_stored) {
                    from_stored_document.insert(target.to_owned());
                }
                bare_paths.extend(is_bare_path(link).then_some(target));
                slash_commands.extend(slash_command(target).filter(|name| is_other_name(folder, name)).map(|_| target));
            }
        }
        if outside.is_empty() {
            return Self::default();
        }
        let exists = |path: &RepoPath| files.has(path);
        let plugin = plugin_of(folder, exists);
        let above: Vec<RepoPath> = std::iter::successors(folder.parent(), RepoPath::parent).collect();
        let existing = outside.iter().flat_map(|candidate| candidate.paths(&above));
        let existing: BTreeSet<RepoPath> = existing.filter(|path| !path.is_within(folder) && exists(path)).collect();
        let has = |folder: &RepoPath, names: &[&str]| names.iter().any(|name| exists(&folder.join(name)));
        let in_other_skills = bare_paths.into_iter().filter_map(|path| {
            let mut names = files.skills_with(path);
            names.retain(|name| is_other_name(folder, name));
            (!names.is_empty()).then(|| (path.to_owned(), names))
        });
        let is_slash_command = |target: &&str| slash_command(target).is_some_and(|name| files.is_skill(name));
        Self {
            is_website: has_route && above.iter().any(|folder| has(folder, &WEBSITE_FILES)),
            tool_home: tool_home(&above)
                .filter(|home| !existing.is_empty() && (is_in_config(home) || has(home, &TOOL_HOME_FILES)))
                .cloned(),
            is_in_cloned_folder: above.len() == 1 && !existing.is_empty() && files.is_cloned_as_skills_folder(),
            is_listed_in_manifest: false,
            // Names first: the manifests have to be looked up.
            is_copied: plugin.is_some()
                || above.len() < 2
                || above.iter().any(is_for_skills)
                || above.iter().any(|folder| has(folder, &COLLECTION_MANIFESTS)),
            elsewhere: scripts.into_iter().filter(|path| files.has_script(path)).map(str::to_owned).collect(),
            in_other_skills: in_other_skills.collect(),
            slash_commands: slash_commands.into_iter().filter(is_slash_command).map(str::to_owned).collect(),
            from_stored_document,
            plugin,
            above,
            existing,
            mirrored: None,
        }
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

/// Whether a link is the path of a file that the text names without linking to it.
fn is_bare_path(link: &MarkdownLink) -> bool {
    link.kind == LinkKind::BarePath && !link.target.ends_with('/')
}

/// The name in `/name`.
fn slash_command(target: &str) -> Option<&str> {
    target.strip_prefix('/').filter(|name| !name.is_empty() && !name.contains(['/', '.', '#', '?', '%']))
}

/// Whether a name is not that of the skill in `folder`: the same skill may be in several folders of a repository.
fn is_other_name(folder: &RepoPath, name: &str) -> bool {
    folder.file_name() != name
}

/// A path to look up.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Candidate {
    Path(RepoPath),
    /// Relative to a folder that contains the skill.
    FromAbove(RepoPath),
}

impl Candidate {
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
