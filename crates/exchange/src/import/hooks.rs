//! The hooks of tools and of rulesync, merged into the canon's `hooks.yaml`.

use super::formats::parse_object;
use super::leftovers::STAYS;
use super::plan::{ImportPlan, PlannedItem};
use canonry_model::canon::team_hooks::{TeamHook, to_yaml};
use canonry_model::config::{TOOLS, tool_row};
use canonry_text::RepoPath;
use serde_json::{Map, Value};

/// Collects hooks from several files.
#[derive(Default)]
pub(super) struct ImportedHooks {
    all: Vec<TeamHook>,
    files: Vec<RepoPath>,
}

/// File with a list of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HookSource {
    /// The tool that gets the hooks; `None` for all.
    pub tool: Option<&'static str>,
    /// The tool whose names of events the file has.
    pub events_of: &'static str,
    pub is_in_milliseconds: bool,
}

impl HookSource {
    pub const fn of_tool(tool: &'static str) -> Self {
        Self { tool: Some(tool), events_of: tool, is_in_milliseconds: false }
    }

    /// The canon's event. A file of rulesync also has events that Cursor lacks, named like those of other tools except for the
    /// first letter's case.
    fn event(&self, name: &str) -> Option<&'static str> {
        let own = tool_row(self.events_of).and_then(|row| row.event_named(name));
        let is_named = |(_, known): &&(&'static str, &str)| known.eq_ignore_ascii_case(name);
        let rows = TOOLS.iter().filter(|_| self.tool != Some(self.events_of)).filter_map(|row| row.hooks.as_ref());
        own.or_else(|| rows.flat_map(|hooks| hooks.events).find(is_named).map(|(event, _)| *event))
    }
}

/// The files with hooks of tools.
const FILES: [(&str, HookSource); 5] = [
    (".claude/settings.json", HookSource::of_tool("claude")),
    (".gemini/settings.json", HookSource { is_in_milliseconds: true, ..HookSource::of_tool("gemini") }),
    (".codex/hooks.json", HookSource::of_tool("codex")),
    (".cursor/hooks.json", HookSource::of_tool("cursor")),
    (".agents/hooks.json", HookSource::of_tool("antigravity")),
];

/// Keys of a hook that the canon has, or that say nothing.
const KNOWN_KEYS: [&str; 6] = ["type", "command", "timeout", "matcher", "name", "description"];

/// Imports the hooks in the files of the tools.
pub(super) fn import_tools(plan: &mut ImportPlan<'_>) {
    let mut hooks = ImportedHooks::default();
    for (file, source) in FILES {
        let path = RepoPath::from(file);
        let is_settings = file.ends_with("settings.json");
        if !plan.source.has(file) {
            continue;
        }
        // Unreadable settings are reported with their other content.
        let text = if is_settings { plan.source.text(&path).ok() } else { plan.read(&path) };
        let Some(text) = text else { continue };
        let object = match parse_object(&text) {
            Ok(object) => object,
            Err(error) => {
                if !is_settings {
                    plan.skip_unreadable(&path, error.to_string());
                }
                continue;
            }
        };
        if source.events_of == "antigravity" {
            for value in object.values().filter_map(Value::as_object) {
                hooks.add(plan, &path, source, value);
            }
        } else if let Some(Value::Object(events)) = object.get("hooks") {
            hooks.add(plan, &path, source, events);
        }
    }
    hooks.finish(plan);
}

impl ImportedHooks {
    /// Adds the hooks of one file, by event.
    pub fn add(&mut self, plan: &mut ImportPlan<'_>, from: &RepoPath, source: HookSource, events: &Map<String, Value>) {
        for (name, groups) in events {
            let Some(groups) = groups.as_array() else { continue };
            let Some(event) = source.event(name) else {
                plan.skip(from, format!("the hooks of `{name}`: the canon has no such event"), STAYS);
                continue;
            };
            for group in groups {
                let matcher = group.get("matcher").and_then(Value::as_str);
                match group.get("hooks").and_then(Value::as_array) {
                    Some(handlers) => {
                        handlers.iter().for_each(|handler| self.add_one(plan, from, source, event, matcher, handler));
                    }
                    None => self.add_one(plan, from, source, event, matcher, group),
                }
            }
        }
    }

    fn add_one(
        &mut self,
        plan: &mut ImportPlan<'_>,
        from: &RepoPath,
        source: HookSource,
        event: &'static str,
        matcher: Option<&str>,
        handler: &Value,
    ) {
        let text = |key: &str| handler.get(key).and_then(Value::as_str);
        let Some(command) = text("command").filter(|command| !command.trim().is_empty()) else {
            return plan.skip(from, format!("a hook of `{event}` runs no command"), STAYS);
        };
        if is_our_command(command) {
            return;
        }
        let unknown =
            handler.as_object().into_iter().flat_map(Map::keys).find(|key| !KNOWN_KEYS.contains(&key.as_str()));
        let is_command = text("type").is_none_or(|kind| kind == "command");
        if let Some(key) = unknown.map(String::as_str).or((!is_command).then_some("type")) {
            let reason = format!("the hook `{command}` of `{event}`: the canon cannot express its `{key}`");
            return plan.skip(from, reason, STAYS);
        }
        let hook = TeamHook {
            event,
            matcher: matcher.filter(|matcher| !matches!(*matcher, "" | "*" | ".*")).map(str::to_owned),
            command: command.to_owned(),
            timeout: handler.get("timeout").and_then(Value::as_f64).map(|time| seconds(time, source)),
            tools: source.tool.map(str::to_owned).into_iter().collect(),
        };
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

fn is_our_command(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.next().is_some_and(|program| program.ends_with("canonry")) && words.next() == Some("hook")
}

/// A time limit in whole seconds, rounded up.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn seconds(time: f64, source: HookSource) -> u64 {
    let seconds = if source.is_in_milliseconds { time / 1000.0 } else { time };
    seconds.ceil().max(1.0) as u64
}
