//! Changes of a plugin without a new version.

use super::data;
use super::{Role, ToolFile};
use bstr::ByteSlice;
use canonry_text::node::Node;
use canonry_text::{RepoPath, Span};

/// A plugin that changed since an earlier commit, with the same version in its manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreleasedChange {
    pub version: String,
    /// The version in the manifest.
    pub span: Span,
    /// The files that changed, from the top of the repository.
    pub files: Vec<RepoPath>,
}

/// Folders of a plugin that its users never load.
const UNUSED_FOLDERS: [&str; 8] = ["docs", "test", "tests", "eval", "evals", "examples", ".github", "__tests__"];
/// Folders and files that belong to a plugin at the top of a repository. Other files there may be for anything.
const COMPONENTS: [&str; 11] = [
    "skills",
    "commands",
    "agents",
    "hooks",
    "output-styles",
    "rules",
    "scripts",
    ".mcp.json",
    "mcp.json",
    ".lsp.json",
    "hooks.json",
];

impl UnreleasedChange {
    /// `None` if nothing changed that a user of the plugin gets, or the version did.
    pub(super) fn detect(file: &ToolFile, earlier: &[u8], changed: Vec<RepoPath>) -> Option<Self> {
        if file.kind.role != Role::Manifest {
            return None;
        }
        let text = std::str::from_utf8(earlier).ok()?;
        let earlier = data::parse(file.kind, text)?.ok()?.root;
        let version = file.root()?.get("version")?;
        let is_same = version.as_str()? == earlier.get("version").and_then(Node::as_str)?;
        let files: Vec<RepoPath> = changed.into_iter().filter(|path| is_content(&file.base, path)).collect();
        (is_same && !files.is_empty()).then(|| Self {
            version: version.as_str().unwrap_or_default().to_owned(),
            span: version.span,
            files,
        })
    }
}

/// Whether users of the plugin in `base` get the file.
fn is_content(base: &RepoPath, path: &RepoPath) -> bool {
    let Some(below) = path.below(base).map(RepoPath::new) else { return false };
    let parts: Vec<String> = below.components().map(|part| part.to_str_lossy().into_owned()).collect();
    let Some((name, folders)) = parts.split_last() else { return false };
    let is_unused = folders.iter().any(|folder| UNUSED_FOLDERS.contains(&folder.as_str()));
    let is_component = COMPONENTS.contains(&parts[0].as_str());
    let is_page = folders.is_empty() && (name.ends_with(".md") || name.starts_with("LICENSE"));
    !is_unused && !is_page && (is_component || !base.is_empty() && !parts[0].ends_with("-plugin"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_users_get_counts() {
        for (base, path, want) in [
            ("p/a", "p/a/skills/x/SKILL.md", true),
            ("p/a", "p/a/lib/x.js", true),
            ("p/a", "p/a/README.md", false),
            ("p/a", "p/a/tests/x.js", false),
            ("p/a", "p/a/.claude-plugin/plugin.json", false),
            ("p/a", "p/b/skills/x/SKILL.md", false),
            ("", "skills/x/SKILL.md", true),
            ("", "src/main.rs", false),
            ("", "hooks/hooks.json", true),
        ] {
            assert_eq!(is_content(&RepoPath::from(base), &RepoPath::from(path)), want, "{base} {path}");
        }
    }
}
