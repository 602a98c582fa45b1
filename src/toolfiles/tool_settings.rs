//! Settings that canonry manages in the tools' own files: hooks, switches, and lines for git.

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
use crate::config::Target;
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

/// Adds hooks that run `canonry hook`, with the event names and the format of each tool.
pub(super) fn add_hooks(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let files = request.files;
    let canon = request.layout.config();
    let mut add = |file: &str, name: &str, event: &str, value: Value| {
        desired.parts.push(hook_part(file, name, event, value, &canon));
    };
    if files.claude.hooks {
        let events = [
            ("PreToolUse", BEFORE),
            ("PostToolUse", AFTER),
            ("PostToolUseFailure", FAILURE),
            ("SessionStart", START),
            ("Stop", STOP),
        ];
        for (name, event) in events {
            let hook = json!({"type": "command", "command": command(event, "claude"), "timeout": TIMEOUT});
            add(".claude/settings.json", name, event, json!({"hooks": [hook]}));
        }
    }
    if files.gemini.hooks {
        // Failures arrive at AfterTool. The timeout is in milliseconds.
        for (name, event) in
            [("BeforeTool", BEFORE), ("AfterTool", AFTER), ("SessionStart", START), ("AfterAgent", STOP)]
        {
            let hook = json!({
                "name": format!("canonry-{event}"),
                "type": "command",
                "command": command(event, "gemini"),
                "timeout": TIMEOUT * 1000,
            });
            add(".gemini/settings.json", name, event, json!({"hooks": [hook]}));
        }
    }
    if files.codex.hooks {
        for (name, event) in [("PreToolUse", BEFORE), ("PostToolUse", AFTER), ("SessionStart", START), ("Stop", STOP)] {
            let hook = json!({"type": "command", "command": command(event, "codex"), "timeout": TIMEOUT});
            add(".codex/hooks.json", name, event, json!({"hooks": [hook]}));
        }
    }
    if files.cursor.hooks {
        let file = ".cursor/hooks.json";
        let events = [
            ("preToolUse", BEFORE),
            ("postToolUse", AFTER),
            ("postToolUseFailure", FAILURE),
            ("sessionStart", START),
            ("stop", STOP),
        ];
        let hooks = events.map(|(name, event)| {
            let hook = json!({"command": command(event, "cursor"), "timeout": TIMEOUT});
            hook_part(file, name, event, hook, &canon)
        });
        desired.add_key(file, &["version"], json!(1), &canon);
        desired.parts.extend(hooks);
    }
}

fn command(event: &str, tool: &str) -> String {
    format!("canonry hook {event} --tool {tool}")
}

/// The command identifies the hook, so that an edited hook is not added a second time.
fn hook_part(file: &str, name: &str, event: &str, value: Value, canon: &RepoPath) -> DesiredPart {
    let content = PartContent::Item {
        path: vec!["hooks".to_owned(), name.to_owned()],
        value,
        marker: Some(format!("canonry hook {event} ")),
    };
    DesiredPart { file: RepoPath::from(file), canon: canon.clone(), content }
}

/// Adds the settings that make a tool read its skills.
pub(super) fn add_switches(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    if request.files.gemini.skills {
        desired.add_key(".gemini/settings.json", &["skills", "enabled"], json!(true), &request.layout.config());
    }
    // Antigravity does not scan its mirror folder without this pointer.
    if request.files.antigravity.pointer && request.targets.contains(&Target::Antigravity) {
        let folder = Target::Antigravity.skills_root().to_string();
        desired.add_item(".agents/skills.json", &["entries"], json!({"path": folder}), &request.layout.skills());
    }
}

/// Adds lines that make git ignore the mirrors, or mark them as generated.
pub(super) fn add_git_lines(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let mirrors: Vec<RepoPath> = request.mirrors.iter().map(|target| target.skills_root()).collect();
    let git = request.files.git;
    let mut add = |file: &str, inner: String| {
        let content = PartContent::Block { inner, replaced_by: None };
        desired.parts.push(DesiredPart { file: RepoPath::from(file), canon: request.layout.config(), content });
    };
    if git.ignore {
        // The pattern matches the content of a mirror, not the mirror itself, so that users can exclude their own skills
        // from it with a line below the block.
        let ignored = mirrors.iter().map(|mirror| mirror.join("*")).chain([request.layout.local_lock()]);
        add(".gitignore", ignored.map(|path| format!("/{path}\n")).collect());
    }
    if git.attributes {
        let committed = mirrors.iter().filter(|_| !git.ignore).map(|mirror| mirror.join("**"));
        let generated = committed.chain([request.layout.lock()]);
        add(".gitattributes", generated.map(|path| format!("/{path} linguist-generated\n")).collect());
    }
}
