//! The text of a context file or tool file, for rules that apply to every text that an agent reads.

use super::tool_file::PluginFolders;
use bstr::ByteSlice;
use canonry_text::fences::Samples;
use canonry_text::imports::{ImportMention, mentions};
use canonry_text::link_target::path_of;
use canonry_text::markdown::{LinkKind, MarkdownLink, MarkdownOutline, outline};
use canonry_text::{RepoPath, Source, Span, frontmatter};
use std::sync::Arc;

/// A text, and its links that lead nowhere.
#[derive(Debug)]
pub struct AgentText {
    pub source: Arc<Source>,
    /// The parts of its body, if it is Markdown.
    pub outline: Option<MarkdownOutline>,
    pub broken_links: Vec<BrokenLink>,
}

/// A link to a file that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLink {
    /// The target as written.
    pub text: String,
    pub span: Span,
    /// The folder of the target, if it does not exist either.
    pub missing_folder: Option<RepoPath>,
    /// A torn fence above the link, which may be in a sample.
    pub doubt: Option<usize>,
}

impl AgentText {
    /// Finds the broken links in Markdown. A link may be relative to the file or to any folder above it: agents try both,
    /// and a plugin or project may start in any of them.
    pub fn new(source: &Arc<Source>, plugins: &PluginFolders<'_>) -> Self {
        let path = source.path();
        let exists = &|path: &RepoPath| plugins.exists(path);
        let is_markdown = [".md", ".mdc"].iter().any(|end| path.as_bstr().ends_with(end.as_bytes()));
        let body = frontmatter::split(source.text()).map_or(0, |parts| parts.body.offset);
        let outline = is_markdown.then(|| outline(&source.text()[body..], body));
        let mut broken_links = outline.as_ref().map_or_else(Vec::new, |outline| broken_links(source, outline, exists));
        // Commands include files by `@path`. Context files have rules of their own for imports; elsewhere it means nothing.
        // In a command of a plugin, they are files of the user's project.
        if is_markdown && path.components().any(|part| part == "commands") && !is_in_plugin(path, plugins) {
            broken_links.extend(broken_mentions(source, exists));
        }
        Self { source: Arc::clone(source), outline, broken_links }
    }

    /// Says that the text is read through a symbolic link. Links count that exist from where the file is stored.
    #[must_use]
    pub fn stored_at(mut self, stored: &RepoPath, exists: &dyn Fn(&RepoPath) -> bool) -> Self {
        let is_there = |link: &BrokenLink| {
            let target = link
                .text
                .strip_prefix('@')
                .unwrap_or(&link.text)
                .split(['#', '?'])
                .next()
                .expect("split is never empty");
            stored.resolve_beside(target.as_bytes()).is_some_and(|path| exists(&path))
        };
        self.broken_links.retain(|link| !is_there(link));
        self
    }

    /// Whether the file is meant for one user, and git usually ignores it.
    pub fn is_personal(&self) -> bool {
        self.source.path().file_name().contains_str(".local.")
    }
}

/// Whether a folder above is a plugin. What is in `.claude` belongs to the project, even to that of a plugin.
fn is_in_plugin(path: &RepoPath, plugins: &PluginFolders<'_>) -> bool {
    !path.components().any(|part| part == ".claude") && plugins.around(path).is_some()
}

