//! The mirrors as `check` sees them.

use super::context::Context;
use super::decide::decide;
use super::error::CliError;
use super::scope::Whole;
use crate::apply::unfinished;
use crate::canon::inventory::SkillFolder;
use crate::canon::trouble::Trouble;
use crate::mirror::Consent;
use crate::rules::facts::Mirrors;
use crate::syntax::RepoPath;
use crate::view::Kind;
use crate::view::survey::{self, OnConflict, survey};
use std::collections::BTreeSet;

/// What the check has found out already.
pub struct Known<'a> {
    /// Folders of skills that no tool could read.
    pub broken: &'a BTreeSet<RepoPath>,
    /// Folders that could not be listed.
    pub unreadable: &'a [(RepoPath, Trouble)],
}

/// What a sync would do.
///
/// # Errors
/// A lock that cannot be read, or git's own files.
pub fn mirrors(context: &Context<'_>, whole: &Whole, known: &Known<'_>) -> Result<Mirrors, CliError> {
    let in_work_tree = context.view.is_work_tree();
    let pending = if in_work_tree { unfinished(&context.git_dir()) } else { Vec::new() };
    let due = context.first_sync_is_due();
    if pending.is_empty() && !due && context.view.kind(&context.layout.lock()) == Kind::Nothing {
        return Ok(Mirrors::NeverSynced);
    }
    let is_broken = |folder: &SkillFolder| known.broken.contains(&folder.path);
    let scope = survey::Scope {
        layout: &context.layout,
        targets: &context.config.targets,
        config: &context.config,
        unreadable: known.unreadable,
        pending,
        // The next sync resolves it; until then nothing is in order.
        on_conflict: OnConflict::Refuse,
        is_broken: &is_broken,
    };
    let survey = survey(&context.view, &whole.listed, &whole.inventory, scope)?;
    let mut decision = decide(&survey, Consent::Ours, context.view.object_hash());
    if due {
        // What the first sync is still to write is no drift; what it would refuse is told all the same.
        decision.edits.clear();
    }
    Ok(Mirrors::Synced(decision))
}
