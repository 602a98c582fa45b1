//! Benchmarks: tasks for planners, and trigger tests of skills.

rule_table! {
    benchmark_schema,
    benchmark_unknown_skill,
}
