//! OpenAI chat completions.

use super::{Call, Message, Role, Seen, Tool, Turn, events, text_of};
use serde_json::{Value, json};

pub fn read(body: &Value) -> Seen {
    // Grok Build asks for a title with a tool that the answer must call.
    let is_forced = body["tool_choice"].is_object();
    let tools = body["tools"].as_array().into_iter().flatten().filter(|_| !is_forced);
    let tools = tools.map(|tool| Tool { name: text_of(&tool["function"]["name"]), text: tool.to_string() });
    let mut seen = Seen { tools: tools.collect(), ..Seen::default() };
    for message in body["messages"].as_array().into_iter().flatten() {
        let text = text_of(&message["content"]);
        let role = match message["role"].as_str() {
            Some("system" | "developer") => {
                seen.system += &format!("{text}\n");
                continue;
            }
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            _ => Role::User,
        };
        seen.messages.push(Message { role, text });
    }
    seen
}

pub fn answer(turn: &Turn, is_stream: bool, id: usize) -> String {
    let (mut message, reason) = match turn {
        Turn::Call(Call { tool, arguments }) => {
            let function = json!({"name": tool, "arguments": arguments.to_string()});
            let call = json!({"index": 0, "id": format!("call_{id}"), "type": "function", "function": function});
            (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
        }
        Turn::Say(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Turn::Limit(_) | Turn::Kill(_) => unreachable!("it has no answer"),
    };
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let document = |object: &str, choice: Value| json!({"id": format!("chatcmpl-{id}"), "object": object, "created": 0, "model": "model", "choices": [choice]});
    if !is_stream {
        if let Some(call) = message.pointer_mut("/tool_calls/0").and_then(Value::as_object_mut) {
            call.remove("index");
        }
        let mut whole = document("chat.completion", json!({"index": 0, "message": message, "finish_reason": reason}));
        whole["usage"] = usage;
        return whole.to_string();
    }
    let chunk = |delta: Value, reason: Value| {
        document("chat.completion.chunk", json!({"index": 0, "delta": delta, "finish_reason": reason}))
    };
    let mut last = chunk(json!({}), json!(reason));
    last["usage"] = usage;
    events(&[chunk(message, Value::Null), last]) + "data: [DONE]\n\n"
}
