use super::*;

fn entries(tool: &str, fail: HookFailMode) -> Vec<(String, Value)> {
    let parts = parts(HookTool::find(tool).unwrap(), fail, &RepoPath::from("agent/canonry.yaml"));
    let shown = |part: DesiredPart| match part.content {
        PartContent::Key { path, value } | PartContent::Item { path, value, .. } => (path.join("."), value),
        other => panic!("{other:?}"),
    };
    parts.into_iter().map(shown).collect()
}

fn first(tool: &str, fail: HookFailMode) -> Value {
    entries(tool, fail).into_iter().find(|(path, _)| path != "version").unwrap().1
}

/// Every setting that makes a tool deny calls while the hook fails is written with `fail: closed`, and only then.
#[test]
fn fail_closed_is_written_in_each_tools_words() {
    let closed = |tool: &str| first(tool, HookFailMode::Closed);
    assert_eq!(closed("claude")["hooks"][0]["onFailure"], "block");
    assert_eq!(closed("cursor")["failClosed"], true);
    for tool in ["claude", "gemini", "codex"] {
        let command = closed(tool)["hooks"][0]["command"].as_str().unwrap().to_owned();
        assert!(command.ends_with("exit 2; }"), "{tool}: {command}");
    }
    for tool in HookTool::all() {
        for (path, value) in entries(tool.row.id, HookFailMode::Open) {
            let text = value.to_string();
            let blocks = ["onFailure", "failClosed", "exit 2", "deny"].iter().any(|mark| text.contains(mark));
            assert!(!blocks, "{} {path}: {text}", tool.row.id);
        }
    }
}

#[test]
fn a_plugin_denies_after_a_failure_only_if_the_config_says_so() {
    for tool in HookTool::all().iter().filter(|tool| tool.hooks.is_plugin()) {
        let text = |fail| plugin(*tool, fail).unwrap();
        assert!(!text(HookFailMode::Open).contains(FAILED), "{}", tool.row.id);
        assert!(text(HookFailMode::Closed).contains(FAILED), "{}", tool.row.id);
    }
}

/// Only the event before a call can block one.
#[test]
fn later_events_never_block() {
    for tool in HookTool::all() {
        for (path, value) in entries(tool.row.id, HookFailMode::Closed) {
            let value = match tool.hooks.format {
                HookFormat::Antigravity => value["PostToolUse"].clone(),
                _ if path.to_lowercase().ends_with("pretooluse") || path.ends_with("BeforeTool") => continue,
                _ => value,
            };
            let text = value.to_string();
            let blocks = ["onFailure", "failClosed", "exit 2", "deny"].iter().any(|mark| text.contains(mark));
            assert!(!blocks, "{} {path}: {text}", tool.row.id);
        }
    }
}

#[test]
fn antigravity_groups_events_of_tools_only() {
    let [(path, value)] = &entries("antigravity", HookFailMode::Open)[..] else { panic!("one key") };
    assert_eq!(path, "canonry");
    for event in ["PreToolUse", "PostToolUse"] {
        assert_eq!(value[event][0]["matcher"], "*", "{value}");
        assert_eq!(value[event][0]["hooks"][0]["timeout"], 10, "{value}");
    }
    for event in ["PreInvocation", "Stop"] {
        assert_eq!(value[event][0]["type"], "command", "{value}");
    }
}
