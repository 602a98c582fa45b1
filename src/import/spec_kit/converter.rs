//! The state of a conversion.

use super::super::workflow_files::{ConvertedWorkflow, WorkflowText, unique};
use super::flow::Flow;
use super::structure::id;
use crate::syntax::node::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Names with another meaning in workflows of the canon.
pub(super) const RESERVED: [&str; 20] = [
    "end",
    "abort",
    "fail",
    "continue",
    "skip",
    "retry",
    "pause",
    "ignore",
    "cancel",
    "stop",
    "escalate",
    "human_escalation",
    "task",
    "run_id",
    "run",
    "report",
    "candidate",
    "phases",
    "steps",
    "config",
];

/// A workflow while it is converted.
pub(super) struct Converter<'a> {
    pub source: &'a WorkflowText,
    /// The folder of the workflow.
    pub folder: &'a str,
    /// The canon's folder of commands.
    pub commands: &'a str,
    /// The names of steps and gates by their ids.
    pub names: BTreeMap<String, String>,
    /// The types of steps by their ids.
    pub kinds: BTreeMap<String, String>,
    /// The names of parameters by the names of inputs.
    pub parameters: BTreeMap<String, String>,
    /// Steps after whose failure the run continues.
    pub continuing: BTreeSet<String>,
    pub flow: Flow,
    pub workflow: ConvertedWorkflow,
}

impl Converter<'_> {
    pub fn line(&self, node: &Node) -> usize {
        self.source.line(node.span)
    }

    pub fn note(&mut self, line: usize, text: impl Into<String>) {
        self.workflow.notes.add(line, text);
    }

    /// A name that no step has.
    pub fn free_name(&self, wanted: &str) -> String {
        let is_taken =
            |name: &str| RESERVED.contains(&name) || self.names.values().any(|known| known.eq_ignore_ascii_case(name));
        unique(wanted, is_taken)
    }

    pub fn name(&self, node: &Node) -> String {
        self.names.get(id(node)).cloned().unwrap_or_default()
    }
}
