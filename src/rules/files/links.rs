//! The links and paths in a skill's texts, and where they lead.
//!
//! A bare path such as `scripts/deploy.sh` in a sentence may also be a script of the repository, a file of another skill or
//! an example. It counts as a link only if the text leaves no doubt.

use crate::canon::skill::Skill;
use crate::canon::skill::SkillText;
use crate::finding::{Location, RawFinding};
use crate::syntax::markdown::{LinkKind, MarkdownLink};
use crate::syntax::{RepoPath, Source, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// A path inside the skill.
    Inside(RepoPath),
    /// Outside the skill.
    Outside,
    /// An absolute path.
    Absolute,
}

/// A link target with all locations that refer to it.
pub(super) struct LinkReference<'a> {
    pub target: LinkTarget,
    pub text: &'a str,
    spans: Vec<Span>,
}

impl LinkReference<'_> {
    /// A finding at the first location, with the others as related locations.
    pub fn finding(&self, source: &Arc<Source>, message: String) -> RawFinding {
        let mut locations = self.spans.iter().map(|span| Location::at(source, *span));
        let Some(first) = locations.next() else { return RawFinding::new(Location::file(source.path()), message) };
        locations.fold(RawFinding::new(first, message), |finding, location| {
            finding.related(location, "also referenced here")
        })
    }
}

/// The distinct link targets of `SKILL.md`, in file order.
pub(super) fn document_links(skill: &Skill) -> Vec<LinkReference<'_>> {
    let Ok(document) = &skill.document else { return Vec::new() };
    let links = document.outline.links.iter().filter(|link| is_link(skill, &document.source, link));
    group_by_target(links, |link| target(skill, skill.path(), link))
}

/// The distinct targets of the Markdown links in another text of the skill. Bare paths in it are mostly examples.
pub(super) fn text_links<'a>(skill: &'a Skill, text: &'a SkillText) -> Vec<LinkReference<'a>> {
    let links = text.outline.iter().flat_map(|outline| &outline.links);
    let is_markdown = |link: &&MarkdownLink| link.kind == LinkKind::Markdown && is_link(skill, &text.source, link);
    group_by_target(links.filter(is_markdown), |link| target(skill, text.source.path(), link))
}

fn group_by_target<'a>(
    links: impl Iterator<Item = &'a MarkdownLink>,
    target: impl Fn(&MarkdownLink) -> Option<LinkTarget>,
) -> Vec<LinkReference<'a>> {
    let mut found: Vec<LinkReference<'_>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for link in links {
        if let Some(at) = known.get(link.target.as_str()) {
            found[*at].spans.push(link.span);
        } else if let Some(target) = target(link) {
            known.insert(&link.target, found.len());
            found.push(LinkReference { target, text: &link.target, spans: vec![link.span] });
        }
    }
    found
}

/// Whether it is really a link. Brackets directly after a word are code, as in `list[i](x.y)`.
fn is_link(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    match link.kind {
        LinkKind::BarePath => refers_to_skill_file(skill, source, link),
        LinkKind::Markdown => {
            let before = source.text()[..link.span.offset].bytes().next_back();
            !before.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b')' | b']'))
        }
    }
}

/// Words before a path that mark it as an example.
const EXAMPLE_WORDS: [&str; 5] = ["e.g.", "for example", "for instance", "such as", "imagine"];
/// Words after a path that place it elsewhere: "`references/a.md` in the `other` skill".
const ELSEWHERE_WORDS: [&str; 8] =
    ["in the `", "of the `", "from the `", "in `", "of `", "from `", "in the [", "in your "];
/// Words before a path that name an owner other than the skill.
const OWNER_WORDS: [&str; 4] = ["'s", "’s", "your", "project"];

/// Whether a bare path refers to a file of this skill.
fn refers_to_skill_file(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    let line = source.line_span(link.span.offset);
    let text = source.text();
    let before = text.get(line.offset..link.span.offset).unwrap_or_default().to_lowercase();
    let after = text.get(link.span.end()..line.end()).unwrap_or_default();
    let after = after.trim_start_matches(['`', '*', '"', ' ', ')']);
    if EXAMPLE_WORDS.iter().any(|word| before.contains(word))
        || ELSEWHERE_WORDS.iter().any(|word| after.starts_with(word))
    {
        return false;
    }
    let owner = before.trim_end_matches(['`', '*', '"', ' ', '.', '/']);
    if OWNER_WORDS.iter().any(|word| owner.ends_with(word)) && !owner.ends_with("skill's") {
        return false;
    }
    let folder = link.target.split('/').next().unwrap_or_default();
    folder == "references" || skill.has_folder(&skill.folder.path.join(folder)) || starts_line(&before)
}

