//! Floor 3: what the steps of a workflow say of where a run goes. Pure; rules and commands ask it.

pub mod condition;
pub mod cycles;
pub mod dominators;
pub mod field;
pub mod graph;
pub mod inputs;
pub mod outputs;
pub mod version;
pub mod version_bump;

pub use condition::{ConditionError, check_condition};
pub use field::FieldType;
pub use graph::{RouteTarget, WorkflowGraph};
pub use version::WorkflowVersion;
pub use version_bump::{VersionBumpError, check_version_bump};

#[cfg(test)]
mod tests;
