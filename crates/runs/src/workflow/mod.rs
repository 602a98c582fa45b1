//! Workflows: the analysis of definitions, and the engine that decides what a run does next.

pub mod condition;
pub mod cycles;
pub mod decision;
pub mod diagram;
pub mod dominators;
pub mod engine;
pub mod entry_reader;
pub mod event;
pub mod expression;
pub mod fan_in;
pub mod graph;
pub mod inputs;
pub mod journal;
pub mod log_line;
pub mod output_contract;
pub mod outputs;
pub mod prompt;
pub mod resume;
pub mod run_state;
pub mod step_context;
pub mod target;
pub mod template;
pub mod variables;
pub mod version;

pub use condition::{ConditionError, FieldType, check_condition, is_condition};
pub use graph::WorkflowGraph;
pub use target::StepTarget;
pub use variables::{VariableSource, variable_source, variables};
pub use version::{VersionBumpError, WorkflowVersion, check_version_bump};

#[cfg(test)]
mod tests;
