//! Runs owners, each time in a fresh copy of the files.

use super::BenchRun;
use super::plans::RunOutput;
use super::triggers::Answers;
use crate::command_guard::CommandGuard;
use crate::owners::check_command;
use crate::{Error, ErrorKind, Workspace};
use canonry_mirror::registry::ManifestEntry;
use canonry_mirror::registry::trigger_tests::trigger_prompt;
use canonry_model::canon::benchmark::{PlanBenchmark, TriggerBenchmark};
use canonry_model::canon::owners::{Owner, Owners, PromptDelivery};
use canonry_model::canon::{Blob, FileMode, TreeEntry};
use canonry_repo::exec::shell::{ShellEnd, run_to_end};
use canonry_repo::exec::worker::{WorkerCommand, new_mark};
use canonry_repo::fs as writes;
use canonry_repo::view::{IgnoreMode, load};
use canonry_runs::plan::benchmark::planner_prompt;
use canonry_text::RepoPath;
use std::ffi::{OsStr, OsString};
use std::fs::{OpenOptions, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::{Builder, TempDir};

/// The longest time of one run, if the owner does not set one.
const TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// Names of the file that a planner may write in place of an answer.
const PLAN_FILES: [&str; 3] = ["plan.yaml", "plan.yml", "plan.json"];

impl BenchRun<'_> {
    /// Runs an owner as often as the benchmark says.
    ///
    /// # Errors
    /// The owner is unknown or cannot be started, the files cannot be copied, or the job was cancelled.
    pub(super) fn new_outputs(&self, owner: &str, plan: &PlanBenchmark) -> Result<Vec<RunOutput>, Error> {
        let runs = self.request.runs.unwrap_or(plan.runs);
        let tool = BenchTool::load(self.workspace, owner)?;
        let prompt = planner_prompt(plan);
        self.progress.notice(&tool.announcement(owner, u64::from(runs)));
        (0..runs).map(|_| tool.run(&prompt)).collect()
    }

    /// Asks an owner once per test.
    ///
    /// # Errors
    /// The owner is unknown or cannot be started, the files cannot be copied, or the job was cancelled.
    pub(super) fn new_answers(
        &self,
        owner: &str,
        triggers: &TriggerBenchmark,
        entries: &[ManifestEntry],
    ) -> Result<Answers, Error> {
        let tool = BenchTool::load(self.workspace, owner)?;
        self.progress.notice(&tool.announcement(owner, triggers.tests.len() as u64));
        let answer = |(test, number)| {
            let answer = match tool.run(&trigger_prompt(test, entries))? {
                RunOutput::Printed { output, .. } => Ok(output),
                RunOutput::Failed { reason, .. } => Err(reason),
            };
            Ok((number, answer))
        };
        triggers.tests.iter().zip(1_u32..).map(answer).collect()
    }
}

/// An owner that plans or answers.
struct BenchTool<'a> {
    workspace: &'a Workspace,
    owner: Owner,
}

impl<'a> BenchTool<'a> {
    fn load(workspace: &'a Workspace, name: &str) -> Result<Self, Error> {
        let path = workspace.layout.owners();
        let full = workspace.view.full(&path);
        let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
        let Some(source) = load::source(&workspace.view, &path) else {
            return Err(unreadable(format!("the owner `{name}` is unknown: there is no {full}"))
                .help(format!("add it with its `argv` to {full}, or use --recorded")));
        };
        let owners = Owners::parse(source).map_err(|error| {
            unreadable(format!("{full}:{}: {}", error.line, error.message)).help(format!("run `canonry check {full}`"))
        })?;
        // A benchmark compares named owners; the default owner would hide a misspelt name.
        match owners.owners.get(name) {
            Some(owner) => {
                check_command(workspace, &CommandGuard::load(workspace)?, name, owner)?;
                Ok(Self { workspace, owner: owner.clone() })
            }
            None => Err(unreadable(format!("{full} has no owner `{name}`")).suggest(
                name,
                owners.owners.keys().map(String::as_str),
                "add it with its `argv`",
            )),
        }
    }

    fn timeout(&self) -> Duration {
        self.owner.timeout.unwrap_or(TIMEOUT)
    }

    /// Announcement of the runs with their maximum time.
    fn announcement(&self, name: &str, runs: u64) -> String {
        let minutes = (self.timeout().as_secs() * runs).div_ceil(60);
        format!("Running {name}: runs {runs}, minutes at most {minutes}.\n")
    }

