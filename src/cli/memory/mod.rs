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

/// Looks at the memory: what it holds, why a row counts, how two branches of it are merged.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// What the memory holds: its size and growth, what weighs most, and what leaves next
    Status(status::Args),
    /// The same as one HTML page with charts, which needs nothing else
    Report(report::Args),
    /// Why a row weighs what it weighs, and what becomes of it
    Explain(explain::Args),
    /// What waits for a person: lessons and skills that were found, and what they are opposed to
    Review(review::Args),
    /// Takes a candidate: a lesson into LESSONS.md, a skill as a draft into skills/
    Accept(settle::AcceptArgs),
    /// Says no to a candidate, for good
    Reject(settle::RejectArgs),
    /// Takes the last dream of this clone back: its files are as they were, to the byte
    Undo(undo::Args),
    /// Merges a file of the memory for git, which `canonry install merge-driver` tells to
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
