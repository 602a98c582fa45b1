//! The `@path` imports of a context file, and those that do not work.

use super::Blob;
use super::blob::BlobError;
use canonry_text::imports::{ImportMention, mentions};
use canonry_text::{PathEscape, RepoPath, Source, Span, frontmatter};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum number of files to follow from one context file. Real context files import about a dozen.
const FILES: usize = 256;

/// An import that a tool does not resolve.
#[derive(Clone, Debug)]
pub struct BrokenImport {
    /// The text with the import: the context file or one of its imports.
    pub source: Arc<Source>,
    pub span: Span,
    /// The path as written.
    pub path: String,
    pub error: ImportError,
}

/// Why an import does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The file does not exist.
    Missing {
        /// Whether the file exists if the path is resolved from the top of the repository.
        at_top: bool,
    },
    /// The path leaves the repository.
    Outside(PathEscape),
    /// The imported file imports this file again. Lists the cycle; the first and last file are the same.
    Cycle(Vec<RepoPath>),
    /// The chain of imports is longer than the tool follows.
    TooDeep {
        /// The depth of this import.
        hops: usize,
    },
}

/// Follows the imports of `root` breadth first, so that the shortest chain to a file decides its depth.
pub fn follow(root: &Arc<Source>, hops: usize, read: &dyn Fn(&RepoPath) -> Blob) -> Vec<BrokenImport> {
    let mut walk = ImportWalk { read, known: BTreeMap::new(), edges: Vec::new(), broken: Vec::new() };
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
    let cycles = cycles(&walk.edges);
    walk.broken.extend(cycles);
    walk.broken
}

/// Endings of a template's name after the file that it becomes.
const TEMPLATE_ENDINGS: [&str; 5] = [".tmpl", ".template", ".example", ".j2", ".in"];

/// An import that resolves to a file.
struct ImportEdge {
    source: Arc<Source>,
    mention: ImportMention,
    to: RepoPath,
}

struct ImportWalk<'a> {
    read: &'a dyn Fn(&RepoPath) -> Blob,
    /// The depth of every file found so far, including files that are not text.
    known: BTreeMap<RepoPath, usize>,
    edges: Vec<ImportEdge>,
    broken: Vec<BrokenImport>,
}

