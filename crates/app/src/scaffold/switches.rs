//! The `files:` switches of a new config: what each tool gets besides skills.

use canonry_model::config::{AgentsMdMode, Config, ContextMode, Target, ToolFilesConfig};
use canonry_text::{RepoPath, Source};

/// A switch below `files:`, and its effect.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// The tool; [`Target::AGENTS`] stands for every tool that reads `AGENTS.md`.
    pub tool: Target,
    /// The key below the tool.
    pub key: &'static str,
    /// The value that turns it on.
    pub value: &'static str,
    /// Effect, for a comment in the config.
    pub effect: &'static str,
    pub requires: SwitchRequirement,
    /// Whether a config turns it on.
    pub is_on: fn(&ToolFilesConfig) -> bool,
}

impl Switch {
    /// The file at the top of the repository that gets a block, and which people may have made a link.
    pub fn context_file(&self) -> Option<&'static str> {
        match (self.tool, self.key) {
            (Target::AGENTS, "context") => Some("AGENTS.md"),
            (Target::CLAUDE, "context") => Some("CLAUDE.md"),
            _ => None,
        }
    }
}

/// Requirement for a switch to have an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchRequirement {
    /// Files of the scaffold.
    Scaffold,
    /// A file or folder of the canon.
    Canon(&'static str),
    /// Nothing helps: the tool ignores the file.
    Unsupported(&'static str),
}

macro_rules! switch {
    ($tool:ident.$key:ident: $value:literal, $effect:literal, $requires:expr, $is_on:expr) => {
        Switch {
            tool: Target::$tool,
            key: stringify!($key),
            value: $value,
            effect: $effect,
            requires: $requires,
            is_on: $is_on,
        }
    };
}

/// Every switch that `init` knows, by tool.
pub const SWITCHES: &[Switch] = {
    use SwitchRequirement::{Canon, Scaffold, Unsupported};
    &[
        switch!(AGENTS.context: "map", "AGENTS.md contains agent/AGENTS.md; Codex and Cursor read it", Scaffold,
            |files| files.agents.context != AgentsMdMode::Off),
        switch!(AGENTS.rules: "true", "rules in AGENTS.md, from agent/rules", Canon("rules"), |files| files.agents.rules),
        switch!(CLAUDE.context: "import", "a CLAUDE.md imports AGENTS.md; without one, AGENTS.md is read", Scaffold,
            |files| files.claude.context != ContextMode::Off),
        switch!(CLAUDE.permissions: "true", "permissions in .claude/settings.json", Scaffold, |files| files.claude.permissions),
        switch!(CLAUDE.hooks: "true", "hooks in .claude/settings.json: guards, memory, context", Scaffold,
            |files| files.claude.hooks),
        switch!(CLAUDE.mcp: "true", ".mcp.json, from agent/mcp.json", Canon("mcp.json"), |files| files.claude.mcp),
        switch!(CLAUDE.subagents: "true", ".claude/agents, from agent/agents", Canon("agents"), |files| files.claude.subagents),
        switch!(CLAUDE.commands: "true", ".claude/commands, from agent/commands", Canon("commands"), |files| files.claude.commands),
        switch!(CLAUDE.team_hooks: "true", "hooks in .claude/settings.json, from agent/hooks.yaml", Canon("hooks.yaml"),
            |files| files.claude.team_hooks),
        switch!(CLAUDE.rules: "true", ".claude/rules, from agent/rules", Canon("rules"), |files| files.claude.rules),
        switch!(CLAUDE.ignore: "true", "denied reads in .claude/settings.json, from agent/ignore", Canon("ignore"),
            |files| files.claude.ignore),
        switch!(GEMINI.context: "setting", ".gemini/settings.json names AGENTS.md as context", Scaffold,
            |files| files.gemini.context != ContextMode::Off),
        switch!(GEMINI.hooks: "true", "hooks in .gemini/settings.json: guards, memory, context", Scaffold,
            |files| files.gemini.hooks),
        switch!(GEMINI.permissions: "true", ".gemini/policies/canonry.toml",
            Unsupported("Gemini CLI ignores the policies of a workspace; the hooks enforce them"), |files| files.gemini.permissions),
        switch!(GEMINI.mcp: "true", "MCP servers in .gemini/settings.json, from agent/mcp.json", Canon("mcp.json"),
            |files| files.gemini.mcp),
        switch!(GEMINI.subagents: "true", ".gemini/agents, from agent/agents", Canon("agents"), |files| files.gemini.subagents),
        switch!(GEMINI.commands: "true", ".gemini/commands, from agent/commands", Canon("commands"), |files| files.gemini.commands),
        switch!(GEMINI.team_hooks: "true", "hooks in .gemini/settings.json, from agent/hooks.yaml", Canon("hooks.yaml"),
            |files| files.gemini.team_hooks),
        switch!(GEMINI.ignore: "true", ".geminiignore, from agent/ignore", Canon("ignore"), |files| files.gemini.ignore),
        switch!(GEMINI.aiexclude: "true", ".aiexclude for Gemini Code Assist, from agent/ignore", Canon("ignore"),
            |files| files.gemini.aiexclude),
        switch!(CODEX.permissions: "true", ".codex/rules/canonry.rules", Scaffold, |files| files.codex.permissions),
        switch!(CODEX.hooks: "true", ".codex/hooks.json: guards, memory, context", Scaffold, |files| files.codex.hooks),
        switch!(CODEX.mcp: "true", "MCP servers in .codex/config.toml, from agent/mcp.json", Canon("mcp.json"), |files| files.codex.mcp),
        switch!(CODEX.subagents: "true", ".codex/agents, from agent/agents", Canon("agents"), |files| files.codex.subagents),
        switch!(CODEX.team_hooks: "true", ".codex/hooks.json, from agent/hooks.yaml", Canon("hooks.yaml"),
            |files| files.codex.team_hooks),
        switch!(CURSOR.permissions: "true", "permissions in .cursor/cli.json", Scaffold, |files| files.cursor.permissions),
        switch!(CURSOR.hooks: "true", ".cursor/hooks.json: guards, memory, context", Scaffold, |files| files.cursor.hooks),
        switch!(CURSOR.mcp: "true", ".cursor/mcp.json, from agent/mcp.json", Canon("mcp.json"), |files| files.cursor.mcp),
        switch!(CURSOR.subagents: "true", ".cursor/agents, from agent/agents", Canon("agents"), |files| files.cursor.subagents),
        switch!(CURSOR.commands: "true", ".cursor/commands, from agent/commands", Canon("commands"), |files| files.cursor.commands),
        switch!(CURSOR.team_hooks: "true", ".cursor/hooks.json, from agent/hooks.yaml", Canon("hooks.yaml"),
            |files| files.cursor.team_hooks),
        switch!(CURSOR.rules: "true", ".cursor/rules, from agent/rules", Canon("rules"), |files| files.cursor.rules),
        switch!(CURSOR.ignore: "true", ".cursorignore, from agent/ignore", Canon("ignore"), |files| files.cursor.ignore),
        switch!(ANTIGRAVITY.context: "true", ".agents/rules/canonry.md, the root instructions", Scaffold,
            |files| files.antigravity.context),
        switch!(ANTIGRAVITY.mcp: "true", ".agents/mcp_config.json, from agent/mcp.json", Canon("mcp.json"),
            |files| files.antigravity.mcp),
        switch!(ANTIGRAVITY.subagents: "true", ".agents/agents, from agent/agents", Canon("agents"),
            |files| files.antigravity.subagents),
        switch!(ANTIGRAVITY.commands: "true", ".agents/workflows, from agent/commands", Canon("commands"),
            |files| files.antigravity.commands),
        switch!(ANTIGRAVITY.team_hooks: "true", ".agents/hooks.json, from agent/hooks.yaml", Canon("hooks.yaml"),
            |files| files.antigravity.team_hooks),
        switch!(ANTIGRAVITY.rules: "true", ".agents/rules, from agent/rules", Canon("rules"), |files| files.antigravity.rules),
    ]
};

/// The switches of some tools. [`Target::AGENTS`] is always included if any tool is chosen.
pub fn switches_of(tools: &[Target]) -> impl Iterator<Item = &'static Switch> {
    let is_wanted = |tool: Target| tools.contains(&tool) || (tool == Target::AGENTS && !tools.is_empty());
    SWITCHES.iter().filter(move |switch| is_wanted(switch.tool))
}

