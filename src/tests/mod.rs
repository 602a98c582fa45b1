//! Tests of several modules together: rules on files in memory, fixtures, generated input, documentation.

mod command_rules;
mod config_schema;
mod docs;
mod files;
mod fixes;
mod fuzz;
mod memory_cases;
mod permission_cases;
mod plan_cases;
mod reference;
mod rule_fixtures;
mod skill_cases;
mod skill_file_cases;
mod skill_violations;
mod tool_tables;
mod workflow_cases;
