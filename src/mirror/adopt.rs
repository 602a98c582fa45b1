//! What taking a mirror's files into the canon means.

use super::merge::MergeOutcome;
use super::want::link_to;
use super::{DesiredFile, DesiredMirrors, Lock, MirrorState};
use crate::canon::inventory::is_skill_document;
use crate::canon::{FileMode, FileState};
use crate::config::Target;
use crate::edit::{Edit, EditContent};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use std::collections::BTreeMap;

pub use super::adopt_error::AdoptError;

/// What an adoption changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Changes to the canon.
    pub edits: Vec<Edit>,
    /// What cannot be adopted, and why; then nothing is.
    pub refused: Vec<(RepoPath, AdoptError)>,
    /// The lock with the adopted files in it.
    pub lock: Lock,
}

/// What adoption looks at: the canon and the mirrors at one moment.
pub struct AdoptContext<'a> {
    /// What the mirrors should hold.
    pub desired: &'a DesiredMirrors,
    /// What they hold.
    pub actual: &'a MirrorState,
    /// What of it sync wrote.
    pub lock: &'a Lock,
}

/// How adoption reads what it is to take.
pub struct AdoptReader<'a> {
    /// The text of the link at a path; `None` where it is none.
    pub link_text: &'a dyn Fn(&RepoPath) -> Option<BString>,
    /// Merges the file at a path with the canon's; the id is that of the blob which both began with.
    pub merge: &'a dyn Fn(&DesiredFile, &RepoPath, ObjectId) -> MergeOutcome,
    /// Whether a document in a mirror, once the file at the second path holds it, is what its tool gets of that.
    pub is_settled: &'a dyn Fn(&RepoPath, &RepoPath) -> bool,
}

/// Adopts every file at or below `paths`. A file that was edited replaces the canon's where the canon has not changed
/// since the last sync, and is merged with it where it has; a file that is not ours becomes part of the canon; one that
/// equals the canon becomes ours.
pub fn adopt(paths: &[RepoPath], seen: &AdoptContext<'_>, skills: &RepoPath, reads: &AdoptReader<'_>) -> Adoption {
    let mut run = Run::new(seen, skills, reads);
    for path in paths {
        let mut found = seen.actual.files.iter().filter(|(file, _)| file.is_within(path)).peekable();
        if found.peek().is_none() {
            run.refused.push((path.clone(), run.nothing_there(path)));
        }
        for (file, state) in found {
            run.file(file, *state);
        }
    }
    run.finish()
}

/// Adopts these files of mirrors, each as [`adopt`] does.
pub fn adopt_files<'f>(
    files: impl Iterator<Item = &'f (RepoPath, FileState)>,
    seen: &AdoptContext<'_>,
    skills: &RepoPath,
    reads: &AdoptReader<'_>,
) -> Adoption {
    let mut run = Run::new(seen, skills, reads);
    files.for_each(|(file, state)| run.file(file, *state));
    run.finish()
}

/// Claims every mirrored file that equals the canon.
pub fn claim_all(seen: &AdoptContext<'_>) -> Adoption {
    let equal = |want: &&DesiredFile| seen.actual.state(&want.path) == Some(want.state);
    let claimed = seen
        .desired
        .files
        .iter()
        .chain(&seen.desired.linked_files)
        .filter(equal)
        .map(|want| (want.path.clone(), want.state));
    Adoption { lock: replaced(seen.lock, claimed.collect()), ..Adoption::default() }
}

struct Run<'a> {
    seen: &'a AdoptContext<'a>,
    skills: &'a RepoPath,
    reads: &'a AdoptReader<'a>,
    /// By the canon's path: where it is taken from, and the edit.
    edits: BTreeMap<RepoPath, (RepoPath, Edit)>,
    refused: Vec<(RepoPath, AdoptError)>,
    claimed: Vec<(RepoPath, FileState)>,
}

impl<'a> Run<'a> {
    fn new(seen: &'a AdoptContext<'a>, skills: &'a RepoPath, reads: &'a AdoptReader<'a>) -> Self {
        Self { seen, skills, reads, edits: BTreeMap::new(), refused: Vec::new(), claimed: Vec::new() }
    }

    fn file(&mut self, path: &RepoPath, state: FileState) {
        match self.taken(path, state) {
            Ok(Some(edit)) => self.edit(path, state, edit),
            Ok(None) => self.claimed.push((path.clone(), state)),
            Err(cause) => self.refused.push((path.clone(), cause)),
        }
    }

