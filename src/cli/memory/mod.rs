//! `canonry memory`

mod explain;
mod look;
mod merge_driver;
mod queue;
mod report;
mod review;
mod settle;
mod status;
mod undo;

use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::Error;

/// Inspect the memory, review candidates, undo a dream
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show the size, growth, strongest patterns and next archived rows
    Status(status::Args),
    /// Write the same as a self-contained HTML page with charts
    Report(report::Args),
    /// Explain the salience of a row, and what will happen to it
    Explain(explain::Args),
    /// List the candidates that wait for a decision
    Review(review::Args),
    /// Accept a candidate: add a lesson to LESSONS.md, or a skill draft to skills/
    Accept(settle::AcceptArgs),
    /// Reject a candidate permanently
    Reject(settle::RejectArgs),
    /// Undo the last dream of this clone
    Undo(undo::Args),
    /// Merge a memory file (git calls this after `canonry install merge-driver`)
    MergeDriver(merge_driver::Args),
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.what {
        What::Status(args) => status::run(args, env, out),
        What::Report(args) => report::run(args, env, out),
        What::Explain(args) => explain::run(args, env, out),
        What::Review(args) => review::run(args, env, out),
        What::Accept(args) => settle::accept(args, env, out),
        What::Reject(args) => settle::reject(args, env, out),
        What::Undo(args) => undo::run(args, env, out),
        What::MergeDriver(args) => merge_driver::run(args, env, out),
    }
}
