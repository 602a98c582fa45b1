//! The report of a plan or a run.

use super::target::PlanOrRun;
pub use crate::plan::report::WrittenReport;
use crate::{Error, Workspace, plan, workflow};

/// Builds the report of a plan or a run. With `write`, stores that of a plan as `combined.json` and `report.md`.
///
/// # Errors
/// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if it is not found or has errors. When writing:
/// [`ErrorKind::Refused`](crate::ErrorKind::Refused) if a step is not complete, or if there is no verification, or it does not
/// hold, or it is older than the last report.
pub fn run(workspace: &Workspace, target: &PlanOrRun, write: bool) -> Result<WrittenReport, Error> {
    match target {
        PlanOrRun::Plan(id) => plan::report::run(workspace, id, write),
        PlanOrRun::Run(id) => {
            let report = workflow::report::read(workspace, id)?;
            Ok(WrittenReport { report, written: Vec::new(), kept: None })
        }
    }
}
