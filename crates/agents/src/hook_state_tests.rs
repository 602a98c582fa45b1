use super::*;
use canonry_model::config::files::ToolSwitches;
use serde_json::json;

fn config(on: bool) -> ToolFilesConfig {
    let switches = ToolSwitches { hooks: on, ..ToolSwitches::default() };
    let tools = HookTool::all().iter().map(|tool| (tool.row.id.to_owned(), switches)).collect();
    ToolFilesConfig { tools, ..ToolFilesConfig::default() }
}

/// The file that sync writes.
fn text(tool: HookTool, fail: HookFailMode) -> String {
    plugin(tool, fail).unwrap_or_else(|| written(tool, fail).to_string())
}

/// The settings that sync writes.
fn written(tool: HookTool, fail: HookFailMode) -> Value {
    let mut settings = JsonSettings::empty();
    for part in parts(tool, fail, &RepoPath::default()) {
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
    for tool in HookTool::all().iter().copied() {
        let text = text(tool, HookFailMode::Open);
        let state = |text: Option<&str>, on: bool, fail| hook_state(tool, text, &config(on), fail);
        let open = HookFailMode::Open;
        assert_eq!(state(Some(&text), true, open), HookState::Current, "{}", tool.row.id);
        assert!(matches!(state(Some(&text), true, HookFailMode::Closed), HookState::Stale(_)), "{}", tool.row.id);
        assert!(matches!(state(Some(&text), false, open), HookState::LeftOver(_)), "{}", tool.row.id);
        let settings = [Some("{}"), Some("{\"hooks\": {}}"), Some("{\"hooks\": 3}")];
        for empty in std::iter::once(None).chain(settings.into_iter().filter(|_| !tool.hooks.is_plugin())) {
            assert_eq!(state(empty, true, open), HookState::Missing, "{} {empty:?}", tool.row.id);
            assert_eq!(state(empty, false, open), HookState::Off, "{} {empty:?}", tool.row.id);
        }
        let broken = state(Some("{"), true, open);
        assert!(matches!(broken, HookState::Unreadable(_)) || tool.hooks.is_plugin(), "{}: {broken:?}", tool.row.id);
    }
}

#[test]
fn names_the_events_that_differ() {
    let tool = HookTool::all()[0];
    let mut file = written(tool, HookFailMode::Open);
    file["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = json!(1);
    file["hooks"]["Stop"] = json!([]);
    // A person's own hook changes nothing.
    file["hooks"]["SessionStart"].as_array_mut().unwrap().push(json!({"hooks": [{"command": "date"}]}));
    let state = hook_state(tool, Some(&file.to_string()), &config(true), HookFailMode::Open);
    assert_eq!(state, HookState::Stale(vec!["PreToolUse".to_owned(), "Stop".to_owned()]));
}
