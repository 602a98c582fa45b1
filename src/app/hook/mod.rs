//! `hook`: handle one event of an agent's tool. A hook never blocks a tool because canonry has a problem: errors become
//! notices, unless the config asks for `fail: closed`.

mod denial;
mod session;

use crate::app::plain_repository::PlainRepository;
use crate::app::{Environment, Quiet, Workspace, log};
use crate::config::{HookFailMode, HookLogScope};
pub use crate::protocol::HookTool;
use crate::protocol::outcome::{CallOutcome, episode};
pub use crate::protocol::response::HookEvent;
use crate::protocol::response::{self};
use crate::protocol::{ToolCall, Verdict, evaluate};
use crate::view::Basis;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};

/// An event to handle.
#[derive(Debug)]
pub struct HookRequest {
    /// The tool that calls the hook.
    pub tool: HookTool,
    /// The event.
    pub event: HookEvent,
    /// The event's JSON object, or why it could not be read.
    pub input: Result<Value, InputError>,
    /// The time of the event, RFC 3339; `None` for the current time.
    pub now: Option<String>,
}

/// What a hook answers.
#[derive(Debug, Default)]
pub struct HookOutcome {
    /// The JSON document for the tool; `None` if it gets no answer.
    pub answer: Option<Value>,
    /// Problems for the user, one sentence each.
    pub notices: Vec<String>,
}

/// The event cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// Nobody pipes an event into the hook.
    #[error("a hook reads its event as JSON from stdin, but stdin is a terminal")]
    Terminal,
    /// Reading failed.
    #[error("stdin: {0}")]
    Io(#[from] io::Error),
    /// The event is too large.
    #[error("stdin: the event is larger than 16 MiB")]
    TooLarge,
    /// The event is not JSON.
    #[error("stdin: expected one JSON object: {0}")]
    InvalidJson(#[from] serde_json::Error),
    /// The event is another JSON value.
    #[error("stdin: expected one JSON object")]
    NotAnObject,
}

/// Parses an event.
///
/// # Errors
/// [`InputError::InvalidJson`] or [`InputError::NotAnObject`].
pub fn parse_input(bytes: &[u8]) -> Result<Value, InputError> {
    let text = String::from_utf8_lossy(bytes);
    match serde_json::from_str(text.trim_start_matches('\u{feff}'))? {
        event @ Value::Object(_) => Ok(event),
        _ => Err(InputError::NotAnObject),
    }
}

/// Handles an event. Problems are notices of the outcome, never errors.
pub fn run(environment: &Environment, request: &HookRequest) -> HookOutcome {
    let mut notices = Vec::new();
    let (repository, answer) = match &request.input {
        Ok(input) => match find_canon(environment, input) {
            Ok((repository, cwd)) => {
                let mut event = EventHandler { environment, request, input, repository, cwd, notices };
                let answer = event.handle();
                notices = event.notices;
                (Some(event.repository), answer)
            }
            Err(failure) => (None, Err(failure)),
        },
        Err(error) => {
            let found = PlainRepository::find(&environment.cwd, environment.user_config.as_deref());
            (found.ok().flatten(), Err(Failure::new(error.to_string())))
        }
    };
    let answer = answer.unwrap_or_else(|Failure { message }| {
        let fails_closed = repository
            .is_some_and(|repository| repository.config.hooks.fail == HookFailMode::Closed && repository.has_canon());
        let answer = if fails_closed && request.event == HookEvent::PreTool {
            Some(response::deny(request.tool, &format!("the hook failed: {message}")))
        } else {
            request.no_opinion()
        };
        notices.push(message);
        answer
    });
    HookOutcome { answer, notices }
}

/// Why an event was not handled.
struct Failure {
    message: String,
}

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl From<crate::app::Error> for Failure {
    fn from(error: crate::app::Error) -> Self {
        Self { message: error.message }
    }
}

type Answer = Result<Option<Value>, Failure>;

impl HookRequest {
    /// The answer that leaves the decision to the tool.
    fn no_opinion(&self) -> Option<Value> {
        response::no_opinion(self.tool, self.event)
    }
}

/// The repository and the directory of a call.
fn find_canon(environment: &Environment, input: &Value) -> Result<(PlainRepository, PathBuf), Failure> {
    let cwd = call_directory(environment, input);
    let shown = cwd.display();
    match PlainRepository::find(&cwd, environment.user_config.as_deref()) {
        Ok(Some(repository)) if repository.has_canon() => Ok((repository, cwd)),
        Ok(Some(repository)) => {
            let (top, root) = (repository.top.display(), repository.layout.root());
            Err(Failure::new(format!("no canon: {top} has no directory `{root}`")))
        }
        Ok(None) => Err(Failure::new(format!("{shown} is not in a git repository"))),
        Err(e) => Err(Failure::new(format!("{shown}: {e}"))),
    }
}

/// The directory that a call is made in.
fn call_directory(environment: &Environment, input: &Value) -> PathBuf {
    let text = |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let first = |key: &str| input.get(key)?.get(0)?.as_str();
    let directory = text("cwd").or_else(|| first("workspace_roots")).or_else(|| first("workspacePaths"));
    directory.map_or_else(|| environment.cwd.clone(), |directory| environment.cwd.join(directory))
}

/// An event in a repository with a canon.
struct EventHandler<'a> {
    environment: &'a Environment,
    request: &'a HookRequest,
    input: &'a Value,
    repository: PlainRepository,
    cwd: PathBuf,
    notices: Vec<String>,
}

