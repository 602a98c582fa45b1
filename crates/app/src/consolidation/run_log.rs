//! `.git/canonry/dreams.log`: one line per dream and undo, so that the result of a nightly run can be read in the morning.
//! `.git/canonry/dream-started` exists while a dream runs, so that a killed one is noticed.

use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_memory::nights::{FAILED, KILLED, NightsOverview};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::exec::identity::{is_running, process_start};
use canonry_repo::fs;
use canonry_repo::git::commit::Committed;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

/// The paths below the git directory.
const LOG: &str = "canonry/dreams.log";
const STARTED: &str = "canonry/dream-started";
/// Bytes at the end of the run log that matter: more than a hundred runs.
const TAIL: u64 = 16 << 10;

/// The line of a successful run.
pub fn success_line(message: &str, changed: bool, commit: Option<&Committed>) -> String {
    match commit {
        Some(made) => format!("{message} ({})", made.id.to_hex_with_len(10)),
        None if changed => format!("{message} (not committed)"),
        None => format!("{message} (nothing to do)"),
    }
}

/// The line of a failed run.
pub fn failure_line(error: &Error) -> String {
    let kind = match error.kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Unreadable => "unreadable input",
        ErrorKind::Contention => "contention",
        ErrorKind::Refused => "refused",
        ErrorKind::Internal => "internal error",
        ErrorKind::Interrupted => "interrupted",
    };
    let message: Vec<&str> = error.message.split_whitespace().collect();
    format!("{FAILED}{kind}): {}", message.join(" "))
}

/// Appends a line; `false` if that failed, which is only a notice: the run itself is over.
pub fn append(workspace: &Workspace, now: Timestamp, line: &str, progress: &dyn Progress) -> bool {
    workspace.git_dir().is_ok_and(|git_dir| append_to(&git_dir, now, line, progress))
}

/// Like [`append`], for a workspace that cannot be opened.
pub fn append_to(git_dir: &Path, now: Timestamp, line: &str, progress: &dyn Progress) -> bool {
    let path = git_dir.join(LOG);
    let write = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut file = fs::open_or_create(OpenOptions::new().create(true).append(true), &path)?;
        fs::write_all(&mut file, format!("{now} {line}\n").as_bytes())
    };
    let written = write();
    if let Err(error) = &written {
        progress.notice(&format!("cannot write {}: {error}\n", path.display()));
    }
    written.is_ok()
}

/// A run that began.
struct StartedRun {
    at: Timestamp,
    process: u32,
    start: Option<u64>,
}

impl StartedRun {
    /// `None` also for a mark that cannot be read, as that of a run that was killed while it wrote the mark.
    fn read(path: &Path) -> Option<Self> {
        let text = canonry_repo::fs::read_to_string(path).ok()?;
        let mut fields = text.split_whitespace();
        let at = Timestamp::parse(fields.next()?)?;
        Some(Self {
            at,
            process: fields.next()?.parse().ok()?,
            start: fields.next().and_then(|text| text.parse().ok()),
        })
    }

    /// When it began, if it was killed.
    fn killed_at(&self) -> Option<Timestamp> {
        let is_killed = self.process == std::process::id() || is_running(self.process, self.start) == Some(false);
        is_killed.then_some(self.at)
    }
}

/// The mark of a run that has begun.
#[derive(Default)]
pub struct RunMark {
    path: Option<PathBuf>,
}

impl RunMark {
    /// Marks that a run begins, and records an earlier one that was killed. The caller holds the lock of the session.
    pub fn begin(&mut self, workspace: &Workspace, now: Timestamp, progress: &dyn Progress) {
        let Ok(git_dir) = workspace.git_dir() else { return };
        let path = git_dir.join(STARTED);
        // A log that cannot be read cannot be written either, which is reported at the end of the run.
        if let Some(earlier) = StartedRun::read(&path)
            && let Ok(record) = read_tail(&git_dir.join(LOG))
            && !NightsOverview::is_recorded(&record, earlier.at)
        {
            append(workspace, earlier.at, KILLED, progress);
        }
        let process = std::process::id();
        let start = process_start(process).map(|start| start.to_string()).unwrap_or_default();
        let written = fs::open_or_create(OpenOptions::new().write(true).truncate(true), &path)
            .and_then(|mut file| fs::write_all(&mut file, format!("{now} {process} {start}\n").as_bytes()));
        // Without a mark, only a kill of this run goes unnoticed.
        self.path = written.is_ok().then_some(path);
    }

    /// Ends the run. The mark of a run whose result could not be recorded stays.
    pub fn end(self, is_recorded: bool) {
        if let Some(path) = self.path.filter(|_| is_recorded) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// The recent nights of the clone with this git directory.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the run log exists and cannot be read.
pub fn read_nights(git_dir: &Path, now: Timestamp) -> Result<NightsOverview, Error> {
    let path = git_dir.join(LOG);
    let record = read_tail(&path).map_err(|error| {
        Error::new(ErrorKind::Unreadable, format!("{}: the log of dreams cannot be read: {error}", path.display()))
    })?;
    let killed_at = StartedRun::read(&git_dir.join(STARTED)).and_then(|run| run.killed_at());
    Ok(NightsOverview::read(&record, killed_at, now))
}

/// Reads the end of a file. A missing file counts as empty.
fn read_tail(path: &Path) -> io::Result<String> {
    match fs::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        file => fs::read_tail(&mut file?, TAIL),
    }
}
