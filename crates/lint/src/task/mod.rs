//! Tasks, and the pages of the spec.

rule_table! {
    task_schema,
    task_context_missing,
    spec_empty,
}