impl EventHandler<'_> {
    fn handle(&mut self) -> Answer {
        if self.is_duplicate() {
            return Ok(self.request.no_opinion());
        }
        match self.request.event {
            HookEvent::PreTool => self.check_call(),
            HookEvent::PostTool | HookEvent::Failure => self.log_call(),
            HookEvent::SessionStart => self.start_session(),
            HookEvent::Stop => self.stop(),
        }
    }

    /// Cursor also runs Claude Code's hooks. If it has canonry's own, only those log and remind. Both may check a call: the
    /// decisions are the same.
    fn is_duplicate(&self) -> bool {
        let is_cursor = self.request.tool == HookTool::Claude && self.input.get("cursor_version").is_some();
        is_cursor && self.request.event != HookEvent::PreTool && self.repository.config.files.cursor.hooks
    }

    /// Before a call: decides it by the protocols.
    fn check_call(&mut self) -> Answer {
        let call = ToolCall::from_hook_input(self.request.tool, self.input)
            .ok_or_else(|| Failure::new("the event names no tool"))?;
        let policy = self.repository.policy_for(&call);
        let verdict = evaluate(&call, &policy, &self.call_context());
        if verdict.verdict < Verdict::Ask
            && let Some(problem) = policy.load_errors.first()
        {
            return Err(Failure::new(problem));
        }
        self.notices.extend(policy.load_errors);
        if verdict.verdict == Verdict::Deny {
            self.log_denial(&call, &verdict);
        }
        Ok(response::verdict_response(self.request.tool, &verdict, self.repository.config.hooks.allow))
    }

    /// After a call: logs a failure, and a success that the config asks for or that needed approval.
    fn log_call(&mut self) -> Answer {
        let no_opinion = self.request.no_opinion();
        let Some(call) = ToolCall::from_hook_input(self.request.tool, self.input) else { return Ok(None) };
        let outcome = CallOutcome::from_hook_input(self.request.event, self.input);
        let needed_approval =
            || evaluate(&call, &self.repository.policy_for(&call), &self.call_context()).verdict == Verdict::Ask;
        let is_logged = match &outcome {
            CallOutcome::Interrupted => false,
            CallOutcome::Failure(_) => true,
            CallOutcome::Success => self.repository.config.hooks.log == HookLogScope::All || needed_approval(),
        };
        if is_logged {
            self.append_episode(episode(self.request.tool, &call, &outcome, self.input))?;
        }
        Ok(no_opinion)
    }

    fn append_episode(&self, mut row: Map<String, Value>) -> Result<(), Failure> {
        if let Some(now) = &self.request.now {
            row.insert("timestamp".to_owned(), now.as_str().into());
        }
        let environment = Environment { cwd: self.repository.top.clone(), ..self.environment.clone() };
        let workspace = Workspace::open(&environment, &Basis::WorkTree)?;
        let request = log::Request { episode: row, fields: log::EpisodeFields::default() };
        log::run(&workspace, &request, &Quiet)?;
        Ok(())
    }

    fn call_context(&self) -> crate::protocol::CallContext {
        let home: Option<&Path> = self.environment.home.as_deref();
        self.repository.call_context(&self.cwd, home)
    }
}
