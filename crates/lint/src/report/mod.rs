//! Reports: the result of each attempt at a step.

mod report_json;

rule_table! {
    report_schema,
    report_name,
    report_step_mismatch,
    report_step_unknown,
    report_outcome_contradicted,
    report_artifact_missing,
    report_commit_missing,
    report_file_outside_step,
    report_diff_too_large,
}
