//! The files that a context file imports, and what is wrong with that.

use super::Blob;
use super::blob::BlobError;
use crate::syntax::imports::{ImportMention, mentions};
use crate::syntax::{RepoPath, Source, Span, frontmatter};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files that are followed from one context file at most; a real one has a dozen.
const FILES: usize = 256;

/// An import that a tool does not read as it is meant.
#[derive(Clone, Debug)]
pub struct BrokenImport {
    /// The text that it stands in: the context file's, or that of a file which it imports.
    pub source: Arc<Source>,
    /// Where.
    pub span: Span,
    /// The path as written.
    pub path: String,
    /// What is wrong.
    pub flaw: ImportError,
}

/// Why an import is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// There is no such file.
    Missing {
        /// Whether there is one when the path is taken from the top of the repository.
        at_top: bool,
    },
    /// It lies outside the repository.
    Outside(Outside),
    /// It leads back to a file that it is imported by: these, the first and the last the same.
    Circle(Vec<RepoPath>),
    /// So many files stand between it and the context file that it is not read.
    TooDeep {
        /// How many files would be followed one behind the other.
        hops: usize,
    },
}

/// How a path leaves the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// From the root of the file system.
    Absolute,
    /// From the home folder.
    Home,
    /// By more `..` than there are folders.
    Above,
}

/// Follows the imports in `root`, breadth first, so that a file that is reached in two ways counts by the shorter one.
pub fn follow(root: &Arc<Source>, hops: usize, read: &dyn Fn(&RepoPath) -> Blob) -> Vec<BrokenImport> {
    let mut walk = ImportWalk { read, known: BTreeMap::new(), edges: Vec::new(), flaws: Vec::new() };
    walk.known.insert(root.path().clone(), 0);
    let mut level = vec![Arc::clone(root)];
    for hop in 1..=hops + 1 {
        let mut next = Vec::new();
        for source in &level {
            let found = walk.imports_of(source, hop, hops);
            next.extend(found);
        }
        level = next;
    }
    let circles = circles(&walk.edges);
    walk.flaws.extend(circles);
    walk.flaws
}

/// An import that leads to a file.
struct ImportEdge {
    source: Arc<Source>,
    mention: ImportMention,
    to: RepoPath,
}

struct ImportWalk<'a> {
    read: &'a dyn Fn(&RepoPath) -> Blob,
    /// The files that were met, and at which hop; those that are no text as well.
    known: BTreeMap<RepoPath, usize>,
    edges: Vec<ImportEdge>,
    flaws: Vec<BrokenImport>,
}

impl ImportWalk<'_> {
    /// The files that `source` imports and that were not met before.
    fn imports_of(&mut self, source: &Arc<Source>, hop: usize, hops: usize) -> Vec<Arc<Source>> {
        let body = frontmatter::split(source.text()).map_or(0, |parts| parts.body.offset);
        let mut next = Vec::new();
        for mention in mentions(&source.text()[body..], body) {
            match self.target(source, &mention) {
                ImportTarget::Nothing => {}
                ImportTarget::Flawed(flaw) => self.push(source, mention, flaw),
                ImportTarget::File(to, bytes) if hop > hops && !self.known.contains_key(&to) => {
                    drop((to, bytes));
                    self.push(source, mention, ImportError::TooDeep { hops: hop });
                }
                ImportTarget::File(to, bytes) => {
                    if !self.known.contains_key(&to) && self.known.len() < FILES {
                        self.known.insert(to.clone(), hop);
                        next.extend(Source::from_bytes(to.clone(), bytes).ok().map(Arc::new));
                    }
                    self.edges.push(ImportEdge { source: Arc::clone(source), mention, to });
                }
            }
        }
        next
    }

    fn push(&mut self, source: &Arc<Source>, mention: ImportMention, flaw: ImportError) {
        let ImportMention { path, span } = mention;
        self.flaws.push(BrokenImport { source: Arc::clone(source), span, path, flaw });
    }

    fn target(&self, source: &Source, mention: &ImportMention) -> ImportTarget {
        let path = mention.path.as_str();
        if let Some(outside) = outside(path) {
            return ImportTarget::Flawed(ImportError::Outside(outside));
        }
        if !may_be_path(path) {
            return ImportTarget::Nothing;
        }
        let meant = is_meant(path);
        let Some(to) = source.path().resolve_beside(path.as_bytes()) else {
            return if meant {
                ImportTarget::Flawed(ImportError::Outside(Outside::Above))
            } else {
                ImportTarget::Nothing
            };
        };
        match (self.read)(&to) {
            Blob::Bytes(bytes) => ImportTarget::File(to, bytes),
            Blob::Missing(BlobError::Absent | BlobError::Dangling { .. }) if meant && !is_personal(&to) => {
                let at_top = RepoPath::new(path);
                let at_top = at_top != to && matches!((self.read)(&at_top), Blob::Bytes(_));
                ImportTarget::Flawed(ImportError::Missing { at_top })
            }
            Blob::Missing(_) => ImportTarget::Nothing,
        }
    }
}

