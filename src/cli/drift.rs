//! The mirrors as `check` sees them.

use super::context::Context;
use super::error::CliError;
use crate::apply::unfinished;
use crate::canon::inventory::Inventory;
use crate::mirror::{Consent, decide};
use crate::rules::facts::{History, Mirrors};
use crate::view::Listed;
use crate::view::survey::{self, survey};

/// What a sync would find and do.
///
/// # Errors
/// A lock that cannot be read, or git's own files.
pub fn mirrors(context: &Context<'_>, listed: &[Listed], inventory: &Inventory) -> Result<Mirrors, CliError> {
    let in_work_tree = context.view.is_work_tree();
    let pending = if in_work_tree { unfinished(context.repo.git_dir()) } else { Vec::new() };
    let scope = survey::Scope { layout: &context.layout, targets: &context.config.targets, pending };
    let survey = survey(&context.view, listed, inventory, scope)?;
    let history = if survey.lock.is_some() { History::Synced } else { History::NeverSynced };
    let lock = survey.lock.unwrap_or_default();
    let decision = decide(&survey.desired, &survey.actual, &lock, Consent::Ours);
    Ok(Mirrors { desired: survey.desired, decision, history })
}