fn broken_links(source: &Source, outline: &MarkdownOutline, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<BrokenLink> {
    let folders: Vec<RepoPath> = std::iter::successors(source.path().parent(), RepoPath::parent).collect();
    let is_broken = |link: &MarkdownLink| {
        let Some(target) = file_target(source, link) else { return false };
        let resolved = |folder: &RepoPath| folder.join("x").resolve_beside(&target);
        // A link that leaves the repository is not broken: nothing is known about its target.
        let inside: Option<Vec<RepoPath>> = folders.first().map(|folder| resolved(folder).into_iter().collect());
        inside.is_some_and(|inside| !inside.is_empty())
            && !folders.iter().filter_map(resolved).any(|path| exists(&path))
    };
    let mut broken: Vec<BrokenLink> = Vec::new();
    let mut links: Vec<&MarkdownLink> =
        outline.links.iter().filter(|link| link.kind == LinkKind::Markdown && is_broken(link)).collect();
    let samples = if links.is_empty() { Samples::default() } else { Samples::find(source.text()) };
    links.retain(|link| !samples.contain_text(link.span.offset));
    for link in links {
        if broken.iter().all(|known| known.text != link.target) {
            let target = source.path().resolve_beside(link.target.as_bytes());
            let missing_folder = target.and_then(|target| target.parent()).filter(|folder| !exists(folder));
            let doubt = samples.doubt_about(link.span.offset);
            broken.push(BrokenLink { text: link.target.clone(), span: link.span, missing_folder, doubt });
        }
    }
    broken
}

/// The mentions `@docs/style.md` of files that do not exist.
fn broken_mentions(source: &Source, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<BrokenLink> {
    let body = frontmatter::split(source.text()).map_or(0, |parts| parts.body.offset);
    let folders: Vec<RepoPath> = std::iter::successors(source.path().parent(), RepoPath::parent).collect();
    let broken = |mention: ImportMention| {
        // Names of people and packages contain no folder.
        let target = Some(mention.path.as_str()).filter(|path| path.contains('/'));
        let link = MarkdownLink { target: target?.to_owned(), span: mention.span, kind: LinkKind::Markdown };
        let target = file_target(source, &link)?;
        let resolved = |folder: &RepoPath| folder.join("x").resolve_beside(&target);
        let is_there = folders.iter().filter_map(resolved).any(|path| exists(&path));
        (!is_there).then(|| BrokenLink {
            text: format!("@{}", link.target),
            span: mention.span,
            missing_folder: None,
            doubt: None,
        })
    };
    mentions(&source.text()[body..], body).into_iter().filter_map(broken).collect()
}

/// The path in a link that clearly names a file.
fn file_target(source: &Source, link: &MarkdownLink) -> Option<Vec<u8>> {
    let path = path_of(&link.target)?;
    // Brackets directly after a word are code, as in `list[i](x.y)`.
    let is_code = source.text()[..link.span.offset]
        .ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ')' | ']'));
    let name = path.rsplit_str("/").next().expect("split is never empty");
    let is_file = name.rfind_byte(b'.').is_some_and(|dot| dot > 0 && dot + 1 < name.len());
    (is_file && !is_code && !path.starts_with(b"/")).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::Blob;
    use crate::canon::blob::BlobError;

    fn plugins<'a>(exists: impl Fn(&RepoPath) -> bool + Sync + 'a) -> PluginFolders<'a> {
        PluginFolders::new(exists, |_| Blob::Missing(BlobError::Absent))
    }

    fn broken(text: &str) -> Vec<String> {
        let source = Arc::new(Source::new(RepoPath::from("web/.claude/agents/a.md"), text.to_owned()));
        let exists = |path: &RepoPath| {
            ["docs/a.md", "web/b.md", "web/.claude/c.md"].iter().any(|known| path.to_string() == *known)
        };
        AgentText::new(&source, &plugins(exists)).broken_links.into_iter().map(|link| link.text).collect()
    }

    #[test]
    fn only_missing_files_are_broken() {
        for (text, want) in [
            ("[a](docs/a.md) [b](b.md) [c](../c.md#part)", vec![]),
            ("[a](docs/missing.md), again [a](docs/missing.md)", vec!["docs/missing.md"]),
            ("[a](https://x.org/a.md) [b](#part) [c](url) [d](folder/) [e](../../../../x.md)", vec![]),
            ("`[b](b2.md)`", vec![]),
            ("---\nx: \"[a](a.md)\"\n---\n```\n[b](b2.md)\n```\n", vec![]),
        ] {
            assert_eq!(broken(text), want, "{text}");
        }
    }

    #[test]
    fn mentions_in_commands_of_plugins_are_files_of_other_projects() {
        for (path, want) in [
            ("web/.claude/commands/test.md", 1),
            ("plugins/tests/.claude/commands/test.md", 1),
            ("plugins/tests/commands/test.md", 0),
        ] {
            let source = Arc::new(Source::new(RepoPath::from(path), "Read @tests/config.yaml first.".to_owned()));
            let exists = |path: &RepoPath| path.to_string() == "plugins/tests/.claude-plugin/plugin.json";
            assert_eq!(AgentText::new(&source, &plugins(exists)).broken_links.len(), want, "{path}");
        }
    }
}
