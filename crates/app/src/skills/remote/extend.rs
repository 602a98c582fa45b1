//! `extends` in the config: sources whose skills and shared files all belong to the canon.

use super::add::{self, AddSkillsRequest, AddedSkills};
use super::source::parse_source;
use super::{
    Approver, IncomingApproval,
    update::{UpdateSkillsRequest, UpdatedSkills},
};
use crate::{Error, Progress, Workspace};
use canonry_exchange::remote_skills::SkillChoice;

/// Adds the skills and shared files that the sources in `extends` have and the lock has not, and reports each source as it is
/// done. A source that failed in `updated` is not asked again. What the canon has takes precedence, and an earlier source before a later one; the first source that fails or is declined
/// is the last.
///
/// # Errors
/// See [`add::run`]. The sources before it are added.
pub fn run(
    workspace: &Workspace,
    request: &UpdateSkillsRequest,
    updated: &UpdatedSkills,
    approver: &mut dyn Approver,
    progress: &dyn Progress,
    report: &mut dyn FnMut(&str, &AddedSkills),
) -> Result<(), Error> {
    let failed = updated.failed_urls(workspace)?;
    for source in &workspace.config.extends {
        if failed.contains(&parse_source(workspace, source)?.0.url) {
            continue;
        }
        let add = AddSkillsRequest {
            source: source.clone(),
            choice: SkillChoice::All,
            allow: request.allow.clone(),
            extends: true,
            dry_run: request.dry_run,
            commit: request.commit,
            ..AddSkillsRequest::default()
        };
        let named = |error: Error| Error { message: format!("`extends` names `{source}`: {}", error.message), ..error };
        let outcome = add::run(workspace, &add, approver, progress).map_err(named)?;
        report(source, &outcome);
        if outcome.approval.is_some_and(|approval| approval != IncomingApproval::Accepted) {
            break;
        }
    }
    Ok(())
}
