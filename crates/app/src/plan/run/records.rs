//! Records of a run's attempts, outside the repository's files: who works on what, so that a later run can finish or
//! end what this one left behind. Everything else follows from the plan and the reports.

use crate::attempt::SeenFile;
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::approval::file_name;
use canonry_model::canon::plan::StepStatus;
use canonry_repo::apply::write_atomically;
use canonry_repo::fs as writes;
use canonry_runs::plan::run::{AttemptRecord, Conclusion};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The records of a plan's attempts.
#[derive(Clone, Debug)]
pub(in crate::plan) struct Records {
    folder: PathBuf,
}

impl Records {
    /// The records of a plan in this clone.
    ///
    /// # Errors
    /// There is no git directory.
    pub fn new(workspace: &Workspace, plan: &str) -> Result<Self, Error> {
        Ok(Self { folder: workspace.git_dir()?.join("canonry/attempts").join(file_name(plan)) })
    }

    fn path(&self, step: &str, attempt: u64, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{attempt}.{extension}", file_name(step)))
    }

    /// The worker's output, for people to follow.
    pub fn log(&self, step: &str, attempt: u64) -> PathBuf {
        self.path(step, attempt, "log")
    }

    /// The worker's prompt.
    pub fn prompt(&self, step: &str, attempt: u64) -> PathBuf {
        self.path(step, attempt, "prompt.md")
    }

    /// Writes the record of an attempt.
    ///
    /// # Errors
    /// The file system refused.
    pub fn save(&self, record: &AttemptRecord) -> Result<(), Error> {
        self.write_json(&self.path(&record.step, record.attempt, "attempt.json"), record)
    }

    /// Writes a worker's report before anything is done with it, so that a later run can continue from here.
    ///
    /// # Errors
    /// The file system refused.
    pub fn save_report(&self, step: &str, attempt: u64, report: &Value) -> Result<(), Error> {
        self.write_json(&self.path(step, attempt, "report.json"), report)
    }

    /// A worker's report that was saved.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if it is damaged.
    pub fn report(&self, step: &str, attempt: u64) -> Result<Option<Value>, Error> {
        read(&self.path(step, attempt, "report.json"))
    }

    /// Writes what an attempt comes to, before the canon is changed.
    ///
    /// # Errors
    /// The file system refused.
    pub fn save_conclusion(&self, step: &str, attempt: u64, conclusion: &Conclusion) -> Result<(), Error> {
        self.write_json(&self.path(step, attempt, "conclusion.json"), conclusion)
    }

    /// Conclusion of an attempt, if it was decided.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if it is damaged.
    pub fn conclusion(&self, step: &str, attempt: u64) -> Result<Option<Conclusion>, Error> {
        read(&self.path(step, attempt, "conclusion.json"))
    }

    /// The files that were changed before the first attempt at a step, if that is recorded.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if the record is damaged.
    pub fn seen(&self, step: &str) -> Result<Option<BTreeSet<SeenFile>>, Error> {
        read(&self.seen_path(step))
    }

    /// Records the files that are changed before the first attempt at a step.
    ///
    /// # Errors
    /// The file system refused.
    pub fn save_seen(&self, step: &str, seen: &BTreeSet<SeenFile>) -> Result<(), Error> {
        self.write_json(&self.seen_path(step), seen)
    }

    /// Forgets them, because the step is complete.
    ///
    /// # Errors
    /// The file system refused.
    pub fn forget_seen(&self, step: &str) -> Result<(), Error> {
        remove(&self.seen_path(step))
    }

    fn seen_path(&self, step: &str) -> PathBuf {
        self.folder.join(format!("{}.seen.json", file_name(step)))
    }

    /// The last attempt at a step that has a record.
    ///
    /// # Errors
    /// See [`Self::all`].
    pub fn last(&self, step: &str) -> Result<Option<AttemptRecord>, Error> {
        Ok(self.all()?.into_iter().filter(|record| record.step == step).max_by_key(|record| record.attempt))
    }

    /// All attempts that have a record: those whose result is not in a report yet.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if a record is damaged, or the records cannot be listed.
    pub fn all(&self) -> Result<Vec<AttemptRecord>, Error> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| unreadable(&self.folder, &error))?,
        };
        let mut all: Vec<AttemptRecord> = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| unreadable(&self.folder, &error))?.path();
            if path.to_string_lossy().ends_with(".attempt.json") {
                // Another process may have closed the attempt since.
                all.extend(read::<AttemptRecord>(&path)?);
            }
        }
        all.sort_by(|a, b| (&a.step, a.attempt).cmp(&(&b.step, b.attempt)));
        Ok(all)
    }

    /// Removes the record of an attempt whose result is in a report. Prompt and log stay for people, and the conclusion of a
    /// complete step against an editor that saves an older plan.
    ///
    /// # Errors
    /// The file system refused.
    pub fn close(&self, step: &str, attempt: u64) -> Result<(), Error> {
        // The record first: without it, nothing looks for the others.
        remove(&self.path(step, attempt, "attempt.json"))?;
        remove(&self.path(step, attempt, "report.json"))?;
        match self.conclusion(step, attempt)? {
            Some(conclusion) if conclusion.status() != StepStatus::Complete => {
                remove(&self.path(step, attempt, "conclusion.json"))
            }
            _ => Ok(()),
        }
    }

    fn write_json(&self, path: &Path, value: &impl Serialize) -> Result<(), Error> {
        let bytes = serde_json::to_vec_pretty(value).map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
        self.write(path, &bytes)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        writes::create_dir_all(&self.folder).map_err(|e| failed(&self.folder, &e))?;
        write_atomically(&self.folder, path, bytes).map_err(|e| failed(path, &e))
    }
}

fn remove(path: &Path) -> Result<(), Error> {
    match writes::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(path, &e)),
        _ => Ok(()),
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let bytes = writes::read_if_exists(path).map_err(|error| unreadable(path, &error))?;
    bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose().map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &impl Display) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{}: the record of an attempt cannot be read: {error}", path.display()))
        .help("look at the branches `canonry/*` for the work of the attempt, then move the file away")
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("{} cannot be written: {error}", path.display()))
}
