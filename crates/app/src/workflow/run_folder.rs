//! The folders of runs: `agent/runs/<run>/`.

use crate::attempt::record_file::{self, failed};
use crate::{Error, ErrorKind, Workspace};
use canonry_repo::fs as writes;
use canonry_repo::fs::lock::HeldLock;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The folder of one run.
#[derive(Clone, Debug)]
pub(super) struct RunFolder {
    pub id: String,
    pub path: PathBuf,
}

const JOURNAL: &str = "events.jsonl";
/// Longest time for which [`RunFolder::is_running`] of another process holds the lock.
const LOOK_TIME: Duration = Duration::from_millis(200);

impl RunFolder {
    /// Creates the folder of a new run, named after its workflow and the next free number.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if the folder of runs leads out of the repository; [`ErrorKind::Internal`] if the file system
    /// refused.
    pub fn create(workspace: &Workspace, workflow: &str) -> Result<Self, Error> {
        let runs = folder_of_runs(workspace)?;
        writes::create_dir_all(&runs).map_err(|e| failed(&runs, &e))?;
        require_inside(workspace, &runs)?;
        ignore(&runs)?;
        let name: String = workflow
            .chars()
            .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
            .take(50)
            .collect();
        let name = name.trim_start_matches('.');
        let name = if name.is_empty() { "run" } else { name };
        let mut number = 1 + Self::all(workspace)?.iter().filter_map(|run| number_of(&run.id, name)).max().unwrap_or(0);
        loop {
            let id = format!("{name}-{number}");
            let path = runs.join(&id);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { id, path }),
                // Another process was faster, or something else has the name.
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(e) => return Err(failed(&path, &e)),
            }
        }
    }

    /// All runs of workflows, by id.
    ///
    /// # Errors
    /// See [`Self::create`].
    pub fn all(workspace: &Workspace) -> Result<Vec<Self>, Error> {
        let runs = folder_of_runs(workspace)?;
        let entries = match fs::read_dir(&runs).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
            entries => entries.map_err(|e| failed(&runs, &e))?,
        };
        let folders = entries.iter().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let all =
            folders.map(|entry| Self { id: entry.file_name().to_string_lossy().into_owned(), path: entry.path() });
        let mut all: Vec<Self> = all.filter(|run| run.journal().is_file()).collect();
        all.sort_by(|a, b| (prefix(&a.id), number(&a.id), &a.id).cmp(&(prefix(&b.id), number(&b.id), &b.id)));
        Ok(all)
    }

    /// The run with an id.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if the run does not exist.
    pub fn named(workspace: &Workspace, id: &str) -> Result<Self, Error> {
        let all = Self::all(workspace)?;
        if let Some(run) = all.iter().find(|run| run.id == id) {
            return Ok(run.clone());
        }
        let ids: Vec<&str> = all.iter().map(|run| run.id.as_str()).collect();
        let list = match ids.as_slice() {
            [] => "start one with `canonry run start WORKFLOW`".to_owned(),
            ids => format!("the runs are {}", ids.join(", ")),
        };
        Err(Error::new(ErrorKind::Unreadable, format!("there is no run `{id}`")).suggest(id, ids, list))
    }

    pub fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    pub fn state(&self) -> PathBuf {
        self.path.join("state.json")
    }

    /// The definition as it was when the run began, or when it was resumed on a new one.
    pub fn definition(&self) -> PathBuf {
        self.path.join("definition.yaml")
    }

    /// The reports of steps, one file per step.
    pub fn reports(&self) -> PathBuf {
        self.path.join("reports")
    }

    /// The files that steps name as their outputs.
    pub fn outputs(&self) -> PathBuf {
        self.path.join("outputs")
    }

    /// Prompts, answers and logs of tasks.
    pub fn tasks(&self) -> PathBuf {
        self.path.join("tasks")
    }

    /// Log of the run, for people to follow.
    pub fn log(&self) -> PathBuf {
        self.path.join("log.txt")
    }

    /// Excludes other runners for as long as a process runs the workflow.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] if another process runs it.
    pub fn lock(&self) -> Result<HeldLock, Error> {
        let path = self.runner_lock();
        let start = Instant::now();
        let held = HeldLock::take_until(&path, || start.elapsed() > LOOK_TIME).map_err(|e| failed(&path, &e))?;
        held.ok_or_else(|| {
            Error::new(ErrorKind::Contention, format!("another process runs `{}`", self.id))
                .help(format!("follow it with `canonry run status {}`", self.id))
        })
    }

    /// Whether a process runs the workflow now.
    pub fn is_running(&self) -> bool {
        // Without the file, no process has run it.
        fs::File::open(self.runner_lock())
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(fs::TryLockError::WouldBlock)))
    }

    fn runner_lock(&self) -> PathBuf {
        self.path.join("runner.lock")
    }
}

/// The folder of runs, which may be missing.
fn folder_of_runs(workspace: &Workspace) -> Result<PathBuf, Error> {
    let top = workspace.top()?;
    let runs = workspace.layout.runs();
    let path = top.join(runs.to_display());
    if path.exists() {
        require_inside(workspace, &path)?;
    }
    Ok(path)
}

fn require_inside(workspace: &Workspace, path: &Path) -> Result<(), Error> {
    let top = workspace.top()?;
    let real = path.canonicalize().map_err(|e| failed(path, &e))?;
    let top = top.canonicalize().map_err(|e| failed(&top, &e))?;
    if !real.starts_with(&top) {
        let message = format!("{} is a link that leads out of the repository", workspace.layout.runs());
        return Err(Error::new(ErrorKind::Refused, message).help("replace it with a folder"));
    }
    Ok(())
}

/// Keeps runs out of commits. A team that commits them removes this file's line.
fn ignore(runs: &Path) -> Result<(), Error> {
    let path = runs.join(".gitignore");
    if path.exists() {
        return Ok(());
    }
    record_file::write(&path, b"# Runs are local. Empty this file to commit them.\n*\n")
}

fn number_of(id: &str, name: &str) -> Option<u64> {
    id.strip_prefix(name)?.strip_prefix('-')?.parse().ok()
}

fn prefix(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(prefix, _)| prefix)
}

fn number(id: &str) -> u64 {
    id.rsplit_once('-').and_then(|(_, number)| number.parse().ok()).unwrap_or(0)
}
