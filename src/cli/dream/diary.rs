//! A line for each dream, beside git's own files: whoever is away at night reads in the morning what was done, or why not.

use crate::app::Error;
use crate::app::Workspace;
use crate::canon::timestamp::Timestamp;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::git::commit::Committed;
use std::fs::{OpenOptions, create_dir_all};
use std::io::Write as _;

/// Where the lines stand, below git's folder.
const NAME: &str = "canonry/dreams.log";

/// What a run that ended well did.
pub fn line_of(message: &str, changed: bool, commit: Option<&Committed>) -> String {
    match commit {
        Some(made) => format!("{message} ({})", made.id.to_hex_with_len(10)),
        None if changed => format!("{message} (not committed)"),
        None => format!("{message} (nothing to do)"),
    }
}

/// Why one did not.
pub fn line_of_failure(error: &Error) -> String {
    let words: Vec<&str> = error.message.split_whitespace().collect();
    format!("failed with status {}: {}", Status::from(error.kind).code(), words.join(" "))
}

/// Adds a line. That it cannot be written takes nothing from the dream.
pub fn append(context: &Workspace, now: Timestamp, said: &str, out: &Out<'_>) {
    let Ok(git_dir) = context.git_dir() else { return };
    let path = git_dir.join(NAME);
    let write = || {
        path.parent().map_or(Ok(()), create_dir_all)?;
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        file.write_all(format!("{now} {said}\n").as_bytes())
    };
    if let Err(error) = write() {
        out.remark(&format!("{} cannot be written: {error}\n", path.display()));
    }
}
