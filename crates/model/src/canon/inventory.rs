//! Content of a listing of files: skills, and files of each [`FileKind`].

use super::file_kind::{CanonFolders, FileKind};
use super::{FileMode, Layout, TreeEntry};
use bstr::ByteSlice;
use canonry_text::RepoPath;
use std::collections::HashSet;

/// Everything to check and to mirror, each list sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Folders with a `SKILL.md`, including those nested in another skill.
    pub skills: Vec<SkillFolder>,
    /// Symbolic links in place of a skill folder.
    pub linked_skills: Vec<TreeEntry>,
    /// The other files, by [`FileKind`].
    files: [Vec<TreeEntry>; FileKind::COUNT],
}

/// A folder with a `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFolder {
    /// The folder.
    pub path: RepoPath,
    /// Its `SKILL.md`, in any case.
    pub document: TreeEntry,
    /// All files below the folder, sorted by path. Includes the document and nested skills.
    pub files: Vec<TreeEntry>,
    /// The outermost skill that contains this folder. A nested skill is mirrored with the outer one.
    pub nested_in: Option<RepoPath>,
}

impl Inventory {
    /// Sorts `entries`, which are ordered by path, into skills and file kinds. Files in an overlay belong to the skill
    /// they overlay and are left out.
    pub fn from_entries(entries: &[TreeEntry], layout: &Layout) -> Self {
        let overlays = layout.overlays();
        let overlays = entries_within(entries, overlays.as_bstr());
        if overlays.is_empty() {
            Self::from_own_entries(entries, layout)
        } else {
            let is_overlay =
                |entry: &&TreeEntry| overlays.binary_search_by(|other| other.path.cmp(&entry.path)).is_ok();
            let own: Vec<_> = entries.iter().filter(|entry| !is_overlay(entry)).cloned().collect();
            Self::from_own_entries(&own, layout)
        }
    }

    fn from_own_entries(entries: &[TreeEntry], layout: &Layout) -> Self {
        let skills = skill_folders(entries);
        let linked_skills = linked_skills(entries, &skills, layout);
        let mut inventory = Self { skills, linked_skills, ..Self::default() };
        let folders = CanonFolders::new(layout);
        for entry in entries {
            let Some(kind) = folders.kind(&entry.path) else { continue };
            if kind.accepts(entry) && (kind.counts_in_skills() || !inventory.is_in_skill(&entry.path)) {
                inventory.files_mut(kind).push(entry.clone());
            }
        }
        inventory
    }

    /// The files of a kind.
    pub fn files(&self, kind: FileKind) -> &[TreeEntry] {
        &self.files[kind as usize]
    }

    /// The files of a kind, to change them.
    pub fn files_mut(&mut self, kind: FileKind) -> &mut Vec<TreeEntry> {
        &mut self.files[kind as usize]
    }

    /// The files of every kind, one list per kind in a fixed order.
    pub fn file_lists(&self) -> &[Vec<TreeEntry>; FileKind::COUNT] {
        &self.files
    }

    /// The lists of [`Self::file_lists`], to change them.
    pub fn file_lists_mut(&mut self) -> &mut [Vec<TreeEntry>; FileKind::COUNT] {
        &mut self.files
    }

    fn is_in_skill(&self, path: &RepoPath) -> bool {
        let is_skill = |folder: &RepoPath| self.skills.binary_search_by(|s| s.path.cmp(folder)).is_ok();
        std::iter::successors(path.parent(), RepoPath::parent).any(|folder| !folder.is_empty() && is_skill(&folder))
    }
}

/// Whether a file is a skill's document, in any case. A file of the command `/skill` does not count.
pub fn is_skill_document(path: &RepoPath) -> bool {
    let name = path.file_name();
    let is_command =
        || path.parent().is_some_and(|folder| COMMAND_FOLDERS.iter().any(|name| folder.file_name() == *name));
    name == "SKILL.md" || name.eq_ignore_ascii_case(b"SKILL.md") && !is_command()
}

/// Folders of files that are named after what a person types.
const COMMAND_FOLDERS: [&str; 5] = ["agents", "command", "commands", "prompts", "workflows"];

/// Works on borrowed bytes: a hook lists ten thousand paths and has only milliseconds.
fn skill_folders(entries: &[TreeEntry]) -> Vec<SkillFolder> {
    let mut documents: Vec<(&[u8], &TreeEntry)> = Vec::new();
    for document in entries.iter().filter(|e| e.mode != FileMode::Submodule && is_skill_document(&e.path)) {
        documents.push((folder_of(&document.path), document));
    }
    // If both spellings exist, `SKILL.md` is the document and the other one an ordinary file.
    let is_canonical_name = |document: &TreeEntry| document.path.file_name() == "SKILL.md";
    documents.sort_by_key(|(folder, document)| (*folder, !is_canonical_name(document)));
    documents.dedup_by_key(|(folder, _)| *folder);
    let known: HashSet<&[u8]> = documents.iter().map(|(folder, _)| *folder).collect();
    let folder = |(path, document): &(&[u8], &TreeEntry)| SkillFolder {
        path: RepoPath::new(path),
        document: (*document).clone(),
        files: entries_within(entries, path).to_vec(),
        nested_in: outermost(path, |above| known.contains(above)).map(RepoPath::new),
    };
    documents.iter().map(folder).collect()
}

fn folder_of(path: &RepoPath) -> &[u8] {
    let bytes = path.as_bstr().as_bytes();
    &bytes[..bytes.rfind_byte(b'/').unwrap_or(0)]
}

/// The highest ancestor of `path` that is a skill. The top of the repository counts as an ancestor.
fn outermost(path: &[u8], is_skill: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let top = (!path.is_empty()).then_some(0);
    let mut above = top.into_iter().chain(path.find_iter(b"/")).map(|end| &path[..end]);
    above.find(|above| is_skill(above))
}

/// The entries below `folder`, as one slice of the sorted `entries`.
fn entries_within<'a>(entries: &'a [TreeEntry], folder: &[u8]) -> &'a [TreeEntry] {
    if folder.is_empty() {
        return entries;
    }
    // Compares as if `folder` ended with a slash, because `a-b` sorts between `a` and `a/b`.
    let rest = |entry: &TreeEntry| entry.path.as_bstr().strip_prefix(folder).map(|rest| rest.first().copied());
    let is_before = |entry: &TreeEntry| match rest(entry) {
        Some(next) => next < Some(b'/'),
        None => entry.path.as_bstr().as_bytes() < folder,
    };
    let start = entries.partition_point(is_before);
    let length = entries[start..].partition_point(|entry| rest(entry) == Some(Some(b'/')));
    &entries[start..start + length]
}

/// Links below the canon's `skills/`, or directly in another folder of that name, that are outside of every skill and do not look
/// like files.
fn linked_skills(entries: &[TreeEntry], skills: &[SkillFolder], layout: &Layout) -> Vec<TreeEntry> {
    let root = layout.skills();
    let is_skill = |path: &[u8]| skills.binary_search_by(|s| s.path.as_bstr().as_bytes().cmp(path)).is_ok();
    let is_linked_skill = |e: &&TreeEntry| {
        e.mode == FileMode::Link
            && (e.path.is_within(&root) || e.path.parent().is_some_and(|folder| folder.file_name() == "skills"))
            && !e.path.file_name().contains(&b'.')
            && outermost(e.path.as_bstr(), is_skill).is_none()
    };
    entries.iter().filter(is_linked_skill).cloned().collect()
}

#[cfg(test)]
#[path = "inventory_tests.rs"]
mod tests;
