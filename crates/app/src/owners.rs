//! Who executes steps: `owners.yaml`.

use super::command_guard::{CommandGuard, reason};
use crate::{Error, ErrorKind, Workspace};
use canonry_guard::Verdict;
use canonry_guard::shape::quoted;
use canonry_model::canon::Blob;
use canonry_model::canon::owners::{Owner, Owners};
use canonry_repo::view::PathKind;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::Source;
use std::sync::Arc;

/// Loads `owners.yaml`, whose commands the guard does not deny.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it is missing or invalid; see also [`check_command`].
pub(crate) fn load(workspace: &Workspace) -> Result<Owners, Error> {
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
    let owners = Owners::parse(Arc::new(source)).map_err(|e| {
        unreadable(format!("{full}:{}: {}", e.line, e.message)).help(format!("run `canonry check {full}`"))
    })?;
    let guard = CommandGuard::load(workspace)?;
    let named = owners.owners.iter().map(|(role, owner)| (role.as_str(), owner));
    for (role, owner) in named.chain(owners.default.iter().map(|owner| ("default", owner))) {
        for choice in owner.choices() {
            check_command(workspace, &guard, role, choice)?;
        }
    }
    if let Some(setup) = &owners.setup {
        check_line(workspace, &guard, "setup", setup, "change it; nothing is prepared with it")?;
    }
    if let Some(notify) = &owners.notify {
        check_line(workspace, &guard, "notify", notify, "change it; nobody is notified with it")?;
    }
    Ok(owners)
}

/// The owners; `None` without `owners.yaml`.
///
/// # Errors
/// See [`load`].
pub(crate) fn load_if_any(workspace: &Workspace) -> Result<Option<Owners>, Error> {
    match workspace.view.kind(&workspace.layout.owners()) {
        PathKind::Nothing => Ok(None),
        _ => load(workspace).map(Some),
    }
}

/// The command that prepares a fresh work tree; `None` without one or without `owners.yaml`.
///
/// # Errors
/// See [`load`].
pub(crate) fn setup(workspace: &Workspace) -> Result<Option<String>, Error> {
    Ok(load_if_any(workspace)?.and_then(|owners| owners.setup))
}

/// Checks the command of an owner as a hook would, because an agent may have written it. A person who starts it answers for
/// what needs approval, such as an agent without its own checks; an agent does not.
///
/// # Errors
/// [`ErrorKind::Refused`] if the guard denies it, or if it needs approval and an agent's tool started this process.
pub(crate) fn check_command(
    workspace: &Workspace,
    guard: &CommandGuard,
    role: &str,
    owner: &Owner,
) -> Result<(), Error> {
    let line = owner.argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    check_line(workspace, guard, role, &line, "change its `argv`; no worker is started with it")
}

fn check_line(
    workspace: &Workspace,
    guard: &CommandGuard,
    role: &str,
    line: &str,
    help_if_denied: &str,
) -> Result<(), Error> {
    let found = guard.decide(line);
    let help = match (found.verdict, workspace.env.agent) {
        (Verdict::Deny, _) => help_if_denied,
        (Verdict::Ask, Some(_)) => "ask a person to run this in a terminal",
        _ => return Ok(()),
    };
    let full = workspace.view.full(&workspace.layout.owners());
    let message = format!("{full}: the command of `{role}` is not run: {}", reason(&found));
    Err(Error::new(ErrorKind::Refused, message).help(help))
}

/// The owner of a role, or the default.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if `owners.yaml` names none; `step` is the one that needs it.
pub(crate) fn require<'o>(
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
