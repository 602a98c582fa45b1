//! What to do with the files that people write too, given what should stand in them, what does, and what of it is ours.

use super::desired::DesiredToolFiles;
use super::managed_part::{self, FileFormat, ManagedPart};
use super::shared_file::{FileOutcome, PartConflict, SharedFile, unfit};
use super::{block_files, json_files};
use crate::canon::{FileMode, FileState};
use crate::edit::{Edit, EditContent, OverwriteMode};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::hash::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// What stands at the place of a shared file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolFileState {
    /// Nothing.
    Missing,
    /// A file with text.
    Text {
        /// Its state.
        state: FileState,
        /// Its text.
        text: String,
    },
    /// A link, with where it leads inside the repository.
    Link(Option<RepoPath>),
    /// Something that cannot hold it, and why.
    Unusable(String),
}

/// A piece that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedPart {
    /// The file.
    pub file: RepoPath,
    /// Why.
    pub fault: PartConflict,
    /// The same in words, both sides named.
    pub words: String,
    /// What stands there.
    pub was: Option<FileState>,
    /// What the file would hold if people's own were replaced; `None` where that would not help either.
    pub forced: Option<Vec<u8>>,
}

/// What a run does to shared files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilePlan {
    /// Changes.
    pub edits: Vec<Edit>,
    /// What is left as it is.
    pub refused: Vec<RefusedPart>,
    /// Files among the edits in which something of someone else's is replaced.
    pub forced: Vec<RepoPath>,
    /// Pieces that stand as they should.
    pub unchanged: usize,
    /// What of the files is ours once the edits are applied, for the lock.
    pub owned: Vec<(RepoPath, FileState)>,
}

/// What is known.
pub struct ToolFileContext<'a> {
    /// What should stand in the files.
    pub wanted: &'a DesiredToolFiles,
    /// What stands at each file that is concerned.
    pub standing: &'a BTreeMap<RepoPath, ToolFileState>,
    /// The parts that are ours, with the ids of what they said; other entries of a lock are passed over.
    pub ours: &'a [(RepoPath, FileState)],
    /// The kind of object ids.
    pub hash: Kind,
}

/// Every shared file that is wanted, or of which something is ours.
pub fn relevant_files(wanted: &DesiredToolFiles, ours: &[(RepoPath, FileState)]) -> BTreeSet<RepoPath> {
    wanted.files().chain(parts(ours).map(|(file, ..)| file)).collect()
}

/// Decides.
pub fn plan(seen: &ToolFileContext<'_>, stance: OverwriteMode) -> ToolFilePlan {
    let mut verdict = ToolFilePlan::default();
    let mut owned: BTreeMap<RepoPath, Vec<(ManagedPart, ObjectId)>> = BTreeMap::new();
    for (file, part, id) in parts(seen.ours) {
        owned.entry(file).or_default().push((part, id));
    }
    let files: BTreeSet<RepoPath> = seen.wanted.files().chain(owned.keys().cloned()).collect();
    for path in files {
        let owned = owned.get(&path).map_or(&[][..], Vec::as_slice);
        let standing = seen.standing.get(&path).unwrap_or(&ToolFileState::Missing);
        let outcome = |stance| outcome(seen, &path, owned, stance);
        let decided = outcome(stance);
        let forced = match (decided.refused.is_empty(), standing) {
            (false, ToolFileState::Text { .. }) => {
                let forced = outcome(OverwriteMode::Force);
                forced.text.filter(|_| forced.overrode).map(String::into_bytes)
            }
            _ => None,
        };
        verdict.take(&path, standing, decided, forced, seen.hash);
    }
    verdict
}

/// Those of a lock's entries that name parts of shared files.
fn parts(entries: &[(RepoPath, FileState)]) -> impl Iterator<Item = (RepoPath, ManagedPart, ObjectId)> {
    let named = |(path, state): &(RepoPath, FileState)| {
        ManagedPart::from_lock_path(path).map(|(file, part)| (file, part, state.id))
    };
    entries.iter().filter_map(named)
}

fn outcome(
    seen: &ToolFileContext<'_>,
    path: &RepoPath,
    owned: &[(ManagedPart, ObjectId)],
    stance: OverwriteMode,
) -> FileOutcome {
    let standing = seen.standing.get(path).unwrap_or(&ToolFileState::Missing);
    let file = SharedFile {
        pieces: seen.wanted.parts.iter().filter(|piece| piece.file == *path).collect(),
        owned: owned.to_vec(),
        stance,
        frozen: seen.wanted.frozen.iter().any(|frozen| path.is_within(frozen)),
        hash: seen.hash,
    };
    let text = match standing {
        ToolFileState::Missing => None,
        ToolFileState::Text { text, .. } => Some(text.as_str()),
        ToolFileState::Link(to) => return block_files::linked(&file, to.as_ref()),
        ToolFileState::Unusable(why) => return unfit(&file, None, why),
    };
    match managed_part::shared_format(path) {
        Some(FileFormat::Json) | None => json_files::plan(&file, text),
        Some(FileFormat::Markdown) => block_files::markdown(&file, text),
        Some(FileFormat::Toml) => block_files::toml(&file, text),
        Some(FileFormat::Lines) => block_files::lines(&file, text),
    }
}

impl ToolFilePlan {
    fn take(
        &mut self,
        path: &RepoPath,
        standing: &ToolFileState,
        outcome: FileOutcome,
        forced: Option<Vec<u8>>,
        hash: Kind,
    ) {
        let (was, before) = match standing {
            ToolFileState::Text { state, text } => (Some(*state), Some(text.as_str())),
            _ => (None, None),
        };
        let mode = was.map_or(FileMode::File, |was| was.mode);
        match (&outcome.text, was) {
            (Some(text), _)
                if before != Some(text.as_str())
                    && !matches!(standing, ToolFileState::Link(_) | ToolFileState::Unusable(_)) =>
            {
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
        let refused = outcome.refused.into_iter().map(|(fault, words)| RefusedPart {
            file: path.clone(),
            fault,
            words,
            was,
            forced: forced.clone(),
        });
        self.refused.extend(refused);
        self.unchanged += outcome.unchanged;
        let part = |(part, id): (ManagedPart, ObjectId)| (part.of(path), FileState { id, mode: FileMode::File });
        self.owned.extend(outcome.parts.into_iter().map(part));
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
