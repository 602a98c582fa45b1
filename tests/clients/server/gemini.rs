//! Gemini `generateContent` and `streamGenerateContent`.

use super::{Call, Message, Role, Seen, Tool, Turn, events, text_of};
use serde_json::{Value, json};

pub fn read(body: &Value) -> Seen {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let declarations = list(&body["tools"]).into_iter().flat_map(|tool| list(&tool["functionDeclarations"]));
    let tools = declarations.map(|tool| Tool { name: text_of(&tool["name"]), text: tool.to_string() }).collect();
    let mut messages = Vec::new();
    for content in list(&body["contents"]) {
        let role = if content["role"] == "model" { Role::Assistant } else { Role::User };
        for part in list(&content["parts"]) {
            match part.get("functionResponse") {
                Some(response) => {
                    messages.push(Message { role: Role::Tool, text: result(&response["response"]) });
                }
                None => messages.push(Message { role, text: text_of(&part) }),
            }
        }
    }
    let config = &body["generationConfig"];
    let schema = config.get("responseJsonSchema").or_else(|| config.get("responseSchema")).cloned();
    Seen { system: text_of(&body["systemInstruction"]["parts"]), tools, messages, schema }
}

/// The text of a result, which is an object with `output` or `error`.
fn result(response: &Value) -> String {
    match response.as_object() {
        Some(object) => {
            object.values().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
        }
        None => response.to_string(),
    }
}

pub fn answer(turn: &Turn, is_stream: bool, id: usize) -> String {
    let part = match turn {
        Turn::Call(Call { tool, arguments }) => {
            json!({"functionCall": {"id": format!("call_{id}"), "name": tool, "args": arguments}})
        }
        Turn::Say(text) => json!({"text": text}),
        Turn::Limit(_) | Turn::Kill(_) => unreachable!("it has no answer"),
    };
    let response = json!({
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
    });
    if is_stream { events(&[response]) } else { response.to_string() }
}
