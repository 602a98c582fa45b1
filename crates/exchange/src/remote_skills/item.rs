//! Items that can come from elsewhere: a skill, or a file of a canon such as a policy.

use super::tree::{SkillTree, TreeFile};
use bstr::{BString, ByteSlice};
use canonry_model::canon::{FileMode, Layout, TreeEntry};
use canonry_text::{RepoPath, yaml};
use gix_hash::ObjectId;
use std::fmt;

/// The name of a skill, or the path of a file below the canon.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemoteItem {
    Skill(String),
    File(RepoPath),
}

impl fmt::Display for RemoteItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Skill(name) => f.write_str(name),
            Self::File(path) => fmt::Display::fmt(path, f),
        }
    }
}

impl RemoteItem {
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Its folder in a canon; a skill may also be in a category.
    pub fn folder(&self, layout: &Layout) -> RepoPath {
        match self {
            Self::Skill(name) => layout.skills().join(name),
            Self::File(path) => layout.root().join(path.parent().unwrap_or_default().as_bstr()),
        }
    }

    /// Path whose listing has its files.
    pub fn listed(&self, folder: &RepoPath) -> RepoPath {
        match self {
            Self::Skill(_) => folder.clone(),
            Self::File(path) => folder.join(path.file_name()),
        }
    }

    /// The id of its content in SHA-1, as `git rev-parse COMMIT:PATH` prints it: that of a skill's tree, or of a file.
    pub fn content_id(&self, tree: &SkillTree) -> ObjectId {
        match (self, tree.files.values().next()) {
            (Self::File(_), Some(file)) => file.state(gix_hash::Kind::Sha1).id,
            _ => tree.content_id(),
        }
    }

    /// A file of a canon as a tree. `None` for a skill, and for what is no file.
    pub fn tree_of_file(&self, bytes: Vec<u8>) -> Option<SkillTree> {
        let Self::File(path) = self else { return None };
        let file = TreeFile { mode: FileMode::File, bytes };
        Some(SkillTree { files: [(BString::from(path.file_name()), file)].into() })
    }
}

/// The folders whose files several repositories can share, with the endings of these files.
const FOLDERS: [(&str, &[&str]); 7] = [
    ("policies", &[".md"]),
    ("protocols", &[".md", ".json"]),
    ("rules", &[".md"]),
    ("schemas", &[".json", ".yaml", ".yml"]),
    ("agents", &[".md"]),
    ("commands", &[".md"]),
    ("workflows", &[".md", ".json", ".yaml", ".yml"]),
];

/// The files directly in a canon that several repositories can share.
const FILES: [&str; 3] = ["hooks.yaml", "mcp.json", "ignore"];

/// Whether several repositories can share a file, by its path below the canon. Memory, plans, reports, runs, owners, the
/// config and the root instructions are about one repository.
pub fn is_shared(below: &RepoPath) -> bool {
    let parts: Vec<&[u8]> = below.components().map(|part| part.as_bytes()).collect();
    if parts.iter().any(|part| part.is_empty() || part.starts_with(b".")) || below.has_control_bytes() {
        return false;
    }
    let Ok(text) = below.as_bstr().to_str() else { return false };
    let in_folder = |(folder, endings): &(&str, &[&str])| {
        parts.len() > 1 && parts[0] == folder.as_bytes() && endings.iter().any(|ending| text.ends_with(ending))
    };
    FILES.contains(&text) || FOLDERS.iter().any(in_folder)
}

/// A file that several repositories can share: its path below the canon, and at the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedCanonFile {
    pub below: RepoPath,
    pub path: RepoPath,
}

/// The files of a source's canon that other repositories can share, sorted by path. `document` reads a file.
pub fn find_shared_files(
    entries: &[TreeEntry],
    folder: &RepoPath,
    document: impl Fn(&RepoPath) -> Option<Vec<u8>>,
) -> Vec<SharedCanonFile> {
    let Some(root) = canon_root(entries, folder, document) else { return Vec::new() };
    let files = entries.iter().filter(|entry| entry.mode.is_file());
    let below = files.filter_map(|entry| Some((entry, RepoPath::new(entry.path.below(&root)?))));
    let shared = below.filter(|(_, below)| is_shared(below));
    shared.map(|(entry, below)| SharedCanonFile { below, path: entry.path.clone() }).collect()
}

