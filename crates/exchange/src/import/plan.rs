//! Collects what a source provides, before it is compared with the canon.

use super::detected_tools::DetectedTools;
use super::formats::FormatError;
use super::result::{ImportRefusal, SkippedItem};
use super::source::ImportSource;
use canonry_model::canon::{FileMode, FileState};
use canonry_model::edit::EditContent;
use canonry_text::RepoPath;
use std::collections::BTreeMap;

/// A file or a skill to import.
pub(super) struct PlannedItem {
    /// The file or directory of the source.
    pub from: RepoPath,
    /// The file or directory of the canon.
    pub to: RepoPath,
    /// Its files.
    pub files: Vec<PlannedFile>,
    /// Differences from the source, one sentence each.
    pub changes: Vec<String>,
    /// Whether it is a skill.
    pub is_skill: bool,
    /// Other sources with the same content.
    pub also_from: Vec<RepoPath>,
}

impl PlannedItem {
    /// An item without files that is not a skill.
    pub fn new(from: RepoPath, to: RepoPath) -> Self {
        Self { from, to, files: Vec::new(), changes: Vec::new(), is_skill: false, also_from: Vec::new() }
    }
}

/// A file to create in the canon.
pub(super) struct PlannedFile {
    /// The path.
    pub path: RepoPath,
    /// The content.
    pub content: EditContent,
    /// The git state of the content.
    pub state: FileState,
}

/// A skill in a list of skills.
#[derive(Default)]
pub(super) struct ListedSkill {
    pub description: Option<String>,
    /// The keys and values for the `metadata` of its document.
    pub metadata: Vec<(&'static str, String)>,
}

/// Items that a source provides.
pub(super) struct ImportPlan<'a> {
    /// The repository.
    pub source: &'a ImportSource<'a>,
    /// The items to import, in order of precedence.
    pub items: Vec<PlannedItem>,
    /// Skipped items.
    pub skipped: Vec<SkippedItem>,
    /// Items that are refused without a comparison with the canon.
    pub refused: Vec<ImportRefusal>,
    /// The tools that the source configures.
    pub tools: DetectedTools,
    /// Files and folders that their tools read beside what sync writes from them.
    pub superseded: Vec<RepoPath>,
    /// Remaining steps for the user.
    pub next_steps: Vec<String>,
    /// Facts of a list of skills that their own documents may lack, by name.
    pub listed_skills: BTreeMap<String, ListedSkill>,
}

impl<'a> ImportPlan<'a> {
    /// An empty plan.
    pub fn new(source: &'a ImportSource<'a>) -> Self {
        Self {
            source,
            items: Vec::new(),
            skipped: Vec::new(),
            refused: Vec::new(),
            tools: DetectedTools::default(),
            superseded: Vec::new(),
            next_steps: Vec::new(),
            listed_skills: BTreeMap::new(),
        }
    }

    /// Skips a path. `advice` is empty if there is nothing to do.
    pub fn skip(&mut self, path: &RepoPath, reason: impl Into<String>, advice: impl Into<String>) {
        let advice = Some(advice.into()).filter(|advice| !advice.is_empty());
        self.skipped.push(SkippedItem { path: path.clone(), reason: reason.into(), advice, is_unreadable: false });
    }

    /// Skips a path that cannot be read.
    pub fn skip_unreadable(&mut self, path: &RepoPath, reason: impl Into<String>) {
        let advice = Some("fix it, then run this again".to_owned());
        self.skipped.push(SkippedItem { path: path.clone(), reason: reason.into(), advice, is_unreadable: true });
    }

    /// The text of a file. Skips a path that is not a readable file.
    pub fn read(&mut self, path: &RepoPath) -> Option<String> {
        if !self.is_file(path) {
            return None;
        }
        match self.source.text(path) {
            Ok(text) => Some(text),
            Err(error) => {
                self.skip_unreadable(path, error.to_string());
                None
            }
        }
    }

    /// The content of a file of settings. Skips a path that is not a readable file, or has another format.
    pub fn read_as<T>(&mut self, path: &RepoPath, parse: fn(&str) -> Result<T, FormatError>) -> Option<T> {
        let text = self.read(path)?;
        match parse(&text) {
            Ok(content) => Some(content),
            Err(error) => {
                self.skip_unreadable(path, error.to_string());
                None
            }
        }
    }

    /// Whether a path is a regular file. Skips links and submodules.
    pub fn is_file(&mut self, path: &RepoPath) -> bool {
        if path.has_control_bytes() || std::str::from_utf8(path.as_bstr()).is_err() {
            self.skip(path, "its name contains invalid characters", "rename it, then run this again");
            return false;
        }
        match self.source.files.get(path).map(|state| state.mode) {
            None => false,
            Some(FileMode::File | FileMode::Executable) => true,
            Some(FileMode::Link) => {
                self.skip_link(path);
                false
            }
            Some(FileMode::Submodule) => {
                self.skip(path, "it is a submodule", "copy what you need from it");
                false
            }
        }
    }

    fn skip_link(&mut self, path: &RepoPath) {
        let target = self.source.link_target(path);
        let is_imported = |target: &RepoPath| self.source.files.keys().any(|file| file.is_within(target));
        let is_canonical = |target: &RepoPath| {
            let mut files = self.source.synced.iter().chain(self.source.canon.keys());
            files.any(|file| file.is_within(target))
        };
        match target {
            Some(target) if is_imported(&target) => {
                self.skip(path, format!("it is a link to {target}, which is imported itself"), "");
            }
            Some(target) if is_canonical(&target) => {
                self.skip(path, format!("it is a link to {target}, which the canon has already"), "");
            }
            _ => self.skip(path, "it is a link, and links are not followed", "replace it with a copy of its target"),
        }
    }

    /// The text of a planned file; `None` for a link and for what is no text.
    pub fn planned_text(&self, file: &PlannedFile) -> Option<String> {
        match &file.content {
            EditContent::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
            EditContent::CopyOf(path) => self.source.text(path).ok(),
            EditContent::Link(_) => None,
        }
    }

    /// A copy of a source file.
    pub fn copied_file(&self, from: &RepoPath, to: RepoPath) -> Option<PlannedFile> {
        let state = *self.source.files.get(from)?;
        Some(PlannedFile { path: to, content: EditContent::CopyOf(from.clone()), state })
    }

    /// A file with this text.
    pub fn text_file(&self, text: String, to: RepoPath) -> Option<PlannedFile> {
        let state = self.source.state_of(&text)?;
        Some(PlannedFile { path: to, content: EditContent::Bytes(text.into_bytes()), state })
    }

    /// Imports a file byte for byte.
    pub fn add_copy(&mut self, from: &RepoPath, to: RepoPath) {
        if self.is_file(from) {
            let files = self.copied_file(from, to.clone()).into_iter().collect();
            self.items.push(PlannedItem { files, ..PlannedItem::new(from.clone(), to) });
        }
    }

    /// Imports a converted text; a copy of the file if nothing was changed.
    pub fn add_text(&mut self, from: &RepoPath, to: RepoPath, text: String, changes: Vec<String>) {
        if changes.is_empty() {
            return self.add_copy(from, to);
        }
        let files = self.text_file(text, to.clone()).into_iter().collect();
        self.items.push(PlannedItem { files, changes, ..PlannedItem::new(from.clone(), to) });
    }

    /// Whether the canon has content at a path, now or after the import.
    pub fn provides(&self, to: &RepoPath) -> bool {
        self.items.iter().any(|item| item.to.is_within(to)) || self.source.canon.keys().any(|path| path.is_within(to))
    }
}
