//! Hooks: each tool's events run `canonry hook`, with the names and the units that the tool has for them.

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
use crate::syntax::RepoPath;
use serde_json::{Value, json};

/// Seconds that a hook may take.
const TIMEOUT: u32 = 10;

/// What happens, as `canonry hook` calls it.
const BEFORE: &str = "pre-tool";
const AFTER: &str = "post-tool";
const FAILURE: &str = "failure";
const START: &str = "session-start";
const STOP: &str = "stop";

/// Adds what is switched on.
pub(super) fn add(wish: &ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) {
    let (files, canon) = (wish.files, wish.layout.config());
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
            item(".claude/settings.json", name, (event, json!({"hooks": [hook]})), (&canon, wanted));
        }
    }
    if files.gemini.hooks {
        // A failure comes to the same event as what went well. Timeouts are in milliseconds.
        for (name, event) in
            [("BeforeTool", BEFORE), ("AfterTool", AFTER), ("SessionStart", START), ("AfterAgent", STOP)]
        {
            let hook = json!({
                "name": format!("canonry-{event}"),
                "type": "command",
                "command": command(event, "gemini"),
                "timeout": TIMEOUT * 1000,
            });
            item(".gemini/settings.json", name, (event, json!({"hooks": [hook]})), (&canon, wanted));
        }
    }
    if files.codex.hooks {
        for (name, event) in [("PreToolUse", BEFORE), ("PostToolUse", AFTER), ("SessionStart", START), ("Stop", STOP)] {
            let hook = json!({"type": "command", "command": command(event, "codex"), "timeout": TIMEOUT});
            item(".codex/hooks.json", name, (event, json!({"hooks": [hook]})), (&canon, wanted));
        }
    }
    if files.cursor.hooks {
        wanted.key(".cursor/hooks.json", &["version"], json!(1), &canon);
        let events = [
            ("preToolUse", BEFORE),
            ("postToolUse", AFTER),
            ("postToolUseFailure", FAILURE),
            ("sessionStart", START),
            ("stop", STOP),
        ];
        for (name, event) in events {
            let hook = json!({"command": command(event, "cursor"), "timeout": TIMEOUT});
            item(".cursor/hooks.json", name, (event, hook), (&canon, wanted));
        }
    }
}

fn command(event: &str, tool: &str) -> String {
    format!("canonry hook {event} --tool {tool}")
}

/// Known by its command, so that one that someone has changed is not joined by a second one.
fn item(file: &str, name: &str, (event, value): (&str, Value), (canon, wanted): (&RepoPath, &mut DesiredToolFiles)) {
    let place = PartContent::Item {
        path: vec!["hooks".to_owned(), name.to_owned()],
        value,
        known_by: Some(format!("canonry hook {event} ")),
    };
    wanted.parts.push(DesiredPart { file: RepoPath::from(file), canon: canon.clone(), place });
}
