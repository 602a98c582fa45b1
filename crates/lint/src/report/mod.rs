//! Reports: the result of each attempt at a step.

rule_table! {
    report_schema,
    report_step_mismatch,
    report_outcome_contradicted,
    report_artifact_missing,
    report_file_outside_step,
}
