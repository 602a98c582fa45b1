//! What a file allows in a comment: `canonry: allow RULE reason`.
//!
//! In Markdown the comment is one of HTML, in YAML and in frontmatter one of YAML. On a line of its own it holds for what
//! follows: the next line that is not blank, in YAML the key or item that begins there, with all of its value. Behind
//! something else it holds for its own line. `allow-file` holds for the file, and stands above the first heading.

mod directive;
mod model;
mod reach;

use crate::syntax::frontmatter::{self, BOM};
use crate::syntax::yaml::{self, ParsedDocument};
use crate::syntax::{RepoPath, Source, Span, markdown, yaml_comments};
use directive::Directive;
pub use model::{SuppressedRule, Suppression, SuppressionScope, SuppressionUsage};
use std::sync::Arc;

impl Suppression {
    /// Every allowance of a text, in file order. None in files that have no comments.
    pub fn all_of(source: &Arc<Source>) -> Vec<Self> {
        if !source.text().contains(directive::MARK) {
            return Vec::new();
        }
        let name = source.path().file_name();
        let ends = |ending: &str| name.to_ascii_lowercase().ends_with(ending.as_bytes());
        if ends(".md") {
            of_markdown(source)
        } else if ends(".yaml") || ends(".yml") {
            let text = source.text();
            let start = text.len() - text.trim_start_matches(BOM).len();
            of_yaml(source, Span::new(start, text.len()))
        } else {
            Vec::new()
        }
    }

    /// Whether it holds for what a finding says of `span` in `path`; `None` for one about a file as a whole. No comment
    /// allows what it says itself.
    pub fn holds_for(&self, path: &RepoPath, span: Option<Span>) -> bool {
        let within = |outer: Span, at: usize| outer.offset <= at && at <= outer.end();
        if self.source.path() != path || span.is_some_and(|span| self.span.range().contains(&span.offset)) {
            return false;
        }
        match (self.reach, span) {
            (SuppressionScope::File, _) => true,
            (SuppressionScope::Lines(lines), Some(span)) => within(lines, span.offset),
            (SuppressionScope::Lines(_), None) | (SuppressionScope::Nothing, _) => false,
        }
    }
}

fn of_markdown(source: &Arc<Source>) -> Vec<Suppression> {
    let text = source.text();
    let front = frontmatter::split(text).ok();
    let body = front.as_ref().map_or(Span::new(0, text.len()), |front| front.body);
    let mut found = front.map_or_else(Vec::new, |front| of_yaml(source, front.yaml));
    let comments = markdown::outline(source.slice(body), body.offset).comments;
    let directives: Vec<Directive> = comments.iter().filter_map(|span| directive::in_html(source, *span)).collect();
    let heading = || markdown::first_heading(source.slice(body), body.offset).unwrap_or(text.len());
    for directive in &directives {
        let reach = match directive.is_for_file {
            true if directive.span.offset < heading() => SuppressionScope::File,
            true => SuppressionScope::Nothing,
            false => reach::in_text(source, &directives, directive.span, body.end()),
        };
        found.push(directive.allowance(source, reach));
    }
    found
}

fn of_yaml(source: &Arc<Source>, yaml: Span) -> Vec<Suppression> {
    let text = source.slice(yaml);
    let document: Option<ParsedDocument> = yaml::parse(text, yaml.offset).ok();
    let comments = yaml_comments::comments(text, yaml.offset);
    let directives: Vec<Directive> = comments.iter().filter_map(|span| directive::in_yaml(source, *span)).collect();
    let is_front = yaml.end() < source.text().len();
    let begins = document.as_ref().map_or(yaml.end(), |document| document.root.span.offset);
    let of = |directive: &Directive| {
        let reach = match directive.is_for_file {
            true if is_front || directive.span.offset < begins => SuppressionScope::File,
            true => SuppressionScope::Nothing,
            false => match reach::in_text(source, &directives, directive.span, yaml.end()) {
                SuppressionScope::Lines(lines) => SuppressionScope::Lines(reach::with_value(document.as_ref(), lines)),
                reach => reach,
            },
        };
        directive.allowance(source, reach)
    };
    directives.iter().map(of).collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
