//! `hook`: handle one event of an agent's tool. A hook never blocks a tool because canonry has a problem: errors become
//! notices, unless the config asks for `fail: closed`.

mod allow_once;
mod decision_log;
mod denial;
mod input;
mod own_denial;
pub(crate) mod root_instructions;
mod session;
mod transcript;

pub use allow_once::{Grant, allow_once};
pub use decision_log::{LoggedDecision, LoggedReason};
pub use input::{HookInput, InputError, MAX_INPUT, parse_input};
pub use own_denial::OwnDenial;
pub mod history;

use crate::call_site::CallSite;
use crate::plain_repository::PlainRepository;
use crate::{
    Environment, Error, ErrorKind, Quiet, Timestamp, Workspace, last_seen,
    log::{self, LogDestination, LogEpisodeRequest},
    trust,
};
use canonry_guard::outcome::{CallOutcome, episode, is_skill_call};
pub use canonry_guard::response::HookEvent;
use canonry_guard::response::{self, HookResponse};
use canonry_guard::{CallPart, CallVerdict, Policy, STACK, ToolCall, Verdict, VerdictReason};
pub use canonry_model::config::HookTool;
use canonry_model::config::{HookAskMode, HookFailMode, HookLogScope};
use canonry_repo::view::Basis;
use decision_log::{CallId, DecisionLog};
use own_denial::OwnCall;
use serde_json::{Map, Value};
use std::fs::File;
use std::time::Duration;

/// Maximum wait of a hook for the lock of the pending log. A dream holds it only while it moves the rows.
const LOG_WAIT: Duration = Duration::from_millis(150);

/// An event to handle.
#[derive(Debug)]
pub struct HookRequest {
    /// The tool that calls the hook.
    pub tool: HookTool,
    /// The event.
    pub event: HookEvent,
    /// The event's JSON object, or why it could not be read.
    pub input: Result<HookInput, InputError>,
    /// The time of the event, RFC 3339; `None` for the current time.
    pub now: Option<String>,
    /// Whether the tool has a terminal, where a person can answer its questions; `None` to find out.
    pub has_terminal: Option<bool>,
}

/// Outcome of a hook.
#[derive(Debug)]
pub struct HookOutcome {
    pub response: HookResponse,
    /// Problems for the user, one sentence each.
    pub notices: Vec<String>,
}

/// Handles an event. Problems are notices of the outcome, never errors.
pub fn run(environment: &Environment, request: &HookRequest) -> HookOutcome {
    let now = request.now.as_deref().and_then(Timestamp::parse).unwrap_or_else(|| environment.clock.now());
    last_seen::record(environment, request.tool, request.event, now);
    let mut notices = Vec::new();
    let (fail, answer) = match &request.input {
        Ok(input) => {
            let mut event = EventHandler::new(environment, request, input);
            let answer = event.handle();
            let fail = event.repository().config.hooks.fail;
            notices = event.notices;
            (fail, answer)
        }
        Err(error) => {
            let site = CallSite::here(environment);
            (site.repository.config.hooks.fail, Err(unreadable(error.to_string())))
        }
    };
    let response = answer.unwrap_or_else(|Error { message, .. }| {
        let response = if fail == HookFailMode::Closed && request.event == HookEvent::PreTool {
            response::deny(request.tool, format!("the hook failed: {message}"))
        } else {
            request.no_opinion()
        };
        notices.push(message);
        response
    });
    HookOutcome { response, notices }
}

/// An event that cannot be handled.
fn unreadable(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unreadable, message)
}

impl HookRequest {
    /// The answer that leaves the decision to the tool.
    fn no_opinion(&self) -> HookResponse {
        response::no_opinion(self.tool, self.event)
    }
}

/// Whether this process, and so the tool that started it, has a terminal.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// An event, and the repository that it is about.
struct EventHandler<'a> {
    environment: &'a Environment,
    request: &'a HookRequest,
    input: &'a Value,
    defect: Option<&'a InputError>,
    /// The call, if the event has one.
    call: Option<ToolCall>,
    site: CallSite,
    notices: Vec<String>,
}

impl<'a> EventHandler<'a> {
    fn new(environment: &'a Environment, request: &'a HookRequest, input: &'a HookInput) -> Self {
        let call = ToolCall::from_hook_input(request.tool, &input.event);
        let site = CallSite::find(environment, &input.event, call.as_ref());
        let defect = input.defect.as_ref();
        let input = &input.event;
        Self { environment, request, input, defect, call, site, notices: Vec::new() }
    }

    fn repository(&self) -> &PlainRepository {
        &self.site.repository
    }

