//! A plan as its reports see it.

use super::plan::{Plan, PlanDocument, PlanStep};
use std::sync::Arc;

/// A readable plan, shared by all reports on it.
#[derive(Debug)]
pub struct ReportedPlan {
    pub id: String,
    pub document: Arc<PlanDocument>,
}

impl ReportedPlan {
    /// `None` if it cannot be read.
    pub fn new(id: String, plan: Plan) -> Option<Self> {
        let document = plan.document.ok().filter(|document| document.yaml.is_ok())?;
        Some(Self { id, document })
    }

    /// The step with an id.
    pub fn step(&self, id: &str) -> Option<&PlanStep> {
        self.document.steps.get(self.document.graph().position(id)?)
    }
}
