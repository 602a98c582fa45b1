//! Skills: folders with a `SKILL.md`.

use super::blob::{Blob, DocumentError};
use super::inventory::{SkillFolder, is_skill_document};
use super::schema::{SchemaKind, Schemas, Violation};
use super::surroundings::{SkillPlace, Surroundings};
use super::{FileMode, TreeEntry};
use bstr::ByteSlice;
use canonry_text::frontmatter::{Frontmatter, FrontmatterError};
use canonry_text::markdown;
use canonry_text::markdown::MarkdownOutline;
use canonry_text::node::{Mapping, MappingEntry as YamlEntry, Node, NodeValue};
use canonry_text::yaml;
use canonry_text::yaml::{ParsedDocument, YamlError};
use canonry_text::{RepoPath, Source, Span, frontmatter};
use std::sync::Arc;

/// A parsed skill.
#[derive(Debug)]
pub struct Skill {
    pub folder: SkillFolder,
    /// The symbolic links among its files.
    pub links: Vec<SkillLink>,
    /// Its other text files, without those of nested skills.
    pub texts: Vec<SkillText>,
    /// The `SKILL.md`.
    pub document: Result<SkillDocument, DocumentError>,
    /// The repository around the skill.
    pub surroundings: Surroundings,
    /// Changes since an earlier version, if the skill has a version.
    pub change: Option<SkillChange>,
}

/// Difference between a skill and an earlier version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillChange {
    /// The version before.
    pub earlier_version: String,
    /// The files that differ, from the top of the repository.
    pub files: Vec<RepoPath>,
}

/// A symbolic link in a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillLink {
    pub path: RepoPath,
    /// The target as written.
    pub target: String,
    /// The target in the repository; `None` if it is outside.
    pub resolved: Option<RepoPath>,
}

/// A `SKILL.md` with its text.
#[derive(Debug)]
pub struct SkillDocument {
    pub source: Arc<Source>,
    pub front: Result<SkillFrontmatter, FrontmatterError>,
    /// The links, comments and code blocks of the body, or of the whole text if there is no frontmatter.
    pub outline: MarkdownOutline,
}

/// The frontmatter of a `SKILL.md`.
#[derive(Debug)]
pub struct SkillFrontmatter {
    pub fences: Frontmatter,
    /// The YAML, or its first syntax error. Spans count from the start of the file.
    pub yaml: Result<ParsedDocument, YamlError>,
    /// Violations of the skill schemas. Empty frontmatter is validated as an empty mapping; other values have no
    /// violations.
    pub violations: Vec<Violation>,
}

