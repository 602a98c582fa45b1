//! Hooks that run `canonry hook`, in the settings file and the format of each tool, or in a plugin.
//!
//! What a tool does if a hook cannot be started, fails or times out differs; docs/reference/hooks.md has the sources.

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
use canonry_model::config::{ContextEvent, HookFailMode, HookFormat, HookTool};
use canonry_model::tools::hook_form::is_about_tools;
use canonry_model::tools::tool_formats::FailClosed;
use canonry_text::RepoPath;
use serde_json::{Value, json};

/// The time limit of a hook in seconds.
const TIMEOUT: u64 = 10;

/// Event names of `canonry hook`.
const BEFORE: &str = "pre-tool";
const AFTER: &str = "post-tool";
const FAILURE: &str = "failure";
const START: &str = "session-start";
const STOP: &str = "stop";

/// OpenCode has no settings for hooks.
const OPENCODE_PLUGIN: &str = include_str!("opencode_plugin.js");

/// The name of canonry's hooks in Antigravity's file.
const ANTIGRAVITY_NAME: &str = "canonry";

/// The events of `canonry hook` that the tool has, with its names.
fn own_events(tool: HookTool) -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = move |event| match tool.hooks.context {
        ContextEvent::Own(name) if event == START => Some(name),
        ContextEvent::None if event == START => None,
        _ => tool.hooks.form.name_of(event),
    };
    [BEFORE, AFTER, FAILURE, START, STOP].into_iter().filter_map(move |event| Some((named(event)?, event)))
}

/// The names of the events at which the tool runs `canonry hook`.
pub(super) fn own_event_names(tool: HookTool) -> Vec<String> {
    own_events(tool).map(|(name, _)| name.to_owned()).collect()
}

/// The text of the file that runs `canonry hook`, if it is canonry's own.
pub(super) fn plugin(tool: HookTool, fail: HookFailMode) -> Option<String> {
    plugins(tool, fail).into_iter().find(|(path, _)| path == tool.hooks.path).map(|(_, text)| text)
}

/// The paths and texts of the files that run `canonry hook`, if they are canonry's own.
fn plugins(tool: HookTool, fail: HookFailMode) -> Vec<(String, String)> {
    match tool.hooks.format {
        HookFormat::OpenCode => {
            let reason = match fail {
                HookFailMode::Open => Value::Null,
                HookFailMode::Closed => json!(FAILED),
            };
            let text = OPENCODE_PLUGIN.replace("const FAILED = null", &format!("const FAILED = {reason}"));
            vec![(tool.hooks.path.to_owned(), text)]
        }
        HookFormat::Cline => {
            let (folder, _) = tool.hooks.path.rsplit_once('/').expect("the path of the table has a folder");
            let script = |event| format!("#!/bin/sh\n# Written by canonry sync.\n{}\n", command(tool, event, fail));
            own_events(tool).map(|(name, event)| (format!("{folder}/{name}"), script(event))).collect()
        }
        HookFormat::Kiro => {
            let hook = |(trigger, event)| {
                let mut hook = kiro_hook(&format!("canonry-{event}"), trigger, &command(tool, event, fail));
                hook["timeout"] = json!(tool.hooks.form.unit.of_seconds(TIMEOUT));
                hook
            };
            vec![(tool.hooks.path.to_owned(), kiro_file(&own_events(tool).map(hook).collect::<Vec<_>>()))]
        }
        _ => Vec::new(),
    }
}

/// A hook in a file of Kiro.
pub(super) fn kiro_hook(name: &str, trigger: &str, command: &str) -> Value {
    json!({"name": name, "trigger": trigger, "action": {"type": "command", "command": command}})
}

/// A file of Kiro with these hooks.
pub(super) fn kiro_file(hooks: &[Value]) -> String {
    format!("{:#}\n", json!({"version": "v1", "hooks": hooks}))
}

/// The parts of the settings file that run `canonry hook`.
pub fn parts(tool: HookTool, fail: HookFailMode, canon: &RepoPath) -> Vec<DesiredPart> {
    if tool.hooks.is_plugin() {
        return Vec::new();
    }
    let part = |content| DesiredPart { file: RepoPath::from(tool.hooks.path), canon: canon.clone(), content };
    let key = |path: &str, value| part(PartContent::Key { path: vec![path.to_owned()], value });
    if tool.hooks.format == HookFormat::Antigravity {
        let groups = own_events(tool).map(|(name, event)| (name.to_owned(), json!([entry(tool, event, fail)])));
        return vec![key(ANTIGRAVITY_NAME, Value::Object(groups.collect()))];
    }
    let version = (tool.hooks.format == HookFormat::Cursor).then(|| key("version", json!(1)));
    // The command identifies the hook, so that an edited hook is not added a second time.
    let items = own_events(tool).map(|(name, event)| {
        let path = vec!["hooks".to_owned(), name.to_owned()];
        let marker = Some(format!("canonry hook {event} "));
        part(PartContent::Item { path, value: entry(tool, event, fail), marker })
    });
    version.into_iter().chain(items).collect()
}

