//! Who executes steps: `owners.yaml`.

use crate::app::{Error, ErrorKind, Workspace};
use crate::canon::Blob;
use crate::canon::owners::{Owner, Owners};
use crate::syntax::Source;
use crate::view::load::DOCUMENT_LIMIT;
use std::sync::Arc;

/// Loads `owners.yaml`.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it is missing or invalid.
pub(in crate::app) fn load(workspace: &Workspace) -> Result<Owners, Error> {
    let path = workspace.layout.owners();
    let full = workspace.view.full(&path);
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    let bytes = match workspace.view.read(&path, DOCUMENT_LIMIT) {
        Blob::Bytes(bytes) => bytes,
        Blob::Missing(_) => {
            let help = "write `default: {argv: [claude, -p, --permission-mode, acceptEdits]}` to it, or the command line of another agent";
            return Err(unreadable(format!("{full} is missing: it names the command that executes a step")).help(help));
        }
    };
    let source = Source::from_bytes(path, bytes).map_err(|_| unreadable(format!("{full} is not UTF-8")))?;
    Owners::parse(Arc::new(source)).map_err(|e| {
        unreadable(format!("{full}:{}: {}", e.line, e.message)).help(format!("run `canonry check {full}`"))
    })
}

/// The owner of a role, or the default.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if `owners.yaml` names none; `step` is the one that needs it.
pub(in crate::app) fn require<'o>(
    workspace: &Workspace,
    owners: &'o Owners,
    role: &str,
    step: &str,
) -> Result<&'o Owner, Error> {
    owners.owner(role).ok_or_else(|| {
        let full = workspace.view.full(&workspace.layout.owners());
        let message = format!("step `{step}`: {full} has no owner `{role}` and no default");
        Error::new(ErrorKind::Unreadable, message).help(format!("add `{role}` below `owners:`, or a `default:`"))
    })
}
