//! Notifications: the command `notify` of `owners.yaml`, which tells a person what a run needs and how it ended.
//!
//! The command runs beside the workers, one call at a time. It cannot harm a run: it has a time limit, and its failure is a
//! notice.

use crate::{Error, Workspace};
use canonry_model::canon::owners::Owners;
use canonry_repo::exec::shell::{ShellEnd, run_to_end};
use canonry_repo::exec::worker::{WorkerCommand, new_mark};
use canonry_runs::exec::{RunEnd, RunKind, RunOutcome};
use canonry_text::printable::{head, one_line};
use canonry_text::secrets::without_secrets;
use serde_json::json;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The version of the JSON document.
const SCHEMA: &str = "canonry/notification/v1";
/// The longest time of one call. A run waits so long at its end.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of a value. Linux accepts 128 KiB for a variable with its name (`MAX_ARG_STRLEN`).
const VARIABLE: usize = 127 << 10;

/// Never set: the end of a run cancels its workers, but not its notification.
static NOT_CANCELLED: AtomicBool = AtomicBool::new(false);

/// Notifies a person about one run. Does nothing without a command.
#[derive(Debug, Default)]
pub(crate) struct Notifier {
    calls: Option<Sender<Call>>,
    problems: Option<Receiver<String>>,
    thread: Option<JoinHandle<()>>,
    run: Option<RunIdentity>,
    /// Steps and messages that were sent.
    sent: HashSet<(String, String)>,
    /// Whether a failure of the command was reported.
    has_failed: bool,
}

#[derive(Clone, Debug)]
struct RunIdentity {
    kind: RunKind,
    id: String,
}

/// One call of the command.
#[derive(Debug)]
struct Call {
    variables: Vec<(&'static str, String)>,
    input: Vec<u8>,
}

/// The command and its surroundings.
struct NotifyCommand {
    command: String,
    folder: PathBuf,
    log: PathBuf,
    timeout: Duration,
}

impl Notifier {
    /// A notifier for a run.
    ///
    /// # Errors
    /// The repository has no folder for the log of the command.
    pub fn start(workspace: &Workspace, owners: &Owners, kind: RunKind, id: &str) -> Result<Self, Error> {
        let Some(command) = owners.notify.clone() else { return Ok(Self::default()) };
        let log = workspace.git_dir()?.join("canonry/notify.log");
        let command = NotifyCommand { command, folder: workspace.top()?, log, timeout: TIMEOUT };
        let (calls, receiver) = channel();
        let (report, problems) = channel();
        let work = move || {
            for call in receiver {
                match command.call(call) {
                    Ok(()) => {}
                    Err(CallError::Failed(problem)) => drop(report.send(problem)),
                    Err(CallError::Hangs(problem)) => {
                        drop(report.send(problem));
                        return;
                    }
                }
            }
        };
        let thread = std::thread::Builder::new().name("notify".to_owned()).spawn(work).ok();
        let run = Some(RunIdentity { kind, id: id.to_owned() });
        let sent = HashSet::new();
        Ok(Self { calls: Some(calls), problems: Some(problems), thread, run, sent, has_failed: false })
    }

    /// Tells once that a step needs a person. `next` is the command to run.
    pub fn needs_person(&mut self, step: &str, message: &str, next: &str) {
        if self.calls.is_some() && self.sent.insert((step.to_owned(), message.to_owned())) {
            self.send("needs_person", step, "", message, next);
        }
    }

    /// Tells what nobody has to answer.
    pub fn notification(&self, step: &str, message: &str) {
        self.send("notification", step, "", message, "");
    }

    /// Tells how the run ended, and first whom it needs.
    pub fn end(&mut self, outcome: &RunOutcome) {
        let RunOutcome { run, end, .. } = outcome;
        if let RunEnd::Asks(question) = end {
            self.needs_person(&question.name, &question.message, &question.answer_command(run));
        }
        for (step, request) in end.steps().iter().filter(|_| matches!(end, RunEnd::NeedsPerson(_))) {
            let next = request.next.clone().unwrap_or_else(|| format!("canonry run show {run}"));
            self.needs_person(step, &request.reason, &next);
        }
        let is_over = matches!(end, RunEnd::Complete | RunEnd::Aborted(_));
        let next = if is_over { String::new() } else { format!("canonry run exec {run}") };
        let reason = end.reason().map(|reason| format!("; {reason}")).unwrap_or_default();
        let message = outcome.progress() + &reason;
        self.send("end", "", end.words().0, &message, &next);
    }

