//! The mode in which agents start, as the settings of each tool express it. Not in a looser one.

use canonry_model::canon::permissions::DefaultMode;
use canonry_model::config::PermissionGrammar;

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
