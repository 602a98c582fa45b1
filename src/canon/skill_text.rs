//! The texts of a skill beside its `SKILL.md`: scripts, references, templates.

use super::inventory::{SkillFolder, is_skill_document};
use super::{Blob, FileMode, TreeEntry};
use crate::syntax::markdown::{self, MarkdownOutline};
use crate::syntax::{RepoPath, Source, frontmatter};
use std::sync::Arc;

/// A file of a skill that is text.
#[derive(Debug)]
pub struct SkillText {
    /// Its text.
    pub source: Arc<Source>,
    /// Plain or executable.
    pub mode: FileMode,
    /// What it points at, where it is Markdown.
    pub outline: Option<MarkdownOutline>,
}

/// Endings of files that hold no text; they are not opened.
const NO_TEXT: [&str; 36] = [
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "tiff", "pdf", "zip", "gz", "tgz", "xz", "bz2", "7z", "tar",
    "jar", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "wav", "mov", "webm", "docx", "xlsx", "pptx", "exe",
    "dll", "so", "dylib", "wasm", "pyc",
];

impl SkillText {
    /// Of a file's bytes; `None` where they are no text.
    pub fn from_bytes(entry: &TreeEntry, bytes: Vec<u8>) -> Option<Self> {
        if bytes.contains(&0) {
            return None;
        }
        let source = Arc::new(Source::from_bytes(entry.path.clone(), bytes).ok()?);
        let outline = is_markdown(&entry.path).then(|| {
            let text = source.text();
            // Frontmatter is no Markdown: its closing fence would make a heading of it.
            let body = frontmatter::split(text).map_or(0, |fences| fences.body.offset);
            markdown::outline(&text[body..], body)
        });
        Some(Self { source, mode: entry.mode, outline })
    }

    /// Of what was read.
    pub fn from_blob(entry: &TreeEntry, blob: Blob) -> Option<Self> {
        match blob {
            Blob::Bytes(bytes) => Self::from_bytes(entry, bytes),
            Blob::Missing(_) => None,
        }
    }
}

/// The files of a skill without those of skills nested in it, which are judged by themselves.
pub fn own_files(folder: &SkillFolder) -> Vec<&TreeEntry> {
    let document = &folder.document.path;
    let is_nested = |entry: &&TreeEntry| is_skill_document(&entry.path) && entry.path != *document;
    let nested: Vec<RepoPath> = folder
        .files
        .iter()
        .filter(is_nested)
        .filter_map(|entry| entry.path.parent())
        .filter(|parent| *parent != folder.path)
        .collect();
    let is_own = |entry: &&TreeEntry| !nested.iter().any(|nested| entry.path.is_within(nested));
    folder.files.iter().filter(is_own).collect()
}

/// Files of a skill that may hold text: neither its document nor links, nor what its name says is none.
pub fn may_hold_text(folder: &SkillFolder) -> Vec<&TreeEntry> {
    let is_text = |entry: &&TreeEntry| {
        let ending = extension(&entry.path).to_lowercase();
        entry.mode.is_file() && entry.path != folder.document.path && !NO_TEXT.contains(&ending.as_str())
    };
    own_files(folder).into_iter().filter(is_text).collect()
}

/// What stands behind the last dot of a file's name; empty where there is none.
pub fn extension(path: &RepoPath) -> String {
    let name = path.file_name_lossy();
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or_else(String::new, |(_, ending)| ending.to_owned())
}

fn is_markdown(path: &RepoPath) -> bool {
    matches!(extension(path).to_lowercase().as_str(), "md" | "markdown" | "mdx")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> TreeEntry {
        TreeEntry { path: RepoPath::from(path), mode: FileMode::File }
    }

    #[test]
    fn nested_skills_keep_their_texts() {
        let files = ["s/SKILL.md", "s/a.md", "s/in/SKILL.md", "s/in/b.md", "s/logo.PNG"].map(entry);
        let folder = SkillFolder {
            path: RepoPath::from("s"),
            document: entry("s/SKILL.md"),
            files: files.to_vec(),
            nested_in: None,
        };
        assert_eq!(may_hold_text(&folder), [&entry("s/a.md")]);
    }

    #[test]
    fn bytes_that_are_no_text_give_none() {
        assert!(SkillText::from_bytes(&entry("a"), b"a\0b".to_vec()).is_none());
        assert!(SkillText::from_bytes(&entry("a"), b"\xff".to_vec()).is_none());
        assert!(
            SkillText::from_bytes(&entry("a.md"), b"---\na: b\n---\n[x](y.md)\n".to_vec())
                .is_some_and(|text| { text.outline.is_some_and(|outline| outline.links.len() == 1) })
        );
    }
}
