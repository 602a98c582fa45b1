//! Plans the adoption of mirror files into the canon.

use super::adopt_error::AdoptError;
use super::desired::link_to;
use super::merge::{MergeError, MergedFile};
use super::{DesiredFile, DesiredMirrors, Lock, MirrorState};
use bstr::{BString, ByteSlice};
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::{FileMode, FileState};
use canonry_model::config::{Target, mirror_root};
use canonry_model::edit::{Edit, EditContent};
use canonry_text::RepoPath;
use gix_hash::ObjectId;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The changes of an adoption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Changes to the canon.
    pub edits: Vec<Edit>,
    /// Files that cannot be adopted. If there are any, nothing is adopted.
    pub refused: Vec<(RepoPath, AdoptError)>,
    /// The lock with the adopted files.
    pub lock: Lock,
    /// Files with the side of a conflict that is given up; the caller backs them up first.
    pub back_up: Vec<RepoPath>,
}

/// Which side wins if both changed the same lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreferredSide {
    Canon,
    Mirror,
}

/// The mirrors at one moment.
pub struct AdoptContext<'a> {
    pub desired: &'a DesiredMirrors,
    pub state: &'a MirrorState,
    /// Lock that sync wrote.
    pub lock: &'a Lock,
    /// The side that wins a conflict; `None` refuses conflicts.
    pub prefer: Option<PreferredSide>,
}

/// Access to file content.
pub struct AdoptReader<'a> {
    /// Returns the text of the link at a path; `None` for anything else.
    pub link_text: &'a dyn Fn(&RepoPath) -> Option<BString>,
    /// Merges the file at a path into its canonical file; the id is that of the common version.
    pub merge: &'a dyn Fn(&DesiredFile, &RepoPath, ObjectId) -> Result<MergedFile, MergeError>,
    /// Checks whether the tool would get the document at the first path unchanged if the second path held it.
    pub renders_unchanged: &'a dyn Fn(&RepoPath, &RepoPath) -> bool,
    /// Returns the state of a file of the canon.
    pub canon_state: &'a dyn Fn(&RepoPath) -> Option<FileState>,
    /// Returns the folder in the mirror of the skill that has the name of this folder's skill no longer, because it was renamed.
    pub renamed: &'a dyn Fn(&RepoPath) -> Option<RepoPath>,
}

/// Plans the adoption of every file at or below `paths`. An edited file replaces its canonical file, or is merged into it if
/// the canon changed since the last sync. A user file is added to the canon. A file that equals the canon becomes owned.
pub fn adopt(paths: &[RepoPath], context: &AdoptContext<'_>, skills: &RepoPath, reader: &AdoptReader<'_>) -> Adoption {
    let mut planner = AdoptionPlanner::new(context, skills, reader);
    for path in paths {
        let mut found = context.state.files.iter().filter(|(file, _)| file.is_within(path)).peekable();
        if found.peek().is_none() {
            planner.refused.push((path.clone(), planner.missing_file_error(path)));
        }
        for (file, state) in found {
            planner.add(file, *state);
        }
    }
    planner.finish()
}

/// Plans the adoption of these files of mirrors.
pub fn adopt_files<'f>(
    files: impl Iterator<Item = &'f (RepoPath, FileState)>,
    context: &AdoptContext<'_>,
    skills: &RepoPath,
    reader: &AdoptReader<'_>,
) -> Adoption {
    let mut planner = AdoptionPlanner::new(context, skills, reader);
    files.for_each(|(file, state)| planner.add(file, *state));
    planner.finish()
}

/// Claims ownership of every mirror file that equals the canon.
pub fn claim_all(context: &AdoptContext<'_>) -> Adoption {
    let is_equal = |file: &&DesiredFile| context.state.state(&file.path) == Some(file.state);
    let files = context.desired.files.iter().chain(&context.desired.linked_files).filter(is_equal);
    let claimed = files.map(|file| (file.path.clone(), file.state)).collect();
    Adoption { lock: replace_entries(context.lock, claimed), ..Adoption::default() }
}

/// A mirror file with its state.
#[derive(Clone, Copy)]
struct MirrorFile<'f> {
    path: &'f RepoPath,
    state: FileState,
}

struct AdoptionPlanner<'a> {
    context: &'a AdoptContext<'a>,
    skills: &'a RepoPath,
    reader: &'a AdoptReader<'a>,
    /// By canonical path: the mirror file, and the edit.
    edits: BTreeMap<RepoPath, (RepoPath, Edit)>,
    refused: Vec<(RepoPath, AdoptError)>,
    claimed: Vec<(RepoPath, FileState)>,
    back_up: Vec<RepoPath>,
    /// By folder in a mirror: the folder of the renamed skill.
    renamed: RefCell<BTreeMap<RepoPath, Option<RepoPath>>>,
}

