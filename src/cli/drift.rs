//! The mirrors as `check` sees them.

use super::context::Context;
use super::error::CliError;
use super::scope::Whole;
use crate::apply::unfinished;
use crate::mirror::{Consent, decide};
use crate::rules::facts::{History, Mirrors};
use crate::syntax::RepoPath;
use crate::view::survey::{self, survey};

/// What a sync would find and do.
///
/// # Errors
/// A lock that cannot be read, or git's own files.
pub fn mirrors(context: &Context<'_>, whole: &Whole, unreadable: &[(RepoPath, String)]) -> Result<Mirrors, CliError> {
    let in_work_tree = context.view.is_work_tree();
    let pending = if in_work_tree { unfinished(context.repo.git_dir()) } else { Vec::new() };
    let scope = survey::Scope { layout: &context.layout, targets: &context.config.targets, unreadable, pending };
    let survey = survey(&context.view, &whole.listed, &whole.inventory, scope)?;
    let history = if survey.lock.is_some() { History::Synced } else { History::NeverSynced };
    let lock = survey.lock.unwrap_or_default();
    let decision = decide(&survey.desired, &survey.actual, &lock, Consent::Ours);
    Ok(Mirrors { desired: survey.desired, decision, history })
}
