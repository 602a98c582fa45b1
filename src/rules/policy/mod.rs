//! The layers apart: what holds in policies, what is allowed in protocols, which steps are taken in workflows.

mod layer_permission_in_template;
mod layer_steps_in_policy;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[&layer_permission_in_template::RULE, &layer_steps_in_policy::RULE];
