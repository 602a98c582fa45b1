//! Runs the `Run:` commands of a step.

use super::gate::{self, Gates};
use crate::{Error, ErrorKind};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::exec::shell::{ShellEnd, run_shell};
use canonry_runs::plan::CommandResult;
use std::path::Path;
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

/// Runs the commands of a step in a folder, in order, until one fails. The caller has checked that they are committed.
///
/// # Errors
/// [`ErrorKind::Refused`] if a person must approve the step, or the guard denies a command; [`ErrorKind::Interrupted`] if the job is cancelled; [`ErrorKind::Internal`] if no shell can be started.
pub(super) fn run_commands(
    gates: &Gates<'_>,
    step: &PlanStep,
    folder: &Path,
    log: &Path,
    timeout: Duration,
    cancel: &AtomicBool,
) -> Result<Verification, Error> {
    gates.require(step)?;
    let mut verification = Verification::default();
    for command in gate::commands(step) {
        let ran = run_shell(command, folder, Vec::new(), log, timeout, cancel)
            .map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
        if matches!(ran.end, ShellEnd::Cancelled) {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        let exit_status = ran.code();
        verification.results.push(CommandResult { command: command.to_owned(), exit_status });
        if matches!(ran.end, ShellEnd::TimedOut) || exit_status != 0 {
            let what = match ran.end {
                ShellEnd::TimedOut => format!("did not end within {} s", timeout.as_secs()),
                _ => format!("exited {exit_status}"),
            };
            let output = ran.output.trim();
            let output = if output.is_empty() { String::new() } else { format!(":\n{output}") };
            verification.failure = Some(format!("`{command}` {what}{output}"));
            break;
        }
    }
    Ok(verification)
}