impl ImportWalk<'_> {
    /// The files that `source` imports for the first time.
    fn imports_of(&mut self, source: &Arc<Source>, hop: usize, hops: usize) -> Vec<Arc<Source>> {
        let body = frontmatter::split(source.text()).map_or(0, |parts| parts.body.offset);
        let mut next = Vec::new();
        for mention in mentions(&source.text()[body..], body) {
            match self.target(source, &mention) {
                ImportTarget::Nothing => {}
                ImportTarget::Broken(error) => self.push(source, mention, error),
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

    fn push(&mut self, source: &Arc<Source>, mention: ImportMention, error: ImportError) {
        let ImportMention { path, span } = mention;
        self.broken.push(BrokenImport { source: Arc::clone(source), span, path, error });
    }

    /// Whether the file is made from a template beside it.
    fn is_rendered(&self, path: &RepoPath) -> bool {
        let name = path.file_name_lossy();
        let folder = path.parent().unwrap_or_default();
        TEMPLATE_ENDINGS
            .iter()
            .any(|ending| matches!((self.read)(&folder.join(format!("{name}{ending}"))), Blob::Bytes(_)))
    }

    fn target(&self, source: &Source, mention: &ImportMention) -> ImportTarget {
        let path = mention.path.as_str();
        if let Some(outside) = outside(path) {
            return ImportTarget::Broken(ImportError::Outside(outside));
        }
        if !may_be_path(path) {
            return ImportTarget::Nothing;
        }
        let is_intended = is_intended_path(path);
        let Some(to) = source.path().resolve_beside(path.as_bytes()) else {
            return if is_intended {
                ImportTarget::Broken(ImportError::Outside(PathEscape::Climbs))
            } else {
                ImportTarget::Nothing
            };
        };
        match (self.read)(&to) {
            Blob::Bytes(bytes) => ImportTarget::File(to, bytes),
            Blob::Missing(BlobError::Absent | BlobError::Dangling { .. })
                if is_intended && !is_personal(&to) && !self.is_rendered(&to) =>
            {
                let at_top = RepoPath::new(path);
                let at_top = at_top != to && matches!((self.read)(&at_top), Blob::Bytes(_));
                ImportTarget::Broken(ImportError::Missing { at_top })
            }
            Blob::Missing(_) => ImportTarget::Nothing,
        }
    }
}

enum ImportTarget {
    /// Not an import, or one that is not checked.
    Nothing,
    Broken(ImportError),
    File(RepoPath, Vec<u8>),
}

/// Top-level folders of file systems. A bare `@/lib/x` is how JavaScript projects refer to their source folder.
const ROOTS: [&str; 9] = ["/Users/", "/home/", "/etc/", "/opt/", "/private/", "/root/", "/tmp/", "/usr/", "/var/"];

fn outside(path: &str) -> Option<PathEscape> {
    let is_drive = path.get(1..3).is_some_and(|rest| matches!(rest, ":/" | ":\\"));
    if path.contains(['*', '<', '{', '$']) || path.contains("...") {
        None
    } else if path.starts_with("~/") && path.len() > 2 {
        Some(PathEscape::Home)
    } else if is_drive || ROOTS.iter().any(|root| path.starts_with(root) && path.len() > root.len()) {
        Some(PathEscape::Absolute)
    } else {
        None
    }
}

/// Whether a mention can be a path: no placeholder, glob, address or code. Gemini CLI and Claude Code require a
/// letter, a digit or a dot at the start.
fn may_be_path(path: &str) -> bool {
    let first = path.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_'));
    first && !path.contains(['<', '>', '{', '}', '*', '$', '(', '=', '|', ':', '"', '`', '…']) && !path.contains("...")
}

/// Extensions of text files that people import.
const TEXTS: [&str; 8] = ["md", "mdc", "mdx", "markdown", "txt", "rst", "adoc", "org"];
/// Extensions of data files that people import. With a folder before it, such a path can be in a package:
/// `@org/pkg/x.json`.
const DATA: [&str; 6] = ["json", "jsonc", "yaml", "yml", "toml", "xml"];

/// Whether a path that does not resolve was meant as a path. Names, packages and decorators follow an `@` too.
fn is_intended_path(path: &str) -> bool {
    let relative = path.starts_with("./") || path.starts_with("../");
    let name = path.rsplit('/').next().expect("split is never empty");
    let ends = |endings: &[&str]| {
        name.rsplit_once('.').is_some_and(|(stem, end)| {
            !stem.is_empty() && endings.iter().any(|ending| end.eq_ignore_ascii_case(ending))
        })
    };
    let named = name.bytes().any(|b| b.is_ascii_alphanumeric()) || !name.is_ascii();
    named && ((relative && !path.ends_with('/')) || ends(&TEXTS) || (!path.contains('/') && ends(&DATA)))
}

/// Files that exist on one machine only by design: private notes and installed packages.
fn is_personal(path: &RepoPath) -> bool {
    let is_installed = |part: &bstr::BStr| part == "node_modules" || part == "vendor" || part == ".venv";
    path.file_name_lossy().contains(".local.") || path.components().any(is_installed)
}

/// The imports that close a cycle, found by a depth-first search.
fn cycles(edges: &[ImportEdge]) -> Vec<BrokenImport> {
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
            let cycle = path[start..].iter().map(|path| (*path).clone()).chain([edge.to.clone()]).collect();
            let ImportMention { path, span } = edge.mention.clone();
            found.push(BrokenImport { source: Arc::clone(&edge.source), span, path, error: ImportError::Cycle(cycle) });
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