/// The entry of an event.
fn entry(tool: HookTool, event: &str, fail: HookFailMode) -> Value {
    let mut hook = json!({"type": "command", "command": command(tool, event, fail), "timeout": tool.hooks.form.unit.of_seconds(TIMEOUT)});
    let blocks = event == BEFORE && fail == HookFailMode::Closed;
    match tool.hooks.fail_closed {
        FailClosed::StatusAndWord(key, word) if blocks => hook[key] = json!(word),
        FailClosed::StatusAndFlag(key) if blocks => hook[key] = json!(true),
        _ => {}
    }
    if tool.hooks.format == HookFormat::Gemini {
        hook["name"] = json!(format!("canonry-{event}"));
    }
    grouped(tool, hook, None, event)
}

/// The entry with a hook: in a group, where the tool has groups for the event.
pub(super) fn grouped(tool: HookTool, mut hook: Value, matcher: Option<String>, event: &str) -> Value {
    if tool.hooks.format == HookFormat::Antigravity {
        if !is_about_tools(event) {
            return hook;
        }
        return json!({"matcher": matcher.unwrap_or_else(|| "*".to_owned()), "hooks": [hook]});
    }
    let mut entry = if tool.hooks.form.has_groups {
        json!({"hooks": [hook]})
    } else {
        hook.as_object_mut().and_then(|keys| keys.shift_remove("type"));
        hook
    };
    if let Some(matcher) = matcher {
        entry["matcher"] = json!(matcher);
    }
    entry
}

/// The command, with what to do if canonry is missing or fails.
fn command(tool: HookTool, event: &str, fail: HookFailMode) -> String {
    let command = format!("canonry hook {event} --tool {}", tool.row.id);
    let blocks = event == BEFORE && fail == HookFailMode::Closed;
    match tool.hooks.format {
        // Denies a call without a decision, whatever the exit status is.
        HookFormat::Antigravity => {
            let answer = match (event, blocks) {
                (BEFORE, true) => json!({"decision": "deny", "reason": FAILED}),
                (BEFORE, false) => json!({"decision": "allow"}),
                _ => json!({}),
            };
            format!("{command} || echo '{answer}'")
        }
        // Goes by what a script prints, whatever its exit status is.
        HookFormat::Cline if blocks => {
            format!("{command} || echo '{}'", json!({"cancel": true, "errorMessage": FAILED}))
        }
        _ if blocks && tool.hooks.fail_closed == FailClosed::StatusAndAnswer => {
            let answer = json!({"decision": "deny", "reason": FAILED});
            format!("{command} || {{ echo '{answer}'; exit 2; }}")
        }
        // Shows what a hook that denies prints to stderr.
        HookFormat::Kiro if blocks => format!("{command} || {{ [ $? = 2 ] || echo '{FAILED}' >&2; exit 2; }}"),
        // Status 2 denies the call; Codex also requires a reason on stderr.
        _ if blocks => format!("{command} || {{ echo '{FAILED}' >&2; exit 2; }}"),
        // Gemini CLI lets a call through after status 0 or 1, and denies it after any other.
        HookFormat::Gemini => format!("{IF_INSTALLED}{command} || exit 1"),
        // Reports other statuses and continues. GitHub Copilot also runs Claude Code's hooks, and denies every call if one
        // fails (seen with Copilot CLI 1.0.102, in a trusted folder).
        HookFormat::Claude | HookFormat::Cursor | HookFormat::Cline | HookFormat::Kiro | HookFormat::OpenCode => {
            format!("{IF_INSTALLED}{command}")
        }
    }
}

/// The start of a hook that does nothing where canonry is not installed. Status 127 alone would not do: the shell also prints
/// an error, and some tools deny a call after any status but 0.
const IF_INSTALLED: &str = "command -v canonry >/dev/null 2>&1 || exit 0; ";

/// Whether a hook runs `canonry hook`; `;` and `|` separate the commands of its line.
pub(super) fn is_our_command(line: &str) -> bool {
    line.split([';', '|']).any(|command| {
        let mut words = command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let program = program.rsplit(['/', '\\']).next().expect("split is never empty");
        matches!(program, "canonry" | "canonry.exe") && words.next() == Some("hook")
    })
}

/// Why a call is denied if the hook fails.
const FAILED: &str = "canonry did not run, and hooks.fail is closed in the config of canonry";

/// Adds hooks that run `canonry hook`.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let canon = request.layout.config();
    for tool in HookTool::all().iter().filter(|tool| tool.is_on(request.files)) {
        desired.parts.extend(parts(*tool, request.hook_failure, &canon));
        for (path, text) in plugins(*tool, request.hook_failure) {
            desired.add_generated(&path, Some(text), &canon);
        }
    }
}

#[cfg(test)]
#[path = "hooks_tests.rs"]
mod tests;
