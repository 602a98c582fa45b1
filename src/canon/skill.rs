//! A skill: a folder with a `SKILL.md`.

use super::blob::BlobError;
use super::inventory::SkillFolder;
use super::schema::{SchemaKind, Schemas, Violation};
use super::skill_text::SkillText;
use super::{Blob, TreeEntry};
use crate::syntax::frontmatter::{self, Frontmatter, FrontmatterError};
use crate::syntax::markdown::{self, MarkdownOutline};
use crate::syntax::source::NotUtf8;
use crate::syntax::yaml::{self, ParsedDocument, YamlError};
use crate::syntax::yaml_node::{Mapping, MappingEntry as YamlEntry, Node, NodeValue};
use crate::syntax::{RepoPath, Source, Span};
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

/// Why a `SKILL.md` gave no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentError {
    /// No bytes.
    Missing(BlobError),
    /// Bytes that are not UTF-8.
    NotUtf8(NotUtf8),
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
        let document = match blob {
            Blob::Missing(missing) => Err(DocumentError::Missing(missing)),
            Blob::Bytes(bytes) => Source::from_bytes(folder.document.path.clone(), bytes)
                .map(|source| SkillDocument::parse(Arc::new(source), schemas))
                .map_err(DocumentError::NotUtf8),
        };
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
