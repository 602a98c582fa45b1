//! Compares what a source provides with the canon, and decides what to write.

use super::config_sections::ConfigSections;
use super::generated_config::config_sections;
use super::plan::{ImportPlan, PlannedItem};
use super::result::{GeneratedConfig, ImportRefusal, ImportResult, ImportedItem};
use super::secrets::replace_in_texts;
use super::source::ImportSource;
use super::source_kind::SourceKind;
use canonry_model::canon::FileState;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::config::modeline::MODELINE;
use canonry_model::edit::{Edit, EditContent};
use canonry_text::RepoPath;
use std::collections::BTreeMap;

/// Files listed by name in a refusal before the rest is omitted.
const MAX_NAMES: usize = 3;

/// Decides what to write.
pub(super) fn resolve(mut plan: ImportPlan<'_>, kind: SourceKind) -> ImportResult {
    replace_in_texts(&mut plan);
    let config = config_sections(&mut plan, kind);
    let ImportPlan { source, items, skipped, refused, superseded, next_steps, .. } = plan;
    let result = ImportResult { skipped, refused, next_steps, ..ImportResult::default() };
    let mut resolver = Resolver {
        source,
        planned: BTreeMap::new(),
        names: CanonNames::new(source),
        imported_by_path: BTreeMap::new(),
        result,
    };
    items.into_iter().for_each(|item| resolver.add(item));
    resolver.add_config(config);
    let mut result = resolver.result;
    result.next_steps.extend(removal_step(&superseded, &result));
    result.next_steps.extend(kind.shutdown_steps().iter().map(|step| (*step).to_owned()));
    result
}

/// The step to remove the sources that sync writes to other files.
fn removal_step(superseded: &[RepoPath], result: &ImportResult) -> Option<String> {
    let sources: Vec<&RepoPath> = result.imported.iter().flat_map(|item| &item.from).collect();
    let is_imported = |path: &&RepoPath| sources.iter().any(|from| from.is_within(path));
    let paths: Vec<&RepoPath> = superseded.iter().filter(is_imported).collect();
    let shown: Vec<String> = paths.iter().take(MAX_NAMES).map(ToString::to_string).collect();
    let rest = paths.len().saturating_sub(MAX_NAMES);
    let rest = if rest > 0 { format!(" and {rest} more that the report names") } else { String::new() };
    (!paths.is_empty()).then(|| {
        format!(
            "remove {}{rest} once `canonry sync` has written the same to another file: the tools would read both",
            shown.join(", ")
        )
    })
}

/// A file that this run creates.
struct PlannedPath {
    path: RepoPath,
    state: FileState,
    /// The item that it belongs to.
    from: RepoPath,
}

struct Resolver<'a> {
    source: &'a ImportSource<'a>,
    /// The files of this run by their folded paths.
    planned: BTreeMap<String, PlannedPath>,
    names: CanonNames,
    /// Indexes of the imported items by their path in the canon.
    imported_by_path: BTreeMap<RepoPath, usize>,
    result: ImportResult,
}

/// The names in the canon, including those that this run adds.
#[derive(Default)]
struct CanonNames {
    /// Paths by their folded form.
    paths: BTreeMap<String, RepoPath>,
    /// Directories of skills by their lower-case names.
    skills: BTreeMap<String, RepoPath>,
}

impl CanonNames {
    fn new(source: &ImportSource<'_>) -> Self {
        let mut names = Self::default();
        source.canon.keys().for_each(|path| names.add(path, &source.layout.skills()));
        names
    }

    fn add(&mut self, path: &RepoPath, skills: &RepoPath) {
        self.paths.insert(folded(path), path.clone());
        if let Some(folder) = path.parent().filter(|_| path.is_within(skills) && is_skill_document(path)) {
            self.skills.entry(folder.file_name_lossy().to_lowercase()).or_insert(folder);
        }
    }
}

