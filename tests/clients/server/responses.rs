//! OpenAI Responses.

use super::{Call, Message, Role, Seen, Tool, Turn, events, text_of};
use serde_json::{Value, json};

pub fn read(body: &Value) -> Seen {
    let mut seen = Seen { system: text_of(&body["instructions"]), ..Seen::default() };
    add_tools(&mut seen.tools, &body["tools"], "");
    let input = match &body["input"] {
        Value::Array(items) => items.clone(),
        text => vec![json!({"role": "user", "content": text})],
    };
    for item in input {
        let kind = item["type"].as_str().unwrap_or("message");
        // Codex 0.169 sends the tools of its newest models as an item.
        if kind == "additional_tools" {
            add_tools(&mut seen.tools, &item["tools"], "");
        } else if kind.ends_with("_output") {
            seen.messages.push(Message { role: Role::Tool, text: text_of(&item["output"]) });
        } else if kind == "message" {
            let text = text_of(&item["content"]);
            match item["role"].as_str() {
                Some("developer" | "system") => seen.system += &format!("\n{text}"),
                Some("assistant") => seen.messages.push(Message { role: Role::Assistant, text }),
                _ => seen.messages.push(Message { role: Role::User, text }),
            }
        }
    }
    seen
}

/// Tools, and those in namespaces as `NAMESPACE/NAME`.
fn add_tools(list: &mut Vec<Tool>, tools: &Value, namespace: &str) {
    for tool in tools.as_array().into_iter().flatten() {
        let name = format!("{namespace}{}", text_of(&tool["name"]));
        if tool["type"] == "namespace" {
            add_tools(list, &tool["tools"], &format!("{name}/"));
        } else {
            list.push(Tool { name, text: tool.to_string() });
        }
    }
}

/// A call of a function, or of a custom tool if the argument is a text.
fn call(call: &Call, id: usize) -> Value {
    let mut item = match &call.arguments {
        Value::String(input) => json!({"type": "custom_tool_call", "id": format!("ctc_{id}"), "input": input}),
        arguments => {
            json!({"type": "function_call", "id": format!("fc_{id}"), "arguments": arguments.to_string()})
        }
    };
    match call.tool.split_once('/') {
        Some((namespace, name)) => {
            item["namespace"] = json!(namespace);
            item["name"] = json!(name);
        }
        None => item["name"] = json!(call.tool),
    }
    item["call_id"] = json!(format!("call_{id}"));
    item["status"] = json!("completed");
    item
}

pub fn answer(turn: &Turn, is_stream: bool, id: usize) -> String {
    let item = match turn {
        Turn::Call(to) => call(to, id),
        Turn::Say(text) => json!({
            "type": "message", "id": format!("msg_{id}"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Turn::Limit(_) | Turn::Kill(_) => unreachable!("it has no answer"),
    };
    let usage = json!({
        "input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15,
    });
    let response = json!({
        "id": format!("resp_{id}"), "object": "response", "created_at": 0, "status": "completed", "model": "model",
        "output": [item], "usage": usage,
    });
    if !is_stream {
        return response.to_string();
    }
    let created = json!({"id": format!("resp_{id}"), "object": "response", "status": "in_progress", "output": []});
    events(&[
        json!({"type": "response.created", "response": created}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response}),
    ])
}
