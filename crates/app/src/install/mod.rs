//! `install` and `uninstall`: add canonry to git hooks, cron, systemd, CI, git's merge drivers and CODEOWNERS, and remove it
//! again.

mod block_file;
mod ci;
mod codeowners;
mod cron;
mod git_hooks;
mod merge_driver;
mod systemd;

pub use crate::install_text::crontab::TimeOfDay;
use crate::{Environment, Error, ErrorKind};
use canonry_repo::apply::standalone_file::{self, PathContent, Use};
use canonry_repo::git::config::{HooksError, real};
use canonry_repo::git::open::open;
use std::path::{Path, PathBuf};

/// A program that can run canonry. `uninstall` ignores the options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integration {
    /// git's pre-commit hook.
    GitHooks {
        /// Whether the hook also mirrors the staged files. An installed hook that does keeps doing so.
        sync: bool,
    },
    /// The user's crontab.
    Cron {
        /// When to run every night.
        at: TimeOfDay,
    },
    /// The user's systemd.
    Systemd {
        /// When to run every night.
        at: TimeOfDay,
    },
    /// GitHub Actions.
    Ci {
        /// Whether the workflow also consolidates the memory every night. An installed workflow that does keeps doing so.
        dream: bool,
    },
    /// git's merge of the memory files.
    MergeDriver,
    /// The owners of skills in CODEOWNERS.
    Codeowners,
}

/// Changes of an installation or removal, or those that a dry run would make.
#[derive(Debug)]
pub struct InstallOutcome {
    /// Changed and unchanged files and executed commands, in order. Empty if there was nothing to uninstall.
    pub steps: Vec<InstallStep>,
    /// Facts about the integration that a report needs.
    pub details: IntegrationDetails,
    /// A file with unexpected content; nothing was changed.
    pub conflict: Option<FileConflict>,
}

/// One step of an installation.
#[derive(Debug)]
pub enum InstallStep {
    /// A file, or the user's crontab.
    File(InstallFileChange),
    /// A command of the service manager.
    Command(CommandRun),
}

/// A file before and after an installation.
#[derive(Debug)]
pub struct InstallFileChange {
    /// The path as a user writes it: relative to the repository if it is inside.
    pub name: String,
    /// The old content; `None` if the file did not exist.
    pub before: Option<Vec<u8>>,
    /// The new content; `None` if the file is removed.
    pub after: Option<Vec<u8>>,
}

impl InstallFileChange {
    /// Whether the content stays the same.
    pub fn is_unchanged(&self) -> bool {
        self.before == self.after
    }

    fn write(&self, path: &Path, usage: Use) -> Result<(), Error> {
        match &self.after {
            _ if self.is_unchanged() => Ok(()),
            Some(bytes) => Ok(standalone_file::replace(path, bytes, usage)?),
            None => Ok(standalone_file::remove(path)?),
        }
    }
}

/// A command that was executed, or could not be.
#[derive(Debug)]
pub struct CommandRun {
    /// The command line.
    pub line: String,
    pub result: InstallCommandResult,
}

/// Result of a command.
#[derive(Debug)]
pub enum InstallCommandResult {
    /// It succeeded.
    Succeeded,
    /// It failed, with this message.
    Failed(String),
    /// The program is not installed.
    NotInstalled,
    /// It could not be started, for this reason.
    NotStarted(String),
}

/// Facts about an integration that a report needs.
#[derive(Debug)]
pub enum IntegrationDetails {
    /// The pre-commit hook.
    GitHooks {
        /// Whether the hook mirrors the staged files.
        sync: bool,
        /// Whether the shebang ends in CRLF, so that Unix cannot run the hook.
        has_crlf_shebang: bool,
    },
    /// The crontab entry.
    Cron {
        /// The repository of the entry.
        repository: PathBuf,
        /// The file that receives the output of the job.
        log: PathBuf,
    },
    /// The systemd units.
    Systemd {
        /// The repository of the units.
        repository: PathBuf,
    },
    /// The GitHub Actions workflow.
    Ci {
        /// Whether it consolidates the memory every night.
        dream: bool,
    },
    /// The merge driver.
    MergeDriver,
    /// The block in CODEOWNERS.
    Codeowners {
        /// Number of skills with owners.
        skills: usize,
        /// Owners that are left out, and why.
        skipped: Vec<String>,
    },
}

