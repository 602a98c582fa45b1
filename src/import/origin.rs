//! Where a canon can be taken from.

use super::ground::Ground;
use super::{agentic_stack, tools};
use crate::canon::Layout;

/// Where a canon is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// `.rulesync/`
    Rulesync,
    /// `.ruler/`
    Ruler,
    /// `.trellis/`
    Trellis,
    /// `.agent/`, as agentic-stack keeps it
    AgenticStack,
    /// The tools' own folders and files
    Tools,
}

impl Origin {
    /// All of them, those that write the tools' own folders first.
    pub const ALL: [Self; 5] = [Self::Rulesync, Self::Ruler, Self::Trellis, Self::AgenticStack, Self::Tools];

    /// As it is named on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rulesync => "rulesync",
            Self::Ruler => "ruler",
            Self::Trellis => "trellis",
            Self::AgenticStack => "agentic-stack",
            Self::Tools => "tools",
        }
    }

    /// Files and folders that are looked at; nothing else is read.
    pub fn places(self) -> &'static [&'static str] {
        match self {
            Self::Rulesync => {
                &[".rulesync", ".rulesyncignore", "rulesync.jsonc", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".gitignore"]
            }
            Self::Ruler => &[".ruler", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".gitignore"],
            Self::Trellis => &[".trellis"],
            Self::AgenticStack => &[".agent"],
            Self::Tools => tools::PLACES,
        }
    }

    /// Whether it is there. What is the canon itself is nothing to import from.
    pub fn is_there(self, ground: &Ground<'_>) -> bool {
        match self {
            Self::Rulesync => ground.has_below(".rulesync"),
            Self::Ruler => ground.has_below(".ruler"),
            Self::Trellis => ground.has_below(".trellis"),
            Self::AgenticStack => !is_canon(ground.layout) && agentic_stack::is_there(ground),
            Self::Tools => tools::is_there(ground),
        }
    }

    /// What to switch off in it, so that the two do not write the same files.
    pub(super) fn switch_off(self) -> &'static [&'static str] {
        match self {
            Self::Rulesync => &[
                "stop running `rulesync generate`: take it out of scripts, hooks and CI, and then `.rulesync/` and rulesync.jsonc out of the repository",
            ],
            Self::Ruler => &[
                "stop running `ruler apply`: take it out of scripts, hooks and CI, and then `.ruler/` out of the repository; `ruler revert` removes what it made",
            ],
            Self::Trellis => &[
                "Trellis' hooks in .claude/settings.json go on putting `.trellis/` before the agent: take them out once the canon says the same",
            ],
            Self::AgenticStack => &[
                "the hooks and the nightly run of agentic-stack go on writing `.agent/memory`: switch them off before `canonry dream` takes over",
            ],
            Self::Tools => &[],
        }
    }
}

fn is_canon(layout: &Layout) -> bool {
    layout.root().as_bstr() == ".agent"
}
