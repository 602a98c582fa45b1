//! Files that a tool reads besides skills and context files: settings, hooks, MCP servers, plugins, subagents, commands.

mod hook_invalid;
mod hook_unknown_event;
mod keys;
mod mcp_server_invalid;
mod rule_scope_invalid;
mod tool_file_duplicate_key;
mod tool_file_syntax;
mod tool_file_unknown_key;

rule_table! {
    tool_file_schema,
    plugin_path_missing,
    plugin_version_unchanged,
    tool_script_missing,
    hook_timeout_unit,
    hook_path_unquoted,
    matcher_never_matches,
}