    /// What taking a file changes in the canon; `None` where the canon has it already.
    fn taken(&self, path: &RepoPath, state: FileState) -> Result<Option<Edit>, AdoptError> {
        unfit(path, self.reads.link_text).map_or(Ok(()), Err)?;
        let Some(want) = self.seen.desired.copy_at(path) else {
            let canon = self.canonical(path).ok_or(AdoptError::NotInAMirror)?;
            self.settled(path, state, &canon)?;
            return Ok(Some(self.replacing(path, state, (canon, None))));
        };
        if want.state == state {
            return Ok(None);
        }
        let recipe = self.seen.desired.rendered.get(path);
        if is_made(want) && recipe.is_none() {
            return Err(AdoptError::Generated { canon: want.canon.clone() });
        }
        let written: Vec<FileState> = self.seen.lock.states(path).collect();
        if written.contains(&state) {
            // No edit: the canon's change is the only one, and sync will bring it here.
            return Ok(None);
        }
        match (recipe, written.as_slice()) {
            (Some(recipe), [base]) => return self.reverse_merge(path, state, (want, *base), recipe.document),
            (Some(_), _) => {}
            (None, _) => self.settled(path, state, &want.canon)?,
        }
        match *written.as_slice() {
            // The canon is as it was when sync last wrote: then the edit is the only change there is.
            [base] if base == want.state => {
                Ok(Some(self.replacing(path, state, (want.canon.clone(), Some(want.state)))))
            }
            [base] => self.merged(path, state, (want, base), want.state),
            // Never ours, or left by a run that did not end, or by a merge: nobody knows what the edit began with.
            _ => Err(AdoptError::BothChanged { canon: want.canon.clone() }),
        }
    }

    /// The file as it is in the place of the canon's.
    fn replacing(&self, path: &RepoPath, state: FileState, (canon, was): (RepoPath, Option<FileState>)) -> Edit {
        let (content, now) = match (self.reads.link_text)(path) {
            Some(text) => self.link(path, &canon, (text, state)),
            None => (EditContent::CopyOf(path.clone()), state),
        };
        Edit::Write { path: canon, content, was, now }
    }

    /// An edit of a document that was made for its tool. The ids tell only that nothing but the mode changed.
    fn reverse_merge(
        &self,
        path: &RepoPath,
        state: FileState,
        (want, base): (&DesiredFile, FileState),
        document: FileState,
    ) -> Result<Option<Edit>, AdoptError> {
        if state.id == base.id {
            let now = FileState { id: document.id, ..state };
            let content = EditContent::CopyOf(want.canon.clone());
            return Ok(Some(Edit::Write { path: want.canon.clone(), content, was: Some(document), now }));
        }
        self.merged(path, state, (want, base), document)
    }

    /// Both changed since sync wrote `base`; `ours` is what the canon holds.
    fn merged(
        &self,
        path: &RepoPath,
        state: FileState,
        (want, base): (&DesiredFile, FileState),
        ours: FileState,
    ) -> Result<Option<Edit>, AdoptError> {
        let canon = || want.canon.clone();
        let modes = [ours.mode, state.mode, base.mode];
        if !modes.iter().all(|mode| mode.is_file()) {
            return Err(AdoptError::BothChanged { canon: canon() });
        }
        let mode: FileMode = if ours.mode == base.mode { state.mode } else { ours.mode };
        let copied = want.state.id == ours.id;
        let (content, id) = match () {
            () if copied && ours.id == base.id => (EditContent::CopyOf(path.clone()), state.id),
            // What stands in the canon stays as it is, but for its mode.
            () if copied && (state.id == base.id || state.id == ours.id) => (EditContent::CopyOf(canon()), ours.id),
            () => match (self.reads.merge)(want, path, base.id) {
                MergeOutcome::Text { bytes, id } => (EditContent::Bytes(bytes), id),
                MergeOutcome::Conflict(lines) => return Err(AdoptError::Conflict { canon: canon(), lines }),
                MergeOutcome::Impossible => return Err(AdoptError::BothChanged { canon: canon() }),
                MergeOutcome::ToolSpecific => return Err(AdoptError::ToolSpecific { canon: canon() }),
            },
        };
        let now = FileState { id, mode };
        Ok((now != ours).then(|| Edit::Write { path: canon(), content, was: Some(ours), now }))
    }

