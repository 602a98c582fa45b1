//! `extends` in the config: sources whose skills and shared files all belong to the canon.

use super::add::{self, Request};
use super::pins::load_lock;
use super::source::parse_source;
use super::{Approval, Approver, update};
use crate::app::{Error, ErrorKind, Progress, Workspace};
use crate::remote_skills::{SkillChoice, SkillSource, SkillsLock};

/// Adds the skills and shared files that the sources in `extends` have and the lock has not. What the canon has takes
/// precedence, and an earlier source before a later one.
///
/// # Errors
/// See [`add::run`].
pub fn run(
    workspace: &Workspace,
    request: &update::Request,
    approver: &mut dyn Approver,
    progress: &dyn Progress,
) -> Result<Vec<(String, add::Outcome)>, Error> {
    let mut outcomes = Vec::new();
    for source in &workspace.config.extends {
        let add = Request {
            source: source.clone(),
            choice: SkillChoice::All,
            allow: request.allow.clone(),
            extends: true,
            dry_run: request.dry_run,
            commit: request.commit,
            ..Request::default()
        };
        let outcome = add::run(workspace, &add, approver, progress)?;
        let is_over = outcome.approval.is_some_and(|approval| approval != Approval::Accepted);
        outcomes.push((source.clone(), outcome));
        if is_over {
            break;
        }
    }
    Ok(outcomes)
}

/// The sources in `extends` of which the canon has nothing yet; none if that is not known.
pub(in crate::app) fn unfetched(workspace: &Workspace) -> Vec<String> {
    if workspace.config.extends.is_empty() {
        return Vec::new();
    }
    let missing = load_lock(workspace).and_then(|lock| missing(workspace, &lock)).unwrap_or_default();
    missing.into_iter().map(|(source, _)| source).collect()
}

/// The sources in `extends` that the lock has nothing of.
///
/// # Errors
/// One is no source.
pub(super) fn missing(workspace: &Workspace, lock: &SkillsLock) -> Result<Vec<(String, Error)>, Error> {
    let mut missing = Vec::new();
    for text in &workspace.config.extends {
        let (source, _) = parse_source(workspace, text)?;
        let is_from = |pinned: &SkillSource| {
            pinned.url == source.url
                && (source.path.is_empty() || pinned.path == source.path || pinned.path.is_within(&source.path))
        };
        if !lock.items.values().any(|pin| is_from(&pin.source)) {
            let error = Error::new(ErrorKind::Refused, "`extends` names it, and skills.lock has nothing of it");
            missing.push((text.clone(), error.help("run `canonry skills update`, and commit the files and the lock")));
        }
    }
    Ok(missing)
}
