//! The team's hooks for tools whose hooks are files: scripts, a list of hooks, or a plugin.

use super::hooks::{kiro_file, kiro_hook};
use super::tool_hook::{ToolHook, names};
use canonry_model::config::{HookFormat, HookTool};
use serde_json::{Value, json};

/// OpenCode has no settings for hooks.
const OPENCODE_PLUGIN: &str = include_str!("opencode_team.js");

/// Every file that may have hooks of the team.
pub(super) fn paths(tool: HookTool) -> Vec<String> {
    let extensions = tool.hooks.script_extensions;
    if extensions.is_empty() {
        return tool.hooks.team_path.into_iter().map(str::to_owned).collect();
    }
    let events = tool.hooks.form.events.iter().filter(|event| event.canon.is_some());
    events.flat_map(|event| extensions.iter().map(|extension| script_path(tool, event.name, extension))).collect()
}

/// The files with these hooks, and their texts.
pub(super) fn files(tool: HookTool, hooks: &[ToolHook<'_>]) -> Vec<(String, String)> {
    let Some(path) = tool.hooks.team_path.filter(|_| !hooks.is_empty()) else { return Vec::new() };
    let text = match tool.hooks.format {
        HookFormat::Cline => return cline_files(tool, hooks),
        HookFormat::OpenCode => opencode_plugin(hooks),
        _ => kiro_hooks(hooks),
    };
    vec![(path.to_owned(), text)]
}

fn kiro_hooks(hooks: &[ToolHook<'_>]) -> String {
    let hook = |(at, hook): (usize, &ToolHook<'_>)| {
        let mut value = kiro_hook(&format!("team-{}", at + 1), hook.event, &hook.team.command);
        if let Some(matcher) = &hook.matcher {
            value["matcher"] = json!(matcher);
        }
        if let Some(timeout) = hook.timeout {
            value["timeout"] = json!(timeout);
        }
        value
    };
    kiro_file(&hooks.iter().enumerate().map(hook).collect::<Vec<_>>())
}

fn opencode_plugin(hooks: &[ToolHook<'_>]) -> String {
    let hook = |hook: &ToolHook<'_>| {
        let mut value = json!({"event": hook.event, "command": hook.team.command});
        if let Some(matcher) = &hook.matcher {
            value["tools"] = names(matcher).collect();
        }
        if let Some(timeout) = hook.timeout {
            value["timeout"] = json!(timeout);
        }
        value
    };
    let hooks: Vec<Value> = hooks.iter().map(hook).collect();
    OPENCODE_PLUGIN.replace("const HOOKS = []", &format!("const HOOKS = {:#}", json!(hooks)))
}

fn script_path(tool: HookTool, event: &str, extension: &str) -> String {
    let (folder, _) = tool.hooks.path.rsplit_once('/').expect("the path of the table has a folder");
    format!("{folder}/{event}.{extension}")
}

/// A script for each hook: Cline merges their answers.
fn cline_files(tool: HookTool, hooks: &[ToolHook<'_>]) -> Vec<(String, String)> {
    let file = |(at, hook): (usize, &ToolHook<'_>)| {
        let earlier = hooks[..at].iter().filter(|other| other.event == hook.event).count();
        (script_path(tool, hook.event, tool.hooks.script_extensions[earlier]), cline_script(hook))
    };
    hooks.iter().enumerate().map(file).collect()
}

fn cline_script(hook: &ToolHook<'_>) -> String {
    let command = &hook.team.command;
    if hook.team.event != "pre-tool" {
        return format!("#!/bin/sh\n# Written by canonry sync.\n{command}\n");
    }
    // Cline ignores the status. The last line with this mark is the answer, whatever the hook prints besides.
    let denial = json!({"cancel": true, "errorMessage": "a hook of the team denied the call"});
    format!(
        "#!/bin/sh\n# Written by canonry sync.\n(\n{command}\n)\n[ $? != 2 ] || printf 'HOOK_CONTROL\\t%s\\n' '{denial}'\n"
    )
}
