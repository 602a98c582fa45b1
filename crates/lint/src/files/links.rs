//! The links and paths in a skill's texts, and where they lead.

use canonry_model::canon::FileMode;
use canonry_model::canon::skill::{Skill, SkillText};
use canonry_text::fences::Samples;
use canonry_text::link_target::path_of;
use canonry_text::markdown::{LinkKind, MarkdownLink, MarkdownOutline};
use canonry_text::{RepoPath, Source, Span};
use std::collections::HashMap;

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// A path inside the skill.
    Inside(RepoPath),
    /// Outside the skill; `None` if it is also outside the repository.
    Outside(Option<RepoPath>),
    /// An absolute path.
    Absolute(RepoPath),
    /// A `file:` URL.
    FileUrl,
    /// The word that a generator writes for a value that it does not have, such as `undefined`.
    Undefined,
}

/// A link target with all locations that refer to it.
pub(super) struct LinkReference<'a> {
    pub target: LinkTarget,
    pub text: &'a str,
    /// Whether a link or a command names it, and not only a path in prose.
    pub is_link: bool,
    pub spans: Vec<Span>,
    /// A torn fence above the first location: this and all others may be in a sample.
    pub doubt: Option<usize>,
}

/// A skill with the links of its `SKILL.md`, which several rules look at.
pub struct SkillLinks<'a> {
    pub(super) skill: &'a Skill,
    /// The distinct targets, in file order.
    pub(super) links: Vec<LinkReference<'a>>,
}

impl<'a> SkillLinks<'a> {
    /// Finds the links.
    pub(crate) fn new(skill: &'a Skill) -> Self {
        let links = match &skill.document {
            Ok(document) => group_by_target(skill, &document.source, &document.outline),
            Err(_) => Vec::new(),
        };
        Self { skill, links }
    }
}

/// The distinct targets of the links in another text of the skill.
pub(super) fn text_links<'a>(skill: &'a Skill, text: &'a SkillText) -> Vec<LinkReference<'a>> {
    let Some(outline) = &text.outline else { return Vec::new() };
    let mut links = group_by_target(skill, &text.source, outline);
    links.retain(|link| link.is_link);
    links
}

fn group_by_target<'a>(skill: &Skill, source: &Source, outline: &'a MarkdownOutline) -> Vec<LinkReference<'a>> {
    // A fence inside a sample ends it for a renderer, so that its rest looks like text.
    let samples = if outline.links.is_empty() || outline.blocks.is_empty() {
        Samples::default()
    } else {
        Samples::find(source.text())
    };
    let is_sample = |link: &MarkdownLink| match link.kind {
        LinkKind::Command => samples.contain(link.span.offset),
        LinkKind::Markdown | LinkKind::BarePath | LinkKind::HtmlImage => samples.contain_text(link.span.offset),
    };
    let mut found: Vec<LinkReference<'_>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for link in outline.links.iter().filter(|link| is_path(skill, source, link) && !is_sample(link)) {
        let is_link = link.kind != LinkKind::BarePath;
        if let Some(at) = known.get(link.target.as_str()) {
            found[*at].spans.push(link.span);
            found[*at].is_link |= is_link;
        } else if let Some(target) = target(skill, source.path(), link) {
            known.insert(&link.target, found.len());
            let doubt = samples.doubt_about(link.span.offset);
            found.push(LinkReference { target, text: &link.target, is_link, spans: vec![link.span], doubt });
        }
    }
    found
}

/// Whether the syntax leaves no doubt that it is a path of the skill.
fn is_path(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    let before = source.text()[..link.span.offset].bytes().next_back();
    match link.kind {
        LinkKind::HtmlImage => true,
        // Without such a folder, the command may belong to any repository.
        LinkKind::Command => {
            let folder = link.target.split('/').next().expect("split is never empty");
            source.path() == skill.path() && skill.has_folder(&skill.folder.path.join(folder))
        }
        // Brackets directly after a word are code, as in `list[i](x.y)`.
        LinkKind::Markdown => !before.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b')' | b']')),
        LinkKind::BarePath => !matches!(before, Some(b'(' | b')')),
    }
}

/// Resolves a link in the text at `from`.
fn target(skill: &Skill, from: &RepoPath, link: &MarkdownLink) -> Option<LinkTarget> {
    if link.kind == LinkKind::Markdown {
        if is_file_url(&link.target) {
            return Some(LinkTarget::FileUrl);
        }
        if is_undefined(&link.target) {
            return Some(LinkTarget::Undefined);
        }
    }
    let path = path_of(&link.target)?;
    if let Some(below) = path.strip_prefix(b"/") {
        // `/skill` and `/plugin:skill` are slash commands.
        if !below.contains(&b'/') && !below.contains(&b'.') {
            return None;
        }
        return Some(LinkTarget::Absolute(RepoPath::new(below)));
    }
    let folder = &skill.folder.path;
    match from.resolve_beside(&path) {
        Some(path) if path.is_within(folder) => Some(LinkTarget::Inside(path)),
        // A nested skill is mirrored together with the outer skill, whose files are not known here.
        Some(path) if skill.folder.nested_in.as_ref().is_some_and(|outer| path.is_within(outer)) => None,
        path => Some(LinkTarget::Outside(path)),
    }
}

/// Whether the path exists in the skill. Files behind a link to a directory or in a submodule are not known and count as
/// existing.
pub(super) fn exists(skill: &Skill, path: &RepoPath) -> bool {
    let is_boundary =
        |above: &RepoPath| skill.file(above).is_some_and(|e| matches!(e.mode, FileMode::Link | FileMode::Submodule));
    skill.file(path).is_some()
        || skill.has_folder(path)
        || std::iter::successors(path.parent(), RepoPath::parent).any(|above| is_boundary(&above))
}

/// Whether it is a URL of a file on one machine, and not a placeholder.
fn is_file_url(target: &str) -> bool {
    target.strip_prefix("file://").is_some_and(|path| !path.contains(['<', '{', '$', '…']) && !path.contains("path/to"))
}

fn is_undefined(target: &str) -> bool {
    let path = target.split(['#', '/', '?']).next().expect("split is never empty");
    path == "undefined" && path.len() < target.len()
}
