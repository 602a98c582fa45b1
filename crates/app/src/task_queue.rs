//! The tasks of the canon as a queue. The status in `task.yaml` says who may take a task, and a claim decides between runs, also
//! in other work trees and clones that do not have the commit of the status yet.

use crate::commit::{self, CommitRequest, CommitSelection};
use crate::context::task::{all, requirements, valid_document};
use crate::plan::claims::{self, ClaimHandle, Holder};
use crate::plan::{edits, old_claims};
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::task::{TaskDocument, TaskStatus};
use canonry_model::finding::apply_edits;
use canonry_repo::view::Basis;
use canonry_runs::plan::edit_task_status;
use canonry_runs::plan::run::ClaimFor;
use canonry_text::RepoPath;

/// The name of the queue among the plans, which have no such name: it is not that of a folder.
const QUEUE: &str = "tasks/";

/// A task that a run has.
#[derive(Clone, Debug)]
pub(crate) struct QueuedTask {
    /// Its id in the canon; `None` for a text that somebody gave.
    pub id: Option<String>,
    /// The title and the requirements.
    pub text: String,
}

/// Whether the canon has tasks.
///
/// # Errors
/// They cannot be listed.
pub(crate) fn has_tasks(workspace: &Workspace) -> Result<bool, Error> {
    Ok(!all(workspace)?.is_empty())
}

/// Takes the first planned task by its id, sets it to `in_progress`, and commits that. `None` if no task is left.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if a task has errors; the status cannot be written or committed. The task is planned then.
pub(crate) fn take_next(workspace: &Workspace) -> Result<Option<QueuedTask>, Error> {
    old_claims::forget_done(workspace, QUEUE, |_| true, |_, _| false)?;
    for file in all(workspace)? {
        let id = file.id();
        let folder = file.path.parent().unwrap_or_default();
        let task = valid_document(workspace, file)?.task;
        if task.status != TaskStatus::Planned {
            continue;
        }
        let holder = Holder { name: claims::run_holder(), pid: Some(std::process::id()) };
        let taken = claims::take(workspace, QUEUE, &id, ClaimFor::Next(1), &holder, None);
        let (claim, _) = match taken.map_err(Error::from) {
            Err(error) if error.kind == ErrorKind::Contention => continue,
            claim => claim?,
        };
        match set_status(workspace, &id, TaskStatus::Planned, TaskStatus::InProgress) {
            Ok(true) => {}
            // Another run had it before the claim.
            Ok(false) => {
                claim.withdraw(workspace)?;
                continue;
            }
            Err(error) => {
                claim.withdraw(workspace)?;
                return Err(error);
            }
        }
        keep(workspace, claim)?;
        let text = format!("{}\n\n{}", task.title, requirements(&workspace.view, &folder)?.trim());
        return Ok(Some(QueuedTask { id: Some(id), text: text.trim().to_owned() }));
    }
    Ok(None)
}

/// Sets the task of a complete run to `done`. Can be repeated.
///
/// # Errors
/// The status cannot be written or committed.
pub(crate) fn finish(workspace: &Workspace, id: &str) -> Result<(), Error> {
    set_status(workspace, id, TaskStatus::InProgress, TaskStatus::Done).map(drop)
}

/// Keeps a claim until everybody has the commit of the status.
fn keep(workspace: &Workspace, claim: ClaimHandle) -> Result<(), Error> {
    match workspace.repo()?.head_id().ok() {
        Some(head) => claim.complete(workspace, &head.to_string()),
        None => claim.release(workspace, None),
    }
}

/// Changes and commits the status of a task. `false` if it has another one than `from`.
fn set_status(workspace: &Workspace, id: &str, from: TaskStatus, to: TaskStatus) -> Result<bool, Error> {
    let mut session = edits::begin_patiently(workspace)?;
    // Read under the lock.
    let fresh = Workspace::open(&workspace.env, &Basis::WorkTree)?;
    let Some(file) = all(&fresh)?.into_iter().find(|file| file.id() == id) else { return Ok(false) };
    let path = file.path.clone();
    let document = valid_document(&fresh, file)?;
    if document.task.status != from {
        return Ok(false);
    }
    let before = document.source.text();
    let after = with_status(&path, &document, to)?;
    edits::write(&fresh, &mut session, edits::replace_text(&fresh, &path, before, after.clone())?)?;
    let paths = [fresh.view.full(&path).as_bstr().to_owned()];
    let message = format!("tasks: {id} is {}\n", to.as_str());
    let request = CommitRequest {
        selection: CommitSelection::Literal(&paths),
        message: &message,
        hooks: workspace.env.git_hooks,
    };
    if let Err(error) = commit::run(&workspace.env, &request) {
        let fresh = Workspace::open(&workspace.env, &Basis::WorkTree)?;
        edits::write(&fresh, &mut session, edits::replace_text(&fresh, &path, &after, before.to_owned())?)?;
        return Err(error);
    }
    Ok(true)
}

fn with_status(path: &RepoPath, document: &TaskDocument, status: TaskStatus) -> Result<String, Error> {
    let edit = edit_task_status(document, status);
    edit.and_then(|edit| apply_edits(document.source.text(), &[edit])).ok_or_else(|| {
        Error::new(ErrorKind::Refused, format!("the status of {path} cannot be changed without other changes"))
            .help("write `status:` as plain text, without an alias")
    })
}
