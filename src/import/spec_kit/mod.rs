//! Workflows of Spec Kit, in `.specify/workflows/`.
//!
//! Where they are, and what they mean: github/spec-kit at commit 27f50f7e (after 1.0.1), `docs/reference/workflows.md`,
//! `src/specify_cli/workflows/engine.py` and `src/specify_cli/workflows/steps/`.

mod convert;
mod converter;
mod expressions;
mod flow;
mod gates;
mod leaves;
mod structure;

use super::plan::ImportPlan;
use super::source::ImportSource;
use super::workflow_files::{WorkflowText, import_workflow, owners_step};
use crate::syntax::RepoPath;
use std::collections::BTreeSet;

const ROOT: &str = ".specify";
const WORKFLOWS: &str = ".specify/workflows";

/// Whether there is a workflow. Most projects of Spec Kit have only its templates and scripts.
pub(super) fn exists(source: &ImportSource<'_>) -> bool {
    let root = RepoPath::from(WORKFLOWS);
    source.below(WORKFLOWS).any(|(path, _)| matches!(kind(&path, &root), FileKind::Workflow(_)))
}

/// What a file in `.specify/workflows/` is.
enum FileKind {
    /// A workflow. Contains its name.
    Workflow(String),
    Overlay,
    /// A part of a folder that is skipped as a whole.
    Folder(&'static str),
    Settings,
    Other,
}

fn kind(path: &RepoPath, root: &RepoPath) -> FileKind {
    let below = path.below(root).unwrap_or_default().to_string();
    let parts: Vec<&str> = below.split('/').collect();
    let stem = |name: &str| name.strip_suffix(".yml").or_else(|| name.strip_suffix(".yaml")).map(str::to_owned);
    match parts.as_slice() {
        ["runs", ..] => FileKind::Folder("runs"),
        ["steps", ..] => FileKind::Folder("steps"),
        ["overlays", ..] => FileKind::Overlay,
        [name] if name.ends_with(".json") => FileKind::Settings,
        [name] => stem(name).map_or(FileKind::Other, FileKind::Workflow),
        [id, name] if stem(name).as_deref() == Some("workflow") => FileKind::Workflow((*id).to_owned()),
        _ => FileKind::Other,
    }
}

/// Imports `.specify/workflows/`.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let (root, workflows) = (RepoPath::from(ROOT), RepoPath::from(WORKFLOWS));
    let all: Vec<RepoPath> = plan.source.below(ROOT).map(|(path, _)| path).collect();
    let mut skipped = BTreeSet::new();
    let mut roles = BTreeSet::new();
    for path in &all {
        if !path.is_within(&workflows) {
            let below = path.below(&root).unwrap_or_default().to_string();
            skipped.insert(root.join(below.split('/').next().unwrap_or_default()));
            continue;
        }
        match kind(path, &workflows) {
            FileKind::Workflow(name) => {
                let folder = path.parent().unwrap_or_default().to_display();
                let commands = plan.source.layout.commands().to_display();
                let convert = |source: &WorkflowText| convert::convert(source, &name, &folder, &commands);
                roles.extend(import_workflow(plan, path, "Spec Kit", convert));
            }
            FileKind::Overlay => {
                plan.skip(path, "the canon has no overlays of workflows", "make its edits in the imported workflow");
            }
            FileKind::Folder(name) => drop(skipped.insert(workflows.join(name))),
            FileKind::Settings => plan.skip(path, "records of installed workflows", ""),
            FileKind::Other => {
                plan.skip(path, "a file that comes with a workflow", "copy it if a prompt of the workflow names it");
            }
        }
    }
    for path in skipped {
        let (reason, advice) = match path.file_name_lossy().as_str() {
            "runs" => ("records of runs of Spec Kit", ""),
            "steps" => ("programs of Spec Kit", ""),
            "memory" => ("the canon has no place for it", "copy what every agent should read to agent/policies"),
            "templates" | "scripts" | "extensions" | "presets" => ("templates and programs of Spec Kit", ""),
            _ => ("settings of Spec Kit", ""),
        };
        plan.skip(&path, reason, advice);
    }
    plan.next_steps.extend(owners_step(plan, &roles));
}