impl Skill {
    /// Parses a skill from its folder and the content of its `SKILL.md`.
    pub fn parse(folder: SkillFolder, links: Vec<SkillLink>, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&folder.document.path).map(|source| SkillDocument::parse(source, schemas));
        Self { folder, links, texts: Vec::new(), document, surroundings: Surroundings::default(), change: None }
    }

    /// Adds its other text files.
    #[must_use]
    pub fn with_texts(mut self, texts: Vec<SkillText>) -> Self {
        self.texts = texts;
        self
    }

    /// Adds its surroundings in the repository; `exists` checks a path.
    #[must_use]
    pub fn with_surroundings(mut self, exists: impl Fn(&RepoPath) -> bool) -> Self {
        let links = self.all_texts().flat_map(|(source, outline)| {
            let links = outline.into_iter().flat_map(|outline| &outline.links);
            links.map(move |link| (source.path(), link))
        });
        let place =
            SkillPlace { folder: &self.folder.path, document: self.path(), stored_document: self.stored_document() };
        let is_own = |path: &RepoPath| self.file(path).is_some() || self.has_folder(path);
        self.surroundings = Surroundings::collect(place, links, is_own, &exists);
        let leads_out = |link: &SkillLink| link.resolved.as_ref().is_some_and(|to| !to.is_within(&self.folder.path));
        if self.links.iter().any(leads_out) {
            self.surroundings.find_plugin(&self.folder.path, exists);
        }
        self
    }

    /// Says that the skill is mirrored, if it is directly in the canon's folder with skills.
    #[must_use]
    pub fn mirrored_from(mut self, skills: &RepoPath) -> Self {
        self.surroundings.mirrored = self.folder.path.parent().filter(|parent| parent == skills);
        self
    }

    /// Whether it is in the folder of skills that are mirrored.
    pub fn is_in_canon(&self) -> bool {
        self.surroundings.mirrored.is_some()
    }

    /// Says whether the manifest of a plugin gives its folder as a path of skills. Only for a skill with another name than its folder
    /// does this matter.
    #[must_use]
    pub fn listed_in_manifest(mut self, is_listed: impl Fn(&Self) -> bool) -> Self {
        let names = self.text_field("name").zip(self.directory_name());
        let is_other = names.is_some_and(|((name, _), directory)| name != directory);
        self.surroundings.is_listed_in_manifest = is_other && is_listed(&self);
        self
    }

    /// Compares it with an earlier version. `earlier` is the content of its document then, `changed` are the files below its
    /// folder that differ.
    #[must_use]
    pub fn with_change(mut self, earlier: &[u8], files: Vec<RepoPath>) -> Self {
        let root = std::str::from_utf8(earlier).ok().and_then(frontmatter::root);
        let version = root.as_ref().and_then(version_of).and_then(|node| Some(node.as_scalar()?.text.clone()));
        self.change = version.map(|earlier_version| SkillChange { earlier_version, files });
        self
    }

    /// The version: `version` in its `metadata`, or at the top of its frontmatter.
    pub fn version(&self) -> Option<(&str, Span)> {
        let node = version_of(self.front()?.root()?)?;
        Some((node.as_scalar()?.text.as_str(), node.span))
    }

    /// A value in its `metadata`, with its location.
    pub fn metadata(&self, key: &str) -> Option<(&str, Span)> {
        let node = self.front()?.root()?.get("metadata")?.get(key)?;
        Some((node.as_scalar()?.text.as_str(), node.span))
    }

    /// Whether the document is a form for skills, or a page named `skill.md` about something else, such as the entry of a glossary: one
    /// in lower case, not in a folder `skills`, and without the keys of a skill.
    pub fn is_other_page(&self) -> bool {
        let path = self.path();
        // No tool looks for a skill in another one, and only some systems take the lower case for a skill's document.
        let is_in_skill = self.folder.nested_in.as_ref().is_some_and(|outer| !outer.is_empty());
        if self.is_form() {
            return true;
        }
        if is_in_skill && path.file_name() != "SKILL.md" {
            return true;
        }
        if path.file_name() == "SKILL.md" || self.field("name").is_some() || self.field("description").is_some() {
            return false;
        }
        let front = self.document.as_ref().ok().map(|document| &document.front);
        let has_no_frontmatter = matches!(front, Some(Err(FrontmatterError::Missing { .. })));
        // A form beside those of other files: `templates/skill.md` and `templates/command.md`.
        let is_form = || matches!(self.folder.path.file_name().as_bytes(), b"template" | b"templates");
        // One inside another skill and without frontmatter is a text of that skill: `workflow/skill.md` beside `workflow/command.md`.
        let is_part = || self.folder.nested_in.is_some() || is_form();
        self.front().is_some() && path.components().all(|part| part != "skills") || has_no_frontmatter && is_part()
    }

    /// Whether a generator copies it and writes a name in the place for it: `templates/skill/SKILL.md` with `name: SKILL_NAME`.
    fn is_form(&self) -> bool {
        let is_place = |name: &str| {
            name.ends_with("_NAME") && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        };
        let mut folders = self.folder.path.components();
        folders.any(|part| matches!(part.as_bytes(), b"template" | b"templates"))
            && self.text_field("name").is_some_and(|(name, _)| is_place(name))
    }

    /// Whether it is in a folder where a tool reads it, such as `.claude/skills/`. It is used there, and not copied.
    pub fn is_in_tool_folder(&self) -> bool {
        let parts: Vec<&[u8]> = self.folder.path.components().map(AsRef::as_ref).collect();
        parts.windows(2).any(|pair| pair[0].starts_with(b".") && pair[1] == b"skills")
    }

    /// Whether it is used where it is in its repository: in a folder of a tool, or marked as internal, so that installers hide it.
    pub fn is_used_in_place(&self) -> bool {
        self.is_in_tool_folder() || self.metadata("internal").is_some_and(|(value, _)| value == "true")
    }

    /// All its texts, the document first. Markdown comes with its outline.
    pub fn all_texts(&self) -> impl Iterator<Item = (&Arc<Source>, Option<&MarkdownOutline>)> {
        let document = self.document.as_ref().ok().map(|document| (&document.source, Some(&document.outline)));
        document.into_iter().chain(self.texts.iter().map(|text| (&text.source, text.outline.as_ref())))
    }

    /// The name of its folder. `None` at the top of the repository, because that name depends on the clone.
    pub fn directory_name(&self) -> Option<String> {
        let folder = &self.folder.path;
        (!folder.is_empty()).then(|| folder.file_name_lossy())
    }

    /// The path of its `SKILL.md`.
    pub fn path(&self) -> &RepoPath {
        &self.folder.document.path
    }

    /// Where its `SKILL.md` is stored, if that is a symbolic link inside the repository.
    pub fn stored_document(&self) -> Option<&RepoPath> {
        self.links.iter().find(|link| link.path == *self.path())?.resolved.as_ref()
    }

    pub fn source(&self) -> Option<&Arc<Source>> {
        self.document.as_ref().ok().map(|d| &d.source)
    }

    pub fn front(&self) -> Option<&SkillFrontmatter> {
        self.document.as_ref().ok()?.front.as_ref().ok()
    }

    /// The top-level keys, if the frontmatter is a mapping.
    pub fn fields(&self) -> Option<&Mapping> {
        self.front()?.mapping()
    }

    /// The entry of a top-level key.
    pub fn field(&self, key: &str) -> Option<&YamlEntry> {
        self.fields()?.get(key)
    }

    /// The value of a top-level key, if it is a string.
    pub fn text_field(&self, key: &str) -> Option<(&str, Span)> {
        let value = &self.field(key)?.value;
        Some((value.as_str()?, value.span))
    }

    pub fn violations(&self) -> &[Violation] {
        self.front().map_or(&[], |front| &front.violations)
    }

    /// Whether no tool can read it. Sync does not add a broken skill to a mirror.
    pub fn is_broken(&self) -> bool {
        self.fields().is_none()
    }

    pub fn file(&self, path: &RepoPath) -> Option<&TreeEntry> {
        let files = &self.folder.files;
        files.binary_search_by(|e| e.path.cmp(path)).ok().map(|at| &files[at])
    }

    /// Whether `path` is a folder in the skill.
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

