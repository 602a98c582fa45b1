//! Reports: the result of each attempt at a step.

mod report_commit_missing;
mod report_diff_too_large;
mod report_json;
mod report_name;
mod report_step_unknown;

rule_table! {
    report_schema,
    report_step_mismatch,
    report_outcome_contradicted,
    report_artifact_missing,
    report_file_outside_step,
}
