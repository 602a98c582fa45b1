//! Context files: what the tools read at the start of a session, and the rules of Cursor and others beside them.

mod context_import_circle;
mod context_import_depth;
mod context_import_missing;
mod context_import_outside;
mod context_many_lines;
mod context_too_long;
mod context_unreadable;
mod mdc_extension;
mod mdc_frontmatter;
mod mdc_globs_yaml;
mod mdc_never_applies;
mod mdc_unknown_key;
mod shared;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &context_unreadable::RULE,
    &context_import_missing::RULE,
    &context_import_circle::RULE,
    &context_import_depth::RULE,
    &context_import_outside::RULE,
    &context_too_long::RULE,
    &context_many_lines::RULE,
    &mdc_frontmatter::RULE,
    &mdc_globs_yaml::RULE,
    &mdc_unknown_key::RULE,
    &mdc_never_applies::RULE,
    &mdc_extension::RULE,
];
