//! `canonry skills`: the canon's skills as a list.

mod index;
mod list;
pub(super) mod listing;
mod matching;
pub(super) mod needs;
mod show;

use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::Error;
use crate::app::Workspace;
use crate::view::Basis;

/// List, show, match and index the skills of the canon
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
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    match &args.command {
        Command::Index(args) => index::run(args, context, out),
        Command::List(args) => list::run(args, &context, out),
        Command::Match(args) => matching::run(args, &context, out),
        Command::Show(args) => show::run(args, &context, out),
    }
}