/// The `files:` section of a config, with one comment per switch.
pub(super) fn section(switches: &[&Switch]) -> String {
    let mut text = String::from("files:\n");
    let mut tool = None;
    for switch in switches {
        if tool != Some(switch.tool) {
            text.push_str(&format!("  {}:\n", switch.tool.name()));
            tool = Some(switch.tool);
        }
        let setting = format!("{}: {}", switch.key, switch.value);
        text.push_str(&format!("    {setting:19} # {}\n", switch.effect));
    }
    text
}

/// The `files:` of a config that turns on these switches and nothing else.
pub fn files_config(switches: &[&Switch]) -> ToolFilesConfig {
    let source = Source::new(RepoPath::from("agent/canonry.yaml"), section(switches));
    Config::parse(&source, &[]).expect("a test parses every switch").files
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn parse(switches: &[&Switch]) -> ToolFilesConfig {
        files_config(switches)
    }

    #[test]
    fn each_switch_turns_on_what_it_names_and_nothing_else() {
        for switch in SWITCHES {
            let files = parse(&[switch]);
            let on: Vec<_> = SWITCHES.iter().filter(|other| (other.is_on)(&files)).collect();
            assert_eq!(on.len(), 1, "{switch:?}");
            assert_eq!((on[0].tool, on[0].key), (switch.tool, switch.key));
        }
        let all: Vec<_> = SWITCHES.iter().collect();
        let files = parse(&all);
        assert!(all.iter().all(|switch| (switch.is_on)(&files)));
    }

    #[test]
    fn any_tool_brings_the_shared_context() {
        assert_eq!(switches_of(&[]).count(), 0);
        assert!(switches_of(&[Target::CODEX]).any(|switch| switch.tool == Target::AGENTS));
    }
}
