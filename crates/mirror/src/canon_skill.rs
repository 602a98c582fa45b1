//! Canonical skills as input of mirroring.

use super::canon_file::CanonFile;
use super::skipped::SkipReason;
use super::target_override::TargetOverride;
use canonry_model::config::{ExclusionReason, Target};
use canonry_text::RepoPath;
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
    /// A problem of the skill as a whole. With an unreadable frontmatter, existing mirrors are still updated; otherwise,
    /// they stay unchanged.
    pub defect: Option<SkipReason>,
    /// The targets that do not get a copy, and what they get instead.
    pub deliveries: BTreeMap<Target, Delivery>,
    /// The targets whose copy differs from the canon.
    pub overrides: BTreeMap<Target, TargetOverride>,
}

/// Substitute that a target gets instead of a copy.
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
