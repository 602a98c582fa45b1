//! A workflow as a whole.

use super::dialect::Dialect;
use super::gate::Gate;
use super::step::Step;
use crate::canon::plan::Text;

/// The word for where a run ends well.
pub const END: &str = "end";

/// A workflow in whatever dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// How it is written.
    pub dialect: Dialect,
    /// `workflow_version`.
    pub version: Option<Text>,
    /// `max_steps`
    pub max_steps: Option<Text>,
    /// Its steps in file order; a run begins at the first.
    pub steps: Vec<Step>,
    /// Its gates in file order.
    pub gates: Vec<Gate>,
}

impl Definition {
    /// Whether it is of the durable dialect, in which a step says what becomes of it whatever happens.
    pub fn is_durable(&self) -> bool {
        self.dialect == Dialect::Durable
    }
}
