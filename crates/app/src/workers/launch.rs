//! The contract between canonry and a worker: its command line, its prompt, and its environment.

use super::running::RunningWorker;
use crate::{Error, ErrorKind};
use canonry_model::canon::owners::{Owner, PromptDelivery};
use canonry_repo::apply::write_atomically;
use canonry_repo::exec::worker::{Worker, WorkerCommand, WorkerError};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs the setup, then the worker in the same process. The output of the setup is not that of the worker.
const SETUP: &str = "sh -c \"$1\" </dev/null >&2 || { status=$?; echo \"the setup failed: $1\" >&2; exit \"$status\"; }; shift; exec \"$@\"";

/// Input to start a worker.
///
/// It gets the prompt as its owner says, and in its environment `CANONRY_PROMPT` (the file with the prompt),
/// `CANONRY_REPORT` (where it may write its report), and the variables that name its task.
#[derive(Clone, Debug)]
pub(crate) struct WorkerLaunch<'a> {
    /// The role, as it is shown.
    pub role: &'a str,
    /// Owner that executes the role.
    pub owner: &'a Owner,
    /// Task, for people.
    pub task: &'a str,
    /// The number of the attempt.
    pub attempt: u64,
    /// The longest time that it may take.
    pub timeout: Option<Duration>,
    /// The folder that it works in.
    pub folder: &'a Path,
    /// The shell command that prepares the folder first. It gets no input, and counts toward the timeout.
    pub setup: Option<&'a str>,
    /// The prompt.
    pub prompt: String,
    /// The file that the prompt is written to.
    pub prompt_file: PathBuf,
    /// The file that its output is appended to.
    pub log: PathBuf,
    /// Where it writes its report: inside `folder`, because many tools write nowhere else. A file that exists counts as the
    /// report of this worker, so each attempt needs a path of its own.
    pub report: PathBuf,
    /// Where else its report is looked for, if the first file does not exist.
    pub other_reports: Vec<PathBuf>,
    /// Marks its processes, see [`canonry_repo::exec::worker::new_mark`]. It is recorded already.
    pub mark: String,
    /// Variables that name the task: `CANONRY_PLAN` or `CANONRY_RUN`, `CANONRY_STEP`, `CANONRY_ATTEMPT`.
    pub variables: Vec<(&'static str, String)>,
}

/// A worker whose files are written.
#[derive(Debug)]
pub(crate) struct PreparedWorker<'a> {
    launch: WorkerLaunch<'a>,
}

impl<'a> WorkerLaunch<'a> {
    /// Writes the prompt, and creates the folder of the report.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refuses.
    pub fn prepare(self) -> Result<PreparedWorker<'a>, Error> {
        let failed = |path: &Path, what: &str, e: &io::Error| {
            Error::new(ErrorKind::Internal, format!("{} cannot be {what}: {e}", path.display()))
        };
        let create = |file: &Path| match file.parent() {
            Some(folder) => canonry_repo::fs::create_dir_all(folder).map_err(|e| failed(folder, "created", &e)),
            None => Ok(()),
        };
        create(&self.prompt_file)?;
        let folder = self.prompt_file.parent().unwrap_or(self.folder);
        write_atomically(folder, &self.prompt_file, self.prompt.as_bytes())
            .map_err(|e| failed(&self.prompt_file, "written", &e))?;
        create(&self.report)?;
        Ok(PreparedWorker { launch: self })
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let own = [("CANONRY_PROMPT", &self.prompt_file), ("CANONRY_REPORT", &self.report)];
        let named = self.variables.iter().map(|(key, value)| (OsString::from(key), OsString::from(value)));
        named.chain(own.map(|(key, path)| (OsString::from(key), path.as_os_str().to_owned()))).collect()
    }
}

impl PreparedWorker<'_> {
    /// Starts the process.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if the owner's command cannot be started; [`ErrorKind::Internal`] if the system refuses.
    pub fn start(self) -> Result<RunningWorker, Error> {
        let env = self.launch.environment();
        let WorkerLaunch {
            role, owner, task, attempt, timeout, folder, prompt, log, report, other_reports, mark, ..
        } = self.launch;
        let mut argv = Vec::new();
        if let Some(setup) = self.launch.setup {
            argv.extend(["sh", "-c", SETUP, "sh", setup].map(str::to_owned));
        }
        argv.extend(owner.argv.iter().cloned());
        let mut stdin = Vec::new();
        match owner.prompt {
            PromptDelivery::Stdin => stdin = prompt.into_bytes(),
            PromptDelivery::Argument => argv.push(prompt),
            PromptDelivery::File => {}
        }
        let worker =
            Worker::start(WorkerCommand { argv: &argv, folder, env, stdin, log: &log, mark }).map_err(|error| {
                let message = format!("the worker of `{role}` cannot be started: {error}");
                match error {
                    WorkerError::Log { .. } | WorkerError::Io { .. } => Error::new(ErrorKind::Internal, message),
                    _ => Error::new(ErrorKind::Unreadable, message).help("correct its `argv` in agent/owners.yaml"),
                }
            })?;
        let mut reports = vec![report];
        reports.extend(other_reports);
        Ok(RunningWorker::new(worker, role, owner.clone(), task, attempt, timeout, reports))
    }
}
