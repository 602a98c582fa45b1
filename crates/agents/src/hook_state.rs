//! Compares the hooks in a tool's settings file with those that sync writes.

use super::desired::PartContent;
use super::hooks::{own_event_names, parts, plugin};
use super::json::JsonSettings;
use super::json_files::runs_canonry;
use canonry_model::config::{HookFailMode, HookTool, ToolFilesConfig};
use canonry_text::RepoPath;
use serde_json::Value;

/// The state of a tool's hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookState {
    /// They are switched off, and none is in the file.
    Off,
    /// They are switched off, but these events still run canonry.
    LeftOver(Vec<String>),
    /// The file has every hook as sync writes it.
    Current,
    /// These events have no hook, or another one than sync writes.
    Stale(Vec<String>),
    /// The file has none of the hooks.
    Missing,
    /// The file cannot be read.
    Unreadable(String),
}

/// Compares a settings file with the config; `text` is `None` if the file does not exist.
pub fn hook_state(tool: HookTool, text: Option<&str>, files: &ToolFilesConfig, fail: HookFailMode) -> HookState {
    if let Some(plugin) = plugin(tool, fail) {
        return match (tool.is_on(files), text) {
            (false, None) => HookState::Off,
            (false, Some(_)) => HookState::LeftOver(own_event_names(tool)),
            (true, None) => HookState::Missing,
            (true, Some(text)) if text == plugin => HookState::Current,
            (true, Some(_)) => HookState::Stale(own_event_names(tool)),
        };
    }
    let settings = match text.map(JsonSettings::parse).transpose() {
        Ok(settings) => settings.unwrap_or_else(JsonSettings::empty),
        Err(error) => return HookState::Unreadable(format!("it is not valid JSON: {error}")),
    };
    let mut differing = Vec::new();
    let mut running = Vec::new();
    let mut present = 0;
    // A value of another type is no hook: it is shown as differing.
    for part in parts(tool, fail, &RepoPath::default()) {
        let (path, is_there, runs) = match part.content {
            PartContent::Item { path, value, .. } => {
                let items = settings.items(&path).unwrap_or_default();
                (path, items.contains(&value), items.iter().any(runs_canonry))
            }
            PartContent::Key { path, value } => {
                let current = settings.get(&path).ok().flatten();
                let runs = current.as_ref().is_some_and(Value::is_object);
                (path, current.as_ref() == Some(&value), runs)
            }
            PartContent::Block { .. } | PartContent::Table { .. } => continue,
        };
        let name = path.last().cloned().unwrap_or_default();
        present += usize::from(is_there && runs);
        if runs {
            running.push(name.clone());
        }
        if !is_there {
            differing.push(name);
        }
    }
    match (tool.is_on(files), present, running.is_empty()) {
        (false, _, true) => HookState::Off,
        (false, ..) => HookState::LeftOver(running),
        (true, ..) if differing.is_empty() => HookState::Current,
        (true, 0, true) => HookState::Missing,
        (true, ..) => HookState::Stale(differing),
    }
}

#[cfg(test)]
#[path = "hook_state_tests.rs"]
mod tests;