    /// A document that speaks of tools itself may say that this one gets something else.
    fn settled(&self, path: &RepoPath, state: FileState, canon: &RepoPath) -> Result<(), AdoptError> {
        let is_document = state.mode.is_file() && is_skill_document(path);
        let odd = is_document && !(self.reads.is_settled)(path, canon);
        if odd { Err(AdoptError::RendersDifferently { canon: canon.clone() }) } else { Ok(()) }
    }

    fn edit(&mut self, path: &RepoPath, state: FileState, edit: Edit) {
        let canon = edit.path().clone();
        match self.edits.get(&canon) {
            Some((other, known)) if known.now() != edit.now() => {
                let other = other.clone();
                self.refused.push((path.clone(), AdoptError::Ambiguous { other }));
            }
            _ => {
                self.edits.insert(canon, (path.clone(), edit));
                self.claimed.push((path.clone(), state));
            }
        }
    }

    /// The link that leads from `canon` to where the one at `path` does. Where that is a file of a mirror, the canon's is
    /// meant.
    fn link(&self, path: &RepoPath, canon: &RepoPath, (text, state): (BString, FileState)) -> (EditContent, FileState) {
        let target = path.resolve_beside(&text).map(|target| self.canonical(&target).unwrap_or(target));
        match target {
            Some(target) if canon.resolve_beside(&text).as_ref() != Some(&target) => {
                link_to(&target, canon, state.id.kind())
            }
            _ => None,
        }
        .unwrap_or((EditContent::Link(text), state))
    }

    /// Why nothing is at or below a path.
    fn nothing_there(&self, path: &RepoPath) -> AdoptError {
        let targets = &self.seen.desired.targets;
        let meant = |target: &Target| {
            let root = target.skills_root();
            !targets.contains(target) && (path.is_within(&root) || root.is_within(path))
        };
        match Target::ALL.into_iter().find(meant) {
            Some(target) if !path.is_empty() => AdoptError::NotATarget { target, targets: targets.clone() },
            _ => AdoptError::NotInAMirror,
        }
    }

    /// Where a file that the canon does not know belongs: into the skill whose mirror its folder is, else into a new
    /// one of that name.
    fn canonical(&self, path: &RepoPath) -> Option<RepoPath> {
        let root = Target::holding(path)?.skills_root();
        let mut parts = path.below(&root)?.split(|b| *b == b'/');
        let folder = root.join(parts.next().filter(|name| !name.is_empty())?);
        let below = path.below(&folder)?;
        if let Some(skill) = self.seen.desired.overridden.get(&folder) {
            return Some(skill.join(below));
        }
        let is_of_it = |want: &&DesiredFile| want.folder == folder && want.path != folder && !is_made(want);
        let known = self.seen.desired.files.iter().chain(&self.seen.desired.linked_files).find(is_of_it);
        let skill = known.and_then(|want| {
            let depth = want.path.below(&folder)?.split(|b| *b == b'/').count();
            std::iter::successors(Some(want.canon.clone()), RepoPath::parent).nth(depth)
        });
        Some(skill.unwrap_or_else(|| self.skills.join(folder.file_name())).join(below))
    }

    fn finish(self) -> Adoption {
        let lock = replaced(self.seen.lock, self.claimed);
        Adoption { edits: self.edits.into_values().map(|(_, edit)| edit).collect(), refused: self.refused, lock }
    }
}

/// Whether a wanted file is made from the canon's, and is neither a copy of it nor a link.
fn is_made(want: &DesiredFile) -> bool {
    matches!(want.content, EditContent::Bytes(_))
}

/// Why a file can stand in no canon.
pub(super) fn unfit(path: &RepoPath, link_text: &dyn Fn(&RepoPath) -> Option<BString>) -> Option<AdoptError> {
    if path.has_control_bytes() {
        return Some(AdoptError::ControlCharacters);
    }
    let text = link_text(path)?;
    let leaves = path.resolve_beside(&text).is_none();
    leaves.then(|| AdoptError::LinkOutside { target: text.to_str_lossy().into_owned() })
}

/// The lock with these states instead of what it says of their paths.
fn replaced(lock: &Lock, claimed: Vec<(RepoPath, FileState)>) -> Lock {
    let claimed: BTreeMap<RepoPath, FileState> = claimed.into_iter().collect();
    let others = lock.entries().iter().filter(|(path, _)| !claimed.contains_key(path)).cloned();
    let mut entries: Vec<(RepoPath, FileState)> = others.collect();
    entries.extend(claimed);
    Lock::new(entries)
}

#[cfg(test)]
#[path = "adopt_tests.rs"]
mod tests;
