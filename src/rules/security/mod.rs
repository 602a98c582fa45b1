//! What a person who reads a skill cannot see, and an agent does.

mod hidden_comment;
mod hidden_unicode;
mod instructions;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[&hidden_unicode::RULE, &hidden_comment::RULE];
