//! The tools that `doctor` examines, one row each.

use canonry_agents::hook_trust::{Trust, claude_trust, codex_trust, gemini_trust, grok_trust};
use canonry_model::config::HookTool;
use canonry_model::config::tool_row;
use std::path::PathBuf;

/// A tool.
pub(super) struct ExaminedTool {
    pub tool: HookTool,
    /// Its programs; the first that is installed counts. Each prints its version with `--version`.
    pub programs: &'static [&'static str],
    /// The file below the home in which it records trust.
    pub settings: Option<&'static str>,
    pub trust: fn(&TrustFiles) -> Trust,
    /// Remedy if the tool does not trust the hooks.
    pub remedy: &'static str,
    /// The parts that a linked worktree shares with the main checkout.
    pub worktrees: Worktrees,
}

/// The parts that a tool takes from the main checkout in a linked worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worktrees {
    Nothing,
    /// Trust (Claude Code 2.1.330).
    Trust,
    /// Trust and the hooks: it ignores the file in the worktree (`hooks/list` of the app server of Codex 0.169.0).
    TrustAndHooks,
}

/// Files that record the trust of a tool.
pub(super) struct TrustFiles {
    /// The text of [`ExaminedTool::settings`].
    pub settings: Option<String>,
    /// The text of the file with the hooks.
    pub hooks: Option<String>,
    /// The top of the repository, and that of the main checkout if its trust counts, with and without links.
    pub tops: Vec<PathBuf>,
}

pub(super) const TOOLS: [ExaminedTool; 11] = [
    ExaminedTool {
        tool: HookTool::Claude,
        programs: &["claude"],
        settings: Some(".claude.json"),
        trust: |files| claude_trust(files.settings.as_deref(), &files.tops),
        remedy: "start `claude` here and accept it",
        worktrees: Worktrees::Trust,
    },
    ExaminedTool {
        tool: HookTool::Gemini,
        programs: &["gemini"],
        settings: Some(".gemini/trustedFolders.json"),
        trust: |files| gemini_trust(files.settings.as_deref(), &files.tops),
        remedy: "start `gemini` here and trust the folder with `/permissions`",
        worktrees: Worktrees::Nothing,
    },
    ExaminedTool {
        tool: HookTool::Codex,
        programs: &["codex"],
        settings: Some(".codex/config.toml"),
        trust: |files| codex_trust(files.settings.as_deref(), files.hooks.as_deref(), &files.tops),
        remedy: "start `codex` here, trust the project, and review the hooks with `/hooks`; until then, it skips them",
        worktrees: Worktrees::TrustAndHooks,
    },
    ExaminedTool {
        tool: HookTool::Cursor,
        programs: &["cursor-agent", "cursor"],
        settings: None,
        trust: |_| Trust::Unknown("Cursor records trust in its own database".to_owned()),
        remedy: "",
        worktrees: Worktrees::Nothing,
    },
    ExaminedTool {
        tool: HookTool::Antigravity,
        programs: &["agy", "antigravity"],
        settings: None,
        trust: |_| Trust::Unknown("where Antigravity records trust is not documented".to_owned()),
        remedy: "",
        worktrees: Worktrees::Nothing,
    },
    ExaminedTool {
        tool: HookTool::Qwen,
        programs: &["qwen"],
        settings: None,
        trust: |_| Trust::Unknown("Qwen Code asks for trust only with `security.folderTrust.enabled`".to_owned()),
        remedy: "",
        worktrees: Worktrees::Nothing,
    },
    ExaminedTool {
        tool: HookTool::Factory,
        programs: &["droid"],
        settings: None,
        trust: |_| Trust::Unknown("where Factory Droid records trust is not documented".to_owned()),
        remedy: "",
        worktrees: Worktrees::Nothing,
    },
    ExaminedTool {
        tool: HookTool::Grok,
        programs: &["grok"],
        settings: Some(".grok/trusted_folders.toml"),
        trust: |files| grok_trust(files.settings.as_deref(), &files.tops),
        remedy: "start `grok` here and run `/hooks-trust`; until then, it skips them",
        worktrees: Worktrees::Nothing,
    },
    ExaminedTool {
        tool: HookTool::Cline,
        programs: &["cline"],
        settings: None,
        // It runs the scripts of any folder (3.0.65).
        trust: |_| Trust::Trusted,
        remedy: "",
        worktrees: Worktrees::Nothing,
    },
    ExaminedTool {
        tool: HookTool::Kiro,
        programs: &["kiro-cli"],
        settings: None,
        trust: |_| Trust::Unknown("where Kiro records trust is not documented".to_owned()),
        remedy: "",
        worktrees: Worktrees::Nothing,
    },
    ExaminedTool {
        tool: HookTool::OpenCode,
        programs: &["opencode"],
        settings: None,
        // It loads the plugins of any folder (1.18.33).
        trust: |_| Trust::Trusted,
        remedy: "",
        worktrees: Worktrees::Nothing,
    },
];

impl ExaminedTool {
    /// Its name for people.
    pub fn title(&self) -> &'static str {
        tool_row(self.tool.name()).map_or(self.tool.name(), |row| row.name)
    }
}
