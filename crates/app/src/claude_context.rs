//! Files that keep Claude Code from reading `AGENTS.md`.

use std::path::{Path, PathBuf};

/// The files of Claude Code in a folder. Beside any of them that is not empty, and below its folder, Claude Code does not read
/// `AGENTS.md` (2.1.330, seen in its requests; `~/.claude/CLAUDE.md` does not count).
pub const CLAUDE_FILES: [&str; 3] = ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];

/// The nearest file that keeps Claude Code from reading `AGENTS.md` at the top of a repository.
pub fn hides_agents_md(top: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let own = home.map(|home| home.join(".claude/CLAUDE.md"));
    let has_text = |path: &PathBuf| path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0);
    let files = top.ancestors().flat_map(|folder| CLAUDE_FILES.map(|file| folder.join(file)));
    files.filter(|path| own.as_ref() != Some(path)).find(has_text)
}
