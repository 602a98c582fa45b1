//! `canonry protocol`

use super::format::Format;
use super::hook_tool::HookToolArg;
use super::output::Out;
use super::status::Status;
use crate::app::protocol::{self, CallExplanation, ExplainCallRequest};
use crate::app::{Environment, Error};
use crate::protocol::{ToolCall, Verdict};
use crate::render;

/// Explain the decisions of agent/protocols
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: ProtocolCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ProtocolCommand {
    Explain(ExplainArgs),
}

/// Explain the decision for a command, and the entries behind it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 if the command is allowed or not listed, 3 if it needs approval, 5 if it is denied.\n\n\
                  Example: canonry protocol explain 'cd web && git push -f origin main'"
)]
struct ExplainArgs {
    /// Command line, in quotes
    #[arg(value_name = "COMMAND", required_unless_present = "tool_call", conflicts_with = "tool_call")]
    line: Option<String>,
    /// Tool call as JSON, as hooks receive it: {"tool_name": ..., "tool_input": ...}
    #[arg(long, value_name = "JSON")]
    tool_call: Option<String>,
    /// Agent that makes the call
    #[arg(long, value_name = "TOOL", default_value = "claude")]
    tool: HookToolArg,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`protocol::explain`].
pub fn run(args: &Args, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let ProtocolCommand::Explain(args) = &args.command;
    let call = match &args.tool_call {
        Some(json) => protocol::parse_call(args.tool.into(), json)?,
        None => ToolCall::Shell { command: args.line.clone().unwrap_or_default(), cwd: None },
    };
    let outcome = protocol::explain(environment, ExplainCallRequest { call })?;
    out.result(&match args.format {
        Format::Human => render::protocol::human(&outcome),
        Format::Json => render::protocol::json(&outcome),
    });
    Ok(status(&outcome))
}

fn status(outcome: &CallExplanation) -> Status {
    match outcome.verdict.verdict {
        _ if !outcome.problems.is_empty() => Status::Unreadable,
        Verdict::Allow | Verdict::Unlisted => Status::Done,
        Verdict::Ask => Status::Person,
        Verdict::Deny => Status::Refused,
    }
}
