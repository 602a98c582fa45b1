//! A context file: what a tool reads at the start of a session, or along with the files that a rule is for.

use super::imports::{self, Import};
use super::{Blob, skill::Unreadable};
use crate::syntax::frontmatter::{self, Frontmatter, NoFrontmatter};
use crate::syntax::mdc::Head;
use crate::syntax::{RepoPath, Source};
use gix::bstr::ByteSlice;
use std::sync::Arc;

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
pub const PLACES: [&str; 8] = [
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
    pub fn of(path: &RepoPath) -> Option<Self> {
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
    pub fn reader(self) -> Option<Reader> {
        match self {
            Self::Claude | Self::ClaudeRule | Self::Agents => Some(Reader { tool: "Claude Code", hops: 4 }),
            Self::Gemini => Some(Reader { tool: "Gemini CLI", hops: 5 }),
            // How far it follows is not known; no real chain is longer.
            Self::AntigravityRule => Some(Reader { tool: "Antigravity", hops: 16 }),
            Self::CursorRule | Self::CursorOther => None,
        }
    }
}

/// A tool that puts the text of a file in the place of `@path`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// Its name.
    pub tool: &'static str,
    /// Files that it follows one behind the other at most: Claude Code 4 by its documentation, Gemini CLI 5
    /// (`maxDepth` in its `memoryImportProcessor.ts`).
    pub hops: usize,
}

/// A context file as far as it could be read.
#[derive(Debug)]
pub struct ContextFile {
    /// Where it lies.
    pub path: RepoPath,
    /// Whose it is.
    pub kind: ContextKind,
    /// Its text.
    pub document: Result<Arc<Source>, Unreadable>,
    /// What is wrong with the imports of it and of the files that it imports.
    pub imports: Vec<Import>,
}

/// The head of a Cursor rule.
#[derive(Debug)]
pub enum RuleHead {
    /// There is none, which is allowed.
    None,
    /// It is opened and never closed.
    Unclosed(crate::syntax::Span),
    /// Its lines.
    Lines(Head),
}

impl ContextFile {
    /// Reads a context file; `read` gives the content of any other path, which is asked for what is imported.
    pub fn parse(path: RepoPath, kind: ContextKind, blob: Blob, read: &dyn Fn(&RepoPath) -> Blob) -> Self {
        let document = match blob {
            Blob::Missing(missing) => Err(Unreadable::Missing(missing)),
            Blob::Bytes(bytes) => Source::from_bytes(path.clone(), bytes).map(Arc::new).map_err(Unreadable::NotUtf8),
        };
        let imports = match (&document, kind.reader()) {
            (Ok(source), Some(reader)) => imports::follow(source, reader.hops, read),
            _ => Vec::new(),
        };
        Self { path, kind, document, imports }
    }

    /// The head, where this is a Cursor rule that could be read.
    pub fn rule_head(&self) -> Option<RuleHead> {
        let source = self.document.as_ref().ok().filter(|_| self.kind == ContextKind::CursorRule)?;
        Some(match frontmatter::split(source.text()) {
            Ok(Frontmatter { yaml, .. }) => RuleHead::Lines(Head::parse(source.slice(yaml), yaml.offset)),
            Err(NoFrontmatter::Unclosed { opening, .. }) => RuleHead::Unclosed(opening),
            Err(_) => RuleHead::None,
        })
    }
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
            assert_eq!(ContextKind::of(&RepoPath::from(path)), want, "{path}");
        }
    }
}
