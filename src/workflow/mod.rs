//! Workflows: the analysis of definitions, and the pure decisions of a run.

pub mod condition;
pub mod cycles;
#[allow(dead_code, reason = "for the engine of runs")]
pub mod decision;
pub mod dominators;
#[allow(dead_code, reason = "for the engine of runs")]
pub mod expression;
#[allow(dead_code, reason = "for the engine of runs")]
pub mod fan_in;
pub mod graph;
pub mod inputs;
#[allow(dead_code, reason = "for the engine of runs")]
pub mod lessons;
#[allow(dead_code, reason = "for the engine of runs")]
pub mod output_contract;
pub mod outputs;
#[allow(dead_code, reason = "for the engine of runs")]
pub mod resume;
#[allow(dead_code, reason = "for the engine of runs")]
pub mod step_context;
#[allow(dead_code, reason = "for the engine of runs")]
pub mod template;
pub mod version;

pub use condition::{ConditionError, FieldType, check_condition};
pub use graph::{RouteTarget, WorkflowGraph};
pub use version::{VersionBumpError, WorkflowVersion, check_version_bump};

#[cfg(test)]
mod tests;
