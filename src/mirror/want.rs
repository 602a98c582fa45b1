//! A file that a mirror should hold, and where it comes from.

use super::file::{CanonFile, unfit};
use super::skill::CanonSkill;
use super::target_override::OverrideFile;
use crate::canon::{FileMode, FileState};
use crate::edit::EditContent;
use crate::syntax::RepoPath;
use gix::bstr::{BStr, ByteSlice};
use gix::hash::Kind;

/// A file that a mirror should hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DesiredFile {
    /// Where in the mirror.
    pub path: RepoPath,
    /// What it shall hold.
    pub state: FileState,
    /// Where its bytes come from.
    pub content: EditContent,
    /// The file of the canon it mirrors.
    pub canon: RepoPath,
    /// Its skill's folder in the mirror.
    pub folder: RepoPath,
}

/// A file of the canon, as a copy of its skill is to show it.
pub(super) struct Source<'a> {
    /// The file.
    pub file: &'a CanonFile,
    /// Its path below the skill's folder.
    below: &'a BStr,
    /// The folder in which its links may lead about as they are.
    base: &'a RepoPath,
    /// What is written in its place.
    made: Option<&'a [u8]>,
}

impl<'a> Source<'a> {
    /// A file of the skill itself.
    pub fn own(file: &'a CanonFile, skill: &'a CanonSkill) -> Self {
        Self { file, below: file.path.below(&skill.path).unwrap_or_default(), base: &skill.path, made: None }
    }

    /// What a tool has in its place, or beside it.
    pub fn shaped(shaped: &'a OverrideFile) -> Self {
        let OverrideFile { file, below, base, made, .. } = shaped;
        Self { file, below: below.as_bstr(), base, made: made.as_ref().map(|made| made.bytes.as_slice()) }
    }

    /// What a mirror's folder of the skill should hold of it.
    pub fn want(&self, folder: &RepoPath, hash: Kind) -> DesiredFile {
        let path = folder.join(self.below);
        let (content, state) = match self.made {
            Some(bytes) => (EditContent::Bytes(bytes.to_vec()), self.file.state),
            None => self.content(&path, hash),
        };
        DesiredFile { path, state, content, canon: self.file.path.clone(), folder: folder.clone() }
    }

    /// A link that stays in its skill is the same in the mirror. One that leaves it would lead elsewhere from there, so it
    /// gets the text that leads to the same file.
    fn content(&self, path: &RepoPath, hash: Kind) -> (EditContent, FileState) {
        let file = self.file;
        let Some(text) = &file.link else { return (EditContent::CopyOf(file.path.clone()), file.state) };
        let same = (EditContent::Link(text.clone()), file.state);
        let Some(target) = file.path.resolve_beside(text) else { return same };
        let inside = file.path != *self.base && target.is_within(self.base);
        if inside || path.resolve_beside(text).as_ref() == Some(&target) {
            return same;
        }
        link_to(&target, path, hash).unwrap_or(same)
    }
}

/// A link that leads from `path` to `target`.
pub(super) fn link_to(target: &RepoPath, path: &RepoPath, hash: Kind) -> Option<(EditContent, FileState)> {
    let text = target.relative_to(&path.parent()?);
    let id = gix::objs::compute_hash(hash, gix::objs::Kind::Blob, &text).ok()?;
    Some((EditContent::Link(text), FileState { id, mode: FileMode::Link }))
}

/// Whether a link to a skill shows a tool what a copy would: nothing of it is left out, and it is a folder of its own.
pub(super) fn may_be_linked(skill: &CanonSkill) -> bool {
    let is_link = skill.files.iter().any(|file| file.path == skill.path);
    !is_link && skill.unreadable.is_empty() && skill.files.iter().all(|file| unfit(file).is_none())
}
