//! The mode in which agents start, as the settings of each tool express it. Not in a looser one.

use super::entry::ModeSetting;
use canonry_model::canon::permissions::DefaultMode;
use canonry_model::config::PermissionGrammar;
use serde_json::Value;

/// The mode of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToolMode {
    /// The settings, by their path.
    Keys(Vec<(&'static [&'static str], &'static str)>),
    /// Nothing to write: the tool starts in this mode.
    Implied,
    /// Why the tool does not get it.
    Unsupported(&'static str),
}

const NO_PROJECT_KEY: &str = "its mode is a setting of each user";

/// The mode of a tool.
pub(super) fn tool_mode(grammar: PermissionGrammar, mode: DefaultMode) -> ToolMode {
    use DefaultMode::{AcceptEdits, BypassPermissions, Default, DontAsk, Plan};
    match (grammar, mode) {
        (PermissionGrammar::Claude, mode) => ToolMode::Keys(vec![(&["permissions", "defaultMode"], mode.name())]),
        (PermissionGrammar::Gemini, Default) => gemini("default"),
        (PermissionGrammar::Gemini, AcceptEdits) => gemini("auto_edit"),
        (PermissionGrammar::Gemini, Plan) => gemini("plan"),
        (PermissionGrammar::Gemini, DontAsk) => ToolMode::Unsupported("it has no such mode"),
        (PermissionGrammar::Gemini, BypassPermissions) => {
            ToolMode::Unsupported("it takes this mode only from the command line")
        }
        // A person can approve each change of the sandbox. It has no mode that only plans.
        (PermissionGrammar::Codex, Default | Plan) => codex("on-request", "read-only"),
        (PermissionGrammar::Codex, AcceptEdits) => {
            ToolMode::Unsupported("with edits allowed, it also runs commands in its sandbox without asking")
        }
        (PermissionGrammar::Codex, DontAsk) => ToolMode::Unsupported("it has no such mode"),
        (PermissionGrammar::Codex, BypassPermissions) => codex("never", "danger-full-access"),
        // Its rules say what it asks about. Without them, it asks about nothing in the project.
        (PermissionGrammar::OpenCode, Default | AcceptEdits | BypassPermissions) => ToolMode::Implied,
        (PermissionGrammar::OpenCode, Plan) => ToolMode::Keys(vec![(&["default_agent"], "plan")]),
        (PermissionGrammar::OpenCode, DontAsk) => ToolMode::Unsupported("it has no such mode"),
        (_, Default) => ToolMode::Implied,
        _ => ToolMode::Unsupported(NO_PROJECT_KEY),
    }
}

fn gemini(mode: &'static str) -> ToolMode {
    ToolMode::Keys(vec![(&["general", "defaultApprovalMode"], mode)])
}

fn codex(approval: &'static str, sandbox: &'static str) -> ToolMode {
    ToolMode::Keys(vec![(&["approval_policy"], approval), (&["sandbox_mode"], sandbox)])
}

/// The mode in the settings of a tool; `None` if they name none.
pub(super) fn parse_mode(grammar: PermissionGrammar, settings: &Value) -> Option<ModeSetting> {
    let value = |path: &[&str]| path.iter().try_fold(settings, |value, key| value.get(key))?.as_str();
    let keys = |mode: DefaultMode| match tool_mode(grammar, mode) {
        ToolMode::Keys(keys) => keys,
        ToolMode::Implied | ToolMode::Unsupported(_) => Vec::new(),
    };
    let mut set: Vec<(&[&str], &str)> = Vec::new();
    for (path, _) in DefaultMode::ALL.into_iter().flat_map(keys) {
        if let Some(value) = value(path).filter(|_| !set.iter().any(|(known, _)| *known == path)) {
            set.push((path, value));
        }
    }
    let as_written: Vec<String> = set.iter().map(|(path, value)| format!("{}: {value}", path.join("."))).collect();
    (!set.is_empty()).then(|| ModeSetting {
        mode: DefaultMode::ALL.into_iter().find(|mode| keys(*mode) == set),
        as_written: as_written.join(", "),
    })
}
