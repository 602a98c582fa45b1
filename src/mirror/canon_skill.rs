//! Canonical skills as input of mirroring.

use super::desired::SkipReason;
use super::target_override::TargetOverride;
use crate::canon::blob::BlobError;
use crate::canon::{FileMode, FileState};
use crate::config::{ExclusionReason, Target};
use crate::syntax::RepoPath;
use gix::bstr::{BString, ByteSlice};
use std::collections::BTreeMap;

/// A skill of the canon with the states of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonSkill {
    /// The folder, or the symbolic link that takes its place.
    pub path: RepoPath,
    /// Files, sorted by path; for a linked skill only the link.
    pub files: Vec<CanonFile>,
    /// Files whose content cannot be read.
    pub unreadable: Vec<RepoPath>,
    /// A problem of the skill as a whole.
    pub defect: Option<SkillDefect>,
    /// The targets that do not get a copy, and what they get instead.
    pub deliveries: BTreeMap<Target, Delivery>,
    /// The targets whose copy differs from the canon.
    pub overrides: BTreeMap<Target, TargetOverride>,
}

/// A file of a canonical skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonFile {
    pub path: RepoPath,
    pub state: FileState,
    /// The text of a symbolic link.
    pub link: Option<BString>,
}

/// Why no tool can use a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillDefect {
    /// No tool can read the document. Existing mirrors are still updated; new ones are not created.
    InvalidFrontmatter,
    /// The skill is a broken link. Its mirrors stay unchanged.
    BrokenLink(BlobError),
    /// This file contains a git merge conflict. The mirrors of the skill stay unchanged.
    UnresolvedConflict(RepoPath),
}

/// What a target gets instead of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// A link to the canonical folder.
    Link,
    /// A link, but this checkout does not support links.
    LinkUnsupported,
    /// Nothing, because the config excludes the target.
    Withheld(ExclusionReason),
}

/// A skill that a target does not get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldSkill {
    /// The canonical folder.
    pub skill: RepoPath,
    pub target: Target,
    pub reason: ExclusionReason,
}

/// Returns why a file cannot be mirrored.
pub(super) fn unfit(file: &CanonFile) -> Option<SkipReason> {
    if file.path.has_control_bytes() {
        return Some(SkipReason::ControlCharacters);
    }
    match (&file.link, file.state.mode) {
        (_, FileMode::Submodule) => Some(SkipReason::Submodule),
        (Some(target), _) if file.path.resolve_beside(target).is_none() => {
            Some(SkipReason::LinkOutside { target: target.to_str_lossy().into_owned() })
        }
        _ => None,
    }
}