    /// Tells that the run ended with an error.
    pub fn error(&self, error: &Error) {
        let next = self.run.as_ref().map(|run| format!("canonry run exec {}", run.id)).unwrap_or_default();
        self.send("end", "", "error", &error.message, &next);
    }

    /// The first failure of the command since the start of the run. Does not wait.
    pub fn problem(&mut self) -> Option<String> {
        let problem = self.problems.as_ref()?.try_recv().ok().filter(|_| !self.has_failed)?;
        self.has_failed = true;
        Some(problem)
    }

    /// Waits for the calls of the command, and returns its failure if it was not reported.
    pub fn finish(&mut self) -> Option<String> {
        self.calls = None;
        // The thread ends after the last call, or after the first one that hangs.
        let _ = self.thread.take().map(JoinHandle::join);
        self.problem()
    }

    fn send(&self, event: &'static str, step: &str, outcome: &str, message: &str, next: &str) {
        let (Some(calls), Some(run)) = (&self.calls, &self.run) else { return };
        let clean = |text: &str| head(&without_secrets(&one_line(text)), VARIABLE).to_owned();
        let (key, variable) = match run.kind {
            RunKind::Plan => ("plan", "CANONRY_PLAN"),
            RunKind::Workflow => ("run", "CANONRY_RUN"),
        };
        let known = |text: &str| Some(clean(text)).filter(|text| !text.is_empty());
        let document = json!({
            "schema": SCHEMA, "event": event, key: run.id, "step": known(step), "outcome": known(outcome),
            "message": clean(message), "next": known(next),
        });
        let variables = vec![
            ("CANONRY_EVENT", event.to_owned()),
            (variable, clean(&run.id)),
            ("CANONRY_STEP", clean(step)),
            ("CANONRY_OUTCOME", clean(outcome)),
            ("CANONRY_MESSAGE", clean(message)),
            ("CANONRY_NEXT", clean(next)),
        ];
        // The thread may have ended because the command hangs.
        let _ = calls.send(Call { variables, input: format!("{document}\n").into_bytes() });
    }
}

#[derive(Debug)]
enum CallError {
    Failed(String),
    Hangs(String),
}

impl NotifyCommand {
    fn call(&self, call: Call) -> Result<(), CallError> {
        let argv = ["sh", "-c", &self.command].map(str::to_owned);
        let env = call.variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let Self { folder, log, .. } = self;
        let command = WorkerCommand { argv: &argv, folder, env, stdin: call.input, log, mark: new_mark() };
        let (end, output) = run_to_end(command, self.timeout, &NOT_CANCELLED)
            .map_err(|error| CallError::Failed(format!("nobody was notified: {error}")))?;
        if end.code() == 0 {
            return Ok(());
        }
        let last = Some(output.last_line).filter(|line| !line.is_empty());
        let last = last.map(|line| format!(": {line}")).unwrap_or_default();
        Err(match end {
            ShellEnd::TimedOut => {
                let seconds = self.timeout.as_secs();
                CallError::Hangs(format!("nobody is notified any more: `notify` did not end within {seconds} s{last}"))
            }
            _ => CallError::Failed(format!("nobody was notified: `notify` exited {}{last}", end.code())),
        })
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        drop(self.finish());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_hangs_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let call = |command: &str| {
            let log = folder.path().join("notify.log");
            let folder = folder.path().to_owned();
            let command =
                NotifyCommand { command: command.to_owned(), folder, log, timeout: Duration::from_millis(200) };
            command.call(Call { variables: vec![("CANONRY_EVENT", "end".to_owned())], input: b"{}\n".to_vec() })
        };
        let CallError::Hangs(problem) = call("echo begun; sleep 60").unwrap_err() else { panic!("it ended") };
        assert!(problem.ends_with("`notify` did not end within 0 s: begun"), "{problem}");
        assert!(matches!(call("exit 3"), Err(CallError::Failed(_))));
        assert!(call("grep -q . && test $CANONRY_EVENT = end").is_ok());
    }
}
