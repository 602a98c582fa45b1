//! `canonry hook`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::hook::history;
use canonry_app::hook::{self, HookInput, HookOutcome, HookRequest, InputError, MAX_INPUT, allow_once, parse_input};
use canonry_app::{Environment, Error, ErrorKind};
use canonry_guard::response::{HookEvent, HookResponse};
use canonry_model::canon::duration::parse_duration;
use canonry_model::config::{HookFormat, HookTool};
use std::io::{IsTerminal as _, Read as _};

/// Answer the hooks of coding agents, and review the decisions
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An event exits with 0 even on an error, unless `hooks: {fail: closed}` is set.\n\nExample: echo '{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"git push\"}}' | canonry hook pre-tool --tool claude"
)]
pub struct HookArgs {
    #[command(subcommand)]
    command: HookCommand,
}

#[derive(Debug, clap::Subcommand)]
enum HookCommand {
    /// Decide about a tool call
    PreTool(EventArgs),
    /// Log a tool call, if configured
    PostTool(EventArgs),
    /// Log a failed tool call
    Failure(EventArgs),
    /// Print the context for a new session
    SessionStart(EventArgs),
    /// Remind the agent to log what it learned
    Stop(EventArgs),
    /// Allow one denied call once
    AllowOnce(AllowOnceArgs),
    /// List denied and approved calls, newest first
    Log(LogArgs),
    /// Explain a decision
    Why(WhyArgs),
}

/// The arguments of the events: the event is read from stdin, the decision is printed.
#[derive(Debug, clap::Args)]
struct EventArgs {
    /// Tool that calls the hook
    #[arg(long, value_name = "TOOL")]
    tool: HookTool,
    /// Time of the event, RFC 3339 [default: now]
    #[arg(long, value_name = "TIME", hide = true)]
    now: Option<String>,
    /// Whether the tool has a terminal [default: find out]
    #[arg(long, value_name = "BOOL", hide = true)]
    terminal: Option<bool>,
}

/// The arguments of `canonry hook allow-once`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Allows exactly the same call, in the same repository and directory. The tool's own permissions still apply. Agents must not run this."
)]
struct AllowOnceArgs {
    /// Code in the denial
    #[arg(value_name = "CODE")]
    code: String,
    /// Duration, such as `90s` or `30m`
    #[arg(long = "for", value_name = "TIME", default_value = "10m")]
    lasts: String,
}

/// The arguments of `canonry hook log`.
#[derive(Debug, clap::Args)]
#[command(after_help = "The log is in ~/.local/state/canonry ($XDG_STATE_HOME), without secrets.")]
struct LogArgs {
    /// Only these decisions (repeatable)
    #[arg(long, value_name = "DECISION", value_parser = ["deny", "ask", "grant", "allow-once"])]
    only: Vec<String>,
    /// Only decisions with this text in call, guard, tool or repository
    #[arg(long, value_name = "TEXT")]
    matching: Option<String>,
    /// Number of decisions to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// The arguments of `canonry hook why`.
#[derive(Debug, clap::Args)]
struct WhyArgs {
    /// Code of the decision, or `last`
    #[arg(value_name = "CODE", default_value = "last")]
    code: String,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// Runs the command. Events always succeed: errors go to stderr.
///
/// # Errors
/// See [`allow_once`], [`history::log`] and [`history::why`].
pub fn run(args: &HookArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.command {
        HookCommand::PreTool(args) => Ok(handle(HookEvent::PreTool, args, environment, out)),
        HookCommand::PostTool(args) => Ok(handle(HookEvent::PostTool, args, environment, out)),
        HookCommand::Failure(args) => Ok(handle(HookEvent::Failure, args, environment, out)),
        HookCommand::SessionStart(args) => Ok(handle(HookEvent::SessionStart, args, environment, out)),
        HookCommand::Stop(args) => Ok(handle(HookEvent::Stop, args, environment, out)),
        HookCommand::AllowOnce(args) => {
            let lasts = parse_duration(&args.lasts).ok_or_else(|| {
                Error::new(ErrorKind::Usage, format!("`--for {}`: invalid length of time", args.lasts))
                    .help("write a number with a unit, for example 90s or 30m")
            })?;
            let grant = allow_once(environment, &args.code, lasts)?;
            out.message(&render::hook::granted(&grant));
            Ok(Status::Done)
        }
        HookCommand::Log(args) => {
            let mut rows = history::log(environment, &args.only, args.matching.as_deref())?;
            rows.truncate(args.limit);
            out.result(&args.format.render(&rows[..], render::hook::log, render::hook::log_json));
            Ok(Status::Done)
        }
        HookCommand::Why(args) => {
            let row = history::why(environment, Some(args.code.as_str()).filter(|code| *code != "last"))?;
            out.result(&match args.format {
                Format::Human => render::hook::why(&row),
                Format::Json => render::hook::log_json(&[row]),
            });
            Ok(Status::Done)
        }
    }
}

fn handle(event: HookEvent, args: &EventArgs, environment: &Environment, out: &Out<'_>) -> Status {
    let request =
        HookRequest { tool: args.tool, event, input: read_input(), now: args.now.clone(), has_terminal: args.terminal };
    let HookOutcome { response: HookResponse { document, stops }, notices } = hook::run(environment, &request);
    notices.iter().for_each(|notice| out.remark(&render::hook::notice(notice)));
    let Some(answer) = document else { return Status::Done };
    // Kiro denies by the status, with stderr as the reason.
    if stops.is_some() && args.tool.hooks.format == HookFormat::Kiro {
        out.remark(&render::hook::answer(&answer));
        return Status::Limit;
    }
    let is_written = out.try_result(&render::hook::answer(&answer)).is_ok();
    match stops {
        // Tools treat this status as a denial, with stderr as the reason.
        Some(reason) if !is_written || stdout_is_lost() => {
            out.remark(&render::hook::notice(&format!("the answer cannot be written to stdout: {reason}")));
            Status::Limit
        }
        _ if !is_written => Status::Findings,
        _ => Status::Done,
    }
}

/// Whether nobody reads stdout: at its start, a program gets the null device in place of a closed stdout.
fn stdout_is_lost() -> bool {
    let null = rustix::fs::stat("/dev/null");
    let stdout = rustix::fs::fstat(std::io::stdout());
    matches!((null, stdout), (Ok(null), Ok(stdout)) if (stdout.st_rdev, stdout.st_mode) == (null.st_rdev, null.st_mode))
}

/// Reads the event. More bytes than are judged are discarded, so that the tool can write all of them.
fn read_input() -> Result<HookInput, InputError> {
    if std::io::stdin().is_terminal() {
        return Err(InputError::Terminal);
    }
    let mut bytes = Vec::new();
    let mut stdin = std::io::stdin().lock();
    stdin.by_ref().take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT {
        std::io::copy(&mut stdin, &mut std::io::sink())?;
    }
    parse_input(&bytes)
}
