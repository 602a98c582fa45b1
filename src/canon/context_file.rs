//! A context file: what a tool reads at the start of a session, or along with the files that a rule is for.

use super::Blob;
use super::blob::BlobError;
use super::blob::DocumentError;
use super::imports;
use super::imports::BrokenImport;
use crate::syntax::frontmatter;
use crate::syntax::frontmatter::{Frontmatter, FrontmatterError};
use crate::syntax::mdc::MdcHeader;
use crate::syntax::{RepoPath, Source};
use gix::bstr::ByteSlice;
use std::sync::Arc;

/// A context file as far as it could be read.
#[derive(Debug)]
pub struct ContextFile {
    /// Where it lies.
    pub path: RepoPath,
    /// Whose it is.
    pub kind: ContextKind,
    /// Its text.
    pub document: Result<Arc<Source>, DocumentError>,
    /// What is wrong with the imports of it and of the files that it imports.
    pub imports: Vec<BrokenImport>,
    /// Of an `AGENTS.md`: the files that Codex reads before it; `None` where Codex does not read it.
    pub above: Option<Vec<AncestorContext>>,
}

/// The head of a Cursor rule.
#[derive(Debug)]
pub enum CursorRuleHeader {
    /// There is none, which is allowed.
    None,
    /// It is opened and never closed.
    Unclosed(crate::syntax::Span),
    /// Its lines.
    Lines(MdcHeader),
}

impl ContextFile {
    /// Reads a context file; `read` gives the content of any other path, which is asked for what is imported
    /// and what is read before it.
    pub fn parse(path: RepoPath, kind: ContextKind, blob: Blob, read: &dyn Fn(&RepoPath) -> Blob) -> Self {
        let document = blob.into_source(&path);
        let imports = match (&document, kind.reader()) {
            (Ok(source), Some(reader)) => imports::follow(source, reader.hops, read),
            _ => Vec::new(),
        };
        let above = if kind == ContextKind::Agents { ancestors(&path, read) } else { None };
        Self { path, kind, document, imports, above }
    }

    /// The head, where this is a Cursor rule that could be read.
    pub fn rule_head(&self) -> Option<CursorRuleHeader> {
        let source = self.document.as_ref().ok().filter(|_| self.kind == ContextKind::CursorRule)?;
        Some(match frontmatter::split(source.text()) {
            Ok(Frontmatter { yaml, .. }) => CursorRuleHeader::Lines(MdcHeader::parse(source.slice(yaml), yaml.offset)),
            Err(FrontmatterError::Unclosed { opening, .. }) => CursorRuleHeader::Unclosed(opening),
            Err(_) => CursorRuleHeader::None,
        })
    }
}

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

/// What Codex looks for in a folder; the first that there is counts alone.
pub const AGENTS_FILE_NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// A file that is read before another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AncestorContext {
    /// Where it lies.
    pub path: RepoPath,
    /// Its bytes.
    pub bytes: u64,
}

/// The files above `path`, the top first; `None` where another file of its own folder is read in its place.
pub fn ancestors(path: &RepoPath, read: &dyn Fn(&RepoPath) -> Blob) -> Option<Vec<AncestorContext>> {
    let here = path.parent()?;
    let is_first =
        AGENTS_FILE_NAMES.iter().map(|name| here.join(name)).find(|file| bytes(&read(file)).is_some()).as_ref()
            == Some(path);
    if !is_first {
        return None;
    }
    let mut folders: Vec<RepoPath> = std::iter::successors(here.parent(), RepoPath::parent).collect();
    folders.reverse();
    let of_folder = |folder: RepoPath| {
        let mut files = AGENTS_FILE_NAMES.iter().map(|name| folder.join(name));
        files.find_map(|path| bytes(&read(&path)).map(|bytes| AncestorContext { path, bytes }))
    };
    Some(folders.into_iter().filter_map(of_folder).filter(|above| above.bytes > 0).collect())
}

/// How long a file is; one with nothing but white space adds nothing.
fn bytes(blob: &Blob) -> Option<u64> {
    match blob {
        Blob::Bytes(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => Some(0),
        Blob::Bytes(bytes) => Some(bytes.len() as u64),
        Blob::Missing(BlobError::TooLarge { size, .. }) => Some(*size),
        Blob::Missing(_) => None,
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
            assert_eq!(ContextKind::from_path(&RepoPath::from(path)), want, "{path}");
        }
    }

    fn chain(path: &str, files: &[(&str, usize)]) -> Option<Vec<(String, u64)>> {
        let read = |path: &RepoPath| match files.iter().find(|(name, _)| RepoPath::from(*name) == *path) {
            Some((_, length)) => Blob::Bytes(vec![b'x'; *length]),
            None => Blob::Missing(BlobError::Absent),
        };
        let found = ancestors(&RepoPath::from(path), &read)?;
        Some(found.into_iter().map(|above| (above.path.to_string(), above.bytes)).collect())
    }

    #[test]
    fn one_file_of_each_folder_on_the_way_counts() {
        let files = [
            ("AGENTS.md", 10),
            ("a/AGENTS.md", 20),
            ("a/AGENTS.override.md", 30),
            ("a/b/AGENTS.md", 40),
            ("a/b/c/AGENTS.md", 0),
            ("a/b/c/d/AGENTS.md", 50),
            ("z/AGENTS.md", 60),
        ];
        let owned = |list: &[(&str, u64)]| list.iter().map(|(path, bytes)| ((*path).to_owned(), *bytes)).collect();
        for (path, want) in [
            ("AGENTS.md", Some(owned(&[]))),
            ("a/AGENTS.md", None),
            ("a/AGENTS.override.md", Some(owned(&[("AGENTS.md", 10)]))),
            (
                "a/b/c/d/AGENTS.md",
                Some(owned(&[("AGENTS.md", 10), ("a/AGENTS.override.md", 30), ("a/b/AGENTS.md", 40)])),
            ),
        ] {
            assert_eq!(chain(path, &files), want, "{path}");
        }
    }
}
