//! Result of a worker: its report, its answer, and its tool's own account.

use crate::{Error, ErrorKind, Timestamp};
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_repo::exec::worker::{WorkerExit, WorkerOutput};
use canonry_runs::plan::worker_output::{UsageLimit, interpret};
use canonry_text::printable::head;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most bytes of a tool's error in a description.
const TOOL_ERROR: usize = 500;
/// The largest report that is read.
const REPORT_LIMIT: u64 = 1 << 20;

/// Why a worker no longer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerStop {
    /// It ended by itself.
    Exit(WorkerExit),
    /// It took too long.
    Timeout(TimeLimit),
    /// The run was stopped, or its work is no longer wanted.
    Stopped,
}

/// The limit that a worker has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeLimit {
    /// Of the whole attempt.
    Total(Duration),
    /// Without output.
    Idle(Duration),
}

/// Result of a worker. Texts come from outside: they are data.
#[derive(Clone, Debug)]
pub(crate) struct WorkerResult {
    /// Why it no longer runs.
    pub stop: WorkerStop,
    /// Its report file, as it wrote it; `None` without one.
    pub written_report: Option<Vec<u8>>,
    /// A report in its final message: JSON text without secrets.
    pub printed_report: Option<String>,
    /// Last message of the model; of a program that is no known tool, everything on stdout. Without secrets and
    /// control characters, and of bounded length. Of a tool that failed, it can be the words of an error: see
    /// `is_error`.
    pub answer: String,
    /// The JSON that a tool returned in a field of its own, because it was given a schema.
    pub structured: Option<String>,
    /// The usage limit that ended the work. A worker that was stopped has reached none.
    pub limit: Option<UsageLimit>,
    /// The program of another owner of the role, which accepts work now that this one is at its limit.
    pub continued_by: Option<String>,
    /// The final message, or the error of a tool that failed: for people.
    pub message: String,
    /// The error that the tool reports as JSON.
    pub error: Option<String>,
    /// Whether the tool failed: an error in its output, a status other than 0, a signal, or a timeout.
    pub is_error: bool,
    /// Usage that its tool reports.
    pub usage: WorkerUsage,
    /// From the start to the end.
    pub elapsed: Duration,
    /// The last line of output; may be empty.
    pub last_line: String,
}

impl WorkerResult {
    pub(super) fn new(
        stop: WorkerStop,
        output: &WorkerOutput,
        reports: &[PathBuf],
        elapsed: Duration,
        now: Timestamp,
    ) -> Self {
        let exit = match stop {
            WorkerStop::Exit(exit) => Some(exit),
            WorkerStop::Timeout(_) | WorkerStop::Stopped => None,
        };
        let status = exit.and_then(|exit| exit.status);
        let tool = interpret(&output.stdout, &output.stderr, status, now, &zone);
        Self {
            stop,
            written_report: reports.iter().find_map(|path| read_report(path)),
            printed_report: tool.report,
            answer: tool.answer,
            structured: tool.structured,
            limit: tool.limit.filter(|_| stop != WorkerStop::Stopped),
            continued_by: None,
            message: tool.text,
            error: tool.error,
            is_error: tool.is_error,
            usage: tool.usage,
            elapsed,
            last_line: output.last_line.clone(),
        }
    }

    /// The report as JSON: the file if it is JSON, otherwise the one in the final message. It is not validated.
    pub fn report(&self) -> Option<Value> {
        let written = self.written_report.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok());
        written.or_else(|| serde_json::from_str(self.printed_report.as_deref()?).ok())
    }

    /// Description of its end.
    pub fn describe_end(&self) -> String {
        match self.stop {
            WorkerStop::Timeout(TimeLimit::Total(timeout)) => {
                format!("the worker did not end within {} s", timeout.as_secs())
            }
            WorkerStop::Timeout(TimeLimit::Idle(timeout)) => {
                let last = Some(self.last_line.as_str()).filter(|line| !line.is_empty());
                let last = last.map(|line| format!("; its last output: {line}")).unwrap_or_default();
                format!("the worker printed nothing for {} s{last}", timeout.as_secs())
            }
            WorkerStop::Stopped => "it was stopped".to_owned(),
            WorkerStop::Exit(exit) => {
                let error = self.error.as_deref().and_then(|error| error.lines().find(|line| !line.trim().is_empty()));
                // After the last message, some tools print their statistics.
                let message = self.message.lines().rev().find(|line| !line.trim().is_empty() && !self.is_error);
                let last_line = message.map_or(self.last_line.as_str(), |line| head(line.trim(), TOOL_ERROR));
                let last = match error {
                    Some(error) => format!("; the error of its tool: {}", head(error.trim(), TOOL_ERROR)),
                    None if last_line.is_empty() => String::new(),
                    None => format!("; its last output: {last_line}"),
                };
                format!("it exited {}{last}", exit.code())
            }
        }
    }
}

fn zone(name: Option<&str>) -> Option<TimeZone> {
    match name {
        // A time in an unknown zone is no reset time.
        Some(name) => TimeZone::get(name).ok(),
        None => Some(TimeZone::system()),
    }
}

/// The answer of a worker whose run was killed, from its log. `None` if its tool reports an error there.
pub(crate) fn logged_answer(log: &Path, now: Timestamp) -> Option<String> {
    // Without a log, it printed nothing.
    let printed = canonry_repo::fs::read(log).unwrap_or_default();
    // Nobody saw its status.
    let tool = interpret(&String::from_utf8_lossy(&printed), "", Some(0), now, &zone);
    (!tool.is_error).then_some(tool.answer)
}

/// The bytes of a report that a worker wrote to a file. Links and files that are too large do not count.
pub(crate) fn read_report(path: &Path) -> Option<Vec<u8>> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    if !meta.is_file() || meta.len() > REPORT_LIMIT {
        return None;
    }
    canonry_repo::fs::read(path).ok()
}

/// Removes a report, which is no work. It may not exist.
///
/// # Errors
/// The file system refused.
pub(crate) fn remove_report(path: &Path) -> Result<(), Error> {
    match canonry_repo::fs::remove_file(path) {
        Err(e) if !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(Error::new(ErrorKind::Internal, format!("{} cannot be removed: {e}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Removes the folder of a report, and the one around it, if they are empty.
pub(crate) fn remove_empty_folders(report: &Path) {
    for folder in report.ancestors().skip(1).take(2) {
        // A folder that something else uses is not empty.
        let _ = canonry_repo::fs::remove_dir(folder);
    }
}
