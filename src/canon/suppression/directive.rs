//! The words of an allowance.

use super::model::{SuppressedRule, Suppression, SuppressionScope, SuppressionUsage};
use crate::syntax::{Source, Span};
use std::sync::Arc;

/// What every allowance begins with.
pub(super) const MARK: &str = "canonry:";

/// A comment that allows something, before it is known for what it holds.
pub(super) struct Directive {
    pub span: Span,
    pub is_for_file: bool,
    rules: Vec<SuppressedRule>,
    has_reason: bool,
}

impl Directive {
    pub fn allowance(&self, source: &Arc<Source>, reach: SuppressionScope) -> Suppression {
        Suppression {
            source: Arc::clone(source),
            span: self.span,
            rules: self.rules.clone(),
            has_reason: self.has_reason,
            reach,
        }
    }
}

/// Of a comment `<!-- … -->`.
pub(super) fn in_html(source: &Source, comment: Span) -> Option<Directive> {
    let text = source.slice(comment);
    let inner = text.strip_prefix("<!--")?;
    read(comment, comment.offset + 4, inner.strip_suffix("-->").unwrap_or(inner))
}

/// Of a comment `# …`.
pub(super) fn in_yaml(source: &Source, comment: Span) -> Option<Directive> {
    let inner = source.slice(comment).trim_start_matches('#');
    read(comment, comment.end() - inner.len(), inner)
}

/// Reads `text`, which stands `offset` bytes into the file.
fn read(span: Span, offset: usize, text: &str) -> Option<Directive> {
    let mut words = words(text, offset);
    words.next().filter(|(word, _)| *word == MARK)?;
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
    // A dash or a colon between rule and reason is no reason yet.
    let has_reason = words.any(|(word, _)| word.contains(char::is_alphanumeric));
    Some(Directive { span, is_for_file, rules, has_reason })
}

fn words(text: &str, offset: usize) -> impl Iterator<Item = (&str, Span)> {
    text.split_whitespace().map(move |word| {
        let at = offset + (word.as_ptr().addr() - text.as_ptr().addr());
        (word, Span::new(at, at + word.len()))
    })
}
