//! The graph of a workflow, or of a run with the path that it took.

use super::load::LoadedWorkflow;
use super::open_run::OpenRun;
use crate::{Error, RepoPath, Workspace};
pub use canonry_runs::workflow::diagram::{DiagramNode, EdgeKind, NodeKind, NodeState, WorkflowDiagram};

/// The graph.
#[derive(Clone, Debug)]
pub struct WorkflowGraph {
    /// The name of the workflow, or the id of the run.
    pub name: String,
    /// The workflow's file, from the top of the repository; `None` for a run, which has a copy.
    pub path: Option<RepoPath>,
    /// The steps, gates and ends, and the ways between them.
    pub diagram: WorkflowDiagram,
}

/// The graph of a workflow.
///
/// # Errors
/// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if the workflow is not found or has errors.
pub fn of_workflow(workspace: &Workspace, name: &str) -> Result<WorkflowGraph, Error> {
    let loaded = LoadedWorkflow::load(workspace, Some(name))?;
    let diagram = WorkflowDiagram::new(loaded.definition()?);
    let path = Some(workspace.view.full(&loaded.path));
    Ok(WorkflowGraph { name: loaded.name, path, diagram })
}

/// The graph of a run.
///
/// # Errors
/// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if the run is not found or its journal is damaged.
pub fn of_run(workspace: &Workspace, id: &str) -> Result<WorkflowGraph, Error> {
    let open = OpenRun::open(workspace, id)?;
    let definition = open.definition()?;
    let diagram = WorkflowDiagram::new(definition).with_run(definition, &open.journal.state, &open.journal.entries);
    Ok(WorkflowGraph { name: open.folder.id, path: None, diagram })
}
