//! Edits of a text by spans.

use super::Span;

/// Replaces a span with a text. An empty span inserts, an empty text deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes to replace.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

impl TextEdit {
    /// Replaces `span` with `text`.
    pub fn new(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }
}

/// Applies edits that are in file order. Returns `None` if two overlap, or if a span is not on character boundaries
/// inside the text. Bytes outside the spans do not change.
pub fn apply_edits(text: &str, edits: &[TextEdit]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.offset)?);
        out.push_str(&edit.text);
        text.get(edit.span.range())?;
        at = edit.span.end();
    }
    out.push_str(text.get(at..)?);
    Some(out)
}
