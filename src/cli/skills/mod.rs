//! `canonry skills`: the canon's skills as a list.

mod index;
mod list;
pub(super) mod listing;
mod matching;
pub(super) mod needs;
mod show;

use super::context::Context;
use super::env::{Env, Out};
use super::error::CliError;
use super::status::Status;
use crate::view::Basis;

/// Lists the canon's skills, finds the one that fits, and keeps the list that agents choose by.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Index(index::Args),
    List(list::Args),
    Match(matching::Args),
    Show(show::Args),
}

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    let context = Context::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    match &args.command {
        Command::Index(args) => index::run(args, context, out),
        Command::List(args) => list::run(args, &context, out),
        Command::Match(args) => matching::run(args, &context, out),
        Command::Show(args) => show::run(args, &context, out),
    }
}
