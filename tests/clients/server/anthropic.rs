//! Anthropic Messages.

use super::{Call, Message, Role, Seen, Tool, Turn, events, text_of};
use serde_json::{Value, json};

pub fn read(body: &Value) -> Seen {
    let tools = body["tools"].as_array().into_iter().flatten();
    let tools = tools.map(|tool| Tool { name: text_of(&tool["name"]), text: tool.to_string() });
    let mut messages = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = if message["role"] == "assistant" { Role::Assistant } else { Role::User };
        let parts = match &message["content"] {
            Value::Array(parts) => parts.clone(),
            text => vec![text.clone()],
        };
        for part in parts {
            let role = if part["type"] == "tool_result" { Role::Tool } else { role };
            messages.push(Message { role, text: text_of(&part) });
        }
    }
    Seen { system: text_of(&body["system"]), tools: tools.collect(), messages, ..Seen::default() }
}

pub fn answer(turn: &Turn, is_stream: bool, id: usize) -> String {
    let (block, delta, reason) = match turn {
        Turn::Call(Call { tool, arguments }) => (
            json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": tool, "input": arguments}),
            json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            "tool_use",
        ),
        Turn::Say(text) => {
            (json!({"type": "text", "text": text}), json!({"type": "text_delta", "text": text}), "end_turn")
        }
        Turn::Limit(_) | Turn::Kill(_) => unreachable!("it has no answer"),
    };
    let mut message = json!({
        "id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": "model", "content": [block],
        "stop_reason": reason, "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 5},
    });
    if !is_stream {
        return message.to_string();
    }
    let mut empty = message["content"][0].take();
    if reason == "tool_use" {
        empty["input"] = json!({});
    } else {
        empty["text"] = json!("");
    }
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    events(&[
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ])
}
