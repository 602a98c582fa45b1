//! The `files:` switches of a new config: what each tool gets besides skills.

use super::CanonPart;
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
    /// The part of a canon that the switch connects. Files that the canon has anyway come with the skills.
    pub fn part(&self) -> CanonPart {
        match self.key {
            "context" => CanonPart::Instructions,
            "permissions" | "hooks" => CanonPart::Hooks,
            _ => CanonPart::Skills,
        }
    }

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
    ($tool:ident.context: $value:literal, $effect:literal) => {
        Switch {
            tool: Target::$tool,
            key: "context",
            value: $value,
            effect: $effect,
            requires: SwitchRequirement::Scaffold,
            is_on: |files| files.tool(Target::$tool.name()).context != ContextMode::Off,
        }
    };
    ($tool:ident.$key:ident: $effect:literal, $requires:expr) => {
        Switch {
            tool: Target::$tool,
            key: stringify!($key),
            value: "true",
            effect: $effect,
            requires: $requires,
            is_on: |files| files.tool(Target::$tool.name()).$key,
        }
    };
}

/// Every switch that `init` knows, by tool.
pub const SWITCHES: &[Switch] = {
    use SwitchRequirement::{Canon, Scaffold, Unsupported};
    &[
        Switch {
            tool: Target::AGENTS,
            key: "context",
            value: "map",
            effect: "AGENTS.md contains agent/AGENTS.md",
            requires: Scaffold,
            is_on: |files| files.agents.context != AgentsMdMode::Off,
        },
        Switch {
            tool: Target::AGENTS,
            key: "rules",
            value: "true",
            effect: "rules in AGENTS.md, from agent/rules",
            requires: Canon("rules"),
            is_on: |files| files.agents.rules,
        },
        switch!(CLAUDE.context: "import", "CLAUDE.md, if there is one, imports AGENTS.md"),
        switch!(CLAUDE.permissions: "permissions in .claude/settings.json", Scaffold),
        switch!(CLAUDE.hooks: "hooks in .claude/settings.json: guards, memory, context", Scaffold),
        switch!(CLAUDE.mcp: ".mcp.json, from agent/mcp.json", Canon("mcp.json")),
        switch!(CLAUDE.subagents: ".claude/agents, from agent/agents", Canon("agents")),
        switch!(CLAUDE.commands: ".claude/commands, from agent/commands", Canon("commands")),
        switch!(CLAUDE.team_hooks: "hooks in .claude/settings.json, from agent/hooks.yaml", Canon("hooks.yaml")),
        switch!(CLAUDE.rules: ".claude/rules, from agent/rules", Canon("rules")),
        switch!(CLAUDE.ignore: "denied reads in .claude/settings.json, from agent/ignore", Canon("ignore")),
        switch!(GEMINI.context: "setting", ".gemini/settings.json names AGENTS.md as context"),
        switch!(GEMINI.hooks: "hooks in .gemini/settings.json: guards, memory, context", Scaffold),
        switch!(GEMINI.permissions: ".gemini/policies/canonry.toml", Unsupported("Gemini CLI ignores the policies of a workspace; the hooks enforce them")),
        switch!(GEMINI.mcp: "MCP servers in .gemini/settings.json, from agent/mcp.json", Canon("mcp.json")),
        switch!(GEMINI.subagents: ".gemini/agents, from agent/agents", Canon("agents")),
        switch!(GEMINI.commands: ".gemini/commands, from agent/commands", Canon("commands")),
        switch!(GEMINI.team_hooks: "hooks in .gemini/settings.json, from agent/hooks.yaml", Canon("hooks.yaml")),
        switch!(GEMINI.ignore: ".geminiignore, from agent/ignore", Canon("ignore")),
        switch!(GEMINI.aiexclude: ".aiexclude for Gemini Code Assist, from agent/ignore", Canon("ignore")),
        switch!(CODEX.permissions: ".codex/rules/canonry.rules", Scaffold),
        switch!(CODEX.hooks: ".codex/hooks.json: guards, memory, context", Scaffold),
        switch!(CODEX.mcp: "MCP servers in .codex/config.toml, from agent/mcp.json", Canon("mcp.json")),
        switch!(CODEX.subagents: ".codex/agents, from agent/agents", Canon("agents")),
        switch!(CODEX.team_hooks: ".codex/hooks.json, from agent/hooks.yaml", Canon("hooks.yaml")),
        switch!(CURSOR.permissions: "permissions in .cursor/cli.json", Scaffold),
        switch!(CURSOR.hooks: ".cursor/hooks.json: guards, memory, context", Scaffold),
        switch!(CURSOR.mcp: ".cursor/mcp.json, from agent/mcp.json", Canon("mcp.json")),
        switch!(CURSOR.subagents: ".cursor/agents, from agent/agents", Canon("agents")),
        switch!(CURSOR.commands: ".cursor/commands, from agent/commands", Canon("commands")),
        switch!(CURSOR.team_hooks: ".cursor/hooks.json, from agent/hooks.yaml", Canon("hooks.yaml")),
        switch!(CURSOR.rules: ".cursor/rules, from agent/rules", Canon("rules")),
        switch!(CURSOR.ignore: ".cursorignore, from agent/ignore", Canon("ignore")),
        switch!(ANTIGRAVITY.context: "true", ".agents/rules/canonry.md, the root instructions"),
        switch!(ANTIGRAVITY.mcp: ".agents/mcp_config.json, from agent/mcp.json", Canon("mcp.json")),
        switch!(ANTIGRAVITY.subagents: ".agents/agents, from agent/agents", Canon("agents")),
        switch!(ANTIGRAVITY.commands: ".agents/workflows, from agent/commands", Canon("commands")),
        switch!(ANTIGRAVITY.team_hooks: ".agents/hooks.json, from agent/hooks.yaml", Canon("hooks.yaml")),
        switch!(ANTIGRAVITY.rules: ".agents/rules, from agent/rules", Canon("rules")),
    ]
};

/// The switches of some tools. [`Target::AGENTS`] is always included if any tool is chosen.
pub fn switches_of(tools: &[Target]) -> impl Iterator<Item = &'static Switch> {
    let is_wanted = |tool: Target| tools.contains(&tool) || (tool == Target::AGENTS && !tools.is_empty());
    SWITCHES.iter().filter(move |switch| is_wanted(switch.tool))
}

/// The `files:` section of a config, with one comment per switch.
pub fn section(switches: &[&Switch]) -> String {
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
