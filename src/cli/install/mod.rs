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

/// Install a git hook, a nightly job, a CI workflow or a merge driver
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    place: Place,
}

/// Remove what `canonry install` added
#[derive(Debug, clap::Args)]
pub struct RemovalArgs {
    #[command(subcommand)]
    place: RemovalPlace,
}

#[derive(Debug, clap::Subcommand)]
enum Place {
    /// Install a pre-commit hook that checks staged files and, with --sync, mirrors them
    GitHooks(git_hooks::Args),
    /// Add a crontab entry that runs `canonry dream` every night
    Cron(cron::Args),
    /// Install a systemd user timer that runs `canonry dream` every night
    Systemd(systemd::Args),
    /// Write a GitHub Actions workflow that checks each push and runs `canonry dream` every night
    Ci(Rehearsal),
    /// Register a git merge driver for the memory files of two branches
    MergeDriver(Rehearsal),
}

#[derive(Debug, clap::Subcommand)]
enum RemovalPlace {
    /// Remove canonry's block from the pre-commit hook
    GitHooks(Rehearsal),
    /// Remove this repository's crontab entry
    Cron(Rehearsal),
    /// Remove this repository's systemd timer and service, if they are unchanged
    Systemd(Rehearsal),
    /// Remove the GitHub Actions workflow, if it is unchanged
    Ci(Rehearsal),
    /// Remove the merge driver from git's config and attributes
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
