//! `canonry hook`

use super::hook_tool::HookToolArg;
use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::hook::{self, HookOutcome, HookRequest, InputError, parse_input};
use crate::protocol::response::HookEvent;
use crate::render;
use serde_json::Value;
use std::io::{IsTerminal as _, Read as _};

/// Largest event, in bytes.
const MAX_INPUT: u64 = 16 << 20;

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
    tool: HookToolArg,
    /// Time of the event, RFC 3339 [default: now]
    #[arg(long, value_name = "TIME", hide = true)]
    now: Option<String>,
    /// Whether the tool has a terminal [default: find out]
    #[arg(long, value_name = "BOOL", hide = true)]
    terminal: Option<bool>,
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

/// Runs the command. Always succeeds: errors go to stderr.
pub fn run(args: &Args, environment: &Environment, out: &Out<'_>) -> Status {
    let request = HookRequest {
        tool: args.tool.into(),
        event: args.event.into(),
        input: read_input(),
        now: args.now.clone(),
        has_terminal: args.terminal,
    };
    let HookOutcome { answer, notices } = hook::run(environment, &request);
    notices.iter().for_each(|notice| out.remark(&render::hook::notice(notice)));
    if let Some(answer) = answer {
        out.result(&render::hook::answer(&answer));
    }
    Status::Done
}

fn read_input() -> Result<Value, InputError> {
    if std::io::stdin().is_terminal() {
        return Err(InputError::Terminal);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT {
        return Err(InputError::TooLarge);
    }
    parse_input(&bytes)
}
