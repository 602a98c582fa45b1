//! Reports: the result of each attempt at a step.

rule_table! {
    report_json,
    report_schema,
    report_name,
    report_step_mismatch,
    report_step_unknown,
}
