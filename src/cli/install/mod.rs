//! `canonry install` and `canonry uninstall`

mod ci;
mod cron;
mod git_hooks;

use super::env::{Env, Out};
use super::error::CliError;
use super::status::Status;
use crate::apply::lone::Standing;
use crate::git::hooks::HooksError;
use crate::render::diff;
use std::path::{Path, PathBuf};

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
    /// A pre-commit hook that judges what is staged
    GitHooks(Rehearsal),
    /// A line in your crontab that runs `canonry dream` every night
    Cron(cron::Args),
    /// A workflow for GitHub Actions that checks each push and runs `canonry dream` every night
    Ci(Rehearsal),
}

#[derive(Debug, clap::Subcommand)]
enum RemovalPlace {
    /// The block in the pre-commit hook
    GitHooks(Rehearsal),
    /// This repository's line in your crontab
    Cron(Rehearsal),
    /// The workflow, where nobody changed it
    Ci(Rehearsal),
}

/// Whether anything is written.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Rehearsal {
    /// Write nothing; print the change as a unified diff
    #[arg(long)]
    pub dry_run: bool,
}

/// Runs `canonry install`.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    match &args.place {
        Place::GitHooks(rehearsal) => git_hooks::install(*rehearsal, env, out),
        Place::Cron(args) => cron::install(args, env, out),
        Place::Ci(rehearsal) => ci::install(*rehearsal, env, out),
    }
}

/// Runs `canonry uninstall`.
///
/// # Errors
/// See [`CliError`].
pub fn remove(args: &RemovalArgs, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    match &args.place {
        RemovalPlace::GitHooks(rehearsal) => git_hooks::uninstall(*rehearsal, env, out),
        RemovalPlace::Cron(rehearsal) => cron::uninstall(*rehearsal, env, out),
        RemovalPlace::Ci(rehearsal) => ci::uninstall(*rehearsal, env, out),
    }
}

/// The repository and the top of its work tree, without links.
fn repository(env: &Env) -> Result<(gix::Repository, PathBuf), CliError> {
    let repo = crate::git::open::open(&env.cwd)?;
    let top = repo.workdir().map(crate::git::hooks::real).transpose()?.ok_or(HooksError::Bare)?;
    Ok((repo, top))
}

/// A path as a person knows it: from the top where it is below it.
fn shown(path: &Path, top: &Path) -> String {
    path.strip_prefix(top).unwrap_or(path).display().to_string()
}

/// One file's change as a unified diff.
fn rehearse(name: &str, was: Option<&[u8]>, now: Option<&[u8]>, out: &mut Out<'_>) -> Status {
    out.result(&diff::unified(name.trim_start_matches('/'), was, now));
    Status::Done
}

/// What stands at a path that canonry wants for a file; neither a link nor a folder is touched.
fn file_or_nothing(name: &str, standing: Standing) -> Result<Option<Vec<u8>>, CliError> {
    let what = match standing {
        Standing::Nothing => return Ok(None),
        Standing::File { bytes, .. } => return Ok(Some(bytes)),
        Standing::Link => "a link, and canonry does not write through one",
        Standing::Folder => "a folder",
        Standing::Special => "not a file",
    };
    Err(CliError::new(Status::Refused, format!("{name} is {what}")))
}
