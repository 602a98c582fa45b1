//! Compares exported plans with their plans.

use crate::Workspace;
use crate::plan::export::checked_folders;
use canonry_lint::repo_facts::{ExportProblem, StaleExport};
use canonry_repo::view::{IgnoreMode, PathKind, load};
use canonry_runs::plan::export::{ExportHeader, export, header_of, is_same, is_unedited};
use canonry_text::{RepoPath, Source};
use std::sync::Arc;

/// The exports that differ from what an export would write now.
pub(super) fn stale_exports(workspace: &Workspace) -> Vec<StaleExport> {
    let view = &workspace.view;
    let folders = checked_folders(&workspace.layout);
    let folders = folders.iter().filter(|folder| view.kind(folder) == PathKind::Folder);
    let is_candidate =
        |path: &RepoPath| [".yml", ".yaml", ".json"].iter().any(|end| path.file_name().ends_with(end.as_bytes()));
    let mut found = Vec::new();
    for folder in folders {
        // The check reports a folder that cannot be listed.
        let listed = view.list(folder, IgnoreMode::Exclude).map(|listing| listing.files).unwrap_or_default();
        for path in listed.into_iter().map(|file| file.entry.path).filter(is_candidate) {
            let Some(source) = load::source(view, &path) else { continue };
            let Some(header) = header_of(source.text()) else { continue };
            if let Some(problem) = problem(workspace, &header, &source) {
                found.push(StaleExport { plan: header.plan, to: header.to, source, problem });
            }
        }
    }
    found
}

fn problem(workspace: &Workspace, header: &ExportHeader, source: &Arc<Source>) -> Option<ExportProblem> {
    // The header names it from the top of the repository.
    let path = RepoPath::new(&header.path).below(workspace.view.base()).map(RepoPath::new).unwrap_or_default();
    if !path.is_within(&workspace.layout.plans()) || workspace.view.kind(&path) != PathKind::File {
        return Some(ExportProblem::NoPlan(header.path.clone()));
    }
    if !is_unedited(source.text()) {
        return Some(ExportProblem::Edited);
    }
    // Other rules report a broken schema.
    let schemas = load::schemas(&workspace.view, &workspace.layout).ok()?;
    let plan = load::bare_plan(&workspace.view, &path, &schemas);
    // Other rules report a broken plan.
    let document = plan.document.ok().filter(|document| document.yaml.is_ok())?;
    match export(header, &document.steps) {
        Ok(text) if is_same(&text, source.text()) => None,
        Ok(_) => Some(ExportProblem::Outdated),
        Err(error) => Some(ExportProblem::Impossible(error.to_string())),
    }
}
