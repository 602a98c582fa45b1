//! Files of tasks in the folder of a run: answers, the reports of steps, output files, and the readable log.

use super::run_folder::RunFolder;
use crate::attempt::record_file::{self, failed};
use crate::{Error, ErrorKind};
use canonry_repo::fs as writes;
use canonry_runs::workflow::engine::TaskReport;
use canonry_runs::workflow::event::{JournalEntry, RunEvent};
use canonry_runs::workflow::journal::remove_secrets;
use canonry_runs::workflow::log_line::log_entry;
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};

/// The most bytes of a file that are read again.
const LIMIT: u64 = 4 << 20;

impl RunFolder {
    /// The file of a task's prompt.
    pub fn prompt(&self, task: u64) -> PathBuf {
        self.tasks().join(format!("{task}.prompt.md"))
    }

    /// The output of a task's worker, for people to follow.
    pub fn task_log(&self, task: u64) -> PathBuf {
        self.tasks().join(format!("{task}.log"))
    }

    /// Where a task's worker writes its output.
    pub fn task_report(&self, task: u64) -> PathBuf {
        self.tasks().join(format!("{task}.report.json"))
    }

    fn result_path(&self, task: u64) -> PathBuf {
        self.tasks().join(format!("{task}.result.json"))
    }

    /// Saves the answer of a task before anything is done with it, so that a later process can continue from here.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refused.
    pub fn save_result(&self, task: u64, report: &TaskReport) -> Result<(), Error> {
        let mut value = serde_json::to_value(report).expect("texts and numbers have a JSON form");
        remove_secrets(&mut value);
        self.create_folder(&self.tasks())?;
        record_file::save(&self.result_path(task), &value)
    }

    /// The answer of a task that was saved.
    pub fn result(&self, task: u64) -> Option<TaskReport> {
        serde_json::from_str(&read(&self.result_path(task))?).ok()
    }

    /// The text of the answer of a task.
    pub fn answer(&self, task: u64) -> Option<String> {
        self.result(task).map(|report| report.answer)
    }

    /// Appends the answer of a task to the report of its step, once. The title names the task.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refused.
    pub fn add_to_report(&self, step: &str, task: u64, title: &str, answer: &str) -> Result<(), Error> {
        self.create_folder(&self.reports())?;
        let path = self.reports().join(format!("{}.md", file_name(step)));
        let name = format!(", task {task}, ");
        let is_own = |line: &str| line.starts_with("## ") && line.contains(&name);
        // A process that was killed has added it.
        if canonry_repo::fs::read_to_string(&path).is_ok_and(|text| text.lines().any(is_own)) {
            return Ok(());
        }
        let section = format!("## {title}\n\n{}\n\n", answer.trim());
        append(&path, section.as_bytes()).map_err(|e| failed(&path, &e))
    }

    /// Saves the prompt that a calling session gets. The prompts of workers are saved when they are started.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refused.
    pub fn save_prompt(&self, task: u64, prompt: &str) -> Result<(), Error> {
        self.create_folder(&self.tasks())?;
        record_file::write(&self.prompt(task), prompt.as_bytes())
    }

    /// The prompt of a task.
    pub fn saved_prompt(&self, task: u64) -> Option<String> {
        read(&self.prompt(task))
    }

    /// Writes the output of a task to the file that the step names, inside the run's folder.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if the path leads out of the folder; [`ErrorKind::Internal`] if the file system refused.
    pub fn save_output(&self, file: &str, output: &Value) -> Result<(), Error> {
        let relative = Path::new(file);
        if !relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            let message = format!("the output file `{file}` is outside the run's folder");
            return Err(Error::new(ErrorKind::Refused, message).help("give a relative path without `..`"));
        }
        let path = self.outputs().join(relative);
        self.create_folder(path.parent().unwrap_or(&self.path))?;
        let mut output = output.clone();
        remove_secrets(&mut output);
        record_file::save(&path, &output)
    }

    /// Appends the entries that the readable log does not have, each with its details. Only the line of an entry begins with a
    /// digit, that of its time.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refused.
    pub fn write_log(
        &self,
        entries: &[JournalEntry],
        logged: &mut Option<usize>,
        details: impl Fn(&RunEvent) -> String,
    ) -> Result<(), Error> {
        let path = self.log();
        let known = match *logged {
            Some(known) => known,
            None => {
                let is_entry = |line: &&[u8]| line.ends_with(b"\n") && line.first().is_some_and(u8::is_ascii_digit);
                canonry_repo::fs::read(&path)
                    .map_or(0, |bytes| bytes.split_inclusive(|byte| *byte == b'\n').filter(is_entry).count())
            }
        };
        let text = |entry: &JournalEntry| log_entry(entry) + "\n" + &details(&entry.event);
        let lines: String = entries.iter().skip(known).map(text).collect();
        if !lines.is_empty() {
            append(&path, lines.as_bytes()).map_err(|e| failed(&path, &e))?;
        }
        *logged = Some(entries.len().max(known));
        Ok(())
    }

    /// Creates a folder below the run's folder.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if a link leads elsewhere; [`ErrorKind::Internal`] if the file system refused.
    pub fn create_folder(&self, folder: &Path) -> Result<(), Error> {
        writes::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
        let below = |part: &&Path| part.starts_with(&self.path) && **part != self.path;
        match folder.ancestors().filter(below).find(|part| part.is_symlink()) {
            Some(link) => Err(link_refused(link)),
            None => Ok(()),
        }
    }
}

/// A step's name as a file name.
pub(super) fn file_name(step: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = step.chars().map(safe).take(60).collect();
    if name.starts_with('.') || name.is_empty() { format!("_{name}") } else { name }
}

/// A file of a task. Links, and what is too long to show, count as missing.
fn read(path: &Path) -> Option<String> {
    fs::symlink_metadata(path).ok().filter(|meta| meta.is_file() && meta.len() <= LIMIT)?;
    canonry_repo::fs::read_to_string(path).ok()
}

fn link_refused(path: &Path) -> Error {
    Error::new(ErrorKind::Refused, format!("{} is a link", path.display())).help("replace it with a folder")
}

fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut file = writes::open_or_create(OpenOptions::new().append(true), path)?;
    writes::write_all(&mut file, bytes)
}
