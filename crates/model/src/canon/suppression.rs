//! Suppression comments: `canonry: allow RULE reason`.
//!
//! A suppression is an HTML comment in Markdown, and a YAML comment in YAML and frontmatter. On a line of its own it
//! applies to the next line that is not blank; in YAML, to the whole key or item that begins there, and in Markdown to the
//! whole code block. After other text it applies to its own line. `allow-file` applies to the whole file and must come
//! before the first heading.

use canonry_text::frontmatter::{self, BOM};
use canonry_text::markdown::{CodeBlock, MarkdownOutline};
use canonry_text::node::{Node, NodeValue};
use canonry_text::yaml::{self, ParsedDocument};
use canonry_text::{RepoPath, Source, Span, markdown};
use std::sync::Arc;

/// The word that every suppression comment starts with.
const MARKER: &str = "canonry:";

/// One suppression comment.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// The file that contains the comment.
    pub source: Arc<Source>,
    /// The whole comment.
    pub span: Span,
    /// The rules that it names.
    pub rules: Vec<SuppressedRule>,
    /// Whether the comment gives a reason.
    pub has_reason: bool,
    /// The part of the file that it applies to.
    pub scope: SuppressionScope,
}

/// A rule named in a suppression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressedRule {
    /// The id as written.
    pub id: String,
    /// The id in the comment.
    pub span: Span,
    /// Whether the suppression matched a finding.
    pub usage: SuppressionUsage,
}

/// Whether a suppression is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionUsage {
    /// It suppressed a finding.
    Used,
    /// It suppressed nothing.
    Unused,
    /// No rule has this id. Contains the most similar id.
    NoSuchRule(Option<&'static str>),
    /// The rule did not run, because only a part of the repository was checked.
    Unknown,
}

/// The part of a file that a suppression applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionScope {
    /// The whole file.
    File,
    /// Findings that start in these bytes.
    Lines(Span),
    /// Nothing: an `allow-file` after the first heading, or a comment with nothing after it.
    Nothing,
}

impl Suppression {
    /// Every suppression in a Markdown or YAML file, in file order. Other files have none.
    pub fn find_all(source: &Arc<Source>) -> Vec<Self> {
        if !source.text().contains(MARKER) {
            return Vec::new();
        }
        let name = source.path().file_name();
        let ends = |ending: &str| name.to_ascii_lowercase().ends_with(ending.as_bytes());
        if ends(".md") {
            find_in_markdown(source)
        } else if ends(".yaml") || ends(".yml") {
            let text = source.text();
            let start = text.len() - text.trim_start_matches(BOM).len();
            find_in_yaml(source, Span::new(start, text.len()))
        } else {
            Vec::new()
        }
    }

    /// Whether the suppression applies to a finding at `span` in `path`. `span` is `None` for a finding about the whole
    /// file. A comment never suppresses findings about its own text.
    pub fn applies_to(&self, path: &RepoPath, span: Option<Span>) -> bool {
        let within = |outer: Span, at: usize| outer.offset <= at && at <= outer.end();
        if self.source.path() != path || span.is_some_and(|span| self.span.range().contains(&span.offset)) {
            return false;
        }
        match (self.scope, span) {
            (SuppressionScope::File, _) => true,
            (SuppressionScope::Lines(lines), Some(span)) => within(lines, span.offset),
            (SuppressionScope::Lines(_), None) | (SuppressionScope::Nothing, _) => false,
        }
    }
}

/// A parsed suppression comment whose scope is not known yet.
struct Directive {
    span: Span,
    is_for_file: bool,
    rules: Vec<SuppressedRule>,
    has_reason: bool,
}

impl Directive {
    /// Parses `<!-- … -->`.
    fn from_html(source: &Source, comment: Span) -> Option<Self> {
        let text = source.slice(comment);
        let inner = text.strip_prefix("<!--")?;
        Self::parse(comment, comment.offset + 4, inner.strip_suffix("-->").unwrap_or(inner))
    }

    /// Parses `# …`.
    fn from_yaml(source: &Source, comment: Span) -> Option<Self> {
        let inner = source.slice(comment).trim_start_matches('#');
        Self::parse(comment, comment.end() - inner.len(), inner)
    }

    /// Parses `text`, which starts at byte `offset` of the file.
    fn parse(span: Span, offset: usize, text: &str) -> Option<Self> {
        let mut words = words(text, offset);
        words.next().filter(|(word, _)| *word == MARKER)?;
        let is_for_file = match words.next()?.0 {
            "allow" => false,
            "allow-file" => true,
            _ => return None,
        };
        let mut rules = Vec::new();
        let mut more = true;
        while let Some((word, at)) = more.then(|| words.next()).flatten() {
            more = word.ends_with(',');
            let mut at = at.offset;
            for id in word.split(',') {
                let bare = id.trim_end_matches([':', ';', '.']);
                let span = Span::new(at, at + bare.len());
                rules.extend((!bare.is_empty()).then(|| SuppressedRule {
                    id: bare.to_owned(),
                    span,
                    usage: SuppressionUsage::Unused,
                }));
                at += id.len() + 1;
            }
        }
        // A dash or colon between the rule and the reason is not a reason.
        let has_reason = words.any(|(word, _)| word.contains(char::is_alphanumeric));
        Some(Self { span, is_for_file, rules, has_reason })
    }

    fn into_suppression(self, source: &Arc<Source>, scope: SuppressionScope) -> Suppression {
        Suppression {
            source: Arc::clone(source),
            span: self.span,
            rules: self.rules,
            has_reason: self.has_reason,
            scope,
        }
    }
}

