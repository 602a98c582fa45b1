//! The work of an attempt, at a step of a plan or at a task of a workflow: what it changed, and how the branch gets it.
//!
//! An attempt has a work tree of its own, whose branch is merged, or it shares the work tree of people, whose changed files are
//! committed. Either way, its work is a [`Candidate`]: the commit that the branch would get. What is verified is what is accepted.

mod candidate;
mod folder;
pub(crate) mod record_file;
mod shared_files;
mod tree;

pub(crate) use candidate::{AttemptWork, Candidate, Proposed, branch_tip};
pub(crate) use folder::attempt_folder;
pub(crate) use shared_files::{SeenFile, SeenFiles, is_control, work_files};
pub(crate) use tree::{fork, last_commit, tree_folder};