/// A file whose content is not what canonry writes.
#[derive(Debug)]
pub struct FileConflict {
    /// The difference to show: from the expected to the actual content, or from the actual to the new one.
    pub difference: InstallFileChange,
    /// The refusal.
    pub error: Error,
}

/// Installs an integration, or reports the changes of a dry run. A second run changes nothing.
///
/// # Errors
/// No repository, a file that canonry does not change, or a file system error.
pub fn install(environment: &Environment, integration: &Integration, dry_run: bool) -> Result<InstallOutcome, Error> {
    match integration {
        Integration::GitHooks { sync } => git_hooks::install(environment, *sync, dry_run),
        Integration::Cron { at } => cron::install(environment, *at, dry_run),
        Integration::Systemd { at } => systemd::install(environment, *at, dry_run),
        Integration::Ci { dream } => ci::install(environment, *dream, dry_run),
        Integration::MergeDriver => merge_driver::install(environment, dry_run),
        Integration::Codeowners => codeowners::install(environment, dry_run),
    }
}

/// Removes what [`install`] added, and nothing else.
///
/// # Errors
/// No repository, a file that was edited since, or a file system error.
pub fn uninstall(environment: &Environment, integration: &Integration, dry_run: bool) -> Result<InstallOutcome, Error> {
    match integration {
        Integration::GitHooks { .. } => git_hooks::uninstall(environment, dry_run),
        Integration::Cron { .. } => cron::uninstall(environment, dry_run),
        Integration::Systemd { .. } => systemd::uninstall(environment, dry_run),
        Integration::Ci { .. } => ci::uninstall(environment, dry_run),
        Integration::MergeDriver => merge_driver::uninstall(environment, dry_run),
        Integration::Codeowners => codeowners::uninstall(environment, dry_run),
    }
}

/// The repository and the top of its work tree, without links.
fn repository(environment: &Environment) -> Result<(gix::Repository, PathBuf), Error> {
    let repo = open(&environment.cwd)?;
    let top = repo.workdir().map(real).transpose()?.ok_or(HooksError::Bare)?;
    Ok((repo, top))
}

/// A path relative to `top` if it is inside.
fn display_name(path: &Path, top: &Path) -> String {
    path.strip_prefix(top).unwrap_or(path).display().to_string()
}

/// The content of a file; `None` if nothing exists at its path. canonry replaces neither links nor directories.
fn content_of_file(name: &str, standing: PathContent) -> Result<Option<Vec<u8>>, Error> {
    let kind = match standing {
        PathContent::Nothing => return Ok(None),
        PathContent::File { bytes, .. } => return Ok(Some(bytes)),
        PathContent::Link => "a link, and canonry does not write through links",
        PathContent::Folder => "a directory",
        PathContent::Special => "not a regular file",
    };
    Err(Error::new(ErrorKind::Refused, format!("{name} is {kind}")))
}

/// The path of this binary. Prefers the name on PATH if it leads to this binary: a package manager keeps that name when it
/// installs a new version.
fn canonry_path(environment: &Environment) -> Result<PathBuf, Error> {
    let own = std::env::current_exe()
        .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot determine the path of canonry: {e}")))?;
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let directories = environment.path.clone().unwrap_or_default();
    let candidates = std::env::split_paths(&directories).map(|directory| directory.join("canonry"));
    let is_own = |path: &PathBuf| path.is_absolute() && real(path).is_some_and(|path| Some(path) == real(&own));
    Ok(candidates.into_iter().find(is_own).unwrap_or(own))
}
