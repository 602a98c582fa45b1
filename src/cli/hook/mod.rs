//! `canonry hook`: what a tool's hooks run. One event a call, answered on stdout in the tool's own words.

mod asked;
mod events;
mod found;
mod reading;

pub(super) use found::{Found, find};

use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::protocol::HookTool;
use crate::protocol::response::HookEvent;
use serde_json::Value;
use std::io::{IsTerminal as _, Read as _};

/// Bytes of an event that are read at most.
const INPUT: u64 = 16 << 20;

/// Handle an agent hook: read the event from stdin, print the decision
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The exit status is 0 even on an error, so that canonry never blocks a tool; with `hooks: {fail: closed}` in the config, \
                  an error denies the call. Run `canonry protocol explain` to see a decision and the reasons for it.\n\n\
                  Example: echo '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git push\"}}' | canonry hook pre-tool --tool claude"
)]
pub struct Args {
    /// Event to handle
    event: EventArg,
    /// Tool that calls the hook
    #[arg(long, value_name = "TOOL")]
    tool: ToolArg,
    /// Time of the event, RFC 3339 [default: now]
    #[arg(long, value_name = "TIME", hide = true)]
    now: Option<String>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum EventArg {
    /// Before a tool call: allow, ask or deny it by agent/protocols
    PreTool,
    /// After a tool call: log it if the config asks for it
    PostTool,
    /// After a failed tool call: log it
    Failure,
    /// Start of a session: print the context for the agent
    SessionStart,
    /// End of a turn: remind the agent to log what it learned
    Stop,
}

/// A tool by its name.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum ToolArg {
    Claude,
    Gemini,
    Codex,
    Cursor,
    Antigravity,
}

impl From<ToolArg> for HookTool {
    fn from(tool: ToolArg) -> Self {
        match tool {
            ToolArg::Claude => Self::Claude,
            ToolArg::Gemini => Self::Gemini,
            ToolArg::Codex => Self::Codex,
            ToolArg::Cursor => Self::Cursor,
            ToolArg::Antigravity => Self::Antigravity,
        }
    }
}

impl From<EventArg> for HookEvent {
    fn from(event: EventArg) -> Self {
        match event {
            EventArg::PreTool => Self::PreTool,
            EventArg::PostTool => Self::PostTool,
            EventArg::Failure => Self::Failure,
            EventArg::SessionStart => Self::SessionStart,
            EventArg::Stop => Self::Stop,
        }
    }
}

/// Runs the command. Whatever goes wrong is told on stderr, and never held against the tool.
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Status {
    let (tool, event) = (HookTool::from(args.tool), HookEvent::from(args.event));
    let call = asked::Asked { tool, event, now: args.now.as_deref(), env };
    let answered = match input() {
        Ok(input) => events::answer(&call, &input, out),
        Err(why) => {
            let found = find(&env.cwd, env.user_config.as_deref()).ok().flatten();
            asked::cannot(&call, found.as_ref(), &why, out)
        }
    };
    if let Some(answer) = answered {
        out.result(&format!("{answer}\n"));
    }
    Status::Done
}

/// What the tool writes.
fn input() -> Result<Value, String> {
    if std::io::stdin().is_terminal() {
        return Err("a hook reads its event as JSON from stdin, which is a terminal".to_owned());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(INPUT + 1).read_to_end(&mut bytes);
    read.map_err(|e| format!("stdin: {e}"))?;
    if bytes.len() as u64 > INPUT {
        return Err("stdin: an event has at most 16 MiB".to_owned());
    }
    let text = String::from_utf8_lossy(&bytes);
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(event @ Value::Object(_)) => Ok(event),
        Ok(_) => Err("stdin: an event is one JSON object".to_owned()),
        Err(e) => Err(format!("stdin: this is not one JSON object: {e}")),
    }
}
