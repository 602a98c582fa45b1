//! The result of an undo.

use crate::render::{committed_line, counted, diff};
use canonry_app::memory::undo::{UndoOutcome, Undone};
use canonry_repo::apply::log_transaction::UndoneFile;
use canonry_text::RepoPath;
use std::fmt::Write as _;

/// The result for stdout. `full` turns a path of the view into one of the repository.
pub fn to_text(outcome: &UndoOutcome, full: impl Fn(&RepoPath) -> RepoPath) -> String {
    match outcome {
        UndoOutcome::Preview { message, files } => {
            let mut text = format!("{message}\n{}", changed_files(files, &[]));
            for UndoneFile { path, contents, .. } in files {
                if let Some((now, then)) = contents {
                    text.push_str(&diff::unified(&full(path).to_display(), Some(now), then.as_deref()));
                }
            }
            text
        }
        UndoOutcome::Undone(Undone { message, files, overtaken, commit, .. }) => {
            let commit = commit.as_ref().map(committed_line).unwrap_or_default();
            format!("{message}\n{}{commit}", changed_files(files, overtaken))
        }
        UndoOutcome::Resumed => "Finished an undo that was interrupted.\n".to_owned(),
    }
}

fn changed_files(files: &[UndoneFile], overtaken: &[RepoPath]) -> String {
    let mut text = String::new();
    for UndoneFile { path, action, rows, .. } in files.iter().filter(|file| !overtaken.contains(&file.path)) {
        let rows = rows.map(|rows| format!(" ({})", counted(rows, "row"))).unwrap_or_default();
        let _ = writeln!(text, "{action:<12}{path}{rows}");
    }
    text
}
