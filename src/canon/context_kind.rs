//! Which tool a context file is for, by its path.

use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;

/// Which tool a context file is for, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextKind {
    /// `CLAUDE.md`
    Claude,
    /// `.claude/rules/**/*.md`
    ClaudeRule,
    /// `GEMINI.md`
    Gemini,
    /// `AGENTS.md` or `AGENTS.override.md`, which Codex, Cursor and others read.
    Agents,
    /// `*.mdc`
    CursorRule,
    /// `.cursor/rules/**/*.md`
    CursorOther,
    /// `.agents/rules/**/*.md`
    AntigravityRule,
}

/// Where context files of a whole repository lie, besides the canon: files, and folders with rules.
pub const CONTEXT_PATHS: [&str; 8] = [
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".claude/CLAUDE.md",
    ".claude/rules",
    ".cursor/rules",
    ".agents/rules",
];

impl ContextKind {
    /// Of a path. What lies in a folder of skills belongs to a skill, whatever it is called.
    pub fn from_path(path: &RepoPath) -> Option<Self> {
        let name = path.file_name();
        // A canon of ten thousand skills has many files that are none of these, so the common case comes first.
        let is_named = [".mdc", "CLAUDE.md", "GEMINI.md", "AGENTS.md", "AGENTS.override.md"];
        if !is_named.iter().any(|end| name.ends_with(end.as_bytes())) && !path.as_bstr().contains_str("rules/") {
            return None;
        }
        let parent = path.parent()?;
        let folders: Vec<&[u8]> = parent.components().map(|part| part.as_bytes()).collect();
        if folders.contains(&&b"skills"[..]) {
            return None;
        }
        let within = |tool: &[u8]| folders.windows(2).any(|pair| pair == [tool, &b"rules"[..]]);
        let markdown = name.ends_with(b".md");
        Some(match () {
            () if name == "CLAUDE.md" => Self::Claude,
            () if name == "GEMINI.md" => Self::Gemini,
            () if name == "AGENTS.md" || name == "AGENTS.override.md" => Self::Agents,
            () if name.ends_with(b".mdc") => Self::CursorRule,
            () if markdown && within(b".cursor") => Self::CursorOther,
            () if markdown && within(b".claude") => Self::ClaudeRule,
            () if markdown && within(b".agents") => Self::AntigravityRule,
            () => return None,
        })
    }

    /// The tool that resolves its imports and how many files it follows one behind the other; `None` where `@path` is
    /// only a word. An `AGENTS.md` is read by tools with imports and tools without; the narrowest counts.
    pub fn reader(self) -> Option<ImportingTool> {
        match self {
            Self::Claude | Self::ClaudeRule | Self::Agents => Some(ImportingTool { tool: "Claude Code", hops: 4 }),
            Self::Gemini => Some(ImportingTool { tool: "Gemini CLI", hops: 5 }),
            // How far it follows is not known; no real chain is longer.
            Self::AntigravityRule => Some(ImportingTool { tool: "Antigravity", hops: 16 }),
            Self::CursorRule | Self::CursorOther => None,
        }
    }
}

/// A tool that puts the text of a file in the place of `@path`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportingTool {
    /// Its name.
    pub tool: &'static str,
    /// Files that it follows one behind the other at most: Claude Code 4 by its documentation, Gemini CLI 5
    /// (`maxDepth` in its `memoryImportProcessor.ts`).
    pub hops: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_by_name_and_place() {
        for (path, want) in [
            ("CLAUDE.md", Some(ContextKind::Claude)),
            (".claude/CLAUDE.md", Some(ContextKind::Claude)),
            ("web/GEMINI.md", Some(ContextKind::Gemini)),
            ("agent/AGENTS.md", Some(ContextKind::Agents)),
            ("AGENTS.override.md", Some(ContextKind::Agents)),
            (".cursor/rules/web/a.mdc", Some(ContextKind::CursorRule)),
            ("rules/a.mdc", Some(ContextKind::CursorRule)),
            (".cursor/rules/a.md", Some(ContextKind::CursorOther)),
            (".claude/rules/web/a.md", Some(ContextKind::ClaudeRule)),
            (".agents/rules/a.md", Some(ContextKind::AntigravityRule)),
            ("docs/rules/a.md", None),
            (".cursor/a.md", None),
            ("agent/skills/x/AGENTS.md", None),
            ("claude.md", None),
        ] {
            assert_eq!(ContextKind::from_path(&RepoPath::from(path)), want, "{path}");
        }
    }
}