    fn handle(&mut self) -> Result<HookResponse, Error> {
        if self.request.event == HookEvent::PreTool {
            return self.check_call();
        }
        // Without a canon, there is no memory to read or to write.
        if self.is_duplicate() || !self.repository().has_canon() {
            return Ok(self.request.no_opinion());
        }
        if let Some(defect) = self.defect.filter(|defect| !matches!(defect, InputError::CutArguments)) {
            return Err(unreadable(defect.to_string()));
        }
        match self.request.event {
            HookEvent::PreTool | HookEvent::PostTool | HookEvent::Failure => self.log_call(),
            HookEvent::SessionStart => self.start_session(),
            HookEvent::Stop => self.stop(),
        }
    }

    /// Cursor also runs Claude Code's hooks, and Grok Build those of both. If such a tool has canonry's own, only those log and
    /// remind. Both may check a call: the decisions are the same.
    fn is_duplicate(&self) -> bool {
        // Only Grok Build has both `hookEventName` and `hook_event_name`.
        let runs = match self.request.tool.row.id {
            "claude" if self.input.get("cursor_version").is_some() => "cursor",
            "claude" | "cursor" if self.input.get("hookEventName").is_some() => "grok",
            _ => return false,
        };
        self.repository().config.files.tool(runs).hooks
    }

    /// Before a call: decides it by the protocols.
    fn check_call(&mut self) -> Result<HookResponse, Error> {
        let unread = self.defect.map(ToString::to_string);
        let Some(call) = self.call.take() else {
            return Err(unreadable(unread.unwrap_or_else(|| "the event names no tool".to_owned())));
        };
        let policy = self.repository().policy_for(&call);
        self.remind_of_trust(&policy);
        let Some(mut verdict) = self.decide(&call, &policy) else {
            let verdict = ask_about_all(&call, "this call cannot be checked, because of an error in canonry");
            return self.answer(&call, &verdict, false);
        };
        let is_failure = !matches!(self.defect, None | Some(InputError::TooLarge | InputError::CutArguments));
        let over_limit = unread.or_else(|| policy.over_limit.clone());
        if let Some(unread) = over_limit.filter(|_| verdict.verdict < Verdict::Ask) {
            if is_failure {
                return Err(unreadable(unread));
            }
            verdict = ask_about_all(&call, unread);
        }
        if verdict.verdict < Verdict::Ask
            && let Some(problem) = policy.load_errors.first()
        {
            return Err(unreadable(problem));
        }
        self.notices.extend(policy.load_errors);
        self.answer(&call, &verdict, policy.settings.allow)
    }

