//! Names that some file systems treat as equal.

use super::canon_file::{CanonFile, fold_name};
use super::canon_skill::CanonSkill;
use bstr::ByteSlice;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;

/// Checks whether two different names are equal without regard to Unicode form, but with regard to case.
pub(super) fn differ_in_form(one: &[u8], other: &[u8]) -> bool {
    one != other && one.to_str_lossy().nfkc().eq(other.to_str_lossy().nfkc())
}

/// Maps each skill whose folder name clashes to the other skill.
pub(super) fn clashes(skills: &[CanonSkill]) -> BTreeMap<RepoPath, RepoPath> {
    let mut by_name: BTreeMap<String, Vec<&RepoPath>> = BTreeMap::new();
    for skill in skills {
        by_name.entry(fold_name(skill.path.file_name())).or_default().push(&skill.path);
    }
    let mut clashes = BTreeMap::new();
    for paths in by_name.values().filter(|paths| paths.len() > 1) {
        for path in paths {
            if let Some(other) = paths.iter().find(|other| other != &path) {
                clashes.insert((*path).clone(), (*other).clone());
            }
        }
    }
    clashes
}

/// Finds two files of a skill whose names clash.
pub(super) fn files_clash(skill: &CanonSkill) -> Option<(&RepoPath, &RepoPath)> {
    // Folding is slow. ASCII names of different lengths cannot clash, which covers nearly every skill.
    let length = |file: &CanonFile| file.path.as_bstr().is_ascii().then(|| file.path.as_bstr().len());
    let lengths: Option<BTreeSet<usize>> = skill.files.iter().map(length).collect();
    if lengths.is_some_and(|lengths| lengths.len() == skill.files.len()) {
        return None;
    }
    let mut seen: BTreeMap<String, &RepoPath> = BTreeMap::new();
    skill.files.iter().find_map(|file| {
        let name = fold_name(file.path.below(&skill.path).unwrap_or_default());
        seen.insert(name, &file.path).map(|other| (other, &file.path))
    })
}