/// The version in a frontmatter.
fn version_of(root: &Node) -> Option<&Node> {
    root.get("metadata").and_then(|metadata| metadata.get("version")).or_else(|| root.get("version"))
}

/// Whether the content of a `SKILL.md` has frontmatter with keys: [`Skill::is_broken`] for bytes.
pub fn has_fields(bytes: &[u8]) -> bool {
    let root = std::str::from_utf8(bytes).ok().and_then(frontmatter::root);
    root.is_some_and(|root| root.as_mapping().is_some())
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

    pub fn root(&self) -> Option<&Node> {
        self.yaml.as_ref().ok().map(|document| &document.root)
    }

    /// The keys, if the root is a mapping.
    pub fn mapping(&self) -> Option<&Mapping> {
        self.root()?.as_mapping()
    }
}

/// A text file of a skill other than its `SKILL.md`.
#[derive(Debug)]
pub struct SkillText {
    pub source: Arc<Source>,
    pub mode: FileMode,
    /// The outline, if it is Markdown.
    pub outline: Option<MarkdownOutline>,
}

/// Extensions of binary files, which are not opened.
const NO_TEXT: [&str; 36] = [
    "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "tiff", "pdf", "zip", "gz", "tgz", "xz", "bz2", "7z", "tar",
    "jar", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "wav", "mov", "webm", "docx", "xlsx", "pptx", "exe",
    "dll", "so", "dylib", "wasm", "pyc",
];

impl SkillText {
    /// Parses a file; `None` if it is binary.
    pub fn from_bytes(entry: &TreeEntry, bytes: Vec<u8>) -> Option<Self> {
        if bytes.contains(&0) {
            return None;
        }
        let source = Arc::new(Source::from_bytes(entry.path.clone(), bytes).ok()?);
        let outline = is_markdown(&entry.path).then(|| {
            let text = source.text();
            // The closing fence of frontmatter would turn its last line into a heading.
            let body = frontmatter::split(text).map_or(0, |fences| fences.body.offset);
            markdown::outline(&text[body..], body)
        });
        Some(Self { source, mode: entry.mode, outline })
    }

    /// Parses a file, if it has content.
    pub fn from_blob(entry: &TreeEntry, blob: Blob) -> Option<Self> {
        Self::from_bytes(entry, blob.into_bytes()?)
    }
}

/// Folders of a skill by the specification. Others may be those of a sample, or of the repository.
pub const SKILL_FOLDERS: [&str; 3] = ["scripts", "references", "assets"];

/// The files of a skill without those of nested skills, which are checked on their own.
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

/// The files of a skill that may be text, except its document: no links, no binary extensions.
pub fn may_hold_text(folder: &SkillFolder) -> Vec<&TreeEntry> {
    let is_text = |entry: &&TreeEntry| {
        let ending = extension(&entry.path).to_lowercase();
        entry.mode.is_file() && entry.path != folder.document.path && !NO_TEXT.contains(&ending.as_str())
    };
    own_files(folder).into_iter().filter(is_text).collect()
}

/// The extension of a file without the dot; empty if there is none.
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
    fn nested_skills_keep_their_own_texts() {
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
    fn binary_files_have_no_text() {
        assert!(SkillText::from_bytes(&entry("a"), b"a\0b".to_vec()).is_none());
        assert!(SkillText::from_bytes(&entry("a"), b"\xff".to_vec()).is_none());
        assert!(
            SkillText::from_bytes(&entry("a.md"), b"---\na: b\n---\n[x](y.md)\n".to_vec())
                .is_some_and(|text| { text.outline.is_some_and(|outline| outline.links.len() == 1) })
        );
    }
}
