//! The edit of a step's status in the text of a plan.

use crate::canon::plan::{PlanDocument, StepStatus};
use crate::finding::TextEdit;
use crate::finding::yaml_edit::YamlEditor;
use crate::syntax::node::{Mapping, MappingEntry};
use crate::syntax::{Source, Span};

/// The edit that gives the step at index `at` another status: it replaces the value, or adds `status` after `id`. `None`
/// if no such edit leaves everything else unchanged, for example if other values refer to the status by an alias.
pub fn edit_status(document: &PlanDocument, at: usize, status: StepStatus) -> Option<TextEdit> {
    let editor = YamlEditor::from_plan(document)?;
    let pointer = format!("/steps/{at}");
    let step = editor.document.root.at_pointer(&pointer)?.0.as_mapping()?;
    match step.get("status") {
        Some(entry) => {
            let edit = replace(editor.source, entry.value.span, status);
            editor.set(&format!("{pointer}/status"), edit, status.as_str())
        }
        None => {
            let edit = insert(editor.source, step, step.get("id")?, status);
            editor.insert(&pointer, "id", "status", edit, status.as_str())
        }
    }
}

/// Keeps the quotes, which JSON requires.
pub(super) fn replace(source: &Source, span: Span, status: StepStatus) -> TextEdit {
    let quote = source.slice(span).chars().next().filter(|c| matches!(c, '"' | '\'')).map(String::from);
    let quote = quote.unwrap_or_default();
    TextEdit::new(span, format!("{quote}{}{quote}", status.as_str()))
}

/// Adds the key behind the id: on the same line in a flow mapping, otherwise on the next line.
fn insert(source: &Source, step: &Mapping, id: &MappingEntry, status: StepStatus) -> TextEdit {
    let quote = if source.slice(id.key_span).starts_with('"') { "\"" } else { "" };
    let pair = format!("{quote}status{quote}: {quote}{}{quote}", status.as_str());
    let end = id.value.span.end();
    if step.flow {
        return TextEdit::new(Span::new(end, end), format!(", {pair}"));
    }
    let text = source.text();
    let line = text[..id.key_span.offset].rfind('\n').map_or(0, |newline| newline + 1);
    let column = text[line..id.key_span.offset].trim_start_matches('\u{feff}').chars().count();
    let indent = " ".repeat(column);
    match text[end..].find('\n') {
        Some(newline) => {
            let next = end + newline + 1;
            let line_end = if text[..next].ends_with("\r\n") { "\r\n" } else { "\n" };
            TextEdit::new(Span::new(next, next), format!("{indent}{pair}{line_end}"))
        }
        None => TextEdit::new(Span::new(text.len(), text.len()), format!("\n{indent}{pair}")),
    }
}
