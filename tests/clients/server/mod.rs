//! A model server on loopback, which speaks the protocols of the clients, answers from a script and records requests.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use tiny_http::{Header, Request, Response};

/// An answer of the model.
#[derive(Clone, Debug)]
pub enum Turn {
    Say(String),
    Call(Call),
    /// A usage limit that ends in so many seconds, as the provider reports it. It holds for the rest of the script.
    Limit(u32),
    /// The client is killed while it waits for the answer: the worker in this record of an attempt.
    Kill(PathBuf),
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Call {
    pub tool: String,
    pub arguments: Value,
}

/// A request of an agent to its model, independent of the protocol.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub system: String,
    pub tools: Vec<Tool>,
    pub messages: Vec<Message>,
    /// The schema that the answer must follow.
    schema: Option<Value>,
}

#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    /// The description and the schema.
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Message {
    pub role: Role,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A person, or what a client says in their name.
    User,
    Assistant,
    /// The result of a tool.
    Tool,
}

#[derive(Default)]
struct State {
    script: VecDeque<Turn>,
    /// The answers to requests that contain a mark.
    marked: Vec<(String, VecDeque<Turn>)>,
    calls: usize,
    seen: Vec<Seen>,
}

pub struct Server {
    http: Arc<tiny_http::Server>,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone, Copy)]
enum Protocol {
    /// <https://docs.anthropic.com/en/api/messages>
    Anthropic,
    /// <https://platform.openai.com/docs/api-reference/responses>
    Responses,
    /// <https://platform.openai.com/docs/api-reference/chat>
    Chat,
    /// <https://ai.google.dev/api/generate-content>
    Gemini,
}

/// An answer over HTTP.
struct Answer {
    status: u16,
    body: String,
    is_stream: bool,
}

