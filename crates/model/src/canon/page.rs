//! Markdown pages of the canon: policies, rules, protocols, workflow templates and the spec.

use super::{Blob, Layout, blob::DocumentError};
use canonry_text::sections::{MarkdownSection, sections};
use canonry_text::{RepoPath, Source, frontmatter};
use std::sync::Arc;

/// The kind of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// `policies/*.md`
    Policy,
    /// `rules/**.md`
    Rule,
    /// `protocols/permissions.md`
    Permissions,
    /// Other pages in `protocols/`.
    Protocol,
    /// `workflows/templates/*.md`
    Template,
    /// `spec/**.md`
    Spec,
}

/// A parsed page.
#[derive(Debug)]
pub struct Page {
    pub path: RepoPath,
    pub kind: PageKind,
    pub document: Result<PageDocument, DocumentError>,
}

/// A page with its text.
#[derive(Debug)]
pub struct PageDocument {
    pub source: Arc<Source>,
    pub sections: Vec<MarkdownSection>,
}

impl PageKind {
    /// The kind of the page at `path`, if it is one.
    pub fn from_path(path: &RepoPath, layout: &Layout) -> Option<Self> {
        let in_protocols = path.is_within(&layout.protocols());
        if !path.as_bstr().ends_with(b".md") {
            None
        } else if *path == layout.permissions() {
            Some(Self::Permissions)
        } else if in_protocols {
            Some(Self::Protocol)
        } else if path.is_within(&layout.policies()) {
            Some(Self::Policy)
        } else if path.is_within(&layout.rules()) {
            Some(Self::Rule)
        } else if path.is_within(&layout.spec()) {
            Some(Self::Spec)
        } else {
            path.is_within(&layout.templates()).then_some(Self::Template)
        }
    }
}

impl Page {
    /// Parses a page.
    pub fn parse(path: RepoPath, kind: PageKind, blob: Blob) -> Self {
        let document = blob.into_source(&path).map(PageDocument::parse);
        Self { path, kind, document }
    }

    /// The document, if the page is of `kind` and readable.
    pub fn read_as(&self, kind: PageKind) -> Option<&PageDocument> {
        self.document.as_ref().ok().filter(|_| self.kind == kind)
    }
}

impl PageDocument {
    fn parse(source: Arc<Source>) -> Self {
        let text = source.text();
        // Two horizontal rules around the whole page are not frontmatter.
        let parts = frontmatter::split(text).ok().filter(|parts| !source.slice(parts.body).trim().is_empty());
        let body = parts.map_or(0, |parts| parts.body.offset);
        let sections = sections(&text[body..], body);
        Self { source, sections }
    }
}

/// Normalises a heading for comparison: lower case, without parentheses, punctuation and leading numbers.
pub fn plain_title(title: &str) -> String {
    let mut depth = 0usize;
    let mut plain = String::with_capacity(title.len());
    for c in title.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(if c.is_alphanumeric() { c } else { ' ' }),
            _ => {}
        }
    }
    let words = plain.split_whitespace().skip_while(|word| word.bytes().all(|b| b.is_ascii_digit()));
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_decides_the_page_kind() {
        for (path, want) in [
            ("agent/policies/WORKFLOW.md", Some(PageKind::Policy)),
            ("agent/policies/team/style.md", Some(PageKind::Policy)),
            ("agent/protocols/permissions.md", Some(PageKind::Permissions)),
            ("agent/protocols/delegation.md", Some(PageKind::Protocol)),
            ("agent/workflows/templates/coder.md", Some(PageKind::Template)),
            ("agent/workflows/notes.md", None),
            ("agent/rules/api/style.md", Some(PageKind::Rule)),
            ("agent/policies/a.txt", None),
            ("docs/permissions.md", None),
        ] {
            assert_eq!(PageKind::from_path(&RepoPath::from(path), &Layout::default()), want, "{path}");
        }
    }

    #[test]
    fn normalises_titles() {
        for (title, want) in [
            ("Always allowed (no approval)", "always allowed"),
            ("🔒 1. **Never** allowed:", "never allowed"),
            ("2) Approved external domains", "approved external domains"),
        ] {
            assert_eq!(plain_title(title), want);
        }
    }
}
