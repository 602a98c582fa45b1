//! The edit of a step's status in the text of a plan.

use canonry_model::canon::plan::{PlanDocument, PlanStep, StepStatus};
use canonry_model::canon::task::{TaskDocument, TaskStatus};
use canonry_model::finding::yaml_edit::{VerifiedEdit, YamlEditor};
use canonry_model::finding::{TextEdit, apply_edits};
use canonry_text::node::{Mapping, MappingEntry};
use canonry_text::{Source, Span};

/// The edit that gives the step at index `at` another status: it replaces the value, or adds `status` after `id`. `None`
/// if no such edit leaves everything else unchanged, for example if other values refer to the status by an alias.
pub fn edit_status(document: &PlanDocument, at: usize, status: StepStatus) -> Option<VerifiedEdit> {
    let editor = YamlEditor::from_file(&document.source, document.yaml.as_ref().ok()?);
    let pointer = format!("/steps/{at}");
    let step = editor.document.root.at_pointer(&pointer)?.0.as_mapping()?;
    match step.get("status") {
        Some(entry) => {
            let edit = replace(editor.source, entry.value.span, status.as_str());
            editor.set(&format!("{pointer}/status"), edit, status.as_str())
        }
        None => {
            let id = step.get("id")?;
            let quote = if is_json(editor.source, id) { "\"" } else { "" };
            let value = format!("{quote}{}{quote}", status.as_str());
            let edit = insert_after_id(editor.source, step, id, "status", &value);
            editor.insert(&pointer, "id", "status", edit, status.as_str())
        }
    }
}

/// The text of a plan in which steps have other statuses, and everything else is as before. `None` if a step is not in the plan,
/// or its status cannot be changed alone.
pub fn with_statuses<'s>(
    document: &PlanDocument,
    statuses: impl IntoIterator<Item = (&'s str, StepStatus)>,
) -> Option<String> {
    let mut edits = Vec::new();
    for (id, status) in statuses {
        let at = document.steps.iter().position(|step| step.id_text() == id)?;
        // A step without the key is pending.
        if document.steps.get(at)?.status != status {
            edits.push(edit_status(document, at, status)?.edit);
        }
    }
    edits.sort_by_key(|edit| edit.span);
    apply_edits(document.source.text(), &edits)
}

/// The text of a plan in which one step has another status. If the plan differs from the committed one by statuses only, so does
/// the result: with the committed status, the step has the committed text again.
pub fn with_status(
    document: &PlanDocument,
    committed: Option<&PlanDocument>,
    id: &str,
    status: StepStatus,
) -> Option<String> {
    if let Some(committed) = committed {
        let statuses = |own: Option<StepStatus>| {
            let step = move |step: &'_ PlanStep| own.filter(|_| step.id_text() == id).unwrap_or(step.status);
            with_statuses(committed, document.steps.iter().map(|one| (one.id_text(), step(one))))
        };
        if statuses(None).as_deref() == Some(document.source.text()) {
            return statuses(Some(status));
        }
    }
    with_statuses(document, [(id, status)])
}

/// The edit that gives a task another status: it replaces the value, or adds `status` after `title`. `None` if no such edit
/// leaves everything else unchanged.
pub fn edit_task_status(document: &TaskDocument, status: TaskStatus) -> Option<TextEdit> {
    let editor = YamlEditor::from_file(&document.source, document.yaml.as_ref().ok()?);
    let task = editor.document.root.as_mapping()?;
    let edit = match task.get("status") {
        Some(entry) => {
            let edit = replace(editor.source, entry.value.span, status.as_str());
            editor.set("/status", edit, status.as_str())
        }
        None => {
            let edit = insert_after_id(editor.source, task, task.get("title")?, "status", status.as_str());
            editor.insert("", "title", "status", edit, status.as_str())
        }
    };
    Some(edit?.edit)
}

/// Keeps the quotes, which JSON requires.
pub(super) fn replace(source: &Source, span: Span, status: &str) -> TextEdit {
    let quote = source.slice(span).chars().next().filter(|c| matches!(c, '"' | '\'')).map(String::from);
    let quote = quote.unwrap_or_default();
    TextEdit::new(span, format!("{quote}{status}{quote}"))
}

/// Whether the keys of a step are quoted as JSON requires.
fn is_json(source: &Source, id: &MappingEntry) -> bool {
    source.slice(id.key_span).starts_with('"')
}

/// Adds a key with a value behind the id: on the same line in a flow mapping, otherwise on the next line.
pub(super) fn insert_after_id(source: &Source, step: &Mapping, id: &MappingEntry, key: &str, value: &str) -> TextEdit {
    let quote = if is_json(source, id) { "\"" } else { "" };
    let pair = format!("{quote}{key}{quote}: {value}");
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
