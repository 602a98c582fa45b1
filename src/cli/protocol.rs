//! `canonry protocol`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::protocol::{self, CallExplanation};
use canonry_app::{Environment, Error, protocol_list, protocol_test};
use canonry_guard::{ToolCall, Verdict};
use canonry_model::config::HookTool;
use std::path::PathBuf;

/// Explain, list and test permissions
#[derive(Debug, clap::Args)]
pub struct ProtocolArgs {
    #[command(subcommand)]
    command: ProtocolCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ProtocolCommand {
    Explain(ExplainCallArgs),
    List(ProtocolListArgs),
    Test(TestArgs),
}

/// List the permissions, and what enforces each in each tool
#[derive(Debug, clap::Args)]
#[command(after_help = "`nothing` means that agents may ignore the entry.\n\nExample: canonry protocol list --packs")]
struct ProtocolListArgs {
    /// List the packs of commands for `hooks: {packs: [...]}`
    #[arg(long)]
    packs: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// Compare verdicts with a table
#[derive(Debug, clap::Args)]
#[command(
    after_help = "FILE has lines VERDICT<TAB>COMMAND: allow, unlisted, pass (either), ask or deny. Exits with 1 if a verdict differs.\n\nExample: canonry protocol test agent/protocols/commands.tsv"
)]
struct TestArgs {
    /// Table of commands
    file: PathBuf,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// Explain the verdict on a command
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exits with 0 if the command is allowed or not listed, 3 if it needs approval, 5 if it is denied.\n\nExample: canonry protocol explain 'cd web && git push -f origin main'"
)]
struct ExplainCallArgs {
    /// Command line, in quotes
    #[arg(value_name = "COMMAND", required_unless_present = "tool_call", conflicts_with = "tool_call")]
    line: Option<String>,
    /// Tool call: {"tool_name": ..., "tool_input": ...}
    #[arg(long, value_name = "JSON")]
    tool_call: Option<String>,
    /// Agent that makes the call
    #[arg(long, value_name = "TOOL", default_value = "claude")]
    tool: HookTool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`protocol::explain`].
pub fn run(args: &ProtocolArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.command {
        ProtocolCommand::Explain(args) => explain(args, environment, out),
        ProtocolCommand::List(args) => list(args, environment, out),
        ProtocolCommand::Test(args) => test(args, environment, out),
    }
}

fn list(args: &ProtocolListArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.packs {
        let packs = protocol_list::list_packs(environment)?;
        out.result(&args.format.render(
            &packs[..],
            render::protocol_list::packs_human,
            render::protocol_list::packs_json,
        ));
        return Ok(Status::Done);
    }
    let outcome = protocol_list::list(environment)?;
    out.result(&args.format.render(&outcome, render::protocol_list::human, render::protocol_list::json));
    Ok(if outcome.problems.is_empty() { Status::Done } else { Status::Unreadable })
}

fn test(args: &TestArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = protocol_test::test(environment, &args.file)?;
    out.result(&args.format.render(&outcome, render::protocol_list::test_human, render::protocol_list::test_json));
    Ok(if !outcome.problems.is_empty() {
        Status::Unreadable
    } else if outcome.failures.is_empty() {
        Status::Done
    } else {
        Status::Findings
    })
}

fn explain(args: &ExplainCallArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let call = match &args.tool_call {
        Some(json) => protocol::parse_call(args.tool, json)?,
        None => ToolCall::Shell { command: args.line.clone().unwrap_or_default(), cwd: None },
    };
    let outcome = protocol::explain(environment, call)?;
    match args.format {
        Format::Human => out.message(&render::protocol::human(&outcome)),
        Format::Json => out.result(&render::protocol::json(&outcome)),
    }
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
