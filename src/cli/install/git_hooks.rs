//! `canonry install git-hooks`

use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::{self, Standing, Use};
use crate::cli::install::shared::{Rehearsal, file_or_nothing, rehearse, repository, shown};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::git::hooks::{HooksFolder, HooksReach, hooks_folder};
use crate::install::block::{self, Left, Task};
use crate::install::script::{Runner, Unfit};
use std::path::{Path, PathBuf};

const HOOK: &str = "pre-commit";
/// Where the pre-commit framework moves a hook that was there before its own, and runs it from.
const MOVED: &str = "pre-commit.legacy";

/// The arguments of `canonry install git-hooks`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Also mirror the staged files before the check, so that each commit contains its mirrors; without it, an installed
    /// hook keeps its mode
    #[arg(long)]
    pub sync: bool,
    #[command(flatten)]
    pub rehearsal: Rehearsal,
}

/// The hook that git runs before a commit.
struct Hook {
    path: PathBuf,
    /// For people.
    name: String,
    runner: Runner,
    /// What it runs, or would by hand.
    task: Task,
}

impl Hook {
    fn find(env: &Environment, name: &str, task: Task) -> Result<Self, Error> {
        let (repo, top) = repository(env)?;
        let HooksFolder { path: folder, reach } = hooks_folder(&repo)?;
        if reach == HooksReach::Beyond {
            return Err(beyond(&folder, task));
        }
        // What git runs there is husky's own, and that runs the file of this name one folder further up.
        let husky = folder.ends_with(".husky/_");
        let (folder, runner) = match folder.parent().filter(|_| husky) {
            Some(above) => (above.to_owned(), Runner::Husky),
            None => (folder, Runner::Git),
        };
        let path = folder.join(name);
        Ok(Self { name: shown(&path, &top), path, runner, task })
    }

    fn refused(&self, unfit: &Unfit) -> Error {
        let help = match unfit {
            Unfit::Manager(manager) => manager.hint.to_owned(),
            Unfit::Torn => "put the block right or take its lines out, then run this again".to_owned(),
            Unfit::Binary | Unfit::NoShebang | Unfit::Interpreter(_) => {
                format!("let the hook run this first, and end with its status:\n  {}", self.task.by_hand())
            }
        };
        Error::new(ErrorKind::Refused, format!("{} is left as it is: {unfit}", self.name)).help(help)
    }

    /// The file's content, if it is one that git would run.
    fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        let standing = standalone_file::look(&self.path)?;
        let off = matches!(standing, Standing::File { mode, .. } if mode & 0o111 == 0);
        if off && self.runner == Runner::Git {
            let message = format!("{} is left as it is: it is not executable, so that git does not run it", self.name);
            return Err(Error::new(ErrorKind::Refused, message)
                .help("turn it on with `chmod +x`, or take it away, then run this again"));
        }
        file_or_nothing(&self.name, standing)
            .map_err(|error| error.help(format!("let the hook run this, or take it away:\n  {}", self.task.by_hand())))
    }
}

/// A hook there would judge repositories that have no canon.
fn beyond(folder: &Path, task: Task) -> Error {
    let by_hand = task.by_hand();
    let own = "give this repository a folder of its own: `git config core.hooksPath .githooks`";
    let nowhere = folder.exists() && !folder.is_dir();
    let (message, help) = match folder.display() {
        folder if nowhere => {
            (format!("core.hooksPath is {folder}, which is no folder: git runs no hooks"), own.to_owned())
        }
        folder => (
            format!("git runs hooks from {folder}, which other repositories may use too"),
            format!("add to {folder}/{HOOK}:\n  {by_hand}\nor {own}"),
        ),
    };
    Error::new(ErrorKind::Refused, message).help(help)
}

/// Puts the block in.
///
/// # Errors
/// See [`Error`].
pub fn install(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let asked = if args.sync { Task::SyncAndCheck } else { Task::Check };
    let hook = Hook::find(env, HOOK, asked)?;
    let was = hook.read()?;
    // Whoever brings a hook up to date does not take something out of it.
    let before = was.as_deref().and_then(block::task).filter(|_| !args.sync);
    let task = before.unwrap_or(asked);
    let now = block::installed(was.as_deref(), hook.runner, task).map_err(|unfit| hook.refused(&unfit))?;
    let name = &hook.name;
    if was.as_ref() == Some(&now) {
        out.result(&format!("unchanged {name}: canonry's block stands in it\n"));
        return Ok(Status::Done);
    }
    if args.rehearsal.dry_run {
        return Ok(rehearse(name, was.as_deref(), Some(&now), out));
    }
    standalone_file::replace(&hook.path, &now, Use::Program)?;
    let kept = if was.is_some() { ": canonry's block; all else in it is as it was" } else { "" };
    let mirrors = match task {
        Task::Check => "",
        Task::SyncAndCheck => "`canonry sync --staged` puts the mirrors of what is staged into the same commit.\n",
    };
    out.result(&format!(
        "wrote     {name}{kept}\n{mirrors}\
         Each commit is now judged by `canonry check --staged`; `git commit --no-verify` passes it by.\n\
         To take it back: `canonry uninstall git-hooks`.\n"
    ));
    if now.starts_with(b"#!") && now.split(|byte| *byte == b'\n').next().is_some_and(|line| line.ends_with(b"\r")) {
        out.remark(&format!(
            "{name}: its first line ends in CRLF, so that Unix finds no such shell and git cannot run it\n"
        ));
    }
    Ok(Status::Done)
}

/// Takes the block out.
///
/// # Errors
/// See [`Error`].
pub fn uninstall(rehearsal: Rehearsal, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    for name in [HOOK, MOVED] {
        if let Some(status) = take_out(&Hook::find(env, name, Task::Check)?, rehearsal, out)? {
            return Ok(status);
        }
    }
    let name = Hook::find(env, HOOK, Task::Check)?.name;
    out.result(&format!("Nothing to take out: {name} holds no block of canonry's.\n"));
    Ok(Status::Done)
}

/// `None` where there is no block.
fn take_out(hook: &Hook, rehearsal: Rehearsal, out: &Out<'_>) -> Result<Option<Status>, Error> {
    let name = &hook.name;
    // In what is no file there is no block.
    let was = standalone_file::look(&hook.path)?;
    let was = was.bytes().unwrap_or_default();
    let left = block::uninstalled(was).map_err(|unfit| hook.refused(&unfit))?;
    let now = match &left {
        Left::AsItWas => return Ok(None),
        Left::File(now) => Some(now.as_slice()),
        Left::Nothing => None,
    };
    if rehearsal.dry_run {
        return Ok(Some(rehearse(name, Some(was), now, out)));
    }
    match now {
        Some(now) => {
            standalone_file::replace(&hook.path, now, Use::Program)?;
            out.result(&format!("wrote     {name}: canonry's block is out, all else is as it was\n"));
        }
        None => {
            standalone_file::remove(&hook.path)?;
            out.result(&format!("removed   {name}\n"));
        }
    }
    Ok(Some(Status::Done))
}
