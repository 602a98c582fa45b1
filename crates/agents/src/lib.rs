//! Plans the content of tool files: everything tools read besides skills, each made from a canonical file. Pure.
//!
//! Files that users also write are edited by key or in a managed block; the lock names the managed parts.

pub mod block;
mod block_files;
mod claim;
pub mod commands;
mod context;
pub mod desired;
mod executable;
mod executables;
mod held_back;
pub mod hook_state;
pub mod hook_trust;
pub mod hooks;
mod ignore_files;
pub mod json;
mod json_files;
pub mod managed_part;
pub mod mcp;
pub mod permissions;
pub mod plan;
mod policies;
mod prompts;
pub mod request;
pub mod rule_header;
mod rules;
mod scoped_rules;
pub mod shared_file;
pub mod sidecar;
pub mod subagents;
mod team_files;
pub mod team_hooks;
mod toml_keys;
mod tool_hook;
mod tool_settings;
pub mod unenforced;
pub mod work_tree;

pub use claim::claim_parts;
pub use desired::{DesiredToolFiles, GeneratedFile, ToolFileProblem};
pub use executable::Executable;
pub use executables::executables;
pub use held_back::HoldBack;
pub use managed_part::{ManagedPart, generated_folders, may_be_generated};
pub use plan::{RefusedPart, ToolFileContext, ToolFilePlan, ToolFileState, plan, relevant_files};
pub use request::{ToolFileRequest, ToolFileSources, required_sources};
pub use shared_file::PartConflict;
pub use subagents::looser_subagent;

use canonry_text::RepoPath;

/// Checks whether a lock path names a tool file: a managed part of a shared file, or a generated file.
pub fn is_tool_file_entry(path: &RepoPath) -> bool {
    ManagedPart::from_lock_path(path).is_some() || may_be_generated(path)
}

/// Returns the desired content of all tool files.
pub fn desired_tool_files(request: &ToolFileRequest<'_>) -> DesiredToolFiles {
    let mut desired = DesiredToolFiles::default();
    mcp::add(request, &mut desired);
    context::add(request, &mut desired);
    rules::add(request, &mut desired);
    scoped_rules::add(request, &mut desired);
    permissions::add(request, &mut desired);
    subagents::add(request, &mut desired);
    commands::add(request, &mut desired);
    hooks::add(request, &mut desired);
    team_hooks::add(request, &mut desired);
    ignore_files::add(request, &mut desired);
    tool_settings::add_switches(request, &mut desired);
    tool_settings::add_git_lines(request, &mut desired);
    desired.drop_clashing_files();
    desired.accept(&request.files.accept_omitted);
    desired
}
