//! How a skill reaches a tool other than as a copy: as a link, or not at all.

use crate::config::{ExclusionReason, Target};
use crate::syntax::RepoPath;

/// How a skill reaches a target to which it is not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// By a link to its folder in the canon.
    Link,
    /// By a link that cannot be made here.
    LinkUnsupported,
    /// Not at all: the config keeps it from the target.
    Withheld(ExclusionReason),
}

/// A skill that is kept from a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithheldSkill {
    /// The skill's folder in the canon.
    pub skill: RepoPath,
    /// The target.
    pub target: Target,
    /// Why.
    pub reason: ExclusionReason,
}
