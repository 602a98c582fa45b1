//! Markdown files of the memory, and their initial contents.

use super::Blob;
use super::blob::DocumentError;
use canonry_text::{RepoPath, Source};
use std::sync::Arc;

/// A Markdown file in a memory layer, such as `semantic/LESSONS.md`.
#[derive(Debug)]
pub struct MemoryFile {
    pub path: RepoPath,
    pub document: Result<Arc<Source>, DocumentError>,
}

impl MemoryFile {
    /// Parses a memory file.
    pub fn parse(path: RepoPath, blob: Blob) -> Self {
        let document = blob.into_source(&path);
        Self { path, document }
    }
}

/// `memory/working/WORKSPACE.md` while nothing is in progress.
pub const WORKSPACE: &str = include_str!("templates/WORKSPACE.md");
/// Texts that earlier versions wrote instead. Such a file is not in use either.
pub const EARLIER_TEMPLATES: [&str; 1] = ["# Workspace\n\nNothing is in progress.\n"];
/// `memory/working/ACTIVE_PLAN.md` while no plan is active.
pub const ACTIVE_PLAN: &str = include_str!("templates/ACTIVE_PLAN.md");
/// `memory/personal/PREFERENCES.md` before anyone wrote to it.
pub const PREFERENCES: &str = include_str!("templates/PREFERENCES.md");
/// `memory/semantic/LESSONS.md` before the first lesson.
pub const LESSONS: &str = include_str!("templates/LESSONS.md");

#[cfg(test)]
mod tests {
    use super::*;

    /// Dream compares files with these texts. A changed byte would make every untouched workspace look edited.
    #[test]
    fn templates_do_not_change() {
        let headings = ["Current task", "Open files", "Hypotheses", "Checkpoints", "Next step"];
        let headings: String = headings.iter().map(|heading| format!("\n## {heading}\n")).collect();
        assert_eq!(WORKSPACE, format!("# Workspace\n\nNothing is in progress.\n{headings}"));
        assert_eq!(EARLIER_TEMPLATES, ["# Workspace\n\nNothing is in progress.\n"]);
        assert_eq!(ACTIVE_PLAN, "# Active plan\n\nNo plan is active.\n");
        assert_eq!(
            LESSONS,
            "# Lessons\n\nPromoted from episodes by `canonry dream`. Edit freely: dreams keep your changes.\n"
        );
    }
}
