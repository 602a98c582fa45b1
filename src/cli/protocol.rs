//! `canonry protocol`

use super::format::Format;
use super::hook::{Found, ToolArg, find};
use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::protocol::{CallPart, CallVerdict, HookTool, ToolCall, Verdict, VerdictReason, evaluate};
use serde_json::{Value, json};

/// Explain the decisions of agent/protocols
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
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
    tool: ToolArg,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let Command::Explain(args) = &args.command;
    explain(args, env, out)
}

fn explain(args: &ExplainArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let call = call(args)?;
    let mut found = repository(env)?;
    if let Some(trouble) = found.trouble.take() {
        return Err(trouble);
    }
    let policy = found.policy();
    let ruling = evaluate(&call, &policy, &found.surroundings(&env.cwd));
    let text = match args.format {
        Format::Human => human(&ruling, &policy.troubles),
        Format::Json => format!("{:#}\n", document(&call, &ruling, &policy.troubles)),
    };
    out.result(&text);
    if !policy.troubles.is_empty() {
        return Ok(Status::Unreadable);
    }
    Ok(match ruling.verdict {
        Verdict::Allow | Verdict::Unlisted => Status::Done,
        Verdict::Ask => Status::Person,
        Verdict::Deny => Status::Refused,
    })
}

fn call(args: &ExplainArgs) -> Result<ToolCall, Error> {
    let Some(json) = &args.tool_call else {
        return Ok(ToolCall::Shell { command: args.line.clone().unwrap_or_default(), cwd: None });
    };
    let unusable = |why: String| Error::new(ErrorKind::Unreadable, format!("`--tool-call`: {why}"));
    let value: Value = serde_json::from_str(json).map_err(|e| unusable(format!("this is not JSON: {e}")))?;
    ToolCall::from_hook_input(HookTool::from(args.tool), &value).ok_or_else(|| {
        unusable("it names no tool".to_owned())
            .help("write {\"tool_name\": \"Edit\", \"tool_input\": {\"file_path\": …}}")
    })
}

fn repository(env: &Environment) -> Result<Found, Error> {
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    let found =
        find(&env.cwd, env.user_config.as_deref()).map_err(|e| unreadable(format!("{}: {e}", env.cwd.display())))?;
    let found = found.ok_or_else(|| unreadable(format!("`{}` is not in a git repository", env.cwd.display())))?;
    if !found.has_canon() && found.trouble.is_none() {
        let message = format!("there is no canon here: the repository has no folder `{}`", found.layout.root());
        return Err(unreadable(message)
            .help("run `canonry init`; name a canon that lies elsewhere with `root:` in canonry.yaml"));
    }
    Ok(found)
}

fn human(ruling: &CallVerdict, troubles: &[String]) -> String {
    let mut text = String::new();
    for part in &ruling.parts {
        text.push_str(&format!("{:<9} {}\n", part.verdict.as_str(), part.shown));
        for reason in &part.reasons {
            text.push_str(&format!("          {}: {}\n", reason.verdict.as_str(), reason.told()));
        }
    }
    for trouble in troubles {
        text.push_str(&format!("unread    {trouble}\n"));
    }
    let said = match ruling.verdict {
        Verdict::Allow => "Allowed: each part is always allowed, or does nothing by itself.",
        Verdict::Unlisted => "Not decided: nothing is against it, and the tool's own permissions hold.",
        Verdict::Ask => "A person has to approve of it. A tool that cannot ask is told not to do it.",
        Verdict::Deny => "Denied.",
    };
    text.push_str(said);
    text.push('\n');
    text
}

fn document(call: &ToolCall, ruling: &CallVerdict, troubles: &[String]) -> Value {
    let reason = |reason: &VerdictReason| {
        json!({
            "verdict": reason.verdict.as_str(),
            "rule": reason.rule,
            "path": reason.at.as_ref().map(|at| &at.path),
            "line": reason.at.as_ref().map(|at| at.line),
            "message": reason.message,
        })
    };
    let part = |part: &CallPart| {
        let reasons: Vec<Value> = part.reasons.iter().map(reason).collect();
        json!({"shown": part.shown, "verdict": part.verdict.as_str(), "reasons": reasons})
    };
    json!({
        "schema": "canonry/ruling/v1",
        "call": call.shown(),
        "verdict": ruling.verdict.as_str(),
        "parts": ruling.parts.iter().map(part).collect::<Vec<_>>(),
        "troubles": troubles,
    })
}
