//! `canonry install` and `canonry uninstall`

use super::output::Out;
use super::status::Status;
use crate::render::install as text;
use crate::render::install::OutputLine;
use canonry_app::install::{self, InstallOutcome, Integration};
use canonry_app::install_text::crontab::TimeOfDay;
use canonry_app::{Environment, Error};

/// Install git hooks, nightly jobs, CI, a merge driver or CODEOWNERS
#[derive(Debug, clap::Args)]
pub struct IntegrationArgs {
    #[command(subcommand)]
    integration: InstallCommand,
}

/// Remove what `canonry install` added
#[derive(Debug, clap::Args)]
pub struct UninstallArgs {
    #[command(subcommand)]
    integration: UninstallCommand,
}

#[derive(Debug, clap::Subcommand)]
enum InstallCommand {
    /// Install a pre-commit hook that checks staged files
    GitHooks(GitHooksArgs),
    /// Run `canonry dream` every night with cron
    Cron(NightlyArgs),
    /// Run `canonry dream` every night with a systemd user timer
    Systemd(NightlyArgs),
    /// Write a GitHub Actions workflow for checks
    Ci(CiArgs),
    /// Merge the memory of two branches row by row
    MergeDriver(DryRun),
    /// Write the owners of skills into CODEOWNERS
    Codeowners(DryRun),
}

#[derive(Debug, clap::Subcommand)]
enum UninstallCommand {
    /// Remove canonry's block from the pre-commit hook
    GitHooks(DryRun),
    /// Remove this repository's crontab entry
    Cron(DryRun),
    /// Remove this repository's systemd timer, if unchanged
    Systemd(DryRun),
    /// Remove the GitHub Actions workflow, if unchanged
    Ci(DryRun),
    /// Remove the merge driver
    MergeDriver(DryRun),
    /// Remove canonry's block from CODEOWNERS
    Codeowners(DryRun),
}

#[derive(Debug, clap::Args)]
struct GitHooksArgs {
    /// Also mirror staged files; an installed hook keeps its mode
    #[arg(long)]
    sync: bool,
    #[command(flatten)]
    dry_run: DryRun,
}

#[derive(Debug, clap::Args)]
struct NightlyArgs {
    /// Local time of day
    #[arg(long, value_name = "HH:MM", default_value = "03:00", value_parser = TimeOfDay::parse)]
    at: TimeOfDay,
    #[command(flatten)]
    dry_run: DryRun,
}

#[derive(Debug, clap::Args)]
struct CiArgs {
    /// Also run `canonry dream` every night, with write permission
    #[arg(long)]
    dream: bool,
    #[command(flatten)]
    dry_run: DryRun,
}

#[derive(Clone, Copy, Debug, clap::Args)]
struct DryRun {
    /// Write nothing; print the change as a diff
    #[arg(long)]
    dry_run: bool,
}

/// Runs `canonry install`.
///
/// # Errors
/// See [`install::install`].
pub fn run(args: &IntegrationArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (integration, DryRun { dry_run }) = match &args.integration {
        InstallCommand::GitHooks(args) => (Integration::GitHooks { sync: args.sync }, args.dry_run),
        InstallCommand::Cron(args) => (Integration::Cron { at: args.at }, args.dry_run),
        InstallCommand::Systemd(args) => (Integration::Systemd { at: args.at }, args.dry_run),
        InstallCommand::Ci(args) => (Integration::Ci { dream: args.dream }, args.dry_run),
        InstallCommand::MergeDriver(dry_run) => (Integration::MergeDriver, *dry_run),
        InstallCommand::Codeowners(dry_run) => (Integration::Codeowners, *dry_run),
    };
    let outcome = install::install(environment, &integration, dry_run)?;
    report(outcome, out, |outcome| if dry_run { text::diffs(outcome) } else { text::installed(outcome) })
}

/// Runs `canonry uninstall`.
///
/// # Errors
/// See [`install::uninstall`].
pub fn uninstall(args: &UninstallArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (integration, DryRun { dry_run }) = match &args.integration {
        UninstallCommand::GitHooks(dry_run) => (Integration::GitHooks { sync: false }, *dry_run),
        UninstallCommand::Cron(dry_run) => (Integration::Cron { at: TimeOfDay::MIDNIGHT }, *dry_run),
        UninstallCommand::Systemd(dry_run) => (Integration::Systemd { at: TimeOfDay::MIDNIGHT }, *dry_run),
        UninstallCommand::Ci(dry_run) => (Integration::Ci { dream: false }, *dry_run),
        UninstallCommand::MergeDriver(dry_run) => (Integration::MergeDriver, *dry_run),
        UninstallCommand::Codeowners(dry_run) => (Integration::Codeowners, *dry_run),
    };
    let outcome = install::uninstall(environment, &integration, dry_run)?;
    let show_diffs = dry_run && !outcome.steps.is_empty();
    report(outcome, out, |outcome| if show_diffs { text::diffs(outcome) } else { text::uninstalled(outcome) })
}

fn report(
    outcome: InstallOutcome,
    out: &Out<'_>,
    lines: impl Fn(&InstallOutcome) -> Vec<OutputLine>,
) -> Result<Status, Error> {
    if let Some(conflict) = outcome.conflict {
        out.remark(&text::difference(&conflict.difference));
        return Err(conflict.error);
    }
    for line in lines(&outcome) {
        match line {
            OutputLine::Result(text) => out.result(&text),
            OutputLine::Remark(text) => out.remark(&text),
        }
    }
    Ok(Status::Done)
}
