//! Where a skill's links lead, judged by their text alone.

use super::bare;
use crate::canon::skill::Skill;
use crate::canon::skill_text::SkillText;
use crate::finding::{Location, RawFinding};
use crate::syntax::markdown::{LinkKind, MarkdownLink};
use crate::syntax::{RepoPath, Source, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A path inside the skill.
    Inside(RepoPath),
    /// Out of the skill's folder.
    Outside,
    /// From the root of the file system.
    Absolute,
}

/// A target with all places that name it.
pub(super) struct Named<'a> {
    pub target: Target,
    pub text: &'a str,
    places: Vec<Span>,
}

impl Named<'_> {
    /// A finding at the first place, the others related.
    pub fn finding(&self, source: &Arc<Source>, message: String) -> RawFinding {
        let mut places = self.places.iter().map(|span| Location::at(source, *span));
        let Some(first) = places.next() else { return RawFinding::new(Location::file(source.path()), message) };
        places.fold(RawFinding::new(first, message), |finding, place| finding.related(place, "named here too"))
    }
}

/// The document's targets that can be judged, each once, in file order.
pub(super) fn targets(skill: &Skill) -> Vec<Named<'_>> {
    let Ok(document) = &skill.document else { return Vec::new() };
    let links = document.outline.links.iter().filter(|link| is_judged(skill, &document.source, link));
    gathered(links, |link| target(skill, skill.path(), link))
}

/// The targets of another text of the skill, by its Markdown links alone: bare paths in it are mostly examples.
pub(super) fn targets_of_text<'a>(skill: &'a Skill, text: &'a SkillText) -> Vec<Named<'a>> {
    let links = text.outline.iter().flat_map(|outline| &outline.links);
    let is_link = |link: &&MarkdownLink| link.kind == LinkKind::Markdown && is_judged(skill, &text.source, link);
    gathered(links.filter(is_link), |link| target(skill, text.source.path(), link))
}

fn gathered<'a>(
    links: impl Iterator<Item = &'a MarkdownLink>,
    target: impl Fn(&MarkdownLink) -> Option<Target>,
) -> Vec<Named<'a>> {
    let mut found: Vec<Named<'_>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for link in links {
        if let Some(at) = known.get(link.target.as_str()) {
            found[*at].places.push(link.span);
        } else if let Some(target) = target(link) {
            known.insert(&link.target, found.len());
            found.push(Named { target, text: &link.target, places: vec![link.span] });
        }
    }
    found
}

/// Brackets glued to a word are an index and a call in some language, as in `list[i](x.y)`, and no link.
fn is_judged(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    match link.kind {
        LinkKind::BarePath => bare::is_meant(skill, source, link),
        LinkKind::Markdown => {
            let before = source.text()[..link.span.offset].bytes().next_back();
            !before.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b')' | b']'))
        }
    }
}

/// Where a link in the text at `from` leads.
fn target(skill: &Skill, from: &RepoPath, link: &MarkdownLink) -> Option<Target> {
    let path = path_of(&link.target)?;
    if path.starts_with(b"/") {
        return Some(Target::Absolute);
    }
    let folder = &skill.folder.path;
    match from.resolve_beside(&path) {
        Some(path) if path.is_within(folder) => Some(Target::Inside(path)),
        // A nested skill is mirrored with the skill around it, whose files are not at hand here.
        Some(path) if skill.folder.nested_in.as_ref().is_some_and(|outer| path.is_within(outer)) => None,
        _ => Some(Target::Outside),
    }
}

/// The path that a link's text names; `None` for an address, an anchor, a placeholder.
pub(super) fn path_of(text: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let is_foreign = text.starts_with(['#', '?', '@', '~', '&', '%']) || text.starts_with("//") || has_scheme(text);
    if is_foreign || text.contains(['<', '>', '{', '}', '$', '*', '|', '…', '\\']) || text.contains("...") {
        return None;
    }
    let path = text.split(['#', '?']).next().unwrap_or_default();
    (looks_like_path(path) && !is_placeholder(path) && !is_host(path)).then(|| percent_decoded(path))
}

/// One bare word stands for something to fill in, as in `[text](url)`; signs that paths seldom have are of code.
fn looks_like_path(path: &str) -> bool {
    let has_name = path.contains(char::is_alphanumeric) || path.bytes().all(|b| matches!(b, b'.' | b'/'));
    let has_code =
        path.contains(['(', ')', '[', ']', '^', '=', ';', ',', '"', '\'', '`']) || path.contains(char::is_whitespace);
    path.contains(['.', '/']) && has_name && !has_code
}

fn is_placeholder(path: &str) -> bool {
    ["path/to/", "YYYY", "XXX", "xxx"].iter().any(|sign| path.contains(sign))
}

/// An address without its scheme, or of a mailbox.
fn is_host(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    let has_domain = [".com", ".org", ".net", ".io", ".dev"].iter().any(|domain| first.ends_with(domain));
    has_domain || first.starts_with("www.") || first.contains('@')
}

/// `https:`, `mailto:`, `mdc:` and their like, by RFC 3986.
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
    fn paths_are_told_from_what_only_looks_like_one() {
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