/// Whether the path starts its line. A list item, table row or heading that starts with a path describes a file of the skill.
fn starts_line(before: &str) -> bool {
    before.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || "-*+|#>`.:[]/".contains(c))
}

/// Resolves a link in the text at `from`.
fn target(skill: &Skill, from: &RepoPath, link: &MarkdownLink) -> Option<LinkTarget> {
    let path = path_of(&link.target)?;
    if path.starts_with(b"/") {
        return Some(LinkTarget::Absolute);
    }
    let folder = &skill.folder.path;
    match from.resolve_beside(&path) {
        Some(path) if path.is_within(folder) => Some(LinkTarget::Inside(path)),
        // A nested skill is mirrored together with the outer skill, whose files are not known here.
        Some(path) if skill.folder.nested_in.as_ref().is_some_and(|outer| path.is_within(outer)) => None,
        _ => Some(LinkTarget::Outside),
    }
}

/// The path in a link; `None` for a URL, an anchor or a placeholder.
pub(super) fn path_of(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let is_foreign = text.starts_with(['#', '?', '@', '~', '&', '%']) || text.starts_with("//") || has_scheme(text);
    if is_foreign || text.contains(['<', '>', '{', '}', '$', '*', '|', '…', '\\']) || text.contains("...") {
        return None;
    }
    let path = text.split(['#', '?']).next().unwrap_or_default();
    (looks_like_path(path) && !is_placeholder(path) && !is_host(path)).then(|| percent_decoded(path))
}

/// Rejects single words, which are placeholders as in `[text](url)`, and characters that indicate code.
fn looks_like_path(path: &str) -> bool {
    let has_name = path.contains(char::is_alphanumeric) || path.bytes().all(|b| matches!(b, b'.' | b'/'));
    let has_code =
        path.contains(['(', ')', '[', ']', '^', '=', ';', ',', '"', '\'', '`']) || path.contains(char::is_whitespace);
    path.contains(['.', '/']) && has_name && !has_code
}

fn is_placeholder(path: &str) -> bool {
    ["path/to/", "YYYY", "XXX", "xxx"].iter().any(|sign| path.contains(sign))
}

/// Whether it is a URL without scheme, or an email address.
fn is_host(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    let has_domain = [".com", ".org", ".net", ".io", ".dev"].iter().any(|domain| first.ends_with(domain));
    has_domain || first.starts_with("www.") || first.contains('@')
}

/// Whether it starts with a URL scheme according to RFC 3986, such as `https:`, `mailto:` or `mdc:`.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    scheme.bytes().next().is_some_and(|b| b.is_ascii_alphabetic()) && scheme.bytes().all(is_part)
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let hex = escape.filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        let decoded = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(decoded.unwrap_or(byte));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn only_paths_are_accepted() {
        for (text, want) in [
            ("references/a.md", Some("references/a.md")),
            ("a%20b.md#part", Some("a b.md")),
            ("a.md?raw=1", Some("a.md")),
            ("100%.md", Some("100%.md")),
            ("../x", Some("../x")),
            ("/etc/passwd", Some("/etc/passwd")),
            ("https://example.com/a.md", None),
            ("mailto:a@example.com", None),
            ("//example.com/a", None),
            ("#part", None),
            ("url", None),
            ("{lang}.md", None),
            ("<name>/a.md", None),
            ("@org/pkg", None),
            ("@jane.roe", None),
            ("~/notes.md", None),
            ("$HOME/a.md", None),
            ("docs/*.md", None),
            ("path/to/...", None),
            ("path/to/file.md", None),
            ("logs/YYYY-MM-DD.md", None),
            ("www.example.com/a.md", None),
            ("example.com", None),
            ("jane@example.com", None),
            (".+", None),
            ("self.call(x)", None),
            ("..", Some("..")),
        ] {
            assert_eq!(path_of(text), want.map(|w| w.as_bytes().to_vec()), "{text}");
        }
    }
}
