//! Floor 3: what the tools read besides skills, each made from one file of the canon. Pure.
//!
//! A file that people write too is edited by key, or in a marked block; the lock names the parts that are ours.

pub mod beside;
pub mod block;
mod by_block;
mod by_key;
mod claim;
mod context;
pub mod decide;
pub mod file;
mod git;
mod head;
mod hooks;
pub mod json;
mod mcp;
pub mod part;
mod permissions;
pub mod piece;
mod prompts;
pub mod sidecar;
pub mod sources;
mod switches;

pub use claim::claim;
pub use decide::{Refused, Seen, Standing, Verdict, concerned, decide};
pub use file::{Fault, Stance};
pub use part::{Form, Part, form, may_be_whole};
pub use piece::{Needless, Piece, Place, Wanted, Whole};
pub use sources::{Sources, Wish, needed};

use crate::syntax::RepoPath;

/// Whether a path, as a lock may name it, is one of ours besides mirrored skills: a part of a shared file, or a file
/// where sync writes whole ones.
pub fn is_named(path: &RepoPath) -> bool {
    Part::named(path).is_some() || may_be_whole(path)
}

/// What the files of the tools should hold.
pub fn wanted(wish: &Wish<'_>) -> Wanted {
    let mut wanted = Wanted::default();
    mcp::add(wish, &mut wanted);
    context::add(wish, &mut wanted);
    permissions::add(wish, &mut wanted);
    prompts::add_subagents(wish, &mut wanted);
    prompts::add_commands(wish, &mut wanted);
    hooks::add(wish, &mut wanted);
    switches::add(wish, &mut wanted);
    git::add(wish, &mut wanted);
    wanted.leave_out_twins();
    wanted
}
