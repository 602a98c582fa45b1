//! The mirrors as `check` sees them.

use super::context::Context;
use super::error::CliError;
use super::scope::Whole;
use crate::apply::unfinished;
use crate::canon::inventory::SkillFolder;
use crate::mirror::{Consent, decide};
use crate::rules::facts::Mirrors;
use crate::syntax::RepoPath;
use crate::view::Kind;
use crate::view::survey::{self, survey};
use std::collections::BTreeSet;

/// What a sync would do. `broken` holds the folders of skills that no tool could read.
///
/// # Errors
/// A lock that cannot be read, or git's own files.
pub fn mirrors(
    context: &Context<'_>,
    whole: &Whole,
    unreadable: &[(RepoPath, String)],
    broken: &BTreeSet<RepoPath>,
) -> Result<Mirrors, CliError> {
    if context.view.kind(&context.layout.lock()) == Kind::Nothing {
        return Ok(Mirrors::NeverSynced);
    }
    let is_broken = |folder: &SkillFolder| broken.contains(&folder.path);
    let (layout, targets) = (&context.layout, context.config.targets.as_slice());
    let in_work_tree = context.view.is_work_tree();
    let pending = if in_work_tree { unfinished(context.repo.git_dir()) } else { Vec::new() };
    let scope = survey::Scope { layout, targets, unreadable, pending, is_broken: &is_broken };
    let survey = survey(&context.view, &whole.listed, &whole.inventory, scope)?;
    let lock = survey.lock.unwrap_or_default();
    Ok(Mirrors::Synced(decide(&survey.desired, &survey.actual, &lock, Consent::Ours)))
}
