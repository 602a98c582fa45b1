//! Records of a run's attempts, outside the repository's files: who works on what, so that a later run can finish or
//! end what this one left behind. Everything else follows from the plan and the reports.

use crate::attempt::{SeenFiles, record_file};
use crate::{Error, Workspace};
use canonry_model::canon::approval::file_name;
use canonry_model::canon::plan::StepStatus;
use canonry_runs::plan::run::{AttemptRecord, Conclusion};
use serde_json::Value;
use std::path::PathBuf;
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
        record_file::save(&self.path(&record.step, record.attempt, "attempt.json"), record)
    }

    /// Writes a worker's report before anything is done with it, so that a later run can continue from here.
    ///
    /// # Errors
    /// The file system refused.
    pub fn save_report(&self, step: &str, attempt: u64, report: &Value) -> Result<(), Error> {
        record_file::save(&self.path(step, attempt, "report.json"), report)
    }

    /// A worker's report that was saved.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if it is damaged.
    pub fn report(&self, step: &str, attempt: u64) -> Result<Option<Value>, Error> {
        record_file::read(&self.path(step, attempt, "report.json"))
    }

    /// Writes what an attempt comes to, before the canon is changed.
    ///
    /// # Errors
    /// The file system refused.
    pub fn save_conclusion(&self, step: &str, attempt: u64, conclusion: &Conclusion) -> Result<(), Error> {
        record_file::save(&self.path(step, attempt, "conclusion.json"), conclusion)
    }

    /// Conclusion of an attempt, if it was decided.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if it is damaged.
    pub fn conclusion(&self, step: &str, attempt: u64) -> Result<Option<Conclusion>, Error> {
        record_file::read(&self.path(step, attempt, "conclusion.json"))
    }

    /// The record of the files that were changed before the first attempt at a step.
    pub fn seen(&self, step: &str) -> SeenFiles {
        SeenFiles::new(&self.folder, &file_name(step))
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
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if a record is damaged, or the records cannot be listed.
    pub fn all(&self) -> Result<Vec<AttemptRecord>, Error> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| record_file::unreadable(&self.folder, &error))?,
        };
        let mut all: Vec<AttemptRecord> = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| record_file::unreadable(&self.folder, &error))?.path();
            if path.to_string_lossy().ends_with(".attempt.json") {
                // Another process may have closed the attempt since.
                all.extend(record_file::read::<AttemptRecord>(&path)?);
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
        record_file::remove(&self.path(step, attempt, "attempt.json"))?;
        record_file::remove(&self.path(step, attempt, "report.json"))?;
        match self.conclusion(step, attempt)? {
            Some(conclusion) if conclusion.status() != StepStatus::Complete => {
                record_file::remove(&self.path(step, attempt, "conclusion.json"))
            }
            _ => Ok(()),
        }
    }
}