enum ImportTarget {
    /// No import, or one that is not judged.
    Nothing,
    Flawed(ImportError),
    File(RepoPath, Vec<u8>),
}

/// Folders at the root of file systems. `@/lib/x` alone is how JavaScript projects write their own source folder.
const ROOTS: [&str; 9] = ["/Users/", "/home/", "/etc/", "/opt/", "/private/", "/root/", "/tmp/", "/usr/", "/var/"];

fn outside(path: &str) -> Option<Outside> {
    let is_drive = path.get(1..3).is_some_and(|rest| matches!(rest, ":/" | ":\\"));
    match () {
        () if path.contains(['*', '<', '{', '$']) || path.contains("...") => None,
        () if path.starts_with("~/") && path.len() > 2 => Some(Outside::Home),
        () if is_drive || ROOTS.iter().any(|root| path.starts_with(root) && path.len() > root.len()) => {
            Some(Outside::Absolute)
        }
        () => None,
    }
}

/// Nothing that marks a placeholder, a pattern, an address or code; Gemini CLI and Claude Code want a letter, a digit or
/// a dot at the start.
fn may_be_path(path: &str) -> bool {
    let first = path.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_'));
    first && !path.contains(['<', '>', '{', '}', '*', '$', '(', '=', '|', ':', '"', '`', '…']) && !path.contains("...")
}

/// Endings of texts that are imported.
const TEXTS: [&str; 8] = ["md", "mdc", "mdx", "markdown", "txt", "rst", "adoc", "org"];
/// Endings of other files that people import whole; below a folder such a path may be a package's, as `@org/pkg/x.json`.
const DATA: [&str; 6] = ["json", "jsonc", "yaml", "yml", "toml", "xml"];

/// Whether a path that leads to nothing was meant as one: a name, a package and a decorator follow an `@` as well.
fn is_meant(path: &str) -> bool {
    let relative = path.starts_with("./") || path.starts_with("../");
    let name = path.rsplit('/').next().unwrap_or_default();
    let ends = |endings: &[&str]| {
        name.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty() && endings.iter().any(|ending| end.eq_ignore_ascii_case(ending))
        })
    };
    let is_placeholder = path.contains("path/to/") || path.starts_with("path/");
    let named = name.bytes().any(|b| b.is_ascii_alphanumeric()) || !name.is_ascii();
    !is_placeholder
        && named
        && ((relative && !path.ends_with('/')) || ends(&TEXTS) || (!path.contains('/') && ends(&DATA)))
}

/// What is there on one machine only, by intention: private notes, and packages that are installed.
fn is_personal(path: &RepoPath) -> bool {
    let is_installed = |part: &gix::bstr::BStr| part == "node_modules" || part == "vendor" || part == ".venv";
    path.file_name_lossy().contains(".local.") || path.components().any(is_installed)
}

/// The imports that close a circle, each with the files of it. Depth first over what was read.
fn circles(edges: &[ImportEdge]) -> Vec<BrokenImport> {
    let mut from: BTreeMap<&RepoPath, Vec<&ImportEdge>> = BTreeMap::new();
    for edge in edges {
        from.entry(edge.source.path()).or_default().push(edge);
    }
    let mut found = Vec::new();
    let Some(root) = edges.first().map(|edge| edge.source.path()) else { return found };
    let mut path = vec![root];
    let mut next = vec![0];
    let mut done: Vec<&RepoPath> = Vec::new();
    while let (Some(here), Some(at)) = (path.last().copied(), next.last_mut()) {
        let Some(edge) = from.get(here).and_then(|edges| edges.get(*at)) else {
            done.push(here);
            path.pop();
            next.pop();
            continue;
        };
        *at += 1;
        if let Some(start) = path.iter().position(|above| **above == edge.to) {
            let circle = path[start..].iter().map(|path| (*path).clone()).chain([edge.to.clone()]).collect();
            let ImportMention { path, span } = edge.mention.clone();
            found.push(BrokenImport {
                source: Arc::clone(&edge.source),
                span,
                path,
                flaw: ImportError::Circle(circle),
            });
        } else if !done.contains(&&edge.to) {
            path.push(&edge.to);
            next.push(0);
        }
    }
    found
}

#[cfg(test)]
#[path = "imports_tests.rs"]
mod tests;