impl Server {
    /// A server that gives these answers, one for each request with tools, and then says "Done.".
    /// Requests that contain a mark have a script of their own.
    pub fn start(script: &[Turn], marked: &[(&str, &[Turn])]) -> Self {
        let http = Arc::new(tiny_http::Server::http("127.0.0.1:0").unwrap());
        let queue = |script: &[Turn]| script.iter().cloned().collect();
        let marked = marked.iter().map(|(mark, script)| ((*mark).to_owned(), queue(script))).collect();
        let state = Arc::new(Mutex::new(State { script: queue(script), marked, ..State::default() }));
        let thread = {
            let http = Arc::clone(&http);
            let state = Arc::clone(&state);
            std::thread::spawn(move || {
                for request in http.incoming_requests() {
                    serve(request, &state);
                }
            })
        };
        Self { http, state, thread: Some(thread) }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.http.server_addr())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The requests that offered tools, which are those of agents.
    pub fn seen(&self) -> Vec<Seen> {
        self.state().seen.iter().filter(|seen| !seen.tools.is_empty()).cloned().collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.http.unblock();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn serve(mut request: Request, state: &Mutex<State>) {
    let mut text = String::new();
    // A client that was killed leaves half a request.
    if request.as_reader().read_to_string(&mut text).is_err() {
        return;
    }
    let body: Value = serde_json::from_str(&text).unwrap_or_default();
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    let protocol = Protocol::of(&path);
    let answer = match protocol {
        Some(protocol) => {
            let is_stream = body["stream"] == true || path.ends_with(":streamGenerateContent");
            protocol.answer(&body, is_stream, &mut state.lock().unwrap())
        }
        None => Answer { status: 200, body: other(&path).to_string(), is_stream: false },
    };
    let kind = if answer.is_stream { "text/event-stream" } else { "application/json" };
    let header = |name: &str, value: &str| Header::from_bytes(name, value).expect("a static header");
    let response = Response::from_string(answer.body)
        .with_status_code(answer.status)
        .with_header(header("Content-Type", kind))
        // The libraries of Anthropic and OpenAI would try again for minutes.
        .with_header(header("x-should-retry", "false"))
        // OpenCode tries again five times in any case.
        .with_header(header("retry-after-ms", "1"));
    request.respond(response).ok();
}

/// Harmless answers to requests for models, token counts and telemetry.
fn other(path: &str) -> Value {
    if path.ends_with("/models") {
        json!({"object": "list", "data": [{"id": "model", "object": "model", "owned_by": "test"}], "models": []})
    } else if path.ends_with("count_tokens") {
        json!({"input_tokens": 10})
    } else if path.ends_with(":countTokens") {
        json!({"totalTokens": 10})
    } else {
        json!({})
    }
}

impl Protocol {
    fn of(path: &str) -> Option<Self> {
        if path.ends_with("/v1/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Self::Gemini)
        } else {
            None
        }
    }

    fn answer(self, body: &Value, is_stream: bool, state: &mut State) -> Answer {
        let seen = match self {
            Self::Anthropic => anthropic::read(body),
            Self::Responses => responses::read(body),
            Self::Chat => chat::read(body),
            Self::Gemini => gemini::read(body),
        };
        let turn = state.next(&seen);
        state.seen.push(seen);
        let id = state.calls;
        state.calls += 1;
        let body = match (self, &turn) {
            (Self::Anthropic, Turn::Limit(seconds)) => {
                let message = format!("Usage limit reached. Try again in {seconds} seconds.");
                json!({"type": "error", "error": {"type": "rate_limit_error", "message": message}}).to_string()
            }
            // No words of a client: only the status and the code say what it is. Qwen Code 0.24.4 tries again for half an
            // hour unless the message says that a quota will reset.
            (Self::Chat, Turn::Limit(seconds)) => {
                let message = format!("You have exceeded your quota. It will reset in {seconds} seconds.");
                let code = "insufficient_quota";
                json!({"error": {"type": code, "code": code, "message": message}}).to_string()
            }
            (Self::Responses, Turn::Limit(seconds)) => {
                let message = format!("The usage limit has been reached. Try again in {seconds} seconds.");
                let code = "usage_limit_reached";
                json!({"error": {"type": code, "code": code, "message": message}}).to_string()
            }
            (Self::Gemini, Turn::Limit(seconds)) => {
                let time = format!("{}h{}m{}s", seconds / 3600, seconds / 60 % 60, seconds % 60);
                let message =
                    format!("You have exhausted your capacity on this model. Your quota will reset after {time}.");
                json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": message}}).to_string()
            }
            (_, Turn::Kill(_)) => String::new(),
            (Self::Anthropic, turn) => anthropic::answer(turn, is_stream, id),
            (Self::Responses, turn) => responses::answer(turn, is_stream, id),
            (Self::Chat, turn) => chat::answer(turn, is_stream, id),
            (Self::Gemini, turn) => gemini::answer(turn, is_stream, id),
        };
        let status = match &turn {
            Turn::Limit(_) => 429,
            Turn::Kill(record) => {
                kill_worker(record);
                500
            }
            _ => 200,
        };
        Answer { status, body, is_stream: is_stream && status == 200 }
    }
}

impl State {
    /// The next answer of the script. Requests without tools, such as those for a title of the session, take no part.
    fn next(&mut self, seen: &Seen) -> Turn {
        if seen.tools.is_empty() {
            return Turn::Say(
                seen.schema.as_ref().map_or_else(|| "ok".to_owned(), |schema| sample(schema).to_string()),
            );
        }
        let marked = self.marked.iter_mut().find(|(mark, _)| seen.count(mark) > 0);
        let script = marked.map_or(&mut self.script, |(_, script)| script);
        match script.front() {
            Some(Turn::Limit(seconds)) => Turn::Limit(*seconds),
            Some(_) => script.pop_front().expect("there is a first one"),
            None => Turn::Say("Done.".to_owned()),
        }
    }
}

impl Seen {
    /// Everything that the model reads, except its own words.
    pub fn text(&self) -> String {
        let tools = self.tools.iter().map(|tool| format!("{}\n{}\n", tool.name, tool.text));
        let messages = self.messages.iter().filter(|message| message.role != Role::Assistant);
        let messages = messages.map(|message| format!("{}\n", message.text));
        [self.system.clone(), "\n".to_owned()].into_iter().chain(tools).chain(messages).collect()
    }

    pub fn count(&self, words: &str) -> usize {
        self.text().matches(words).count()
    }

    /// The results of tools, oldest first.
    pub fn results(&self) -> Vec<&str> {
        self.messages.iter().filter(|message| message.role == Role::Tool).map(|message| message.text.as_str()).collect()
    }
}

fn kill_worker(record: &Path) {
    let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    // It begins with the process id.
    let id = record["worker"].as_str().unwrap().split(':').next().unwrap().parse().unwrap();
    let process = rustix::process::Pid::from_raw(id).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::KILL).unwrap();
}

/// A value that follows a simple schema.
fn sample(schema: &Value) -> Value {
    let kind = schema["type"].as_str().unwrap_or_default().to_lowercase();
    match (kind.as_str(), schema["enum"].get(0)) {
        (_, Some(first)) => first.clone(),
        ("object", _) => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties.map(|(name, schema)| (name.clone(), sample(schema))).collect()
        }
        ("array", _) => json!([]),
        ("integer" | "number", _) => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        ("boolean", _) => json!(false),
        _ => json!("ok"),
    }
}

/// The text of a value that is a string, or blocks with a string in `text` or `content`.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => match (part.get("text"), part.get("content")) {
            (Some(text), _) => text_of(text),
            (None, Some(content)) => text_of(content),
            (None, None) => String::new(),
        },
        _ => String::new(),
    }
}

/// Server-sent events. With a name for each event if the protocol has names, which then repeat its `type`.
fn events(events: &[Value]) -> String {
    let line = |event: &Value| match event["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    events.iter().map(line).collect()
}
