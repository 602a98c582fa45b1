//! Plans: structure, order of steps, and agreement with reports.

mod helpers;
mod plan_command_form;
mod plan_status;
mod plan_unknown_key;

rule_table! {
    plan_schema,
    plan_duplicate_id,
    plan_unknown_dep,
    plan_cycle,
    plan_order,
    plan_parallel_overlap,
    plan_path_escape,
    plan_no_proof,
    plan_status_contradicted,
    plan_unapproved,
    plan_export_stale,
    phase_artifact_empty,
}
