//! The table of tools: every coding agent that canonry knows, with its files, formats, hooks and limits.

pub mod agent_tools;
mod default_tools;
mod documented_tools;
mod ended_tools;
pub mod hook_form;
pub mod skill_listing;
mod tool_cells;
pub mod tool_formats;
mod tool_row;
mod tool_table;

pub use tool_formats::{HookFormat, HookQuestions, HookTrust, PermissionGrammar, SharedByWorktrees, SubagentFormat};
pub use tool_row::{
    CommandRow, ContextEvent, ContextReading, ContextRow, ContextSetting, EvidenceLevel, HookRow, McpRow, MemoryScope,
    NameConflict, PermissionRow, RepeatedSkill, SHARED_MIRROR, SubagentRow, ToolMemory, ToolRow, ToolStatus,
};
pub use tool_table::{TOOLS, tool_row};