impl<'a> AdoptionPlanner<'a> {
    fn new(context: &'a AdoptContext<'a>, skills: &'a RepoPath, reader: &'a AdoptReader<'a>) -> Self {
        Self {
            context,
            skills,
            reader,
            edits: BTreeMap::new(),
            refused: Vec::new(),
            claimed: Vec::new(),
            back_up: Vec::new(),
            renamed: RefCell::default(),
        }
    }

    fn add(&mut self, path: &RepoPath, state: FileState) {
        match self.plan_edit(MirrorFile { path, state }) {
            Ok(Some(edit)) => self.add_edit(path, state, edit),
            Ok(None) => self.claimed.push((path.clone(), state)),
            Err(AdoptError::BothChanged { .. } | AdoptError::Conflict { .. }) if self.context.prefer.is_some() => {
                self.resolve(MirrorFile { path, state });
            }
            Err(error) => self.refused.push((path.clone(), error)),
        }
    }

    /// Takes the preferred side of a conflict, and notes the other for a backup.
    fn resolve(&mut self, file: MirrorFile<'_>) {
        let Some(desired) = self.desired(file.path) else { return };
        let canon = desired.canon.clone();
        let was = desired.state;
        match self.context.prefer {
            Some(PreferredSide::Mirror) if is_generated(&desired) => {
                self.refused.push((file.path.clone(), AdoptError::ToolSpecific { canon }));
            }
            Some(PreferredSide::Mirror) => {
                self.back_up.push(canon.clone());
                let edit = self.replacement(file, canon, Some(was));
                self.add_edit(file.path, file.state, edit);
            }
            Some(PreferredSide::Canon) | None => {
                self.back_up.push(file.path.clone());
                self.claimed.push((file.path.clone(), file.state));
            }
        }
    }

    /// Returns the file that a mirror file should be: at its path, at that of the renamed skill, or what it was before its
    /// tool was removed from the targets.
    fn desired(&self, path: &RepoPath) -> Option<DesiredFile> {
        let desired = self.context.desired;
        let known = desired.copy_at(path).or_else(|| {
            let folder = skill_folder(path);
            let is_gone = !desired.files.iter().any(|file| file.folder == folder);
            let mut renamed = self.renamed.borrow_mut();
            let find = || (self.reader.renamed)(&folder).filter(|_| is_gone && self.context.lock.owns(path));
            let renamed = renamed.entry(folder.clone()).or_insert_with(find).clone();
            desired.copy_at(&renamed?.join(path.below(&folder)?))
        });
        known.cloned().or_else(|| self.formerly_desired(path))
    }

    fn formerly_desired(&self, path: &RepoPath) -> Option<DesiredFile> {
        let is_target = self.context.desired.targets.iter().any(|target| path.is_within(&target.skills_root()));
        if is_target || !self.context.lock.owns(path) {
            return None;
        }
        let canon = self.canonical(path)?;
        let state = (self.reader.canon_state)(&canon)?;
        let content = EditContent::CopyOf(canon.clone());
        Some(DesiredFile { path: path.clone(), state, content, canon, folder: skill_folder(path) })
    }

    /// Refuses a file where the canon has a folder, and a file in a folder where the canon has a file.
    fn check_kind(&self, path: &RepoPath) -> Result<(), AdoptError> {
        let below = |inner: &RepoPath, outer: &RepoPath| inner != outer && inner.is_within(outer);
        for file in &self.context.desired.files {
            let Some(canon) = self.canonical(path) else { return Ok(()) };
            if below(&file.path, path) {
                return Err(AdoptError::FolderInCanon { canon });
            }
            if below(path, &file.path) && !self.context.desired.links.contains(&file.path) {
                return Err(AdoptError::FileInCanon { canon: file.canon.clone() });
            }
        }
        Ok(())
    }

    /// Checks whether a file of the skill's folder was edited.
    fn has_edit(&self, path: &RepoPath) -> bool {
        let folder = skill_folder(path);
        let lock = self.context.lock;
        let files = self.context.state.files.iter().filter(|(file, _)| file.is_within(&folder));
        files.into_iter().any(|(file, state)| !lock.states(file).any(|written| written == *state))
    }

