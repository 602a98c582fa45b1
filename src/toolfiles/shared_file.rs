//! One shared file, as the functions of its form see it, and what becomes of it.

use super::desired::DesiredPart;
use super::managed_part::ManagedPart;
use crate::edit::OverwriteMode;
use gix::ObjectId;
use gix::hash::Kind;

/// Why a piece is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartConflict {
    /// Ours, and since changed by someone.
    Edited,
    /// Someone's own, or the file cannot hold it.
    Occupied,
}

/// One file, as its form's functions see it.
pub(super) struct SharedFile<'a> {
    pub pieces: Vec<&'a DesiredPart>,
    pub owned: Vec<(ManagedPart, ObjectId)>,
    pub stance: OverwriteMode,
    /// Nothing is taken out.
    pub frozen: bool,
    pub hash: Kind,
}

impl SharedFile<'_> {
    /// What we wrote as a part.
    pub fn ids<'o>(&'o self, part: &'o ManagedPart) -> impl Iterator<Item = ObjectId> + 'o {
        self.owned.iter().filter(move |(owned, _)| owned == part).map(|(_, id)| *id)
    }

    pub fn owns(&self, part: &ManagedPart) -> bool {
        self.ids(part).next().is_some()
    }
}

/// What becomes of one file.
#[derive(Default)]
pub(super) struct FileOutcome {
    /// Its text; `None` where there should be no file.
    pub text: Option<String>,
    pub parts: Vec<(ManagedPart, ObjectId)>,
    pub refused: Vec<(PartConflict, String)>,
    pub unchanged: usize,
    /// Something of someone else's is replaced.
    pub overrode: bool,
}

/// The file cannot be edited: all stays.
pub(super) fn unfit(file: &SharedFile<'_>, text: Option<&str>, why: &str) -> FileOutcome {
    let mut outcome =
        FileOutcome { text: text.map(str::to_owned), parts: file.owned.clone(), ..FileOutcome::default() };
    let canon = file.pieces.first().map(|piece| format!("{} cannot be written into it", piece.canon));
    let rest = canon.unwrap_or_else(|| "what sync wrote there stays".to_owned());
    if !file.pieces.is_empty() || text.is_some() {
        outcome.refused.push((PartConflict::Occupied, format!("{why}; {rest}")));
    }
    outcome
}
