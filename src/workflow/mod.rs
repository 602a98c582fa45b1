//! Workflows: the analysis of definitions, and the pure decisions of a run.

pub mod condition;
pub mod cycles;
pub mod decision;
pub mod dominators;
pub mod expression;
pub mod fan_in;
pub mod graph;
pub mod inputs;
pub mod output_contract;
pub mod outputs;
pub mod resume;
pub mod step_context;
pub mod template;
pub mod version;

pub use condition::{ConditionError, FieldType, check_condition};
pub use graph::{RouteTarget, WorkflowGraph};
pub use version::{VersionBumpError, WorkflowVersion, check_version_bump};

#[cfg(test)]
mod tests;
