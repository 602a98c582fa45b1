//! `canonry install` and `canonry uninstall`

mod ci;
mod cron;
mod git_hooks;
mod merge_driver;
mod shared;
mod systemd;

use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::Error;
use shared::Rehearsal;

/// Lets git, cron or CI run canonry by itself, beside whatever is there.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    place: Place,
}

/// Takes out what `canonry install` put in, and nothing else.
#[derive(Debug, clap::Args)]
pub struct RemovalArgs {
    #[command(subcommand)]
    place: RemovalPlace,
}

#[derive(Debug, clap::Subcommand)]
enum Place {
    /// A pre-commit hook that judges what is staged and, with `--sync`, mirrors it
    GitHooks(git_hooks::Args),
    /// A line in your crontab that runs `canonry dream` every night
    Cron(cron::Args),
    /// A timer of your systemd that runs `canonry dream` every night
    Systemd(systemd::Args),
    /// A workflow for GitHub Actions that checks each push and runs `canonry dream` every night
    Ci(Rehearsal),
    /// A driver with which git merges the memories of two branches row by row and lesson by lesson
    MergeDriver(Rehearsal),
}

#[derive(Debug, clap::Subcommand)]
enum RemovalPlace {
    /// The block in the pre-commit hook
    GitHooks(Rehearsal),
    /// This repository's line in your crontab
    Cron(Rehearsal),
    /// This repository's timer and service, where nobody changed them
    Systemd(Rehearsal),
    /// The workflow, where nobody changed it
    Ci(Rehearsal),
    /// The merge driver: its section of git's config, and the attributes that name it
    MergeDriver(Rehearsal),
}

/// Runs `canonry install`.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.place {
        Place::GitHooks(args) => git_hooks::install(args, env, out),
        Place::Cron(args) => cron::install(args, env, out),
        Place::Systemd(args) => systemd::install(args, env, out),
        Place::Ci(rehearsal) => ci::install(*rehearsal, env, out),
        Place::MergeDriver(rehearsal) => merge_driver::install(*rehearsal, env, out),
    }
}

/// Runs `canonry uninstall`.
///
/// # Errors
/// See [`Error`].
pub fn remove(args: &RemovalArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.place {
        RemovalPlace::GitHooks(rehearsal) => git_hooks::uninstall(*rehearsal, env, out),
        RemovalPlace::Cron(rehearsal) => cron::uninstall(*rehearsal, env, out),
        RemovalPlace::Systemd(rehearsal) => systemd::uninstall(*rehearsal, env, out),
        RemovalPlace::Ci(rehearsal) => ci::uninstall(*rehearsal, env, out),
        RemovalPlace::MergeDriver(rehearsal) => merge_driver::uninstall(*rehearsal, env, out),
    }
}