impl Resolver<'_> {
    fn add(&mut self, item: PlannedItem) {
        if let Some(index) = self.imported_by_path.get(&item.to).copied() {
            match self.difference_from_imported(&item) {
                None => self.result.imported[index].from.extend(std::iter::once(item.from).chain(item.also_from)),
                Some(reason) => self.refuse(item, reason),
            }
            return;
        }
        if let Some(reason) = self.obstacle(&item) {
            return self.refuse(item, reason);
        }
        let mut new_files = 0;
        let PlannedItem { from, to, files, changes, also_from, .. } = item;
        let count = files.len();
        for file in files {
            self.names.add(&file.path, &self.source.layout.skills());
            let planned = PlannedPath { path: file.path.clone(), state: file.state, from: from.clone() };
            self.planned.insert(folded(&file.path), planned);
            if !self.source.canon.contains_key(&file.path) {
                new_files += 1;
                self.result.edits.push(Edit::Write {
                    path: file.path,
                    content: file.content,
                    was: None,
                    now: file.state,
                });
            }
        }
        let sources = std::iter::once(from).chain(also_from).collect();
        self.imported_by_path.insert(to.clone(), self.result.imported.len());
        self.result.imported.push(ImportedItem { from: sources, to, files: count, new_files, changes });
    }

    fn refuse(&mut self, item: PlannedItem, reason: String) {
        self.result.refused.push(ImportRefusal { from: item.from, to: item.to, reason });
    }

    /// Difference between an item and the item that this run imported to the same path; `None` if they are equal.
    fn difference_from_imported(&self, item: &PlannedItem) -> Option<String> {
        let is_in_item = |path: &RepoPath| item.files.iter().any(|file| file.path == *path);
        let start = folded(&item.to);
        let imported = self.planned.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
        let imported = imported.map(|(_, planned)| planned).filter(|planned| planned.path.is_within(&item.to));
        let only_imported = imported
            .filter(|planned| !is_in_item(&planned.path))
            .map(|planned| (planned.path.clone(), planned.from.clone()));
        let different = item.files.iter().filter_map(|file| match self.planned.get(&folded(&file.path)) {
            Some(planned) if planned.path == file.path && planned.state == file.state => None,
            Some(planned) => Some((file.path.clone(), planned.from.clone())),
            None => Some((file.path.clone(), self.source_of(&item.to))),
        });
        let differing: Vec<(RepoPath, RepoPath)> = only_imported.chain(different).collect();
        let (_, from) = differing.first()?;
        let names = listed_names(differing.iter().map(|(path, _)| path), &item.to);
        Some(format!("it differs from {from}, which was imported{names}"))
    }

    fn source_of(&self, to: &RepoPath) -> RepoPath {
        let imported = self.imported_by_path.get(to).and_then(|index| self.result.imported.get(*index));
        imported.and_then(|imported| imported.from.first()).cloned().unwrap_or_default()
    }

    /// Why an item cannot be imported: content of the canon, or an item imported before.
    fn obstacle(&self, item: &PlannedItem) -> Option<String> {
        if let Some(blocker) = item.files.iter().find_map(|file| self.source.blocker(&file.path)) {
            return Some(format!("{blocker} is in the way"));
        }
        let differing: Vec<&RepoPath> = item
            .files
            .iter()
            .filter(|file| self.source.canon.get(&file.path).is_some_and(|state| *state != file.state))
            .map(|file| &file.path)
            .collect();
        if !differing.is_empty() {
            // A workflow has templates in another directory.
            let subject = if differing.iter().any(|path| path.is_within(&item.to)) { &item.to } else { differing[0] };
            let names = listed_names(differing.iter().copied(), &item.to);
            return Some(format!("{subject} exists and differs{names}"));
        }
        // Items of several files can share one, such as a template of two workflows.
        let mut planned = item.files.iter().filter_map(|file| Some((file, self.planned.get(&folded(&file.path))?)));
        if let Some((_, planned)) = planned.find(|(file, known)| file.path == known.path && file.state != known.state) {
            return Some(format!("{} differs from that of {}, which was imported", planned.path, planned.from));
        }
        let same_folded = |path: &RepoPath| self.names.paths.get(&folded(path)).filter(|other| *other != path);
        if let Some(other) = item.files.iter().find_map(|file| same_folded(&file.path)) {
            return Some(format!("its name equals {other} except for case; rename one"));
        }
        item.is_skill.then(|| self.skill_elsewhere(item)).flatten()
    }

    /// A skill with the same name in another directory of the canon.
    fn skill_elsewhere(&self, item: &PlannedItem) -> Option<String> {
        let other = self.names.skills.get(&item.to.file_name_lossy().to_lowercase())?;
        if other.is_within(&item.to) {
            return None;
        }
        Some(format!("{other} has the same name; rename one"))
    }

    /// Adds the config if the run imports anything. Writes it if there is no config yet.
    fn add_config(&mut self, sections: Option<ConfigSections>) {
        let Some(sections) = sections.filter(|_| !self.result.edits.is_empty()) else { return };
        let path = self.source.layout.config();
        let is_new = !self.source.is_configured
            && !self.source.canon.contains_key(&path)
            && self.source.blocker(&path).is_none();
        let mut text = sections.to_text();
        if is_new {
            text.insert_str(0, MODELINE);
            self.write(path.clone(), &text);
        }
        self.result.config = Some(GeneratedConfig { path, text, is_written: is_new, by_hand: None, is_new, sections });
    }

    fn write(&mut self, path: RepoPath, text: &str) {
        if let Some(now) = self.source.state_of(text) {
            let content = EditContent::Bytes(text.as_bytes().to_vec());
            self.result.edits.push(Edit::Write { path, content, was: None, now });
        }
    }
}

/// A path as a case-insensitive file system compares it.
fn folded(path: &RepoPath) -> String {
    path.to_display().to_lowercase()
}

/// ` in a, b, …` for files below a directory; empty if the directory is the file itself.
fn listed_names<'p>(files: impl Iterator<Item = &'p RepoPath>, directory: &RepoPath) -> String {
    let below: Vec<String> = files.filter_map(|file| file.below(directory)).map(ToString::to_string).collect();
    let shown: Vec<&str> = below.iter().filter(|name| !name.is_empty()).take(MAX_NAMES).map(String::as_str).collect();
    match (shown.is_empty(), below.len() > MAX_NAMES) {
        (true, _) => String::new(),
        (false, more) => format!(" in {}{}", shown.join(", "), if more { ", …" } else { "" }),
    }
}
