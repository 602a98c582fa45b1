//! A workflow as a whole.

use super::dialect::WorkflowDialect;
use super::gate::WorkflowGate;
use super::step::WorkflowStep;
use crate::canon::plan::SpannedText;

/// The word for where a run ends well.
pub const END: &str = "end";

/// A workflow in whatever dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowDefinition {
    /// How it is written.
    pub dialect: WorkflowDialect,
    /// `workflow_version`.
    pub version: Option<SpannedText>,
    /// `max_steps`
    pub max_steps: Option<SpannedText>,
    /// Its steps in file order; a run begins at the first.
    pub steps: Vec<WorkflowStep>,
    /// Its gates in file order.
    pub gates: Vec<WorkflowGate>,
}

impl WorkflowDefinition {
    /// Whether it is of the durable dialect, in which a step says what becomes of it whatever happens.
    pub fn is_durable(&self) -> bool {
        self.dialect == WorkflowDialect::Durable
    }
}
