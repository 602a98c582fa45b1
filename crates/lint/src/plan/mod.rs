//! Plans: structure, order of steps, and agreement with reports.

mod helpers;
mod plan_status;

rule_table! {
    plan_yaml,
    plan_schema,
    plan_unknown_key,
    plan_duplicate_id,
    plan_unknown_dep,
    plan_cycle,
    plan_order,
    plan_parallel_overlap,
    plan_path_escape,
    plan_command_form,
    plan_no_proof,
    plan_complete_failed,
    plan_complete_unreported,
    plan_status_behind,
    plan_unapproved,
    plan_export_stale,
    phase_artifact_empty,
}
