//! `.jdi/` of just-do-it.
//!
//! The folder's layout, its settings and the two forms of its workflows: craftell/agent-skills,
//! `just-do-it/SKILL.md` and `just-do-it/references/workflow-schema.md`, the list at commit 89e782d, the map at 1e274c1.

mod lessons;
mod prompt;
mod steps;

use super::plan::ImportPlan;
use super::prompts::{PromptKind, SourceKeys, import_markdown};
use super::quoting::code_list;
use super::workflow_files::{WorkflowText, file_name, import_workflow, owners_step, text_of, yaml_scalar};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

const ROOT: &str = ".jdi";
/// The settings of just-do-it itself.
const SETTINGS: [&str; 2] = ["task_skill", "verbose_logs"];
/// The workflow of commands that name none, also in the canon.
const DEFAULT: &str = "default_workflow";

/// Imports `.jdi/`.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let root = RepoPath::from(ROOT);
    let all: Vec<RepoPath> = plan.source.below(ROOT).map(|(path, _)| path).collect();
    let config = root.join("config.yaml");
    let parameters = import_config(plan, &config);
    let mut roles = BTreeSet::new();
    let mut skipped = BTreeSet::new();
    for path in &all {
        let below = path.below(&root).unwrap_or_default().to_string();
        let parts: Vec<&str> = below.split('/').collect();
        match parts.as_slice() {
            ["config.yaml" | ".gitignore"] => {}
            ["workflows", name] if is_yaml(name) => {
                let stem = name.rsplit_once('.').map_or(*name, |(stem, _)| stem);
                let convert = |source: &WorkflowText| steps::convert(source, stem, &parameters);
                roles.extend(import_workflow(plan, path, "just-do-it", convert));
            }
            ["agents", name] if name.ends_with(".md") => {
                import_markdown(plan, path, PromptKind::Subagent, name, SourceKeys::default());
            }
            ["LESSONS.md"] => lessons::import(plan, path),
            [_] => drop(skipped.insert(path.clone())),
            ["workflows" | "agents", ..] => {
                plan.skip(
                    path,
                    "only YAML files can be workflows, and Markdown files agents",
                    "write it for the canon by hand",
                );
            }
            [directory, ..] => drop(skipped.insert(root.join(*directory))),
            [] => {}
        }
    }
    for path in skipped {
        let (reason, advice) = match path.file_name_lossy().as_str() {
            "reports" | "status" | "locks" => ("records of runs of just-do-it", ""),
            "lessons_archive" => ("lessons that are already rules", "move rules that apply here to agent/policies"),
            "config.local.yaml" => ("settings of one person", ""),
            "tasks" | "archived" => ("tasks of just-do-it", "write what is still to do as agent/tasks/<id>/task.yaml"),
            _ => ("the canon has no place for it", ""),
        };
        plan.skip(&path, reason, advice);
    }
    plan.next_steps.extend(owners_step(plan, &roles));
}

fn is_yaml(name: &str) -> bool {
    name.ends_with(".yaml") || name.ends_with(".yml")
}

/// Reads the settings: returns those that are not just-do-it's own, which prompts may use.
fn import_config(plan: &mut ImportPlan<'_>, path: &RepoPath) -> BTreeMap<String, String> {
    let Some(text) = plan.read(path) else { return BTreeMap::new() };
    let config = match WorkflowText::parse(text) {
        Ok(config) => config,
        Err(error) => {
            plan.skip_unreadable(path, error);
            return BTreeMap::new();
        }
    };
    let own: Vec<String> = config
        .root
        .entries()
        .iter()
        .map(|entry| entry.key.clone())
        .filter(|key| SETTINGS.contains(&key.as_str()))
        .collect();
    if !own.is_empty() {
        plan.skip(path, format!("settings of just-do-it: {}", code_list(&own)), "");
    }
    if let Some(name) = text_of(config.root.get(DEFAULT)) {
        let name = name.rsplit('/').next().unwrap_or(name);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let to = plan.source.layout.workflows().join("config.yaml");
        let changes = vec!["only the default workflow; parameters are in the workflows".to_owned()];
        plan.add_text(path, to, format!("{DEFAULT}: {}\n", file_name(stem)), changes);
    }
    let is_parameter = |key: &str| key != DEFAULT && !SETTINGS.contains(&key);
    let others = config.root.entries().iter().filter(|entry| is_parameter(&entry.key));
    let mut parameters = BTreeMap::new();
    for entry in others {
        match yaml_scalar(&entry.value) {
            Some(value) => drop(parameters.insert(entry.key.clone(), value)),
            None => plan.skip(
                path,
                format!(
                    "line {}: `{}` is a {}, and a parameter of a workflow is a single value",
                    config.line(entry.key_span),
                    entry.key,
                    entry.value.kind_name()
                ),
                "",
            ),
        }
    }
    parameters
}
