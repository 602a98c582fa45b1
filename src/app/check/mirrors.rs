//! The mirrors as `check` sees them.

use crate::app::Error;
use crate::app::Workspace;
use crate::app::check::scope::Whole;
use crate::app::sync::plan::plan;
use crate::apply::unfinished;
use crate::canon::inventory::{SkillFolder, is_skill_document};
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::edit::OverwriteMode;
use crate::rules::repo_context::MirrorStatus;
use crate::syntax::RepoPath;
use crate::view::View;
use crate::view::load;
use crate::view::survey::{self, Asked, Looks, Purpose, survey};
use std::collections::BTreeMap;

/// What the check has found out already.
pub struct Known<'a> {
    /// What a look at the documents of the skills' folders told.
    pub looks: &'a BTreeMap<RepoPath, Looks>,
    /// Folders that could not be listed.
    pub unreadable: &'a [(RepoPath, IoDiagnosis)],
}

/// What a sync would do.
///
/// # Errors
/// A lock that cannot be read, or git's own files.
pub fn mirrors(context: &Workspace, whole: &Whole, known: &Known<'_>) -> Result<MirrorStatus, Error> {
    let in_work_tree = context.view.is_work_tree();
    let pending = if in_work_tree { unfinished(&context.git_dir()?) } else { Vec::new() };
    let due = context.first_sync_is_due();
    if pending.is_empty() && !due && context.is_unsynced() {
        return Ok(MirrorStatus::NeverSynced);
    }
    let view = &context.view;
    let looks = |folder: &SkillFolder, _| looks(view, known, folder);
    let scope = survey::Scope {
        layout: &context.layout,
        targets: &context.config.targets,
        config: &context.config,
        unreadable: known.unreadable,
        pending,
        // The next sync resolves it; until then nothing is in order.
        purpose: Purpose::Judge,
        looks: &looks,
    };
    let survey = survey(&context.view, &whole.listed, &whole.inventory, scope)?;
    let mut decision = plan(&survey, OverwriteMode::OwnedOnly, context.view.object_hash());
    // The lists of the skills have a rule of their own.
    let is_list = |path: &RepoPath| survey.registry.contains(path);
    decision.edits.retain(|edit| !is_list(edit.path()));
    decision.refused.retain(|refusal| !is_list(&refusal.path));
    if due {
        // What the first sync is still to write is no drift; what it would refuse is told all the same.
        decision.edits.clear();
    }
    Ok(MirrorStatus::Synced(decision))
}

/// As the check found it. What is not judged, as where only what changed is, counts as whole.
fn looks(view: &View, known: &Known<'_>, folder: &SkillFolder) -> Looks {
    let broken = known.looks.get(&folder.path).is_some_and(|looks| looks.broken);
    let documents = folder.files.iter().filter(|entry| is_skill_document(&entry.path));
    let marked = documents.map(|entry| entry.path.parent().and_then(|folder| known.looks.get(&folder)));
    let marked = marked.map(|looks| looks.map(|looks| looks.marked)).collect::<Option<Vec<bool>>>();
    let marked = marked.map(|marked| marked.contains(&true));
    Looks { broken, marked: marked.unwrap_or_else(|| load::looks(view, folder, Asked::Marks).marked) }
}
