//! Plans the changes to shared tool files from their desired parts, their current text and the owned parts.

use super::desired::DesiredToolFiles;
use super::managed_part::{self, ManagedFormat, ManagedPart};
use super::shared_file::{FileOutcome, PartConflict, SharedFile, refuse_file};
use super::{block_files, json_files};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::edit::{Edit, EditContent, OverwriteMode};
use canonry_text::RepoPath;
use gix_hash::Kind;
use gix_hash::ObjectId;
use std::collections::{BTreeMap, BTreeSet};

/// The current state of a shared file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolFileState {
    Missing,
    Text {
        state: FileState,
        text: String,
    },
    /// A link, with its destination if that is in the repository.
    Link(Option<RepoPath>),
    /// Something else, with the reason why it cannot be edited.
    Unusable(String),
}

/// A managed part that stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedPart {
    pub file: RepoPath,
    pub conflict: PartConflict,
    pub message: String,
    /// The state of the file.
    pub current: Option<FileState>,
    /// The content of the file after a forced sync; `None` if force would not help.
    pub forced: Option<Vec<u8>>,
}

/// The changes to shared files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilePlan {
    pub edits: Vec<Edit>,
    pub refused: Vec<RefusedPart>,
    /// Files among the edits in which user content is replaced.
    pub forced: Vec<RepoPath>,
    /// The number of parts that already match.
    pub unchanged: usize,
    /// The lock entries of the owned parts after the edits.
    pub owned: Vec<(RepoPath, FileState)>,
}

/// The input for planning.
pub struct ToolFileContext<'a> {
    pub desired: &'a DesiredToolFiles,
    /// The current state of each relevant file, see [`relevant_files`].
    pub files: &'a BTreeMap<RepoPath, ToolFileState>,
    /// Lock entries; entries that are no managed parts are ignored.
    pub owned: &'a [(RepoPath, FileState)],
    /// Whether a part with this lock entry was in its file since the last sync.
    pub was_there: &'a dyn Fn(&RepoPath, ObjectId) -> bool,
    pub hash: Kind,
}

/// Lists the shared files that are desired or contain an owned part.
pub fn relevant_files(desired: &DesiredToolFiles, owned: &[(RepoPath, FileState)]) -> BTreeSet<RepoPath> {
    desired.files().chain(owned_parts(owned).map(|(file, ..)| file)).collect()
}

/// Plans the changes to shared files.
pub fn plan(context: &ToolFileContext<'_>, overwrite: OverwriteMode) -> ToolFilePlan {
    let mut plan = ToolFilePlan::default();
    let mut owned: BTreeMap<RepoPath, Vec<(ManagedPart, ObjectId)>> = BTreeMap::new();
    for (file, part, id) in owned_parts(context.owned) {
        owned.entry(file).or_default().push((part, id));
    }
    let files: BTreeSet<RepoPath> = context.desired.files().chain(owned.keys().cloned()).collect();
    for path in files {
        let owned = owned.get(&path).map_or(&[][..], Vec::as_slice);
        let state = context.files.get(&path).unwrap_or(&ToolFileState::Missing);
        let plan_file = |overwrite| plan_file(context, &path, owned, overwrite);
        let outcome = plan_file(overwrite);
        let forced = match (outcome.refused.is_empty(), state) {
            (false, ToolFileState::Text { .. }) => {
                let forced = plan_file(OverwriteMode::Force);
                forced.text.filter(|_| forced.overrode).map(String::into_bytes)
            }
            _ => None,
        };
        plan.add(&path, state, outcome, forced, context.hash);
    }
    plan
}

/// Lists the lock entries that are managed parts.
fn owned_parts(entries: &[(RepoPath, FileState)]) -> impl Iterator<Item = (RepoPath, ManagedPart, ObjectId)> {
    let parse = |(path, state): &(RepoPath, FileState)| {
        ManagedPart::from_lock_path(path).map(|(file, part)| (file, part, state.id))
    };
    entries.iter().filter_map(parse)
}

fn plan_file(
    context: &ToolFileContext<'_>,
    path: &RepoPath,
    owned: &[(ManagedPart, ObjectId)],
    overwrite: OverwriteMode,
) -> FileOutcome {
    let state = context.files.get(path).unwrap_or(&ToolFileState::Missing);
    // A file that is gone as a whole is written again, like a mirror.
    let is_text = matches!(state, ToolFileState::Text { .. });
    let file = SharedFile {
        parts: context.desired.parts.iter().filter(|part| part.file == *path).collect(),
        held: context.desired.held_parts.iter().filter(|part| part.file == *path).collect(),
        owned: owned.to_vec(),
        overwrite,
        was_there: &|part, id| is_text && (context.was_there)(&part.lock_path(path), id),
        frozen: context.desired.frozen.iter().any(|frozen| path.is_within(frozen)),
        hash: context.hash,
    };
    let text = match state {
        ToolFileState::Missing => None,
        ToolFileState::Text { text, .. } => Some(text.as_str()),
        ToolFileState::Link(to) => return block_files::plan_link(&file, to.as_ref()),
        ToolFileState::Unusable(problem) => return refuse_file(&file, None, problem),
    };
    match managed_part::shared_format(path) {
        Some(ManagedFormat::Json) | None => json_files::plan(&file, text),
        Some(ManagedFormat::Markdown) => block_files::plan_markdown(&file, text),
        Some(ManagedFormat::Toml) => block_files::plan_toml(&file, text),
        Some(ManagedFormat::Lines) => block_files::plan_lines(&file, text),
    }
}

impl ToolFilePlan {
    fn add(
        &mut self,
        path: &RepoPath,
        state: &ToolFileState,
        outcome: FileOutcome,
        forced: Option<Vec<u8>>,
        hash: Kind,
    ) {
        let (was, before) = match state {
            ToolFileState::Text { state, text } => (Some(*state), Some(text.as_str())),
            _ => (None, None),
        };
        let mode = was.map_or(FileMode::File, |was| was.mode);
        let is_editable = !matches!(state, ToolFileState::Link(_) | ToolFileState::Unusable(_));
        match (&outcome.text, was) {
            (Some(text), _) if before != Some(text.as_str()) && is_editable => {
                let now = FileState { id: managed_part::text_id(text, hash), mode };
                let content = EditContent::Bytes(text.clone().into_bytes());
                self.edits.push(Edit::Write { path: path.clone(), content, was, now });
            }
            (None, Some(was)) => self.edits.push(Edit::Remove { path: path.clone(), was }),
            _ => {}
        }
        if outcome.overrode {
            self.forced.push(path.clone());
        }
        let refused = outcome.refused.into_iter().map(|(conflict, message)| RefusedPart {
            file: path.clone(),
            conflict,
            message,
            current: was,
            forced: forced.clone(),
        });
        self.refused.extend(refused);
        self.unchanged += outcome.unchanged;
        let entry =
            |(part, id): (ManagedPart, ObjectId)| (part.lock_path(path), FileState { id, mode: FileMode::File });
        self.owned.extend(outcome.owned.into_iter().map(entry));
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
