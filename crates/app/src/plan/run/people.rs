//! Decisions of people.

use super::world::{Look, RepoWorld};
use crate::Error;
use crate::plan::{StepStatus, edits};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::view::{Basis, PathKind};
use canonry_runs::plan::run::PlanWorld as _;

impl RepoWorld<'_> {
    /// Commits what people have decided about steps since the last run, such as a rejection: its report is in no commit.
    pub(super) fn commit_decisions(&self) -> Result<(), Error> {
        let workspace = self.open()?;
        // Excludes a command that writes a decision now.
        let _session = edits::begin_patiently(&workspace)?;
        let Look { workspace, loaded } = self.look()?;
        let Ok(head) = workspace.open_view(&Basis::Commit("HEAD".to_owned())) else { return Ok(()) };
        let records = self.records.all()?;
        let is_at_work = |step: &PlanStep| {
            step.status == StepStatus::InProgress || records.iter().any(|record| record.step == step.id_text())
        };
        for step in loaded.document()?.steps.iter().filter(|step| !is_at_work(step)) {
            let last = loaded.plan.attempts_at(step).max_by_key(|attempt| attempt.number);
            if let Some(last) = last.filter(|last| head.kind(&last.path) == PathKind::Nothing) {
                self.commit_step(&workspace, step.id_text(), last.number, step.status);
            }
        }
        Ok(())
    }
}
