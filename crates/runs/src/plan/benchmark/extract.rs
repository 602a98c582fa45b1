//! Finds the plan in what a tool printed.

use canonry_model::canon::Blob;
use canonry_model::canon::plan::{Plan, PlanDocument};
use canonry_model::canon::schema::Schemas;
use canonry_text::node::Node;
use canonry_text::{RepoPath, yaml};
use serde_json::Value;
use std::sync::Arc;

/// Output of a tool, without the JSON around its last message.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannerOutput {
    /// The last message of the tool.
    pub message: String,
    /// Duration of the run, if the output says it.
    pub seconds: Option<f64>,
}

impl PlannerOutput {
    /// Reads the headless JSON formats of the known tools: one object with `result` (Claude Code, Cursor) or `response`
    /// (Gemini CLI), or one event per line, of which the last message counts (Codex, and the streaming formats of the
    /// others). Anything else is the message itself.
    pub fn parse(output: &str) -> Self {
        if let Ok(json) = serde_json::from_str::<Value>(output)
            && let Some(message) = message(&json)
        {
            return Self { message, seconds: seconds(&json) };
        }
        let events: Vec<Value> = output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        match events.iter().rev().find_map(message) {
            Some(message) => Self { message, seconds: events.iter().rev().find_map(seconds) },
            None => Self { message: output.to_owned(), seconds: None },
        }
    }
}

fn message(json: &Value) -> Option<String> {
    let item = json.get("item").filter(|item| item.get("type").is_some_and(|kind| kind == "agent_message"));
    let text = json.get("result").or_else(|| json.get("response")).or_else(|| item?.get("text"));
    text.and_then(Value::as_str).map(str::to_owned)
}

fn seconds(json: &Value) -> Option<f64> {
    json.get("duration_ms").and_then(Value::as_f64).map(|milliseconds| milliseconds / 1_000.0)
}

/// The plan in a message: the last fenced block that is one, otherwise the whole message, otherwise the part that starts
/// with the key `steps`.
pub fn extract_plan(message: &str, schemas: &Schemas) -> Option<Arc<PlanDocument>> {
    let blocks = fenced_blocks(message);
    let candidates = blocks.iter().rev().map(String::as_str).chain([message]);
    let text = candidates.filter(|text| is_plan(text)).map(str::to_owned).next();
    let text = text.or_else(|| steps_part(message).filter(|text| is_plan(text)))?;
    Plan::parse(RepoPath::from("plan.yaml"), Blob::Bytes(text.into_bytes()), schemas).document.ok()
}

fn is_plan(text: &str) -> bool {
    let document = yaml::parse(text, 0);
    let steps = document.as_ref().ok().and_then(|document| document.root.get("steps")).and_then(Node::as_sequence);
    steps.is_some_and(|steps| steps.iter().any(|step| step.as_mapping().is_some()))
}

/// The contents of fenced code blocks, without the indentation of their fence.
fn fenced_blocks(message: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, &str, String)> = None;
    for line in message.lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let ticks = &text[..text.len() - text.trim_start_matches(['`', '~']).len()];
        match &mut open {
            Some((_, fence, _)) if ticks.starts_with(*fence) && text.trim_end() == ticks => {
                blocks.extend(open.take().map(|(_, _, content)| content));
            }
            Some((fence_indent, _, content)) => {
                let cut = indent.min(*fence_indent);
                content.push_str(line.get(cut..).unwrap_or(text));
                content.push('\n');
            }
            None if ticks.len() >= 3 => open = Some((indent, ticks, String::new())),
            None => {}
        }
    }
    // A message that was cut off has no closing fence.
    blocks.extend(open.map(|(_, _, content)| content));
    blocks
}

/// The lines from `steps:` on that belong to it: indented lines, list items and empty lines.
fn steps_part(message: &str) -> Option<String> {
    let mut lines = message.lines().skip_while(|line| line.trim_end() != "steps:");
    let first = lines.next()?;
    let is_inside = |line: &&str| line.trim().is_empty() || line.starts_with([' ', '-', '#']);
    let rest: Vec<&str> = lines.take_while(is_inside).collect();
    Some(format!("{first}\n{}\n", rest.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(message: &str) -> Option<Vec<String>> {
        let plan = extract_plan(message, &Schemas::default())?;
        Some(plan.steps.iter().map(|step| step.id_text().to_owned()).collect())
    }

    #[test]
    fn the_last_plan_in_a_message_counts() {
        let first = "```yaml\nsteps:\n  - id: old\n```\n";
        for (message, want) in [
            ("steps:\n  - id: a\n    owner: A\n", Some("a")),
            ("Here is the plan:\n\n```yaml\nsteps:\n  - id: a\n```\nDone.\n", Some("a")),
            (&format!("{first}Better:\n~~~\n{{\"steps\": [{{\"id\": \"new\"}}]}}\n~~~\n"), Some("new")),
            (&format!("{first}```sh\nmake\n```\n"), Some("old")),
            ("1. Do this:\n   ```yaml\n   steps:\n     - id: a\n   ```\n", Some("a")),
            ("```yaml\nsteps:\n  - id: cut-off\n", Some("cut-off")),
            ("The plan: it has\n\nsteps:\n- id: a\n  owner: B\n\nTell me more.\n", Some("a")),
            ("{\"steps\": [{\"id\": 7}]}", Some("7")),
            ("I cannot plan this.", None),
            ("steps: none\n", None),
            ("", None),
        ] {
            assert_eq!(ids(message), want.map(|id| vec![id.to_owned()]), "{message}");
        }
    }

    #[test]
    fn the_last_message_of_a_tool_counts() {
        for (output, want, seconds) in [
            (r#"{"type":"result","result":"steps","duration_ms":2500}"#, "steps", Some(2.5)),
            (r#"{"response":"steps","stats":{}}"#, "steps", None),
            (
                "{\"type\":\"thread.started\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"a\"}}\n\
                 {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"b\"}}\n{\"type\":\"turn.completed\"}\n",
                "b",
                None,
            ),
            ("plain text", "plain text", None),
            ("{\"steps\": []}", "{\"steps\": []}", None),
        ] {
            let want = PlannerOutput { message: want.to_owned(), seconds };
            assert_eq!(PlannerOutput::parse(output), want, "{output}");
        }
    }
}
