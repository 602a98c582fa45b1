//! Workflows: their shape, where their steps lead, what they read, write and do again.

mod context_fields;
mod context_mode;
mod context_predecessor;
mod context_session;
mod context_source;
mod effect_marker;
mod effect_not_idempotent;
mod fan_in_collect_all;
mod fan_in_fail_fast;
mod fan_in_strategy;
mod fan_out_owner;
mod gate_blind_message;
mod gate_in_parallel;
mod gate_incomplete;
mod gate_no_default;
mod gate_option_values;
mod gate_timeout;
mod gate_timeout_action;
mod gate_type;
mod output_collision;
mod output_contract;
mod output_escape;
mod retry_candidates;
mod retry_exhausted;
mod retry_feedback;
mod retry_limit;
mod retry_strategy;
mod shared;
mod workflow_condition;
mod workflow_duplicate_condition;
mod workflow_no_fallback;
mod workflow_no_on_failure;
mod workflow_no_timeout;
mod workflow_schema;
mod workflow_team_schema;
mod workflow_unbounded_loop;
mod workflow_unknown_target;
mod workflow_unreachable;
mod workflow_unreadable;
mod workflow_version;
mod workflow_version_bump;
mod workflow_yaml;

use super::{RawFindings, Rule};
use crate::canon::capped::SHOWN;
use crate::finding::RawFinding;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &workflow_unreadable::RULE,
    &workflow_yaml::RULE,
    &workflow_schema::RULE,
    &workflow_team_schema::RULE,
    &workflow_version::RULE,
    &workflow_version_bump::RULE,
    &workflow_unknown_target::RULE,
    &workflow_unreachable::RULE,
    &workflow_no_fallback::RULE,
    &workflow_duplicate_condition::RULE,
    &workflow_condition::RULE,
    &workflow_unbounded_loop::RULE,
    &workflow_no_on_failure::RULE,
    &workflow_no_timeout::RULE,
    &gate_incomplete::RULE,
    &gate_type::RULE,
    &gate_timeout::RULE,
    &gate_timeout_action::RULE,
    &gate_no_default::RULE,
    &gate_option_values::RULE,
    &gate_blind_message::RULE,
    &gate_in_parallel::RULE,
    &retry_strategy::RULE,
    &retry_limit::RULE,
    &retry_feedback::RULE,
    &retry_candidates::RULE,
    &retry_exhausted::RULE,
    &context_mode::RULE,
    &context_fields::RULE,
    &context_predecessor::RULE,
    &context_source::RULE,
    &context_session::RULE,
    &fan_in_strategy::RULE,
    &fan_in_collect_all::RULE,
    &fan_in_fail_fast::RULE,
    &fan_out_owner::RULE,
    &output_contract::RULE,
    &output_collision::RULE,
    &output_escape::RULE,
    &effect_not_idempotent::RULE,
    &effect_marker::RULE,
];

/// One finding for all that one rule says beyond the first few: one misspelt `goto` can cut off any number of steps.
pub(super) fn shorten(drafts: &mut RawFindings) {
    drafts.sort_by_key(|draft| draft.location.span);
    // A rest of one is shown like the others.
    if drafts.len() <= SHOWN + 1 {
        return;
    }
    let count = drafts.len() - SHOWN;
    drafts.truncate(SHOWN + 1);
    if let Some(rest) = drafts.pop() {
        let message = format!("{count} more places like the {SHOWN} before, of which this is the first");
        drafts.push(
            RawFinding::new(rest.location, message).help("mend those before, and the next ones are told one by one"),
        );
    }
}
