//! canonry's block in git's pre-commit hook.

use super::{
    InstallFileChange, InstallOutcome, InstallStep, IntegrationDetails, content_of_file, display_name, repository,
};
use crate::install_text::git_hook::{self, BlockRemoval, HookTask};
use crate::install_text::hook_script::{HookRunner, HookScriptError};
use crate::{Environment, Error, ErrorKind};
use canonry_repo::apply::standalone_file::{self, PathContent, Use};
use canonry_repo::git::config::{HooksFolder, HooksReach, hooks_folder};
use std::path::{Path, PathBuf};

const HOOK: &str = "pre-commit";
/// The pre-commit framework renames an existing hook to this and runs it from its own.
const LEGACY_HOOK: &str = "pre-commit.legacy";

/// A hook file of git.
struct Hook {
    path: PathBuf,
    /// The path as a user writes it.
    name: String,
    runner: HookRunner,
    /// The task to install, or to suggest.
    task: HookTask,
}

impl Hook {
    fn find(environment: &Environment, name: &str, task: HookTask) -> Result<Self, Error> {
        let (repo, top) = repository(environment)?;
        let HooksFolder { path: directory, reach } = hooks_folder(&repo)?;
        if reach == HooksReach::Beyond {
            return Err(shared_hooks(&directory, task));
        }
        // git runs husky's own scripts in `.husky/_`; they run the script of the same name in `.husky`.
        let is_husky = directory.ends_with(".husky/_");
        let (directory, runner) = match directory.parent().filter(|_| is_husky) {
            Some(parent) => (parent.to_owned(), HookRunner::Husky),
            None => (directory, HookRunner::Git),
        };
        let path = directory.join(name);
        Ok(Self { name: display_name(&path, &top), path, runner, task })
    }

    fn refused(&self, error: &HookScriptError) -> Error {
        let help = match error {
            HookScriptError::Manager(manager) => manager.hint.to_owned(),
            HookScriptError::MalformedBlock => "repair the block or remove its lines, then run this again".to_owned(),
            HookScriptError::Binary | HookScriptError::NoShebang | HookScriptError::Interpreter(_) => {
                format!("run this first in the hook, and end with its status:\n  {}", self.task.command_line())
            }
        };
        Error::new(ErrorKind::Refused, format!("{} is unchanged: {error}", self.name)).help(help)
    }

    /// The content of the hook. Refuses a hook that git would not run.
    fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        let standing = standalone_file::read_path(&self.path)?;
        let is_disabled = matches!(standing, PathContent::File { mode, .. } if mode & 0o111 == 0);
        if is_disabled && self.runner == HookRunner::Git {
            let message = format!("{} is unchanged: it is not executable, so git does not run it", self.name);
            return Err(Error::new(ErrorKind::Refused, message)
                .help("make it executable with `chmod +x`, or remove it, then run this again"));
        }
        content_of_file(&self.name, standing)
            .map_err(|error| error.help(format!("run this in the hook, or remove it:\n  {}", self.task.command_line())))
    }

    /// Removes the block; `None` if the hook has none.
    fn uninstall(&self, dry_run: bool) -> Result<Option<InstallFileChange>, Error> {
        let standing = standalone_file::read_path(&self.path)?;
        // Only a regular file can contain a block.
        let before = standing.bytes().unwrap_or_default();
        let after = match git_hook::remove_block(before).map_err(|error| self.refused(&error))? {
            BlockRemoval::NoBlock => return Ok(None),
            BlockRemoval::Remainder(remainder) => Some(remainder),
            BlockRemoval::DeleteFile => None,
        };
        let change = InstallFileChange { name: self.name.clone(), before: Some(before.to_vec()), after };
        if !dry_run {
            change.write(&self.path, Use::Program)?;
        }
        Ok(Some(change))
    }
}

/// The hooks directory is outside the repository, so a hook there would also check repositories without a canon.
fn shared_hooks(directory: &Path, task: HookTask) -> Error {
    let command = task.command_line();
    let own = "give this repository its own hooks directory: `git config core.hooksPath .githooks`";
    let is_invalid = directory.exists() && !directory.is_dir();
    let directory = directory.display();
    let (message, help) = if is_invalid {
        (format!("core.hooksPath is {directory}, which is not a directory: git runs no hooks"), own.to_owned())
    } else {
        (
            format!("git runs the hooks in {directory}, which other repositories may share"),
            format!("add to {directory}/{HOOK}:\n  {command}\nor {own}"),
        )
    };
    Error::new(ErrorKind::Refused, message).help(help)
}

fn outcome(steps: Vec<InstallStep>, task: HookTask, has_crlf_shebang: bool) -> InstallOutcome {
    let details = IntegrationDetails::GitHooks { sync: task == HookTask::SyncAndCheck, has_crlf_shebang };
    InstallOutcome { steps, details, conflict: None }
}

pub(super) fn install(environment: &Environment, sync: bool, dry_run: bool) -> Result<InstallOutcome, Error> {
    let requested = if sync { HookTask::SyncAndCheck } else { HookTask::Check };
    let hook = Hook::find(environment, HOOK, requested)?;
    let before = hook.read()?;
    // An update without `--sync` keeps an installed sync.
    let installed = before.as_deref().and_then(git_hook::installed_task).filter(|_| !sync);
    let task = installed.unwrap_or(requested);
    let after = git_hook::insert_block(before.as_deref(), hook.runner, task).map_err(|error| hook.refused(&error))?;
    let first_line = after.split(|byte| *byte == b'\n').next().expect("split is never empty");
    let has_crlf_shebang = first_line.starts_with(b"#!") && first_line.ends_with(b"\r");
    let change = InstallFileChange { name: hook.name, before, after: Some(after) };
    if !dry_run {
        change.write(&hook.path, Use::Program)?;
    }
    Ok(outcome(vec![InstallStep::File(change)], task, has_crlf_shebang))
}

pub(super) fn uninstall(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    for name in [HOOK, LEGACY_HOOK] {
        let hook = Hook::find(environment, name, HookTask::Check)?;
        if let Some(change) = hook.uninstall(dry_run)? {
            return Ok(outcome(vec![InstallStep::File(change)], HookTask::Check, false));
        }
    }
    Ok(outcome(Vec::new(), HookTask::Check, false))
}
