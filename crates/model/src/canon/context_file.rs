//! Context files, which a tool reads at the start of a session or together with the files that a rule applies to.

use super::Blob;
use super::blob::BlobError;
use super::blob::DocumentError;
use super::imports;
use super::imports::BrokenImport;
use bstr::ByteSlice;
use canonry_text::frontmatter;
use canonry_text::frontmatter::{Frontmatter, FrontmatterError};
use canonry_text::mdc::MdcHeader;
use canonry_text::{RepoPath, Source};
use std::sync::Arc;

/// A parsed context file.
#[derive(Debug)]
pub struct ContextFile {
    pub path: RepoPath,
    pub kind: ContextKind,
    pub document: Result<Arc<Source>, DocumentError>,
    /// Broken imports in this file and in the files that it imports.
    pub imports: Vec<BrokenImport>,
    /// For an `AGENTS.md`: the files that Codex reads before it. `None` if Codex does not read this file.
    pub ancestors: Option<Vec<AncestorContext>>,
}

/// The header of a Cursor rule.
#[derive(Debug)]
pub enum CursorRuleHeader {
    /// No header, which is valid.
    None,
    /// The header is opened but never closed.
    Unclosed(canonry_text::Span),
    Lines(MdcHeader),
}

impl ContextFile {
    /// Parses a context file. `read` returns the content of imported files and of ancestors.
    pub fn parse(path: RepoPath, kind: ContextKind, blob: Blob, read: &dyn Fn(&RepoPath) -> Blob) -> Self {
        let document = blob.into_source(&path);
        let imports = match (&document, kind.importing_tool()) {
            (Ok(source), Some(reader)) => imports::follow(source, reader.hops, read),
            _ => Vec::new(),
        };
        let ancestors = if kind == ContextKind::Agents { ancestors(&path, read) } else { None };
        Self { path, kind, document, imports, ancestors }
    }

    /// The header, if this is a readable Cursor rule.
    pub fn cursor_rule_header(&self) -> Option<CursorRuleHeader> {
        let source = self.document.as_ref().ok().filter(|_| self.kind == ContextKind::CursorRule)?;
        Some(match frontmatter::split(source.text()) {
            Ok(Frontmatter { yaml, .. }) => CursorRuleHeader::Lines(MdcHeader::parse(source.slice(yaml), yaml.offset)),
            Err(FrontmatterError::Unclosed { opening, .. }) => CursorRuleHeader::Unclosed(opening),
            Err(_) => CursorRuleHeader::None,
        })
    }
}

/// The tool that a context file is for, and its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextKind {
    /// `CLAUDE.md` or `CLAUDE.local.md`
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

/// The context files and rule folders of a repository outside its canon.
pub const CONTEXT_PATHS: [&str; 9] = [
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    ".claude/CLAUDE.md",
    ".claude/rules",
    ".cursor/rules",
    ".agents/rules",
];

impl ContextKind {
    /// The kind of a context file. Files below a folder named `skills` belong to a skill, whatever their name.
    pub fn from_path(path: &RepoPath) -> Option<Self> {
        let name = path.file_name();
        // Most paths are not context files, so reject those first: a canon can have ten thousand skills.
        let is_named = [".mdc", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "AGENTS.md", "AGENTS.override.md"];
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
        Some(if name == "CLAUDE.md" || name == "CLAUDE.local.md" {
            Self::Claude
        } else if name == "GEMINI.md" {
            Self::Gemini
        } else if name == "AGENTS.md" || name == "AGENTS.override.md" {
            Self::Agents
        } else if name.ends_with(b".mdc") {
            Self::CursorRule
        } else if markdown && within(b".cursor") {
            Self::CursorOther
        } else if markdown && within(b".claude") {
            Self::ClaudeRule
        } else if markdown && within(b".agents") {
            Self::AntigravityRule
        } else {
            return None;
        })
    }

    /// The tool that resolves `@path` imports in this file; `None` if `@path` has no meaning. `AGENTS.md` is read by
    /// tools with and without imports, so the strictest of them counts.
    pub fn importing_tool(self) -> Option<ImportingTool> {
        match self {
            Self::Claude | Self::ClaudeRule | Self::Agents => Some(ImportingTool { tool: "Claude Code", hops: 4 }),
            Self::Gemini => Some(ImportingTool { tool: "Gemini CLI", hops: 5 }),
            // The real limit is unknown; no real chain is longer.
            Self::AntigravityRule => Some(ImportingTool { tool: "Antigravity", hops: 16 }),
            Self::CursorRule | Self::CursorOther => None,
        }
    }
}

/// A tool that replaces `@path` with the text of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportingTool {
    pub tool: &'static str,
    /// The maximum depth of imports: 4 in Claude Code's documentation, 5 in Gemini CLI (`maxDepth` in its
    /// `memoryImportProcessor.ts`).
    pub hops: usize,
}

/// The context files of Codex in a folder. Codex reads only the first that exists.
pub const AGENTS_FILE_NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// The folder that becomes `~/.codex` in dotfiles.
const USER_FOLDER: &str = ".codex";

/// A context file that Codex reads before another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AncestorContext {
    pub path: RepoPath,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The context files that Codex reads before `path`, from the top of the repository. `None` if Codex reads another
/// file of the same folder instead, or if the file is a user's own, to which the limit of a project does not apply.
pub fn ancestors(path: &RepoPath, read: &dyn Fn(&RepoPath) -> Blob) -> Option<Vec<AncestorContext>> {
    let here = path.parent()?;
    if here.file_name() == USER_FOLDER {
        return None;
    }
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

/// The size of a file. A file with only white space adds nothing.
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
    fn path_decides_the_context_kind() {
        for (path, want) in [
            ("CLAUDE.md", Some(ContextKind::Claude)),
            (".claude/CLAUDE.md", Some(ContextKind::Claude)),
            ("CLAUDE.local.md", Some(ContextKind::Claude)),
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
    fn codex_reads_one_file_per_folder() {
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
