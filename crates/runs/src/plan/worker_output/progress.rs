//! Progress in a line of a tool's JSON output, for a person who follows it.

use serde_json::Value as Json;

/// The words of a line: what the agent says or does. A line that is not JSON is returned as it is; `None` if an event says
/// nothing new.
pub fn progress(line: &str) -> Option<String> {
    let line = line.trim();
    if !line.starts_with('{') {
        return Some(line.to_owned()).filter(|line| !line.is_empty());
    }
    let Ok(event) = serde_json::from_str::<Json>(line) else { return Some(line.to_owned()) };
    let words = match text(&event, "type").or_else(|| text(&event, "event")).unwrap_or_default() {
        "assistant" => claude(event.pointer("/message/content")?.as_array()?),
        "item.started" | "item.completed" => codex(event.get("item")?),
        "message" if text(&event, "role") == Some("assistant") => text(&event, "content").map(str::to_owned),
        "text" | "tool_use" if event.get("part").is_some() => opencode(event.get("part")?),
        "assistant.message" => text(event.get("data")?, "content").map(str::to_owned),
        "tool.execution_start" => {
            event.get("data").and_then(|data| Some(call(text(data, "toolName")?, data.get("arguments"))))
        }
        "session.error" => text(event.get("data")?, "message").map(str::to_owned),
        "tool_use" => text(&event, "tool_name").map(|name| call(name, event.get("parameters"))),
        "step_update" => antigravity(event.get("step_update")?),
        "result" => text(&event, "result").or_else(|| event.pointer("/result/response")?.as_str()).map(str::to_owned),
        "error" => text(event.pointer("/error/data").unwrap_or(&event), "message").map(str::to_owned),
        _ => None,
    };
    words.and_then(|words| words.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned))
}

/// The last part of a message: a text, or a call of a tool.
fn claude(parts: &[Json]) -> Option<String> {
    parts.iter().rev().find_map(|part| match text(part, "type")? {
        "text" => text(part, "text").map(str::to_owned),
        "tool_use" => text(part, "name").map(|name| call(name, part.get("input"))),
        _ => None,
    })
}

fn codex(item: &Json) -> Option<String> {
    match text(item, "type")? {
        "agent_message" | "reasoning" => text(item, "text").map(str::to_owned),
        "command_execution" => text(item, "command").map(|command| call("run", Some(&Json::from(command)))),
        "file_change" => item.pointer("/changes/0/path")?.as_str().map(|path| call("change", Some(&Json::from(path)))),
        _ => None,
    }
}

fn opencode(part: &Json) -> Option<String> {
    match text(part, "tool") {
        Some(name) => Some(call(name, part.pointer("/state/input"))),
        None => text(part, "text").map(str::to_owned),
    }
}

fn antigravity(step: &Json) -> Option<String> {
    let name = text(step, "tool_name").map(|name| call(name, step.pointer("/tool_info/parameters")));
    name.or_else(|| text(step, "text_delta").map(str::to_owned))
}

/// A call of a tool with its first argument that is a text.
fn call(name: &str, arguments: Option<&Json>) -> String {
    let first = match arguments {
        Some(Json::Object(arguments)) => arguments.values().find_map(Json::as_str),
        Some(argument) => argument.as_str(),
        None => None,
    };
    first.map_or_else(|| name.to_owned(), |first| format!("{name}: {first}"))
}

fn text<'a>(value: &'a Json, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_become_words() {
        for (line, want) in [
            ("compiling", Some("compiling")),
            ("{\"half\": ", Some("{\"half\":")),
            ("  ", None),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"\nI look.\nThen"}]}}"#,
                Some("I look."),
            ),
            (
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"cargo test"}}]}}"#,
                Some("Bash: cargo test"),
            ),
            (r#"{"type":"item.started","item":{"type":"command_execution","command":"ls"}}"#, Some("run: ls")),
            (
                r#"{"type":"item.completed","item":{"type":"file_change","changes":[{"path":"a.rs"}]}}"#,
                Some("change: a.rs"),
            ),
            (
                r#"{"type":"tool_use","tool_name":"read_file","parameters":{"path":"page.md"}}"#,
                Some("read_file: page.md"),
            ),
            (
                r#"{"type":"tool_use","part":{"type":"tool","tool":"bash","state":{"input":{"command":"ls"}}}}"#,
                Some("bash: ls"),
            ),
            (r#"{"type":"text","part":{"type":"text","text":"I look."}}"#, Some("I look.")),
            (r#"{"type":"error","error":{"name":"APIError","data":{"message":"no access"}}}"#, Some("no access")),
            (
                r#"{"type":"tool.execution_start","data":{"toolName":"bash","arguments":{"command":"ls"}}}"#,
                Some("bash: ls"),
            ),
            (r#"{"type":"assistant.message","data":{"content":"Done."}}"#, Some("Done.")),
            (r#"{"type":"session.error","data":{"message":"no access"}}"#, Some("no access")),
            (r#"{"event":"step_update","step_update":{"tool_name":"view_file"}}"#, Some("view_file")),
            (r#"{"event":"result","result":{"response":"Done."}}"#, Some("Done.")),
            (r#"{"type":"result","result":"Done."}"#, Some("Done.")),
            (r#"{"type":"system","subtype":"init"}"#, None),
            (r#"{"type":"turn.completed","usage":{}}"#, None),
        ] {
            assert_eq!(progress(line).as_deref(), want, "{line}");
        }
    }
}
