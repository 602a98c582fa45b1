//! Inserts a remedial step before a step that failed.

use super::status_edit::{edit_status, insert_after_id};
use canonry_model::canon::plan::{PlanDocument, StepStatus};
use canonry_model::finding::TextEdit;
use canonry_model::finding::yaml_edit::YamlEditor;
use canonry_text::Span;
use canonry_text::node::Node;
use serde_json::{Value as Json, json};

/// A step to insert.
#[derive(Clone, Copy, Debug)]
pub struct Remedy<'a> {
    pub id: &'a str,
    pub owner: &'a str,
    pub description: &'a str,
}

/// The edits that insert a remedy before the step at index `at`, make that step depend on it, and make it pending again.
/// Nothing else changes. `None` if that is impossible, for example if other values refer to the step by an alias.
///
/// The remedy gets the dependencies of the step. It has no commands: those are for a person to write.
pub fn insert_remedy(document: &PlanDocument, at: usize, remedy: Remedy<'_>) -> Option<Vec<TextEdit>> {
    let editor = YamlEditor::from_file(&document.source, document.yaml.as_ref().ok()?);
    let root = &editor.document.root;
    let (node, _) = root.at_pointer(&format!("/steps/{at}"))?;
    let step = node.as_mapping()?;
    let deps = node.get("deps").filter(|deps| !deps.is_null());
    let earlier = deps.map_or_else(|| json!([]), Node::to_json);
    let new = json!({
        "id": remedy.id, "description": remedy.description, "owner": remedy.owner, "deps": earlier,
        "criteria": format!("`{}` can be tried again.", document.steps.get(at)?.id_text()),
    });
    let id = Json::String(remedy.id.to_owned());
    let mut later = earlier.as_array()?.clone();
    later.push(id);
    // The wanted result, as values.
    let mut wanted = root.to_json();
    let steps = wanted.get_mut("steps")?.as_array_mut()?;
    let fields = steps.get_mut(at)?.as_object_mut()?;
    let after_id = fields.keys().position(|key| key == "id")? + 1;
    let mut edits = vec![insert_before(editor.source.text(), node.span, &new)];
    match deps {
        Some(deps) => {
            fields.insert("deps".to_owned(), Json::Array(later));
            edits.push(append(editor.source.text(), deps, remedy.id)?);
        }
        None => {
            fields.shift_remove("deps");
            fields.shift_insert(after_id, "deps".to_owned(), Json::Array(later));
            edits.push(insert_after_id(editor.source, step, step.get("id")?, "deps", &json!([remedy.id]).to_string()));
        }
    }
    if document.steps.get(at)?.status != StepStatus::Pending {
        fields.insert("status".to_owned(), json!(StepStatus::Pending.as_str()));
        edits.push(edit_status(document, at, StepStatus::Pending)?.edit);
    }
    steps.insert(at, new);
    edits.sort_by_key(|edit| edit.span);
    editor.is_verified(&edits, &wanted).then_some(edits)
}

/// Adds an item before another one: on a line of its own in a block sequence, otherwise on the same line.
fn insert_before(text: &str, item: Span, new: &Json) -> TextEdit {
    let line = text[..item.offset].rfind('\n').map_or(0, |newline| newline + 1);
    let prefix = &text[line..item.offset];
    if prefix.trim() == "-" {
        let line_end = if text[..line].ends_with("\r\n") { "\r\n" } else { "\n" };
        return TextEdit::new(Span::new(line, line), format!("{prefix}{new}{line_end}"));
    }
    TextEdit::new(Span::new(item.offset, item.offset), format!("{new}, "))
}

/// Appends a text to a list.
fn append(text: &str, list: &Node, item: &str) -> Option<TextEdit> {
    let item = Json::String(item.to_owned());
    let last = list.as_sequence()?.last();
    let end = list.span.end();
    if text[..end].ends_with(']') {
        let separator = if last.is_some() { ", " } else { "" };
        let at = last.map_or(end - 1, |last| last.span.end());
        return Some(TextEdit::new(Span::new(at, at), format!("{separator}{item}")));
    }
    let last = last?.span;
    let line = text[..last.offset].rfind('\n').map_or(0, |newline| newline + 1);
    let prefix = Some(&text[line..last.offset]).filter(|prefix| prefix.trim() == "-")?;
    let line_end = if text[..line].ends_with("\r\n") { "\r\n" } else { "\n" };
    // A block sequence ends after its last item, on whatever line that ends.
    let next = text[last.end()..].find('\n').map_or(text.len(), |newline| last.end() + newline + 1);
    Some(TextEdit::new(Span::new(next, next), format!("{prefix}{item}{line_end}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::Blob;
    use canonry_model::canon::plan::Plan;
    use canonry_model::canon::schema::Schemas;
    use canonry_model::finding::apply_edits;
    use canonry_text::RepoPath;

    fn remedied(text: &str, at: usize) -> Option<String> {
        let blob = Blob::Bytes(text.as_bytes().to_vec());
        let document = Plan::parse(RepoPath::from("p.yaml"), blob, &Schemas::default()).document.unwrap();
        let remedy = Remedy { id: "fix", owner: "A", description: "say \"why\"" };
        apply_edits(text, &insert_remedy(&document, at, remedy)?)
    }

    const NEW: &str =
        r#"{"id":"fix","description":"say \"why\"","owner":"A","deps":[],"criteria":"`b` can be tried again."}"#;

    #[test]
    fn a_remedy_is_inserted_and_nothing_else_changes() {
        let block = "# plan\nsteps:\n  - id: a  # first\n  - id: b\n    status: blocked  # why\n    owner: A\n";
        let want = format!(
            "# plan\nsteps:\n  - id: a  # first\n  - {NEW}\n  - id: b\n    deps: [\"fix\"]\n    status: pending  # why\n    owner: A\n"
        );
        assert_eq!(remedied(block, 1), Some(want));
        let flow = "steps:\n- {id: a}\n- {id: b, deps: [a], owner: A}\n";
        let new = NEW.replace("[]", "[\"a\"]");
        let want = format!("steps:\n- {{id: a}}\n- {new}\n- {{id: b, deps: [a, \"fix\"], owner: A}}\n");
        assert_eq!(remedied(flow, 1), Some(want));
        let listed = "steps:\r\n- id: b\r\n  deps:\r\n  - a\r\n  owner: A\r\n- id: a\r\n";
        let want =
            format!("steps:\r\n- {new}\r\n- id: b\r\n  deps:\r\n  - a\r\n  - \"fix\"\r\n  owner: A\r\n- id: a\r\n");
        assert_eq!(remedied(listed, 0), Some(want));
        let json = r#"{"steps": [{"id": "a"}, {"id": "b", "owner": "A"}]}"#;
        let want = format!(r#"{{"steps": [{{"id": "a"}}, {NEW}, {{"id": "b", "deps": ["fix"], "owner": "A"}}]}}"#);
        assert_eq!(remedied(json, 1), Some(want));
    }

    #[test]
    fn a_step_with_an_anchor_elsewhere_is_refused() {
        assert_eq!(remedied("steps:\n- id: b\n  deps: &d [a]\n- {id: c, deps: *d}\n- id: a\n", 0), None);
    }
}
