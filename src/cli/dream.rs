//! `canonry dream`

use super::commit_args::CommitArgs;
use super::format::Format;
use super::output::Out;
use super::status::Status;
use super::time::parse_now;
use crate::render;
use canonry_app::{
    Environment, Error,
    dream::{self, DreamRequest},
};
use canonry_memory::Ruleset;

/// Learn lessons from recurring episodes, and archive old ones
#[derive(Debug, clap::Args)]
#[command(after_help = "Run it every night: `canonry install cron`. A second run on the same log changes nothing.")]
pub struct DreamArgs {
    /// Write nothing; print the changes, as JSON by default
    #[arg(long)]
    dry_run: bool,
    /// Current time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    #[command(flatten)]
    commit: CommitArgs,
    /// Accept a time far from the log and the newest commit
    #[arg(long)]
    trust_clock: bool,
    /// Apply the rules of another system
    #[arg(long, value_enum)]
    compat: Option<Ruleset>,
    /// Output format
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &DreamArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request = DreamRequest {
        dry_run: args.dry_run,
        now: parse_now(args.now.as_deref())?,
        no_commit: args.commit.no_commit,
        trust_clock: args.trust_clock,
        ruleset: args.compat.unwrap_or_default(),
    };
    let workspace = dream::open(&args.commit.environment(env), &request, out)?;
    let outcome = dream::run(&workspace, &request, out)?;
    let log = workspace.layout.log();
    out.remark(&render::dream::concurrency_warnings(&outcome.overtaken, outcome.stale_writer, &log));
    let default_format = if args.dry_run { Format::Json } else { Format::Human };
    match args.format.unwrap_or(default_format) {
        Format::Json => out.result(&render::dream::to_json(&outcome)),
        Format::Human => {
            out.message(&render::dream::to_text(&outcome));
            out.remark(&render::dream::remarks(&outcome, &log));
            out.message(&render::dream::commit_line(&outcome));
        }
    }
    Ok(Status::Done)
}
