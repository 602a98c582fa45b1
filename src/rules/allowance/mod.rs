//! Comments that allow something.

mod allowance_unknown_rule;
mod allowance_unused;
mod allowance_without_reason;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[&allowance_unknown_rule::RULE, &allowance_unused::RULE, &allowance_without_reason::RULE];
