//! A plan as its reports see it.

use super::plan::{Plan, PlanDocument, PlanStep};
use std::collections::HashMap;
use std::sync::Arc;

/// A readable plan with an index of its steps, shared by all reports on it.
#[derive(Debug)]
pub struct ReportedPlan {
    pub id: String,
    pub document: Arc<PlanDocument>,
    positions: HashMap<String, usize>,
}

impl ReportedPlan {
    /// Indexes a plan; `None` if it cannot be read.
    pub fn new(id: String, plan: Plan) -> Option<Self> {
        let document = plan.document.ok().filter(|document| document.yaml.is_ok())?;
        let mut positions = HashMap::with_capacity(document.steps.len());
        for (at, step) in document.steps.iter().enumerate() {
            positions.entry(step.id_text().to_owned()).or_insert(at);
        }
        Some(Self { id, document, positions })
    }

    /// The step with an id.
    pub fn step(&self, id: &str) -> Option<&PlanStep> {
        self.document.steps.get(*self.positions.get(id)?)
    }
}
