//! Reports: what came of each attempt at a step.

mod report_json;
mod report_name;
mod report_schema;
mod report_step_mismatch;
mod report_step_unknown;
mod report_team_schema;
mod report_unreadable;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &report_unreadable::RULE,
    &report_json::RULE,
    &report_schema::RULE,
    &report_name::RULE,
    &report_step_mismatch::RULE,
    &report_step_unknown::RULE,
    &report_team_schema::RULE,
];
