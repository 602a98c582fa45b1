//! The kinds of sources: where their files are, and how to stop the programs that write them.

use super::source::ImportSource;
use super::{agentic_stack, tools};
use canonry_text::RepoPath;

/// The layout of files to import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum SourceKind {
    /// .rulesync/
    Rulesync,
    /// .ruler/
    Ruler,
    /// .trellis/
    Trellis,
    /// .agent/ of agentic-stack
    AgenticStack,
    /// .jdi/ of just-do-it
    Jdi,
    /// Directories and files of the tools themselves: .claude, .cursor, .gemini, .codex, .agents, AGENTS.md, .mcp.json and others
    Tools,
}

/// Folders of programs that have workflows in a format of their own: just-do-it and Spec Kit.
const WORKFLOW_FOLDERS: [&str; 2] = [".jdi", ".specify"];

/// Whether a path is in the folder of a program that has workflows in a format of its own.
pub fn is_workflow_of_another_program(path: &RepoPath) -> bool {
    WORKFLOW_FOLDERS.iter().any(|folder| path.is_within(&RepoPath::from(*folder)))
}

impl SourceKind {
    /// All kinds. Those that generate the files of tools come first, and those that only have workflows last.
    pub const ALL: [Self; 6] = [Self::Rulesync, Self::Ruler, Self::Trellis, Self::AgenticStack, Self::Tools, Self::Jdi];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rulesync => "rulesync",
            Self::Ruler => "ruler",
            Self::Trellis => "trellis",
            Self::AgenticStack => "agentic-stack",
            Self::Jdi => "jdi",
            Self::Tools => "tools",
        }
    }

    /// The files and directories that an import reads.
    pub fn paths(self) -> &'static [&'static str] {
        match self {
            Self::Rulesync => {
                &[".rulesync", ".rulesyncignore", "rulesync.jsonc", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".gitignore"]
            }
            Self::Ruler => &[".ruler", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".gitignore"],
            Self::Trellis => &[".trellis"],
            Self::AgenticStack => &[".agent"],
            Self::Jdi => &[".jdi"],
            Self::Tools => tools::PATHS.as_slice(),
        }
    }

    /// Whether the source exists. The canon itself is not a source.
    pub fn exists(self, source: &ImportSource<'_>) -> bool {
        match self {
            Self::Rulesync => source.has_below(".rulesync"),
            Self::Ruler => source.has_below(".ruler"),
            Self::Trellis => source.has_below(".trellis"),
            Self::AgenticStack => source.layout.root().as_bstr() != ".agent" && agentic_stack::exists(source),
            Self::Jdi => source.has_below(".jdi/workflows"),
            Self::Tools => tools::exists(source),
        }
    }

    /// Whether the source generates files in the directories of tools, so that those are not its user's own.
    pub fn generates_tool_files(self) -> bool {
        !matches!(self, Self::Tools | Self::Jdi)
    }

    /// Steps to stop the source from writing the files that canonry writes.
    pub(super) fn shutdown_steps(self) -> &'static [&'static str] {
        match self {
            Self::Rulesync => &[
                "stop running `rulesync generate`: remove it from scripts, hooks and CI, then remove rulesync.jsonc and `.rulesync/`, but keep what this report skipped",
            ],
            Self::Ruler => &[
                "stop running `ruler apply`: remove it from scripts, hooks and CI, then remove `.ruler/`, but keep what this report skipped; `ruler revert` removes what it generated",
            ],
            Self::Trellis => &[
                "Trellis' hooks in .claude/settings.json still pass `.trellis/` to the agent: remove them once the canon contains the same",
            ],
            Self::AgenticStack => &[
                "the hooks and the nightly job of agentic-stack still write `.agent/memory`: disable them before you run `canonry dream`",
                "then remove `.agent/skills`, which `canonry check` also reads. Move what this report skipped before you remove the rest",
            ],
            Self::Jdi => &[
                "compare each imported workflow with its source, above all the lines that the report names, before you run it",
            ],
            Self::Tools => &[],
        }
    }
}
