//! Protocols: what agents may do, and how tools are called.

mod page_unreadable;
mod permissions_conflict;
mod permissions_section_missing;
mod shared;
mod tool_schema_invalid;
mod tool_schema_unknown_key;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &page_unreadable::RULE,
    &permissions_section_missing::RULE,
    &permissions_conflict::RULE,
    &tool_schema_invalid::RULE,
    &tool_schema_unknown_key::RULE,
];
