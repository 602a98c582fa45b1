//! Files that a tool reads besides skills and context files: settings, hooks, MCP servers, plugins, subagents, commands.

mod keys;

rule_table! {
    tool_file_syntax,
    tool_file_schema,
    tool_file_unknown_key,
    tool_file_duplicate_key,
    plugin_path_missing,
    plugin_version_unchanged,
    marketplace_version_differs,
    tool_script_missing,
    hook_unknown_event,
    hook_invalid,
    hook_timeout_unit,
    hook_path_unquoted,
    matcher_never_matches,
    rule_scope_invalid,
    mcp_server_invalid,
}
