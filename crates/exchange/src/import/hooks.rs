//! The hooks of tools and of rulesync, merged into the canon's `hooks.yaml`.

use super::formats::parse_json;
use super::leftovers::STAYS;
use super::plan::{ImportPlan, PlannedItem};
use canonry_agents::team_hooks::{LostHook, parse_settings};
use canonry_model::canon::team_hooks::{TeamHook, to_yaml};
use canonry_model::config::HookTool;
use canonry_text::RepoPath;

/// Collects hooks from several files.
#[derive(Default)]
pub(super) struct ImportedHooks {
    all: Vec<TeamHook>,
    files: Vec<RepoPath>,
}

/// Imports the hooks in the files of the tools.
pub(super) fn import_tools(plan: &mut ImportPlan<'_>) {
    let mut hooks = ImportedHooks::default();
    for tool in HookTool::all().iter().filter(|tool| !tool.hooks.is_plugin()) {
        let path = RepoPath::from(tool.hooks.path);
        let is_settings = tool.hooks.path.ends_with("settings.json");
        if !plan.source.has(tool.hooks.path) {
            continue;
        }
        // Unreadable settings are reported with their other content.
        let text = if is_settings { plan.source.text(&path).ok() } else { plan.read(&path) };
        match text.map(|text| parse_json(&text)) {
            Some(Ok(settings)) => hooks.add(plan, &path, parse_settings(*tool, &settings)),
            Some(Err(error)) if !is_settings => plan.skip_unreadable(&path, error.to_string()),
            Some(Err(_)) | None => {}
        }
    }
    hooks.finish(plan);
}

impl ImportedHooks {
    /// Adds the hooks of one file.
    pub fn add(&mut self, plan: &mut ImportPlan<'_>, from: &RepoPath, found: Vec<Result<TeamHook, LostHook>>) {
        for hook in found {
            match hook {
                Ok(hook) => self.add_one(from, hook),
                Err(lost) => plan.skip(from, lost.to_string(), STAYS),
            }
        }
    }

    fn add_one(&mut self, from: &RepoPath, hook: TeamHook) {
        if !self.files.contains(from) {
            self.files.push(from.clone());
        }
        // Without a matcher, which is the tool's own, several tools can share a hook.
        let is_same = |other: &TeamHook| {
            TeamHook { tools: Vec::new(), ..other.clone() } == TeamHook { tools: Vec::new(), ..hook.clone() }
        };
        match self.all.iter_mut().find(|other| is_same(other)) {
            Some(other) if other.tools == hook.tools => {}
            Some(other) if hook.matcher.is_none() && !other.tools.is_empty() => other.tools.extend(hook.tools),
            _ => self.all.push(hook),
        }
    }

    /// Adds the canon's file to the plan.
    pub fn finish(self, plan: &mut ImportPlan<'_>) {
        let Some((first, others)) = self.files.split_first() else { return };
        let to = plan.source.layout.hooks();
        let files = plan.text_file(to_yaml(&self.all), to.clone()).into_iter().collect();
        let also_from = others.to_vec();
        let changes = vec!["wrote its hooks as the canon does".to_owned()];
        plan.items.push(PlannedItem { files, also_from, changes, ..PlannedItem::new(first.clone(), to) });
        let names: Vec<String> = self.files.iter().map(ToString::to_string).collect();
        let is_generated = self.files.iter().any(|file| file.as_bstr().starts_with(b".rulesync/"));
        let where_they_are = if is_generated { "in the files that rulesync generated from" } else { "in" };
        plan.next_steps.push(format!(
            "the hooks {where_they_are} {} keep running. To let canonry write them, remove them there and set \
             `team_hooks: true` for the tools; with both, a hook would run twice",
            names.join(", ")
        ));
    }
}
