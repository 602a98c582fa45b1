//! Events of a workflow run.

use crate::plan::run::event::PlanRunEvent;
use canonry_model::canon::owners::Budget;
use canonry_runs::workflow::event::JournalEntry;
use std::path::PathBuf;

/// Something that happened in a run.
#[derive(Clone, Debug)]
pub enum WorkflowEvent {
    /// The run starts or continues with this budget.
    Budget {
        /// The run's id.
        run: String,
        /// The limits.
        budget: Budget,
        /// The readable log, which `tail -f` can follow.
        log: PathBuf,
    },
    /// An entry of the journal.
    Journal(JournalEntry),
    /// Something happened in the plan that a step executes.
    Plan(PlanRunEvent),
    /// Something the user should read, although the run continues.
    Notice(String),
}
