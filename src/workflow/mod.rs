//! Analysis of workflows: graph, targets, conditions, inputs, outputs, variables and version changes.

pub mod condition;
pub mod cycles;
pub mod dominators;
pub mod graph;
pub mod inputs;
pub mod outputs;
pub mod target;
pub mod variables;
pub mod version;

pub use condition::{ConditionError, FieldType, check_condition, is_condition};
pub use graph::WorkflowGraph;
pub use target::{GateAnswer, GateTimeout, RunAction, StepTarget};
pub use variables::{VariableSource, variable_source, variables};
pub use version::{VersionBumpError, WorkflowVersion, check_version_bump};

#[cfg(test)]
mod tests;