    /// Returns the change to the canon; `None` if the canon has the content already.
    fn plan_edit(&self, file: MirrorFile<'_>) -> Result<Option<Edit>, AdoptError> {
        let MirrorFile { path, state } = file;
        unfit(path, self.reader.link_text).map_or(Ok(()), Err)?;
        let Some(desired) = self.desired(path) else {
            let canon = self.canonical(path).ok_or(AdoptError::NotInAMirror)?;
            self.check_kind(path)?;
            if self.context.lock.states(path).any(|written| written == state) && !self.has_edit(path) {
                // Nobody edited the skill. The canon no longer has it, and the next sync removes the file.
                return Ok(None);
            }
            self.check_renders_unchanged(file, &canon)?;
            self.check_link(path, &canon)?;
            return Ok(Some(self.replacement(file, canon, None)));
        };
        if desired.state == state {
            return Ok(None);
        }
        let source = self.context.desired.rendered.get(&desired.path);
        if is_generated(&desired) && source.is_none() {
            return Err(AdoptError::Generated { canon: desired.canon.clone() });
        }
        let written: Vec<FileState> = self.context.lock.states(path).collect();
        if written.contains(&state) {
            // The file was not edited. Only the canon changed, and the next sync updates the file.
            return Ok(None);
        }
        match (source, written.as_slice()) {
            (Some(source), [base]) => return self.merge_rendered(file, &desired, *base, source.document),
            (Some(_), _) => {}
            (None, _) => self.check_renders_unchanged(file, &desired.canon)?,
        }
        match *written.as_slice() {
            // The canon did not change since the last sync, so the edit is the only change.
            [base] if base == desired.state => {
                Ok(Some(self.replacement(file, desired.canon.clone(), Some(desired.state))))
            }
            [base] => self.merge(file, &desired, base, desired.state),
            // Never owned, or several entries after an interrupted run or a merge: the common version is unknown.
            _ => Err(AdoptError::BothChanged { canon: desired.canon.clone() }),
        }
    }

    /// Replaces the canonical file by the mirror file.
    fn replacement(&self, file: MirrorFile<'_>, canon: RepoPath, was: Option<FileState>) -> Edit {
        let MirrorFile { path, state } = file;
        let (content, now) = match (self.reader.link_text)(path) {
            Some(text) => self.link(path, &canon, text, state),
            None => (EditContent::CopyOf(path.clone()), state),
        };
        Edit::Write { path: canon, content, was, now }
    }

    /// Merges an edit of a rendered document back into its source. If the id did not change, only the mode did.
    fn merge_rendered(
        &self,
        file: MirrorFile<'_>,
        desired: &DesiredFile,
        base: FileState,
        document: FileState,
    ) -> Result<Option<Edit>, AdoptError> {
        if file.state.id == base.id {
            let now = FileState { id: document.id, ..file.state };
            let content = EditContent::CopyOf(desired.canon.clone());
            return Ok(Some(Edit::Write { path: desired.canon.clone(), content, was: Some(document), now }));
        }
        self.merge(file, desired, base, document)
    }

    /// Merges the mirror file into its canonical file `ours`; both changed since sync wrote `base`.
    fn merge(
        &self,
        file: MirrorFile<'_>,
        desired: &DesiredFile,
        base: FileState,
        ours: FileState,
    ) -> Result<Option<Edit>, AdoptError> {
        let MirrorFile { path, state } = file;
        let canon = || desired.canon.clone();
        let modes = [ours.mode, state.mode, base.mode];
        if !modes.iter().all(|mode| mode.is_file()) {
            return Err(AdoptError::BothChanged { canon: canon() });
        }
        let mode: FileMode = if ours.mode == base.mode { state.mode } else { ours.mode };
        let is_copy = desired.state.id == ours.id;
        let (content, id) = if is_copy && ours.id == base.id {
            (EditContent::CopyOf(path.clone()), state.id)
        } else if is_copy && (state.id == base.id || state.id == ours.id) {
            // The canonical content stays; only the mode may change.
            (EditContent::CopyOf(canon()), ours.id)
        } else {
            match (self.reader.merge)(desired, path, base.id) {
                Ok(MergedFile { bytes, id }) => (EditContent::Bytes(bytes), id),
                Err(MergeError::Conflict(lines)) => return Err(AdoptError::Conflict { canon: canon(), lines }),
                Err(MergeError::Impossible) => return Err(AdoptError::BothChanged { canon: canon() }),
                Err(MergeError::ToolSpecific) => return Err(AdoptError::ToolSpecific { canon: canon() }),
            }
        };
        let now = FileState { id, mode };
        Ok((now != ours).then(|| Edit::Write { path: canon(), content, was: Some(ours), now }))
    }

    /// Refuses a document whose own comments or targets give this tool other content.
    fn check_renders_unchanged(&self, file: MirrorFile<'_>, canon: &RepoPath) -> Result<(), AdoptError> {
        let is_document = file.state.mode.is_file() && is_skill_document(file.path);
        let differs = is_document && !(self.reader.renders_unchanged)(file.path, canon);
        if differs { Err(AdoptError::RendersDifferently { canon: canon.clone() }) } else { Ok(()) }
    }

