//! The tools that skills are mirrored for.

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
    /// `.agents/skills`, which Codex, Gemini, Cursor and Antigravity read.
    Agents,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 6] = [Self::Claude, Self::Gemini, Self::Cursor, Self::Codex, Self::Antigravity, Self::Agents];
    /// The default targets of a repository.
    pub const DEFAULT: [Self; 5] = [Self::Claude, Self::Gemini, Self::Cursor, Self::Codex, Self::Antigravity];

    /// The name in the config.
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

    /// The folder of the mirror.
    pub fn skills_root(self) -> RepoPath {
        RepoPath::new(format!(".{}/skills", self.name()))
    }

    /// The target whose mirror contains `path`, or is `path`.
    pub fn holding(path: &RepoPath) -> Option<Self> {
        let mut parts = path.components();
        // Called for every line of a lock, so it does not allocate.
        let name = parts.next().and_then(|folder| folder.strip_prefix(b"."))?;
        let target = Self::ALL.into_iter().find(|target| target.name().as_bytes() == name)?;
        parts.next().is_some_and(|folder| folder == "skills").then_some(target)
    }
}

/// What a tool does if a user skill and a repository skill have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameConflict {
    /// It uses the user's skill.
    TakesUsers,
    /// It lists both skills.
    ListsBoth,
}

/// A tool that does not simply prefer the repository's skill over a user skill of the same name. Gemini CLI prefers
/// the repository's; the behaviour of Cursor and Antigravity is unknown.
#[derive(Clone, Copy, Debug)]
pub struct UserSkillReader {
    pub name: &'static str,
    /// The mirrors that it reads, in the repository and in the home folder.
    pub reads: &'static [Target],
    pub does: NameConflict,
}

/// The tools with known name conflicts.
pub const USER_SKILL_READERS: [UserSkillReader; 2] = [
    UserSkillReader { name: "Claude Code", reads: &[Target::Claude], does: NameConflict::TakesUsers },
    UserSkillReader { name: "Codex", reads: &[Target::Codex, Target::Agents], does: NameConflict::ListsBoth },
];

impl Target {
    /// Whether the tool also reads its folder in the home folder. Unknown for Antigravity.
    pub fn has_user_level(self) -> bool {
        self != Self::Antigravity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirror_contains_its_root_and_descendants() {
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
