//! Hooks that run `canonry hook`, in the settings file and the format of each tool.
//!
//! What a tool does if a hook cannot be started, fails or times out differs; docs/reference/hooks.md has the sources.

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
use crate::config::{HookFailMode, ToolFilesConfig};
use crate::syntax::RepoPath;
use serde_json::{Value, json};

/// The time limit of a hook in seconds.
const TIMEOUT: u32 = 10;

/// Event names of `canonry hook`.
const BEFORE: &str = "pre-tool";
const AFTER: &str = "post-tool";
const FAILURE: &str = "failure";
const START: &str = "session-start";
const STOP: &str = "stop";

/// How a tool lists its hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookFormat {
    /// `hooks.EVENT[].hooks[]`; timeouts in seconds.
    Claude,
    /// The same with names, and timeouts in milliseconds.
    Gemini,
    /// As for Claude Code, without keys for failures.
    Codex,
    /// `hooks.EVENT[]` beside a `version`.
    Cursor,
    /// `NAME.EVENT[]`; a group with a matcher for events of tools.
    Antigravity,
}

/// The hooks of a tool.
#[derive(Debug)]
pub struct HookFile {
    /// The name of the tool, as in `canonry hook --tool` and in the key `files.TOOL.hooks`.
    pub tool: &'static str,
    /// The settings file.
    pub path: &'static str,
    pub(super) format: HookFormat,
    /// The tool's name of each event, and that of `canonry hook`.
    events: &'static [(&'static str, &'static str)],
    is_on: fn(&ToolFilesConfig) -> bool,
}

/// Every tool that canonry writes hooks for.
pub const HOOK_FILES: [HookFile; 5] = [
    HookFile {
        tool: "claude",
        path: ".claude/settings.json",
        format: HookFormat::Claude,
        events: &[
            ("PreToolUse", BEFORE),
            ("PostToolUse", AFTER),
            ("PostToolUseFailure", FAILURE),
            ("SessionStart", START),
            ("Stop", STOP),
        ],
        is_on: |files| files.claude.hooks,
    },
    HookFile {
        tool: "gemini",
        path: ".gemini/settings.json",
        format: HookFormat::Gemini,
        // Failures arrive at AfterTool.
        events: &[("BeforeTool", BEFORE), ("AfterTool", AFTER), ("SessionStart", START), ("AfterAgent", STOP)],
        is_on: |files| files.gemini.hooks,
    },
    HookFile {
        tool: "codex",
        path: ".codex/hooks.json",
        format: HookFormat::Codex,
        events: &[("PreToolUse", BEFORE), ("PostToolUse", AFTER), ("SessionStart", START), ("Stop", STOP)],
        is_on: |files| files.codex.hooks,
    },
    HookFile {
        tool: "cursor",
        path: ".cursor/hooks.json",
        format: HookFormat::Cursor,
        events: &[
            ("preToolUse", BEFORE),
            ("postToolUse", AFTER),
            ("postToolUseFailure", FAILURE),
            ("sessionStart", START),
            ("stop", STOP),
        ],
        is_on: |files| files.cursor.hooks,
    },
    HookFile {
        tool: "antigravity",
        path: ".agents/hooks.json",
        format: HookFormat::Antigravity,
        events: &[("PreToolUse", BEFORE), ("PostToolUse", AFTER), ("PreInvocation", START), ("Stop", STOP)],
        is_on: |files| files.antigravity.hooks,
    },
];

/// The name of canonry's hooks in Antigravity's file.
const ANTIGRAVITY_NAME: &str = "canonry";

impl HookFile {
    /// Whether the config asks for these hooks.
    pub fn is_on(&self, files: &ToolFilesConfig) -> bool {
        (self.is_on)(files)
    }

    /// The parts of the settings file that run `canonry hook`.
    pub fn parts(&self, fail: HookFailMode, canon: &RepoPath) -> Vec<DesiredPart> {
        let part = |content| DesiredPart { file: RepoPath::from(self.path), canon: canon.clone(), content };
        let key = |path: &str, value| part(PartContent::Key { path: vec![path.to_owned()], value });
        if self.format == HookFormat::Antigravity {
            let groups = self.events.iter().map(|(name, event)| ((*name).to_owned(), json!([self.entry(event, fail)])));
            return vec![key(ANTIGRAVITY_NAME, Value::Object(groups.collect()))];
        }
        let version = (self.format == HookFormat::Cursor).then(|| key("version", json!(1)));
        // The command identifies the hook, so that an edited hook is not added a second time.
        let items = self.events.iter().map(|(name, event)| {
            let path = vec!["hooks".to_owned(), (*name).to_owned()];
            let marker = Some(format!("canonry hook {event} "));
            part(PartContent::Item { path, value: self.entry(event, fail), marker })
        });
        version.into_iter().chain(items).collect()
    }

    /// The entry of an event.
    fn entry(&self, event: &str, fail: HookFailMode) -> Value {
        let command = self.command(event, fail);
        let blocks = event == BEFORE && fail == HookFailMode::Closed;
        let mut hook = json!({"type": "command", "command": command, "timeout": TIMEOUT});
        let mut set = |key: &str, value: Value| hook[key] = value;
        match self.format {
            HookFormat::Claude if blocks => set("onFailure", json!("block")),
            HookFormat::Claude | HookFormat::Codex | HookFormat::Antigravity => {}
            HookFormat::Gemini => {
                set("name", json!(format!("canonry-{event}")));
                set("timeout", json!(TIMEOUT * 1000));
            }
            HookFormat::Cursor => {
                let mut hook = json!({"command": command, "timeout": TIMEOUT});
                if blocks {
                    hook["failClosed"] = json!(true);
                }
                return hook;
            }
        }
        match self.format {
            // Events of the session have no matcher.
            HookFormat::Antigravity if !matches!(event, BEFORE | AFTER) => hook,
            HookFormat::Antigravity => json!({"matcher": "*", "hooks": [hook]}),
            _ => json!({"hooks": [hook]}),
        }
    }

    /// The command, with what to do if canonry is missing or fails.
    fn command(&self, event: &str, fail: HookFailMode) -> String {
        let tool = self.tool;
        let command = format!("canonry hook {event} --tool {tool}");
        let blocks = event == BEFORE && fail == HookFailMode::Closed;
        match self.format {
            // Denies a call without a decision, whatever the exit status is.
            HookFormat::Antigravity => {
                let answer = match (event, blocks) {
                    (BEFORE, true) => json!({"decision": "deny", "reason": FAILED}),
                    (BEFORE, false) => json!({"decision": "allow"}),
                    _ => json!({}),
                };
                format!("{command} || echo '{answer}'")
            }
            // Status 2 denies the call; Codex CLI also requires a reason on stderr.
            _ if blocks => format!("{command} || {{ echo '{FAILED}' >&2; exit 2; }}"),
            // Gemini CLI lets a call through after status 0 or 1, and denies it after any other, such as 127 if canonry is
            // missing.
            HookFormat::Gemini => format!("{command} || exit 1"),
            // Reports other statuses and continues.
            HookFormat::Claude | HookFormat::Codex | HookFormat::Cursor => command,
        }
    }
}

/// Why a call is denied if the hook fails.
const FAILED: &str = "canonry did not run, and hooks.fail is closed in the config of canonry";

/// Adds hooks that run `canonry hook`.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let canon = request.layout.config();
    let on = HOOK_FILES.iter().filter(|hooks| hooks.is_on(request.files));
    desired.parts.extend(on.flat_map(|hooks| hooks.parts(request.hook_failure, &canon)));
}

#[cfg(test)]
#[path = "hooks_tests.rs"]
mod tests;