    /// Runs the tool in a fresh copy of the files.
    fn run(&self, prompt: &str) -> Result<RunOutput, Error> {
        let scratch = Scratch::new(self.workspace, prompt)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot copy the files for a run: {error}")))?;
        let mut argv = self.owner.argv.clone();
        let mut stdin = Vec::new();
        match self.owner.prompt {
            PromptDelivery::Stdin => stdin = prompt.as_bytes().to_vec(),
            PromptDelivery::Argument => argv.push(prompt.to_owned()),
            PromptDelivery::File => {}
        }
        let prompt_file = (OsString::from("CANONRY_PROMPT"), scratch.prompt.clone().into_os_string());
        let command = WorkerCommand {
            argv: &argv,
            folder: &scratch.files,
            env: vec![prompt_file],
            stdin,
            log: &scratch.log,
            mark: new_mark(),
        };
        let started = Instant::now();
        let cancel = &self.workspace.env.cancel;
        let (end, output) = run_to_end(command, self.timeout(), cancel)
            .map_err(|error| Error::new(ErrorKind::Unreadable, error.to_string()))?;
        let seconds = Some(started.elapsed().as_secs_f64());
        let exit = match end {
            ShellEnd::Exited(exit) => exit,
            ShellEnd::TimedOut => {
                let reason = format!("no answer within {} s", self.timeout().as_secs());
                return Ok(RunOutput::Failed { reason, seconds });
            }
            ShellEnd::Cancelled => return Err(Error::new(ErrorKind::Interrupted, "interrupted")),
        };
        if exit.is_success() {
            return Ok(RunOutput::Printed { output: output.stdout, seconds, file: scratch.plan() });
        }
        let last = output.transcript.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let reason = format!("exit status {}: {}", exit.code(), last.trim());
        Ok(RunOutput::Failed { reason: reason.trim_end_matches([':', ' ']).to_owned(), seconds })
    }
}

/// A copy of the repository's files outside of it, so that a tool can change nothing, and every run starts alike.
struct Scratch {
    /// Removes everything at the end.
    _folder: TempDir,
    files: PathBuf,
    prompt: PathBuf,
    log: PathBuf,
    /// The plan files that the repository itself has at its top.
    own_plans: Vec<&'static str>,
}

impl Scratch {
    fn new(workspace: &Workspace, prompt: &str) -> io::Result<Self> {
        let folder = writes::temporary_dir(Builder::new().prefix("canonry-bench-"), &std::env::temp_dir())?;
        let files = folder.path().join("files");
        writes::create_dir_all(&files)?;
        let view = &workspace.view;
        let listing = view.list(&RepoPath::default(), IgnoreMode::Exclude).map_err(io::Error::other)?;
        // The benchmarks contain the answers.
        let benchmarks = workspace.layout.benchmarks();
        for entry in listing.entries().into_iter().filter(|entry| !entry.path.is_within(&benchmarks)) {
            // A link may lead out of the copy. A file that cannot be read is missing in the copy only.
            if let (true, Blob::Bytes(bytes)) = (entry.mode.is_file(), view.read(&entry.path, u64::MAX)) {
                write_file(&files, &entry, &bytes)?;
            }
        }
        let path = folder.path().join("prompt.md");
        write_new(&path, prompt.as_bytes(), 0o600)?;
        let own_plans = PLAN_FILES.into_iter().filter(|name| files.join(name).exists()).collect();
        Ok(Self { files, prompt: path, log: folder.path().join("log"), own_plans, _folder: folder })
    }

    /// The plan that the tool wrote at the top of the copy. A file that is no text is no plan.
    fn plan(&self) -> Option<String> {
        let new = PLAN_FILES.iter().filter(|name| !self.own_plans.contains(*name));
        new.map(|name| self.files.join(name)).find_map(|path| std::fs::read_to_string(path).ok())
    }
}

fn write_file(files: &Path, entry: &TreeEntry, bytes: &[u8]) -> io::Result<()> {
    let path = files.join(OsStr::from_bytes(entry.path.as_bstr()));
    if let Some(folder) = path.parent() {
        writes::create_dir_all(folder)?;
    }
    write_new(&path, bytes, if entry.mode == FileMode::Executable { 0o755 } else { 0o644 })
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = writes::create_new(OpenOptions::new().write(true).mode(mode), path)?;
    writes::write_all(&mut file, bytes)?;
    // The umask may have removed bits.
    writes::set_file_permissions(&file, Permissions::from_mode(mode))
}