    /// The verdict on a call; `None` if the judgement panics. Tools go on after a hook that crashed, so that neither a deep call nor
    /// a fault may end the process.
    fn decide(&self, call: &ToolCall, policy: &Policy) -> Option<CallVerdict> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let judged = thread.spawn_scoped(scope, || self.site.evaluate(call, policy, self.environment));
            judged.ok()?.join().ok()
        })
    }

    /// Answers with the verdict. A call that is stopped is logged, unless a person has allowed it once.
    fn answer(&mut self, call: &ToolCall, verdict: &CallVerdict, allows: bool) -> Result<HookResponse, Error> {
        let tool = self.request.tool;
        if verdict.verdict < Verdict::Ask {
            return Ok(response::passed(tool, verdict, allows));
        }
        let code = self.record(call, verdict);
        if code == Recorded::AllowedOnce {
            return Ok(self.request.no_opinion());
        }
        if verdict.verdict == Verdict::Deny {
            self.log_denial(call, verdict);
        }
        let has_terminal = self.request.has_terminal.unwrap_or_else(has_terminal);
        let can_ask =
            self.repository().config.hooks.ask == HookAskMode::Native && response::supports_ask(tool, has_terminal);
        let way_out = match &code {
            Recorded::Logged(code) => {
                Some(format!("A person can allow this call once with `canonry hook allow-once {code}`"))
            }
            Recorded::DeniedByTool(own) => Some(own.hint()),
            Recorded::AllowedOnce | Recorded::Nowhere => None,
        };
        Ok(response::stopped(tool, verdict, way_out.as_deref(), can_ask))
    }

    /// Logs a stopped call, or uses up the person's permission for it. A log that cannot be written never changes the verdict.
    fn record(&mut self, call: &ToolCall, verdict: &CallVerdict) -> Recorded {
        let Some(state) = &self.environment.state else { return Recorded::Nowhere };
        let id = CallId::new(call, self.input, &self.site.cwd, &self.repository().identity());
        let log = DecisionLog::new(state);
        let now = self.now_text();
        let commands = verdict.parts.iter().map(|part| part.text.as_str()).collect();
        let own = OwnCall { call, commands, cwd: &self.site.cwd };
        let own = OwnDenial::find(&self.repository().top, self.request.tool, &own);
        // A permission is of no use while the tool itself denies the call, and stays.
        let taken = if own.is_some() {
            Ok(false)
        } else {
            allow_once::take(state, &id.digest, self.request.tool, self.environment.clock.now())
        };
        let is_allowed = match taken {
            Ok(is_allowed) => is_allowed,
            Err(error) => {
                self.notices.push(format!("the permission for this call cannot be used: {error}"));
                false
            }
        };
        let decision = if is_allowed { "allow-once" } else { verdict.verdict.as_str() };
        let row = LoggedDecision {
            time: now,
            decision: decision.to_owned(),
            code: id.code.clone(),
            digest: id.digest,
            tool: self.request.tool.row.id.to_owned(),
            repository: self.repository().top.to_string_lossy().into_owned(),
            call: decision_log::shown(call),
            reasons: decision_log::reasons(verdict),
            denied_by: own.clone(),
        };
        match (log.append(&row), own) {
            _ if is_allowed => Recorded::AllowedOnce,
            (Ok(()), None) => Recorded::Logged(id.code),
            (Ok(()), Some(own)) => Recorded::DeniedByTool(own),
            (Err(error), _) => {
                self.notices.push(format!("the decision is not in the log: {error}"));
                Recorded::Nowhere
            }
        }
    }

    fn now_text(&self) -> String {
        self.request.now.clone().unwrap_or_else(|| self.environment.clock.now().to_string())
    }

    /// Says once for each content of a file that its settings do not count.
    fn remind_of_trust(&mut self, policy: &Policy) -> Vec<String> {
        // The users of most tools do not see what a hook before a call says, so that a session says it again.
        let occasion = if self.request.event == HookEvent::SessionStart { "session" } else { "call" };
        let news = trust::not_yet_mentioned(self.environment, &self.site.repository, &policy.untrusted, occasion);
        self.notices.extend(news.iter().cloned());
        news
    }

    /// After a call: logs a failure, and a success that the config asks for or that needed approval.
    fn log_call(&mut self) -> Result<HookResponse, Error> {
        let no_opinion = self.request.no_opinion();
        let Some(call) = self.call.take() else { return Ok(HookResponse::default()) };
        let outcome = match CallOutcome::from_hook_input(self.request.event, self.input) {
            CallOutcome::Success if transcript::failed(self.request.tool, self.input) => {
                CallOutcome::failed(self.input)
            }
            outcome => outcome,
        };
        let needed_approval = || {
            let policy = self.repository().policy_for(&call);
            self.site.evaluate(&call, &policy, self.environment).verdict == Verdict::Ask
        };
        let is_logged = match &outcome {
            CallOutcome::Interrupted => false,
            CallOutcome::Failure(_) => true,
            // The uses of a skill are counted, whatever else is logged.
            CallOutcome::Success => {
                self.repository().config.hooks.log == HookLogScope::All || is_skill_call(&call) || needed_approval()
            }
        };
        if is_logged {
            self.append_episode(episode(self.request.tool, &call, &outcome, self.input))?;
        }
        Ok(no_opinion)
    }

    fn append_episode(&self, mut row: Map<String, Value>) -> Result<(), Error> {
        if let Some(now) = &self.request.now {
            row.insert("timestamp".to_owned(), now.as_str().into());
        }
        let environment = Environment { cwd: self.repository().top.clone(), ..self.environment.clone() };
        let workspace = Workspace::open(&environment, &Basis::WorkTree)?;
        let to = LogDestination::PendingLog;
        let request = LogEpisodeRequest { episode: row, to, wait: Some(LOG_WAIT), ..LogEpisodeRequest::default() };
        log::run(&workspace, &request, &Quiet)?;
        Ok(())
    }
}

/// The verdict on a call that was not evaluated as a whole.
fn ask_about_all(call: &ToolCall, reason: impl Into<String>) -> CallVerdict {
    let reason = VerdictReason::guard(Verdict::Ask, "canonry's guard `whole-event`", reason);
    let shown = call.to_string().chars().take(60).collect();
    CallVerdict::from_parts(vec![CallPart::new(shown, Verdict::Ask, vec![reason])])
}

/// Result of recording a stopped call.
#[derive(PartialEq, Eq)]
enum Recorded {
    /// It is in the log, and a person can allow it by this code.
    Logged(String),
    /// It is in the log, and the tool's own settings deny it too, which no hook can lift.
    DeniedByTool(OwnDenial),
    /// A person had allowed it.
    AllowedOnce,
    /// There is no log.
    Nowhere,
}
