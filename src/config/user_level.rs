//! What the tools do with skills of a user, which they read in every project.

use super::Target;

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
