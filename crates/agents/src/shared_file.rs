//! A tool file that users also write: its managed parts before and after a sync.

use super::desired::{DesiredPart, PartContent};
use super::managed_part::{ManagedPart, value_id};
use canonry_model::edit::OverwriteMode;
use canonry_text::RepoPath;
use gix_hash::Kind;
use gix_hash::ObjectId;

/// Why a managed part is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartConflict {
    /// A user edited the owned part.
    Edited,
    /// User content is at its place, or the file cannot hold the part.
    Occupied,
}

/// The input for planning one shared file.
pub(super) struct SharedFile<'a> {
    pub parts: Vec<&'a DesiredPart>,
    /// Parts that wait for trust: what is in their place stays, and what the lock says of them.
    pub held: Vec<&'a DesiredPart>,
    /// The parts that sync wrote, with the ids of their content.
    pub owned: Vec<(ManagedPart, ObjectId)>,
    /// Whether a part was in the file since the last sync.
    pub was_there: &'a dyn Fn(&ManagedPart, ObjectId) -> bool,
    pub overwrite: OverwriteMode,
    /// Nothing is removed.
    pub frozen: bool,
    pub hash: Kind,
}

impl SharedFile<'_> {
    /// Lists the ids of an owned part.
    pub fn ids<'o>(&'o self, part: &'o ManagedPart) -> impl Iterator<Item = ObjectId> + 'o {
        self.owned.iter().filter(move |(owned, _)| owned == part).map(|(_, id)| *id)
    }

    /// Whether somebody deleted a part that is not in the file.
    pub fn is_deleted(&self, part: &ManagedPart) -> bool {
        self.ids(part).any(|id| (self.was_there)(part, id))
    }

    /// Whether a part that is owned with this content stays as it is, because its successor waits for trust.
    pub fn holds(&self, part: &ManagedPart, id: ObjectId) -> bool {
        self.held.iter().any(|held| match (&held.content, part) {
            (PartContent::Key { path: held, .. }, ManagedPart::Key(path)) => held == path,
            // A hook has no name: any other of its event may be its earlier form.
            (PartContent::Item { path: held, value, .. }, ManagedPart::Item(path)) => {
                held == path && (value.is_object() || value_id(value, self.hash) == id)
            }
            (
                PartContent::Key { path: held, .. } | PartContent::Item { path: held, .. },
                ManagedPart::CreatedContainer(path, _),
            ) => held.starts_with(path),
            (PartContent::Table { .. }, ManagedPart::Block) | (_, ManagedPart::CreatedFile) => true,
            _ => false,
        })
    }

    /// Whether the managed block stays as it is, because a table of it waits for trust.
    pub fn holds_block(&self) -> bool {
        self.held.iter().any(|held| matches!(held.content, PartContent::Table { .. }))
    }

    pub fn owns(&self, part: &ManagedPart) -> bool {
        self.ids(part).next().is_some()
    }
}

/// The planned content of one shared file.
#[derive(Default)]
pub(super) struct FileOutcome {
    /// The text; `None` if the file should not exist.
    pub text: Option<String>,
    /// The owned parts after the sync.
    pub owned: Vec<(ManagedPart, ObjectId)>,
    pub refused: Vec<(PartConflict, String)>,
    pub unchanged: usize,
    /// The text replaces user content.
    pub overrode: bool,
}

/// Says that somebody deleted what sync wrote.
pub(super) fn deleted(what: &str, canon: &RepoPath) -> (PartConflict, String) {
    let message = format!(
        "{what} was deleted since the last sync; delete it in {canon}, too, or restore it with `canonry sync --force`"
    );
    (PartConflict::Edited, message)
}

/// Leaves a file unchanged because it cannot be edited.
pub(super) fn refuse_file(file: &SharedFile<'_>, text: Option<&str>, problem: &str) -> FileOutcome {
    let mut outcome =
        FileOutcome { text: text.map(str::to_owned), owned: file.owned.clone(), ..FileOutcome::default() };
    let canon = file.parts.first().map(|part| format!("{} cannot be written into it", part.canon));
    let effect = canon.unwrap_or_else(|| "its managed parts stay".to_owned());
    if !file.parts.is_empty() || text.is_some() {
        outcome.refused.push((PartConflict::Occupied, format!("{problem}; {effect}")));
    }
    outcome
}
