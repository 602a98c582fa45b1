//! The mode in which agents start, as the settings of each tool express it. Not in a looser one.

use crate::canon::permissions::DefaultMode;

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

/// The mode of a tool, by its name in the config.
pub(super) fn tool_mode(tool: &str, mode: DefaultMode) -> ToolMode {
    use DefaultMode::{AcceptEdits, BypassPermissions, Default, DontAsk, Plan};
    match (tool, mode) {
        ("claude", mode) => ToolMode::Keys(vec![(&["permissions", "defaultMode"], mode.name())]),
        ("gemini", Default) => gemini("default"),
        ("gemini", AcceptEdits) => gemini("auto_edit"),
        ("gemini", Plan) => gemini("plan"),
        ("gemini", DontAsk) => ToolMode::Unsupported("it has no such mode"),
        ("gemini", BypassPermissions) => ToolMode::Unsupported("it takes this mode only from the command line"),
        // A person can approve each change of the sandbox. It has no mode that only plans.
        ("codex", Default | Plan) => codex("on-request", "read-only"),
        ("codex", AcceptEdits) => {
            ToolMode::Unsupported("with edits allowed, it also runs commands in its sandbox without asking")
        }
        ("codex", DontAsk) => ToolMode::Unsupported("it has no such mode"),
        ("codex", BypassPermissions) => codex("never", "danger-full-access"),
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