fn words(text: &str, offset: usize) -> impl Iterator<Item = (&str, Span)> {
    text.split_whitespace().map(move |word| {
        let at = offset + (word.as_ptr().addr() - text.as_ptr().addr());
        (word, Span::new(at, at + word.len()))
    })
}

fn find_in_markdown(source: &Arc<Source>) -> Vec<Suppression> {
    let text = source.text();
    let front = frontmatter::split(text).ok();
    let body = front.as_ref().map_or(Span::new(0, text.len()), |front| front.body);
    let mut found = front.map_or_else(Vec::new, |front| find_in_yaml(source, front.yaml));
    let outline = markdown::outline(source.slice(body), body.offset);
    let directives: Vec<Directive> =
        outline.comments.iter().filter_map(|span| Directive::from_html(source, *span)).collect();
    let heading = || markdown::first_heading(source.slice(body), body.offset).unwrap_or(text.len());
    let scopes: Vec<SuppressionScope> = directives
        .iter()
        .map(|directive| {
            if directive.is_for_file && directive.span.offset < heading() {
                SuppressionScope::File
            } else if directive.is_for_file {
                SuppressionScope::Nothing
            } else {
                match line_scope(source, &directives, directive.span, body.end()) {
                    SuppressionScope::Lines(lines) => SuppressionScope::Lines(extend_over_block(&outline, lines)),
                    scope => scope,
                }
            }
        })
        .collect();
    let with_scopes = directives.into_iter().zip(scopes);
    found.extend(with_scopes.map(|(directive, scope)| directive.into_suppression(source, scope)));
    found
}

/// The lines, or the whole code block that begins in them.
fn extend_over_block(outline: &MarkdownOutline, lines: Span) -> Span {
    let begins = |block: &&CodeBlock| (lines.offset..=lines.end()).contains(&block.span.offset);
    outline.blocks.iter().find(begins).map_or(lines, |block| Span::new(lines.offset, lines.end().max(block.span.end())))
}

fn find_in_yaml(source: &Arc<Source>, yaml: Span) -> Vec<Suppression> {
    let text = source.slice(yaml);
    let document: Option<ParsedDocument> = yaml::parse(text, yaml.offset).ok();
    let comments = yaml::comments(text, yaml.offset);
    let directives: Vec<Directive> = comments.iter().filter_map(|span| Directive::from_yaml(source, *span)).collect();
    let is_frontmatter = yaml.end() < source.text().len();
    let begins = document.as_ref().map_or(yaml.end(), |document| document.root.span.offset);
    let scopes: Vec<SuppressionScope> = directives
        .iter()
        .map(|directive| {
            if directive.is_for_file && (is_frontmatter || directive.span.offset < begins) {
                SuppressionScope::File
            } else if directive.is_for_file {
                SuppressionScope::Nothing
            } else {
                match line_scope(source, &directives, directive.span, yaml.end()) {
                    SuppressionScope::Lines(lines) => {
                        SuppressionScope::Lines(extend_over_value(document.as_ref(), lines))
                    }
                    scope => scope,
                }
            }
        })
        .collect();
    let with_scopes = directives.into_iter().zip(scopes);
    with_scopes.map(|(directive, scope)| directive.into_suppression(source, scope)).collect()
}

/// The comment's own line if it contains other text; otherwise the next line that is neither blank nor a suppression.
fn line_scope(source: &Source, directives: &[Directive], comment: Span, end: usize) -> SuppressionScope {
    let first = source.line_span(comment.offset);
    let last = source.line_span(comment.end());
    if !is_alone(source, comment) {
        return SuppressionScope::Lines(Span::new(first.offset, last.end()));
    }
    let mut line = last;
    while let Some(next) = next_line(source, line).filter(|next| next.offset < end) {
        line = next;
        let directive = directives.iter().find(|other| source.line_span(other.span.offset).offset == line.offset);
        match directive {
            Some(other) if is_alone(source, other.span) => line = source.line_span(other.span.end()),
            _ if source.slice(line).trim().is_empty() => {}
            _ => return SuppressionScope::Lines(line),
        }
    }
    SuppressionScope::Nothing
}

/// Whether no other text is on the comment's lines.
fn is_alone(source: &Source, comment: Span) -> bool {
    let before = Span::new(source.line_span(comment.offset).offset, comment.offset);
    let after = Span::new(comment.end(), source.line_span(comment.end()).end());
    source.slice(before).trim().is_empty() && source.slice(after).trim().is_empty()
}

fn next_line(source: &Source, line: Span) -> Option<Span> {
    let after = source.text().get(line.end()..)?;
    let next = line.end() + after.find('\n')? + 1;
    (next < source.text().len()).then(|| source.line_span(next))
}

/// Extends `lines` to the end of the key or item that begins on them.
fn extend_over_value(document: Option<&ParsedDocument>, lines: Span) -> Span {
    let end = document.and_then(|document| end_of_first(&document.root, lines));
    Span::new(lines.offset, end.map_or(lines.end(), |end| end.max(lines.end())))
}

/// The end of the outermost key or item that begins in `lines`.
fn end_of_first(node: &Node, lines: Span) -> Option<usize> {
    let begins = |span: Span| lines.range().contains(&span.offset);
    match &node.value {
        NodeValue::Scalar(_) => None,
        NodeValue::Sequence(items) => items
            .iter()
            .find_map(|item| if begins(item.span) { Some(item.span.end()) } else { end_of_first(item, lines) }),
        NodeValue::Mapping(mapping) => mapping.entries.iter().find_map(|entry| {
            if begins(entry.key_span) { Some(entry.value.span.end()) } else { end_of_first(&entry.value, lines) }
        }),
    }
}

#[cfg(test)]
#[path = "suppression_tests.rs"]
mod tests;
