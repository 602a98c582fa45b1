//! The graph of a workflow, or of a run with the path that it took.

use super::load::LoadedWorkflow;
use super::open_run::OpenRun;
use crate::{Error, Workspace};
pub use canonry_runs::workflow::diagram::{EdgeKind, NodeKind, NodeState, WorkflowDiagram};

/// Workflow or run to show.
#[derive(Clone, Debug, Default)]
pub struct WorkflowGraphRequest {
    /// The workflow; the only one by default.
    pub workflow: Option<String>,
    /// A run, whose definition and path are shown instead.
    pub run: Option<String>,
}

/// The graph.
#[derive(Clone, Debug)]
pub struct WorkflowGraphOutcome {
    /// The name of the workflow, or the id of the run.
    pub name: String,
    /// The graph.
    pub diagram: WorkflowDiagram,
}

/// Builds the graph.
///
/// # Errors
/// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if the workflow or the run is not found or has errors.
pub fn run(workspace: &Workspace, request: &WorkflowGraphRequest) -> Result<WorkflowGraphOutcome, Error> {
    let Some(run) = &request.run else {
        let loaded = LoadedWorkflow::load(workspace, request.workflow.as_deref())?;
        return Ok(WorkflowGraphOutcome { diagram: WorkflowDiagram::new(loaded.definition()?), name: loaded.name });
    };
    let open = OpenRun::open(workspace, Some(run))?;
    let definition = open.definition()?;
    let diagram = WorkflowDiagram::new(definition).with_run(definition, &open.journal.state, &open.journal.entries);
    Ok(WorkflowGraphOutcome { name: open.folder.id, diagram })
}
