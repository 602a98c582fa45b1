//! What an import reads: the files of the sources and of the canon.

use super::{agentic_stack, tools};
use crate::canon::blob::BlobError;
use crate::canon::{Blob, FileMode, FileSource, FileState, Layout, PathKind};
use crate::syntax::RepoPath;
use gix::hash::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// The layout of files to import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// `.rulesync/`
    Rulesync,
    /// `.ruler/`
    Ruler,
    /// `.trellis/`
    Trellis,
    /// `.agent/` of agentic-stack
    AgenticStack,
    /// The directories and files of the tools themselves.
    Tools,
}

impl SourceKind {
    /// All kinds. Those that generate the files of tools come first.
    pub const ALL: [Self; 5] = [Self::Rulesync, Self::Ruler, Self::Trellis, Self::AgenticStack, Self::Tools];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rulesync => "rulesync",
            Self::Ruler => "ruler",
            Self::Trellis => "trellis",
            Self::AgenticStack => "agentic-stack",
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
            Self::Tools => tools::PATHS,
        }
    }

    /// Whether the source exists. The canon itself is not a source.
    pub fn exists(self, source: &ImportSource<'_>) -> bool {
        match self {
            Self::Rulesync => source.has_below(".rulesync"),
            Self::Ruler => source.has_below(".ruler"),
            Self::Trellis => source.has_below(".trellis"),
            Self::AgenticStack => source.layout.root().as_bstr() != ".agent" && agentic_stack::exists(source),
            Self::Tools => tools::exists(source),
        }
    }

    /// How to stop the source from writing the files that canonry writes.
    pub(super) fn shutdown_steps(self) -> &'static [&'static str] {
        match self {
            Self::Rulesync => &[
                "stop running `rulesync generate`: remove it from scripts, hooks and CI, then remove `.rulesync/` and rulesync.jsonc",
            ],
            Self::Ruler => &[
                "stop running `ruler apply`: remove it from scripts, hooks and CI, then remove `.ruler/`; `ruler revert` removes what it generated",
            ],
            Self::Trellis => &[
                "Trellis' hooks in .claude/settings.json still pass `.trellis/` to the agent: remove them once the canon contains the same",
            ],
            Self::AgenticStack => &[
                "the hooks and the nightly job of agentic-stack still write `.agent/memory`: disable them before you run `canonry dream`",
            ],
            Self::Tools => &[],
        }
    }
}

/// The repository as an import sees it.
pub struct ImportSource<'a> {
    /// The layout of the canon.
    pub layout: &'a Layout,
    /// The kind of object ids.
    pub hash: Kind,
    /// The files at the paths of all sources; links are not followed.
    pub files: &'a BTreeMap<RepoPath, FileState>,
    /// Files of tools elsewhere in the repository. Only their paths are known.
    pub other_tool_files: &'a [RepoPath],
    /// The directories of skills in mirrors.
    pub mirrored_skills: &'a BTreeSet<RepoPath>,
    /// The files of the canon.
    pub canon: &'a BTreeMap<RepoPath, FileState>,
    /// The content of the files.
    pub contents: &'a dyn FileSource,
    /// The texts of files that contain parts written by canonry, without those parts.
    pub shared_texts: &'a BTreeMap<RepoPath, String>,
    /// Largest file to read, in bytes.
    pub max_file_size: u64,
    /// Whether the repository has a config.
    pub is_configured: bool,
}

/// A file cannot be read as text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TextError {
    /// It cannot be read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// It is not UTF-8.
    #[error("line {line}: it is not UTF-8")]
    NotUtf8 {
        /// The line of the first invalid byte.
        line: usize,
    },
}

impl ImportSource<'_> {
    /// Whether a directory contains any file.
    pub(super) fn has_below(&self, directory: &str) -> bool {
        self.below(directory).next().is_some()
    }

    /// Whether a file exists.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(&RepoPath::from(path))
    }

    /// The files below a directory, by path.
    pub(super) fn below(&self, directory: &str) -> impl Iterator<Item = (RepoPath, FileMode)> + use<'_> {
        let directory = RepoPath::from(directory);
        let inside = self.files.iter().filter(move |(path, _)| **path != directory && path.is_within(&directory));
        inside.map(|(path, state)| (path.clone(), state.mode))
    }

    /// The bytes of a file.
    pub(super) fn read(&self, path: &RepoPath) -> Result<Vec<u8>, BlobError> {
        if let Some(text) = self.shared_texts.get(path) {
            return Ok(text.clone().into_bytes());
        }
        match self.contents.read(path, self.max_file_size) {
            Blob::Bytes(bytes) => Ok(bytes),
            Blob::Missing(error) => Err(error),
        }
    }

    /// The text of a file.
    pub(super) fn text(&self, path: &RepoPath) -> Result<String, TextError> {
        String::from_utf8(self.read(path)?).map_err(|e| {
            let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            TextError::NotUtf8 { line: valid.iter().filter(|byte| **byte == b'\n').count() + 1 }
        })
    }

    /// The target of a link; `None` if it is outside the repository.
    pub(super) fn link_target(&self, path: &RepoPath) -> Option<RepoPath> {
        path.resolve_beside(&self.contents.link_text(path)?)
    }

    /// The path that prevents a file from being created, if any.
    pub(super) fn blocker(&self, path: &RepoPath) -> Option<RepoPath> {
        let directory = path.parent().unwrap_or_default();
        let mut ancestor = RepoPath::default();
        for part in directory.components() {
            ancestor = ancestor.join(part);
            if self.contents.link_text(&ancestor).is_some() {
                return Some(directory.clone());
            }
            match self.contents.kind(&ancestor) {
                PathKind::File => return Some(ancestor),
                PathKind::Nothing => return None,
                PathKind::Folder => {}
            }
        }
        (self.contents.kind(path) == PathKind::Folder).then(|| path.clone())
    }

    /// The git state of a new text file.
    pub(super) fn state_of(&self, text: &str) -> Option<FileState> {
        let id = gix::objs::compute_hash(self.hash, gix::objs::Kind::Blob, text.as_bytes()).ok()?;
        Some(FileState { id, mode: FileMode::File })
    }
}
