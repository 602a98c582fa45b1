//! Workflows: structure, control flow, gates, retries, data and effects.

mod context_fields;
mod context_mode;
mod context_session;
mod effect_marker;
mod effect_not_idempotent;
mod fan_in_collect_all;
mod fan_in_fail_fast;
mod fan_in_strategy;
mod fan_out_owner;
mod gate_in_parallel;
mod gate_incomplete;
mod gate_no_default;
mod gate_option_values;
mod gate_timeout;
mod gate_timeout_action;
mod gate_type;
mod helpers;
mod output_contract;
mod retry_candidates;
mod retry_exhausted;
mod retry_feedback;
mod retry_limit;
mod retry_strategy;
mod workflow_criteria;
mod workflow_no_on_failure;
mod workflow_no_timeout;
mod workflow_version;

rule_table! {
    workflow_schema,
    workflow_version_bump,
    workflow_unknown_target,
    workflow_unreachable,
    workflow_no_fallback,
    workflow_duplicate_condition,
    workflow_condition,
    workflow_unbounded_loop,
    workflow_missing_file,
    workflow_unknown_variable,
    gate_blind_message,
    context_predecessor,
    context_source,
    output_collision,
    output_escape,
}
