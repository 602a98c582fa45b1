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

    /// The target in whose mirror a path lies, or whose mirror it is.
    pub fn holding(path: &RepoPath) -> Option<Self> {
        let mut parts = path.components();
        // Asked of every line of a lock: nothing is allocated.
        let name = parts.next().and_then(|folder| folder.strip_prefix(b"."))?;
        let target = Self::ALL.into_iter().find(|target| target.name().as_bytes() == name)?;
        parts.next().is_some_and(|folder| folder == "skills").then_some(target)
    }
}

/// What a tool does where a skill of the user and one of the repository have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameConflict {
    /// It takes the user's.
    TakesUsers,
    /// It lists both.
    ListsBoth,
}

/// A tool that does not simply take the repository's of two skills of one name, with the mirrors that it reads, in a
/// repository and below the home alike. Gemini CLI does take the repository's; what Cursor and Antigravity take is not
/// known.
#[derive(Clone, Copy, Debug)]
pub struct UserSkillReader {
    /// Its name.
    pub name: &'static str,
    /// The mirrors that it reads.
    pub reads: &'static [Target],
    /// What it does.
    pub does: NameConflict,
}

/// As far as it is known.
pub const USER_SKILL_READERS: [UserSkillReader; 2] = [
    UserSkillReader { name: "Claude Code", reads: &[Target::Claude], does: NameConflict::TakesUsers },
    UserSkillReader { name: "Codex", reads: &[Target::Codex, Target::Agents], does: NameConflict::ListsBoth },
];

impl Target {
    /// Whether its folder is also read below the home: of Antigravity's nobody knows.
    pub fn has_user_level(self) -> bool {
        self != Self::Antigravity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_holds_itself_and_what_lies_below() {
        for target in Target::ALL {
            let root = target.skills_root();
            assert_eq!((Target::holding(&root), Target::holding(&root.join("a/b"))), (Some(target), Some(target)));
        }
        for other in [
            "",
            ".",
            ".claude",
            ".claude/agents/a.md",
            "claude/skills/a",
            ".vim/skills/a",
            ".claude/skills2/a",
            "a/.claude/skills",
        ] {
            assert_eq!(Target::holding(&RepoPath::from(other)), None, "{other}");
        }
    }
}
