//! `.git/canonry/dreams.log`: one line per dream and undo, so that the result of a nightly run can be read in the morning.

use crate::app::{Error, ErrorKind, Progress, Workspace};
use crate::canon::timestamp::Timestamp;
use crate::fs;
use crate::git::commit::Committed;
use std::fs::OpenOptions;

/// The path below the git directory.
const PATH: &str = "canonry/dreams.log";

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
    format!("failed ({kind}): {}", message.join(" "))
}

/// Appends a line. A failure to do so is only a notice: the dream itself has succeeded.
pub fn append(workspace: &Workspace, now: Timestamp, line: &str, progress: &dyn Progress) {
    let Ok(git_dir) = workspace.git_dir() else { return };
    let path = git_dir.join(PATH);
    let write = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut file = fs::open_or_create(OpenOptions::new().create(true).append(true), &path)?;
        fs::write_all(&mut file, format!("{now} {line}\n").as_bytes())
    };
    if let Err(error) = write() {
        progress.notice(&format!("cannot write {}: {error}\n", path.display()));
    }
}
