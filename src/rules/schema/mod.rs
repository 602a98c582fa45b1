//! The team's own schema files.

mod schema_invalid;
mod schema_unbound;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[&schema_invalid::RULE, &schema_unbound::RULE];
