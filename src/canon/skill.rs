//! A skill: a folder with a `SKILL.md`.

use super::blob::{Blob, DocumentError};
use super::inventory::{SkillFolder, is_skill_document};
use super::schema::{SchemaKind, Schemas, Violation};
use super::{FileMode, TreeEntry};
use crate::syntax::frontmatter::{Frontmatter, FrontmatterError};
use crate::syntax::markdown;
use crate::syntax::markdown::MarkdownOutline;
use crate::syntax::node::{Mapping, MappingEntry as YamlEntry, Node, NodeValue};
use crate::syntax::yaml;
use crate::syntax::yaml::{ParsedDocument, YamlError};
use crate::syntax::{RepoPath, Source, Span, frontmatter};
use gix::bstr::ByteSlice;
use std::sync::Arc;

/// A skill as far as it could be read.
#[derive(Debug)]
pub struct Skill {
    /// Its files.
    pub folder: SkillFolder,
    /// Links among its files, each with its target's text.
    pub links: Vec<SkillLink>,
    /// The texts among its other files, those of skills nested in it left out.
    pub texts: Vec<SkillText>,
    /// What its `SKILL.md` gave.
    pub document: Result<SkillDocument, DocumentError>,
}

/// A symbolic link inside a skill's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillLink {
    /// The link.
    pub path: RepoPath,
    /// Where it leads, as written.
    pub target: String,
    /// The same inside the repository; `None` where it leaves it.
    pub resolved: Option<RepoPath>,
}

/// The text of a `SKILL.md`.
#[derive(Debug)]
pub struct SkillDocument {
    /// The text.
    pub source: Arc<Source>,
    /// Its frontmatter, or why it has none.
    pub front: Result<SkillFrontmatter, FrontmatterError>,
    /// What its body points at; of the whole text where there is no frontmatter.
    pub outline: MarkdownOutline,
}

/// Frontmatter between its fences.
#[derive(Debug)]
pub struct SkillFrontmatter {
    /// The fences.
    pub fences: Frontmatter,
    /// The YAML, or the first place where it is none. Spans count from the file's start.
    pub yaml: Result<ParsedDocument, YamlError>,
    /// Where it breaks the skill schemas. Nothing between the fences counts as a mapping without keys; what is no
    /// mapping at all has no violations.
    pub violations: Vec<Violation>,
}

impl Skill {
    /// Reads a skill from its folder and the content of its `SKILL.md`.
    pub fn parse(folder: SkillFolder, links: Vec<SkillLink>, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&folder.document.path).map(|source| SkillDocument::parse(source, schemas));
        Self { folder, links, texts: Vec::new(), document }
    }

    /// With the texts of its other files.
    #[must_use]
    pub fn with_texts(mut self, texts: Vec<SkillText>) -> Self {
        self.texts = texts;
        self
    }

    /// All its texts, the document first, each with what it points at where it is Markdown.
    pub fn all_texts(&self) -> impl Iterator<Item = (&Arc<Source>, Option<&MarkdownOutline>)> {
        let document = self.document.as_ref().ok().map(|document| (&document.source, Some(&document.outline)));
        document.into_iter().chain(self.texts.iter().map(|text| (&text.source, text.outline.as_ref())))
    }

    /// The name of the folder; `None` at the top of the repository, whose name is the clone's and not the skill's.
    pub fn directory_name(&self) -> Option<String> {
        (!self.folder.path.is_empty()).then(|| self.folder.path.file_name_lossy())
    }

    /// Where the `SKILL.md` lies.
    pub fn path(&self) -> &RepoPath {
        &self.folder.document.path
    }

    /// The text, where it could be read.
    pub fn source(&self) -> Option<&Arc<Source>> {
        self.document.as_ref().ok().map(|d| &d.source)
    }

    /// The frontmatter, where there is one.
    pub fn front(&self) -> Option<&SkillFrontmatter> {
        self.document.as_ref().ok()?.front.as_ref().ok()
    }

    /// The frontmatter's keys, where it is a mapping.
    pub fn fields(&self) -> Option<&Mapping> {
        self.front()?.mapping()
    }

    /// The entry of a top-level key.
    pub fn field(&self, key: &str) -> Option<&YamlEntry> {
        self.fields()?.get(key)
    }

    /// The value of a top-level key, where it is a string.
    pub fn text_field(&self, key: &str) -> Option<(&str, Span)> {
        let value = &self.field(key)?.value;
        Some((value.as_str()?, value.span))
    }

    /// Violations of the skill schemas.
    pub fn violations(&self) -> &[Violation] {
        self.front().map_or(&[], |front| &front.violations)
    }

    /// Whether no tool could read it: then it is not mirrored where it has not been before.
    pub fn is_broken(&self) -> bool {
        self.fields().is_none()
    }

    /// The file of the skill at a path.
    pub fn file(&self, path: &RepoPath) -> Option<&TreeEntry> {
        let files = &self.folder.files;
        files.binary_search_by(|e| e.path.cmp(path)).ok().map(|at| &files[at])
    }

    /// Whether a path is a folder of the skill.
    pub fn has_folder(&self, path: &RepoPath) -> bool {
        if *path == self.folder.path {
            return true;
        }
        let files = &self.folder.files;
        let mut inside = path.as_bstr().to_vec();
        inside.push(b'/');
        let at = files.partition_point(|e| e.path.as_bstr() < inside.as_bstr());
        files.get(at).is_some_and(|e| e.path.as_bstr().starts_with(&inside))
    }
}

/// Whether the bytes of a `SKILL.md` hold frontmatter with keys, as [`Skill::is_broken`] asks of a whole skill.
pub fn has_fields(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(fences) = frontmatter::split(text) else { return false };
    let yaml = yaml::parse(&text[fences.yaml.range()], fences.yaml.offset);
    yaml.is_ok_and(|document| document.root.as_mapping().is_some())
}

impl SkillDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let text = source.text();
        let front = frontmatter::split(text).map(|fences| SkillFrontmatter::parse(text, fences, schemas));
        let body = front.as_ref().map_or(Span::new(0, text.len()), |front| front.fences.body);
        let outline = markdown::outline(&text[body.range()], body.offset);
        Self { front, outline, source }
    }
}

impl SkillFrontmatter {
    fn parse(text: &str, fences: Frontmatter, schemas: &Schemas) -> Self {
        let yaml = yaml::parse(&text[fences.yaml.range()], fences.yaml.offset);
        let violations = match yaml.as_ref().map(|document| &document.root) {
            Ok(root) if root.as_mapping().is_some() => schemas.validate(SchemaKind::Skill, root),
            Ok(root) if root.is_null() => {
                let empty = Node { span: fences.opening, value: NodeValue::Mapping(Mapping::default()) };
                schemas.validate(SchemaKind::Skill, &empty)
            }
            _ => Vec::new(),
        };
        Self { fences, yaml, violations }
    }

    /// The YAML's root, where it could be read.
    pub fn root(&self) -> Option<&Node> {
        self.yaml.as_ref().ok().map(|document| &document.root)
    }

    /// The keys, where the root is a mapping.
    pub fn mapping(&self) -> Option<&Mapping> {
        self.root()?.as_mapping()
    }
}

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
