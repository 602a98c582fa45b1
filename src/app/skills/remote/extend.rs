//! `extends` in the config: sources whose skills and shared files all belong to the canon.

use super::add::{self, Request};
use super::{Approval, Approver, update};
use crate::app::{Error, Progress, Workspace};
use crate::remote_skills::SkillChoice;

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
