//! The tools.

use crate::syntax::RepoPath;
use serde::Deserialize;

/// A tool that skills are mirrored for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// `.claude/skills`
    Claude,
    /// `.gemini/skills`
    Gemini,
    /// `.cursor/skills`
    Cursor,
    /// `.codex/skills`
    Codex,
    /// `.antigravity/skills`
    Antigravity,
    /// `.agents/skills`, which Codex, Gemini, Cursor and Antigravity read
    Agents,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 6] = [Self::Claude, Self::Gemini, Self::Cursor, Self::Codex, Self::Antigravity, Self::Agents];
    /// The targets of a repository that configures none.
    pub const DEFAULT: [Self; 5] = [Self::Claude, Self::Gemini, Self::Cursor, Self::Codex, Self::Antigravity];

    /// Its name in the config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Codex => "codex",
            Self::Antigravity => "antigravity",
            Self::Agents => "agents",
        }
    }

    /// The folder its skills are mirrored into.
    pub fn skills_root(self) -> RepoPath {
        RepoPath::new(format!(".{}/skills", self.name()))
    }
}
