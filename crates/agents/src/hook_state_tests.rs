use super::*;
use crate::hooks::hook_files;
use canonry_model::config::files::ToolSwitches;
use serde_json::json;

fn config(on: bool) -> ToolFilesConfig {
    let switches = ToolSwitches { hooks: on, ..ToolSwitches::default() };
    let tools =
        ["claude", "gemini", "codex", "cursor", "antigravity", "qwen", "factory", "grok", "cline", "kiro", "opencode"]
            .map(|id| (id.to_owned(), switches));
    ToolFilesConfig { tools: tools.into(), ..ToolFilesConfig::default() }
}

/// The file that sync writes.
fn text(hooks: &HookFile, fail: HookFailMode) -> String {
    hooks.plugin(fail).unwrap_or_else(|| written(hooks, fail).to_string())
}

/// The settings that sync writes.
fn written(hooks: &HookFile, fail: HookFailMode) -> Value {
    let mut settings = JsonSettings::empty();
    for part in hooks.parts(fail, &RepoPath::default()) {
        match part.content {
            PartContent::Key { path, value } => drop(settings.set(&path, &value).unwrap()),
            PartContent::Item { path, value, .. } => drop(settings.push(&path, &value).unwrap()),
            other => panic!("{other:?}"),
        }
    }
    serde_json::from_str(&settings.text()).unwrap()
}

#[test]
fn each_tools_own_file_is_current_and_a_changed_config_makes_it_stale() {
    for hooks in &hook_files() {
        let text = text(hooks, HookFailMode::Open);
        let state = |text: Option<&str>, on: bool, fail| hook_state(hooks, text, &config(on), fail);
        let open = HookFailMode::Open;
        assert_eq!(state(Some(&text), true, open), HookState::Current, "{}", hooks.tool);
        assert!(matches!(state(Some(&text), true, HookFailMode::Closed), HookState::Stale(_)), "{}", hooks.tool);
        assert!(matches!(state(Some(&text), false, open), HookState::LeftOver(_)), "{}", hooks.tool);
        let settings = [Some("{}"), Some("{\"hooks\": {}}"), Some("{\"hooks\": 3}")];
        for empty in std::iter::once(None).chain(settings.into_iter().filter(|_| !hooks.is_plugin())) {
            assert_eq!(state(empty, true, open), HookState::Missing, "{} {empty:?}", hooks.tool);
            assert_eq!(state(empty, false, open), HookState::Off, "{} {empty:?}", hooks.tool);
        }
        let broken = state(Some("{"), true, open);
        assert!(matches!(broken, HookState::Unreadable(_)) || hooks.is_plugin(), "{}: {broken:?}", hooks.tool);
    }
}

#[test]
fn names_the_events_that_differ() {
    let hooks = &hook_files()[0];
    let mut file = written(hooks, HookFailMode::Open);
    file["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = json!(1);
    file["hooks"]["Stop"] = json!([]);
    // A person's own hook changes nothing.
    file["hooks"]["SessionStart"].as_array_mut().unwrap().push(json!({"hooks": [{"command": "date"}]}));
    let state = hook_state(hooks, Some(&file.to_string()), &config(true), HookFailMode::Open);
    assert_eq!(state, HookState::Stale(vec!["PreToolUse".to_owned(), "Stop".to_owned()]));
}
