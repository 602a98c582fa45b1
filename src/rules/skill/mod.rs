//! Skills: their frontmatter and its fields.

mod description_missing;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[&description_missing::RULE];
