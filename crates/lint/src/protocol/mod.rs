//! Protocols: permissions and tool schemas.

mod tool_schema_keys;
mod tool_schema_unknown_key;
mod tool_schema_unused_key;

rule_table! {
    permissions_section_missing,
    permissions_conflict,
    permission_unbound,
    permission_never_matches,
    permission_server_unknown,
    approvals_skipped,
    tool_schema_invalid,
}