/// The canon in or at a folder: where its `canonry.yaml` says, `agent/`, or the folder itself if it was named or has a config.
fn canon_root(
    entries: &[TreeEntry],
    folder: &RepoPath,
    document: impl Fn(&RepoPath) -> Option<Vec<u8>>,
) -> Option<RepoPath> {
    let config = folder.join("canonry.yaml");
    if let Some(root) = document(&config).and_then(|bytes| stated_root(&bytes)) {
        let root = folder.join(root.as_bytes());
        return root.is_within(folder).then_some(root);
    }
    let inside = folder.join(Layout::default().root().as_bstr());
    let has = |root: &RepoPath| entries.iter().any(|entry| entry.path != *root && entry.path.is_within(root));
    if has(&inside) {
        return Some(inside);
    }
    let has_config = entries.iter().any(|entry| entry.path == config);
    (has_config || !folder.is_empty()).then(|| folder.clone())
}

/// `root` in a config.
fn stated_root(bytes: &[u8]) -> Option<String> {
    let document = yaml::parse(std::str::from_utf8(bytes).ok()?, 0).ok()?;
    let root = document.root.get("root")?.as_str()?.trim_matches('/').to_owned();
    (!root.split('/').any(|part| part == "..")).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_one_repository_is_not_shared() {
        for shared in [
            "policies/SECURITY.md",
            "protocols/permissions.md",
            "protocols/tool_schemas/git.schema.json",
            "rules/backend/api.md",
            "schemas/plan-schema.yaml",
            "agents/reviewer.md",
            "commands/release.md",
            "workflows/review.yaml",
            "workflows/templates/ask.md",
            "hooks.yaml",
            "mcp.json",
            "ignore",
        ] {
            assert!(is_shared(&RepoPath::from(shared)), "{shared}");
        }
        for own in [
            "AGENTS.md",
            "canonry.yaml",
            "owners.yaml",
            "mirrors.lock",
            "skills.lock",
            "memory/semantic/LESSONS.md",
            "plans/x/plan.yaml",
            "reports/x/1.json",
            "skills/x/SKILL.md",
            "policies",
            "policies/run.sh",
            "policies/../canonry.yaml.md",
            "policies/.hidden.md",
            "rules/a\nb.md",
            "",
        ] {
            assert!(!is_shared(&RepoPath::from(own)), "{own}");
        }
    }

    #[test]
    fn the_canon_of_a_source_is_found() {
        let listed = |paths: &[&str], folder: &str, config: &str| {
            let entry = |path: &&str| TreeEntry { path: RepoPath::from(*path), mode: FileMode::File };
            let entries: Vec<TreeEntry> = paths.iter().map(entry).collect();
            let document = |path: &RepoPath| (path.file_name() == "canonry.yaml").then(|| config.as_bytes().to_vec());
            let found = find_shared_files(&entries, &RepoPath::from(folder), document);
            found.iter().map(|file| file.below.to_display()).collect::<Vec<_>>()
        };
        assert_eq!(listed(&["agent/rules/a.md", "rules/b.md"], "", ""), ["rules/a.md"]);
        assert_eq!(listed(&["canon/rules/a.md", "agent/rules/b.md"], "", "root: canon\n"), ["rules/a.md"]);
        assert_eq!(listed(&["rules/a.md", "canonry.yaml"], "", "targets: [claude]\n"), ["rules/a.md"]);
        // A repository with a folder of this name is no canon yet.
        assert_eq!(listed(&["rules/a.md", "commands/b.md"], "", ""), [""; 0]);
        assert_eq!(listed(&["base/rules/a.md"], "base", ""), ["rules/a.md"]);
        assert_eq!(listed(&["base/agent/rules/a.md", "base/rules/b.md"], "base", ""), ["rules/a.md"]);
        assert_eq!(listed(&["x/rules/a.md"], "", "root: ../x\n"), [""; 0]);
    }
}
