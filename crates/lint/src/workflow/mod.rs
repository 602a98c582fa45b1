//! Workflows: structure, control flow, gates, retries, data and effects.

mod gates;
mod helpers;
mod steps;
mod workflow_criteria;
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