    /// Refuses a link to a mirror of the file that the canon would get in its place.
    fn check_link(&self, path: &RepoPath, canon: &RepoPath) -> Result<(), AdoptError> {
        let target = (self.reader.link_text)(path).and_then(|text| path.resolve_beside(&text));
        match target.filter(|target| self.canonical(target).as_ref() == Some(canon)) {
            Some(target) => Err(AdoptError::LinkToMirror { target }),
            None => Ok(()),
        }
    }

    fn add_edit(&mut self, path: &RepoPath, state: FileState, edit: Edit) {
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

    /// Returns a link at `canon` with the destination of the link at `path`. A destination in a mirror is replaced by its
    /// canonical path.
    fn link(&self, path: &RepoPath, canon: &RepoPath, text: BString, state: FileState) -> (EditContent, FileState) {
        let target = path.resolve_beside(&text).map(|target| self.canonical(&target).unwrap_or(target));
        match target {
            Some(target) if canon.resolve_beside(&text).as_ref() != Some(&target) => {
                link_to(&target, canon, state.id.kind())
            }
            _ => None,
        }
        .unwrap_or((EditContent::Link(text), state))
    }

    /// Returns why there is no mirror file at or below a path.
    fn missing_file_error(&self, path: &RepoPath) -> AdoptError {
        let targets = &self.context.desired.targets;
        let is_meant = |target: &Target| {
            let root = target.skills_root();
            !targets.contains(target) && (path.is_within(&root) || root.is_within(path))
        };
        match Target::ALL.into_iter().find(is_meant) {
            Some(target) if !path.is_empty() => AdoptError::NotATarget { target, targets: targets.clone() },
            _ => AdoptError::NotInAMirror,
        }
    }

    /// Returns the canonical path of a mirror path: in the skill that the folder mirrors, or in a new skill of that name.
    fn canonical(&self, path: &RepoPath) -> Option<RepoPath> {
        let desired = self.context.desired;
        let root = mirror_root(path)?;
        let mut parts = path.below(&root)?.split(|b| *b == b'/');
        let folder = root.join(parts.next().filter(|name| !name.is_empty())?);
        let below = path.below(&folder)?;
        if let Some(skill) = desired.overridden.get(&folder) {
            return Some(skill.join(below));
        }
        // A mirror of a tool that is no target any more has the skills of the others.
        let is_target = desired.targets.iter().any(|target| target.skills_root() == root);
        let is_same = |other: &RepoPath| *other == folder || !is_target && other.file_name() == folder.file_name();
        let is_in_folder =
            |file: &&DesiredFile| is_same(&file.folder) && file.path != file.folder && !is_generated(file);
        let known = desired.files.iter().chain(&desired.linked_files).find(is_in_folder);
        let skill = known.and_then(|file| {
            let depth = file.path.below(&file.folder)?.split(|b| *b == b'/').count();
            std::iter::successors(Some(file.canon.clone()), RepoPath::parent).nth(depth)
        });
        Some(skill.unwrap_or_else(|| self.skills.join(folder.file_name())).join(below))
    }

    fn finish(self) -> Adoption {
        let lock = replace_entries(self.context.lock, self.claimed);
        Adoption {
            edits: self.edits.into_values().map(|(_, edit)| edit).collect(),
            refused: self.refused,
            lock,
            back_up: self.back_up,
        }
    }
}

/// Returns the folder of a skill in a mirror: the first three components.
fn skill_folder(path: &RepoPath) -> RepoPath {
    path.components().take(3).fold(RepoPath::default(), |folder, part| folder.join(part))
}

/// Checks whether a desired file is neither a copy of its canonical file nor a link.
fn is_generated(file: &DesiredFile) -> bool {
    matches!(file.content, EditContent::Bytes(_))
}

/// Returns why the canon cannot hold a file.
pub(super) fn unfit(path: &RepoPath, link_text: &dyn Fn(&RepoPath) -> Option<BString>) -> Option<AdoptError> {
    if path.has_control_bytes() {
        return Some(AdoptError::ControlCharacters);
    }
    let text = link_text(path)?;
    let leaves = path.resolve_beside(&text).is_none();
    leaves.then(|| AdoptError::LinkOutside { target: text.to_str_lossy().into_owned() })
}

/// Replaces all entries of the claimed paths.
fn replace_entries(lock: &Lock, claimed: Vec<(RepoPath, FileState)>) -> Lock {
    let claimed: BTreeMap<RepoPath, FileState> = claimed.into_iter().collect();
    let others = lock.entries().iter().filter(|(path, _)| !claimed.contains_key(path)).cloned();
    let mut entries: Vec<(RepoPath, FileState)> = others.collect();
    entries.extend(claimed);
    Lock::new(entries)
}

#[cfg(test)]
#[path = "adopt_tests.rs"]
mod tests;
