//! What the tools do with skills of a user, which they read in every project.

use super::Target;

/// What a tool does where a skill of the user and one of the repository have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameName {
    /// It takes the user's.
    TakesUsers,
    /// It lists both.
    ListsBoth,
}

/// A tool that does not simply take the repository's of two skills of one name, with the mirrors that it reads, in a
/// repository and below the home alike. Gemini CLI does take the repository's; what Cursor and Antigravity take is not
/// known.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Its name.
    pub name: &'static str,
    /// The mirrors that it reads.
    pub reads: &'static [Target],
    /// What it does.
    pub does: SameName,
}

/// As far as it is known.
pub const READERS: [Reader; 2] = [
    Reader { name: "Claude Code", reads: &[Target::Claude], does: SameName::TakesUsers },
    Reader { name: "Codex", reads: &[Target::Codex, Target::Agents], does: SameName::ListsBoth },
];

impl Target {
    /// Whether its folder is also read below the home: of Antigravity's nobody knows.
    pub fn has_user_level(self) -> bool {
        self != Self::Antigravity
    }
}
