//! A skill of the canon, as far as its mirrors go.

use super::delivery::Delivery;
use super::file::CanonFile;
use super::target_override::TargetOverride;
use crate::canon::blob::BlobError;
use crate::config::Target;
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// A canonical skill with what its files hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonSkill {
    /// Its folder, or the link that stands for it.
    pub path: RepoPath,
    /// Its files, sorted by path; for a linked skill the link alone.
    pub files: Vec<CanonFile>,
    /// Files in it whose content cannot be read.
    pub unreadable: Vec<RepoPath>,
    /// What is wrong with it as a whole.
    pub defect: Option<SkillDefect>,
    /// How it reaches the targets to which it is not copied.
    pub deliveries: BTreeMap<Target, Delivery>,
    /// What copies hold that is not simply the canon's.
    pub overrides: BTreeMap<Target, TargetOverride>,
}

/// Why a skill is of no use to any tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillDefect {
    /// No tool could read it: then it is mirrored only where it has been before.
    InvalidFrontmatter,
    /// It is a link that leads to nothing: then its mirrors stay as they are.
    BrokenLink(BlobError),
    /// Git has left the conflict of a merge in this file of it: then its mirrors stay as they are.
    UnresolvedConflict(RepoPath),
}
