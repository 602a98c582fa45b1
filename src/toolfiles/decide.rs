//! What to do with the files that people write too, given what should stand in them, what does, and what of it is ours.

use super::file::{Fault, File, Outcome, Stance, unfit};
use super::part::{self, Form, Part};
use super::piece::Wanted;
use super::{by_block, by_key};
use crate::canon::{FileState, Mode};
use crate::edit::{Content, Edit};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::hash::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// What stands at the place of a shared file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Nothing,
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
    Unfit(String),
}

/// A piece that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The file.
    pub file: RepoPath,
    /// Why.
    pub fault: Fault,
    /// The same in words, both sides named.
    pub words: String,
    /// What stands there.
    pub was: Option<FileState>,
    /// What the file would hold if people's own were replaced; `None` where that would not help either.
    pub forced: Option<Vec<u8>>,
}

/// What a run does to shared files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Changes.
    pub edits: Vec<Edit>,
    /// What is left as it is.
    pub refused: Vec<Refused>,
    /// Files among the edits in which something of someone else's is replaced.
    pub forced: Vec<RepoPath>,
    /// Pieces that stand as they should.
    pub unchanged: usize,
    /// What of the files is ours once the edits are applied, for the lock.
    pub parts: Vec<(RepoPath, FileState)>,
}

/// What is known.
pub struct Seen<'a> {
    /// What should stand in the files.
    pub wanted: &'a Wanted,
    /// What stands at each file that is concerned.
    pub standing: &'a BTreeMap<RepoPath, Standing>,
    /// The parts that are ours, with the ids of what they said; other entries of a lock are passed over.
    pub ours: &'a [(RepoPath, FileState)],
    /// The kind of object ids.
    pub hash: Kind,
}

/// Every shared file that is wanted, or of which something is ours.
pub fn concerned(wanted: &Wanted, ours: &[(RepoPath, FileState)]) -> BTreeSet<RepoPath> {
    wanted.files().chain(parts(ours).map(|(file, ..)| file)).collect()
}

/// Decides.
pub fn decide(seen: &Seen<'_>, stance: Stance) -> Verdict {
    let mut verdict = Verdict::default();
    let mut owned: BTreeMap<RepoPath, Vec<(Part, ObjectId)>> = BTreeMap::new();
    for (file, part, id) in parts(seen.ours) {
        owned.entry(file).or_default().push((part, id));
    }
    let files: BTreeSet<RepoPath> = seen.wanted.files().chain(owned.keys().cloned()).collect();
    for path in files {
        let owned = owned.get(&path).map_or(&[][..], Vec::as_slice);
        let standing = seen.standing.get(&path).unwrap_or(&Standing::Nothing);
        let outcome = |stance| outcome(seen, &path, owned, stance);
        let decided = outcome(stance);
        let forced = match (decided.refused.is_empty(), standing) {
            (false, Standing::Text { .. }) => {
                let forced = outcome(Stance::Replace);
                forced.text.filter(|_| forced.overrode).map(String::into_bytes)
            }
            _ => None,
        };
        verdict.take(&path, standing, decided, forced, seen.hash);
    }
    verdict
}

/// Those of a lock's entries that name parts of shared files.
fn parts(entries: &[(RepoPath, FileState)]) -> impl Iterator<Item = (RepoPath, Part, ObjectId)> {
    let named = |(path, state): &(RepoPath, FileState)| Part::named(path).map(|(file, part)| (file, part, state.id));
    entries.iter().filter_map(named)
}

fn outcome(seen: &Seen<'_>, path: &RepoPath, owned: &[(Part, ObjectId)], stance: Stance) -> Outcome {
    let standing = seen.standing.get(path).unwrap_or(&Standing::Nothing);
    let file = File {
        pieces: seen.wanted.pieces.iter().filter(|piece| piece.file == *path).collect(),
        owned: owned.to_vec(),
        stance,
        frozen: seen.wanted.frozen.iter().any(|frozen| path.is_within(frozen)),
        hash: seen.hash,
    };
    let text = match standing {
        Standing::Nothing => None,
        Standing::Text { text, .. } => Some(text.as_str()),
        Standing::Link(to) => return by_block::linked(&file, to.as_ref()),
        Standing::Unfit(why) => return unfit(&file, None, why),
    };
    match part::form(path) {
        Some(Form::Json) | None => by_key::decide(&file, text),
        Some(Form::Markdown) => by_block::markdown(&file, text),
        Some(Form::Toml) => by_block::toml(&file, text),
        Some(Form::Lines) => by_block::lines(&file, text),
    }
}

impl Verdict {
    fn take(&mut self, path: &RepoPath, standing: &Standing, outcome: Outcome, forced: Option<Vec<u8>>, hash: Kind) {
        let (was, before) = match standing {
            Standing::Text { state, text } => (Some(*state), Some(text.as_str())),
            _ => (None, None),
        };
        let mode = was.map_or(Mode::File, |was| was.mode);
        match (&outcome.text, was) {
            (Some(text), _)
                if before != Some(text.as_str()) && !matches!(standing, Standing::Link(_) | Standing::Unfit(_)) =>
            {
                let now = FileState { id: part::id_of_text(text, hash), mode };
                let content = Content::Bytes(text.clone().into_bytes());
                self.edits.push(Edit::Write { path: path.clone(), content, was, now });
            }
            (None, Some(was)) => self.edits.push(Edit::Remove { path: path.clone(), was }),
            _ => {}
        }
        if outcome.overrode {
            self.forced.push(path.clone());
        }
        let refused = outcome.refused.into_iter().map(|(fault, words)| Refused {
            file: path.clone(),
            fault,
            words,
            was,
            forced: forced.clone(),
        });
        self.refused.extend(refused);
        self.unchanged += outcome.unchanged;
        let part = |(part, id): (Part, ObjectId)| (part.of(path), FileState { id, mode: Mode::File });
        self.parts.extend(outcome.parts.into_iter().map(part));
    }
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
