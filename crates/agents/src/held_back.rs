//! Holds back the parts of tool files that a person does not trust yet. What a tool already has stays, whoever wrote it.

use super::desired::{DesiredPart, DesiredToolFiles, GeneratedFile, PartContent};
use super::executable::Executable;
use super::json::JsonSettings;
use super::managed_part::{ManagedFormat, shared_format, value_id};
use super::mcp::is_same_value;
use super::permissions::claude_entry_includes;
use super::plan::{ToolFileContext, ToolFileState, plan};
use canonry_model::canon::Layout;
use canonry_model::edit::OverwriteMode;
use canonry_text::RepoPath;
use gix_hash::Kind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The entries that are not trusted, and the present tool files.
pub struct HoldBack<'a> {
    pub layout: &'a Layout,
    pub untrusted: &'a BTreeSet<Executable>,
    /// The current state of each shared file with a desired part.
    pub files: &'a BTreeMap<RepoPath, ToolFileState>,
    /// Whether a generated file has its desired content.
    pub is_written: &'a dyn Fn(&GeneratedFile) -> bool,
    /// Whether git tracks a file, so that what it has is the team's.
    pub is_tracked: &'a dyn Fn(&RepoPath) -> bool,
    pub hash: Kind,
}

impl HoldBack<'_> {
    /// Reduces `full` to what may be written. `without` is made from the sources without the untrusted entries.
    pub fn apply(&self, full: &mut DesiredToolFiles, without: &DesiredToolFiles) {
        let mut sources = BTreeSet::new();
        let mut present = PresentParts { context: self, files: BTreeMap::new(), lists: BTreeMap::new() };
        let desired = full.parts.clone();
        let mut kept = Vec::new();
        for part in std::mem::take(&mut full.parts) {
            if without.parts.contains(&part) || present.has(&part, &desired) {
                kept.push(part);
                continue;
            }
            sources.insert(part.canon.clone());
            match without.parts.iter().find(|other| is_same_place(other, &part)) {
                Some(reduced) if !self.is_team_file(&part.file) => kept.push(reduced.clone()),
                _ => full.held_parts.push(part),
            }
        }
        // The tables are one block, which changes as a whole.
        let is_table = |part: &DesiredPart| matches!(part.content, PartContent::Table { .. });
        let blocks = full.held_parts.iter().filter(|part| is_table(part) && self.is_team_file(&part.file));
        let blocks: BTreeSet<RepoPath> = blocks.map(|part| part.file.clone()).collect();
        let (held, kept): (Vec<_>, Vec<_>) =
            kept.into_iter().partition(|part| is_table(part) && blocks.contains(&part.file));
        full.held_parts.extend(held);
        full.parts = kept;
        for file in std::mem::take(&mut full.generated) {
            if without.generated.contains(&file) || (self.is_written)(&file) {
                full.generated.push(file);
                continue;
            }
            sources.insert(file.canon.clone());
            match without.generated.iter().find(|other| other.path == file.path) {
                Some(reduced) if !(self.is_tracked)(&file.path) => full.generated.push(reduced.clone()),
                _ => {
                    full.frozen.insert(file.path.clone());
                    full.held_files.insert(file.path);
                }
            }
        }
        // Permissions are also options of servers.
        let canon = |entry: &Executable| entry.canon(self.layout);
        let has_own = sources.iter().all(|source| self.untrusted.iter().any(|entry| canon(entry) == *source));
        let is_held = |entry: &&Executable| !has_own || sources.contains(&canon(entry));
        let held = self.untrusted.iter().filter(|_| !sources.is_empty()).filter(is_held);
        full.untrusted = held.cloned().collect();
    }

    /// Whether a shared file comes from the team, so that parts of it must not disappear.
    fn is_team_file(&self, file: &RepoPath) -> bool {
        matches!(self.files.get(file), Some(ToolFileState::Text { .. })) && (self.is_tracked)(file)
    }
}

/// Whether two parts are written at the same key.
fn is_same_place(one: &DesiredPart, other: &DesiredPart) -> bool {
    let key = |part: &DesiredPart| match &part.content {
        PartContent::Key { path, .. } | PartContent::Table { path, .. } => Some(path.clone()),
        PartContent::Item { .. } | PartContent::Block { .. } => None,
    };
    one.file == other.file && key(one).is_some() && key(one) == key(other)
}

/// The parts that the files have. Each file is read once.
struct PresentParts<'a> {
    context: &'a HoldBack<'a>,
    files: BTreeMap<RepoPath, PresentFile>,
    lists: BTreeMap<(RepoPath, Vec<String>), Vec<Value>>,
}

enum PresentFile {
    Json(JsonSettings),
    /// A file in another format, and whether it has all desired parts.
    Other(bool),
}

impl PresentParts<'_> {
    fn has(&mut self, part: &DesiredPart, desired: &[DesiredPart]) -> bool {
        let context = self.context;
        let load = || present_file(context, &part.file, desired);
        let file = self.files.entry(part.file.clone()).or_insert_with(load);
        let settings = match file {
            PresentFile::Json(settings) => settings,
            PresentFile::Other(is_written) => return *is_written,
        };
        let id = |value: &Value| value_id(value, context.hash);
        match &part.content {
            PartContent::Key { path, value } => {
                settings.get(path).is_ok_and(|now| now.is_some_and(|now| is_same_value(&part.file, path, &now, value)))
            }
            PartContent::Item { path, value, .. } => {
                let items = self
                    .lists
                    .entry((part.file.clone(), path.clone()))
                    // A value that is no list has no items.
                    .or_insert_with(|| settings.items(path).unwrap_or_default());
                let includes = |item: &Value| {
                    item.as_str().zip(value.as_str()).is_some_and(|(item, value)| claude_entry_includes(item, value))
                };
                items.iter().any(|item| item == value || includes(item) || id(item) == id(value))
            }
            PartContent::Block { .. } | PartContent::Table { .. } => false,
        }
    }
}

fn present_file(context: &HoldBack<'_>, file: &RepoPath, desired: &[DesiredPart]) -> PresentFile {
    let Some(ToolFileState::Text { text, .. }) = context.files.get(file) else { return PresentFile::Other(false) };
    if let Some(ManagedFormat::Json) | None = shared_format(file) {
        return JsonSettings::parse(text).map_or(PresentFile::Other(false), PresentFile::Json);
    }
    let parts = desired.iter().filter(|part| part.file == *file).cloned().collect();
    let only = DesiredToolFiles { parts, ..DesiredToolFiles::default() };
    let request = ToolFileContext {
        desired: &only,
        files: context.files,
        owned: &[],
        was_there: &|_, _| false,
        hash: context.hash,
    };
    let plan = plan(&request, OverwriteMode::OwnedOnly);
    PresentFile::Other(plan.edits.is_empty() && plan.refused.is_empty())
}
