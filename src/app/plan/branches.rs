//! The branches of attempts: their work trees, and how they are merged.

pub use super::attempt_folder::attempt_folder;
pub use crate::git::diff::{ChangedFile, changed_files, is_ancestor, resolve_commit};
pub use crate::git::integrate::{FastForward, Integrated, MergeRequest, finish_interrupted, integrate};
pub use crate::git::worktrees::{
    AttemptBranch, AttemptName, AttemptTree, DetachedTree, KeptReason, Removal, WorktreeError, checkout_detached,
    commit_all, create, list, remove_if_merged,
};
