//! Checks a commit with the `Run:` commands of a step. Every way to `complete` goes through here.

use super::gate::{self, Gates};
use crate::attempt::attempt_folder;
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::exec::shell::{ShellEnd, run_shell};
use canonry_repo::git::worktrees::{DetachedTree, checkout_detached};
use canonry_runs::plan::CommandResult;
use gix::ObjectId;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of one command if the owner states none.
pub(super) const COMMAND_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// The results of a step's commands.
#[derive(Clone, Debug, Default)]
pub(super) struct Verification {
    /// The commands that were run: all, or up to the first that failed.
    pub results: Vec<CommandResult>,
    /// Why the step is not verified.
    pub failure: Option<String>,
}

/// The conditions of the commands.
pub(super) struct Checks<'a> {
    /// The command that prepares a fresh checkout.
    pub setup: Option<&'a str>,
    /// The time limit of one command.
    pub timeout: Duration,
    pub cancel: &'a AtomicBool,
    /// The work tree of the last check, for the next one.
    pub tree: &'a RefCell<Option<DetachedTree>>,
}

/// Runs the commands of steps in clean checkouts.
pub(super) struct Verifier<'a> {
    pub workspace: &'a Workspace,
    pub gates: &'a Gates<'a>,
    /// The file that the output is appended to.
    pub log: PathBuf,
    pub checks: &'a Checks<'a>,
}

/// A prepared checkout of a commit, removed when this is dropped.
pub(super) struct Checkout {
    /// Its folder of the canon.
    folder: PathBuf,
    /// Why it could not be prepared.
    failure: Option<String>,
    tree: DetachedTree,
}

impl Verifier<'_> {
    /// Runs the commands of a step in a clean checkout of a commit, in order, until one fails. The caller has checked that they
    /// are committed.
    ///
    /// # Errors
    /// See [`Self::checkout`] and [`Self::run`].
    pub fn verify(&self, step: &PlanStep, commit: ObjectId) -> Result<Verification, Error> {
        self.gates.require(step)?;
        if gate::commands(step).next().is_none() {
            return Ok(Verification::default());
        }
        let checkout = self.checkout(commit)?;
        let verification = self.run(step, &checkout)?;
        self.checks.tree.replace(Some(checkout.tree));
        Ok(verification)
    }

    /// Checks a commit out and prepares it.
    ///
    /// # Errors
    /// The commit cannot be checked out, or [`ErrorKind::Interrupted`].
    pub fn checkout(&self, commit: ObjectId) -> Result<Checkout, Error> {
        let repo = self.workspace.repo()?;
        let parent = attempt_folder(&self.workspace.env, repo);
        let cancel = self.checks.cancel;
        // Commands can leave a tree that cannot be cleaned.
        let reused =
            self.checks.tree.take().and_then(|mut tree| tree.check_out(repo, commit, cancel).ok().map(|()| tree));
        let tree = reused.map_or_else(|| checkout_detached(repo, &parent, commit, cancel), Ok)?;
        let folder = tree.folder.join(self.workspace.view.base().to_display());
        let failure = match self.checks.setup {
            Some(setup) => self.command(setup, &folder)?.1.map(|failure| format!("the setup {failure}")),
            None => None,
        };
        Ok(Checkout { folder, failure, tree })
    }

    /// Runs the commands of a step in a checkout.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if a person must approve the step, or the guard denies a command; [`ErrorKind::Interrupted`] if
    /// the job is cancelled; [`ErrorKind::Internal`] if no shell can be started.
    pub fn run(&self, step: &PlanStep, checkout: &Checkout) -> Result<Verification, Error> {
        self.gates.require(step)?;
        let mut verification = Verification { results: Vec::new(), failure: checkout.failure.clone() };
        for command in gate::commands(step) {
            if verification.failure.is_some() {
                break;
            }
            let (exit_status, failure) = self.command(command, &checkout.folder)?;
            verification.results.push(CommandResult { command: command.to_owned(), exit_status });
            verification.failure = failure;
        }
        Ok(verification)
    }

    /// The exit status of a command, and what went wrong.
    fn command(&self, command: &str, folder: &Path) -> Result<(i32, Option<String>), Error> {
        let ran = run_shell(command, folder, Vec::new(), &self.log, self.checks.timeout, self.checks.cancel)
            .map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
        let status = ran.code();
        let what = match ran.end {
            ShellEnd::Cancelled => return Err(Error::new(ErrorKind::Interrupted, "interrupted")),
            ShellEnd::TimedOut => format!("did not end within {} s", self.checks.timeout.as_secs()),
            ShellEnd::Exited(_) if status == 0 => return Ok((0, None)),
            ShellEnd::Exited(_) => format!("exited {status}"),
        };
        let output = ran.output.trim();
        let output = if output.is_empty() { String::new() } else { format!(":\n{output}") };
        Ok((status, Some(format!("`{command}` {what}{output}"))))
    }
}
