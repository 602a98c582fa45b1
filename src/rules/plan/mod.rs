//! Plans: their shape, the order of their steps, and what their reports say of them.

mod plan_command_form;
mod plan_complete_failed;
mod plan_complete_unreported;
mod plan_cycle;
mod plan_duplicate_id;
mod plan_no_proof;
mod plan_order;
mod plan_parallel_overlap;
mod plan_path_escape;
mod plan_schema;
mod plan_status;
mod plan_status_behind;
mod plan_team_schema;
mod plan_unknown_dep;
mod plan_unknown_key;
mod plan_unreadable;
mod plan_yaml;
mod reports;
mod shared;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &plan_unreadable::RULE,
    &plan_yaml::RULE,
    &plan_schema::RULE,
    &plan_unknown_key::RULE,
    &plan_status::RULE,
    &plan_duplicate_id::RULE,
    &plan_unknown_dep::RULE,
    &plan_cycle::RULE,
    &plan_order::RULE,
    &plan_parallel_overlap::RULE,
    &plan_path_escape::RULE,
    &plan_command_form::RULE,
    &plan_no_proof::RULE,
    &plan_complete_failed::RULE,
    &plan_complete_unreported::RULE,
    &plan_status_behind::RULE,
    &plan_team_schema::RULE,
];
