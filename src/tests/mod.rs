//! Tests of several modules together: rules on files in memory, fixtures, generated input, documentation.

mod command_rules;
mod docs;
mod files;
mod fixes;
mod fuzz;
#[path = "../../tests/support/generated.rs"]
pub mod generated;
pub mod markdown;
mod memory_cases;
mod permission_cases;
mod plan_cases;
mod reference;
mod rule_fixtures;
#[path = "../../tests/support/seed_oracle.rs"]
mod seed_oracle;
mod skill_cases;
mod skill_file_cases;
mod skill_violations;
mod tool_tables;
mod unsaved;
mod workflow_cases;

/// The number of cases of a property: `PROPTEST_CASES`, which the nightly run sets, or the default.
pub fn cases(default: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}
