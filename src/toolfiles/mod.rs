//! Floor 3: what the tools read besides skills, each made from one file of the canon. Pure.
//!
//! A file that people write too is edited by key, or in a marked block; the lock names the parts that are ours.

pub mod block;
mod block_files;
mod claim;
mod context;
pub mod desired;
mod git;
mod hooks;
pub mod json;
mod json_files;
pub mod managed_part;
mod markdown_header;
mod mcp;
mod permissions;
pub mod plan;
mod prompts;
pub mod request;
pub mod shared_file;
pub mod sidecar;
mod switches;
pub mod work_tree;

pub use claim::claim_parts;
pub use desired::{DesiredPart, DesiredToolFiles, GeneratedFile, ImportLine, PartContent};
pub use managed_part::{FileFormat, ManagedPart, may_be_generated, shared_format};
pub use plan::{RefusedPart, ToolFileContext, ToolFilePlan, ToolFileState, plan, relevant_files};
pub use request::{ToolFileRequest, ToolFileSources, required_sources};
pub use shared_file::PartConflict;

use crate::syntax::RepoPath;

/// Whether a path, as a lock may name it, is one of ours besides mirrored skills: a part of a shared file, or a file
/// where sync writes whole ones.
pub fn is_tool_file_entry(path: &RepoPath) -> bool {
    ManagedPart::from_lock_path(path).is_some() || may_be_generated(path)
}

/// What the files of the tools should hold.
pub fn desired_tool_files(wish: &ToolFileRequest<'_>) -> DesiredToolFiles {
    let mut wanted = DesiredToolFiles::default();
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
