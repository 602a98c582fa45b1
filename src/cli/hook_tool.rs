//! The argument that names an agent's tool.

use crate::protocol::HookTool;

/// An agent's tool.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum HookToolArg {
    Claude,
    Gemini,
    Codex,
    Cursor,
    Antigravity,
}

impl From<HookToolArg> for HookTool {
    fn from(tool: HookToolArg) -> Self {
        match tool {
            HookToolArg::Claude => Self::Claude,
            HookToolArg::Gemini => Self::Gemini,
            HookToolArg::Codex => Self::Codex,
            HookToolArg::Cursor => Self::Cursor,
            HookToolArg::Antigravity => Self::Antigravity,
        }
    }
}
