//! The `files:` switches of a config: what each tool gets besides skills.

use super::CanonPart;
use canonry_model::config::tool_formats::ContextForm;
use canonry_model::config::{
    AgentsMdMode, Config, ContextMode, EvidenceLevel, TOOLS, Target, ToolFilesConfig, ToolRow,
};
use canonry_text::{RepoPath, Source};

/// A switch below `files:`, and its effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The id of the tool; `agents` stands for every tool that reads `AGENTS.md`.
    pub tool: &'static str,
    /// The key below the tool.
    pub key: &'static str,
    /// The value that turns it on.
    pub value: &'static str,
    /// Effect, for a comment in the config.
    pub effect: String,
    pub requires: SwitchRequirement,
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
            ("agents", "context") => Some("AGENTS.md"),
            ("claude", "context") => Some("CLAUDE.md"),
            _ => None,
        }
    }

    /// Whether a config turns it on.
    pub fn is_on(&self, files: &ToolFilesConfig) -> bool {
        let tool = files.tool(self.tool);
        match (self.tool, self.key) {
            ("agents", "context") => files.agents.context != AgentsMdMode::Off,
            ("agents", "rules") => files.agents.rules,
            (_, "context") => tool.context != ContextMode::Off,
            (_, "permissions") => tool.permissions,
            (_, "hooks") => tool.hooks,
            (_, "mcp") => tool.mcp,
            (_, "subagents") => tool.subagents,
            (_, "commands") => tool.commands,
            (_, "team_hooks") => tool.team_hooks,
            (_, "rules") => tool.rules,
            (_, "ignore") => tool.ignore,
            (_, "aiexclude") => tool.aiexclude,
            _ => false,
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
    /// Nothing that `init` knows: why it stays off.
    Unsupported(&'static str),
}

const IGNORED_POLICIES: &str = "Gemini CLI ignores the policies of a workspace; the hooks enforce them";
const UNENFORCED: &str = "no hooks enforce what the tool's permissions cannot express";
const REPORTED: &str = "only reports say that the tool obeys; turn it on once you have seen it";
const NATIVE: &str = "the tool reads AGENTS.md";

/// The switches of a tool, as its row says.
pub fn switches_of_tool(row: &'static ToolRow) -> Vec<Switch> {
    use SwitchRequirement::{Canon, Scaffold, Unsupported};
    let mut switches = Vec::new();
    if !row.is_written() {
        return switches;
    }
    let mut add = |key, effect: String, requires| {
        switches.push(Switch { tool: row.id, key, value: "true", effect, requires });
    };
    // A protection that may not hold is worse than none.
    let proven = |key| if is_reported(row, key) { Unsupported(REPORTED) } else { Scaffold };
    if let Some((effect, is_needed)) = context_effect(row) {
        add("context", effect, if is_needed { Scaffold } else { Unsupported(NATIVE) });
    }
    if let Some(permissions) = &row.permissions {
        let path = permissions.commands.unwrap_or(permissions.path);
        let requires = match row.id {
            "gemini" => Unsupported(IGNORED_POLICIES),
            _ if row.hooks.is_none() => Unsupported(UNENFORCED),
            _ => proven("permissions"),
        };
        add("permissions", format!("permissions in {path}"), requires);
    }
    if let Some(hooks) = &row.hooks {
        add("hooks", format!("hooks in {}: guards, memory, context", hooks.path), proven("hooks"));
    }
    if let Some(mcp) = row.mcp {
        add("mcp", format!("MCP servers in {}, from agent/mcp.json", mcp.path), Canon("mcp.json"));
    }
    if let Some(subagents) = row.subagents.filter(|subagents| subagents.format.is_some()) {
        add("subagents", format!("{}, from agent/agents", subagents.folder), Canon("agents"));
    }
    if let Some(commands) = row.commands {
        add("commands", format!("{}, from agent/commands", commands.folder), Canon("commands"));
    }
    if let Some(hooks) = &row.hooks {
        add("team_hooks", format!("hooks in {}, from agent/hooks.yaml", hooks.path), Canon("hooks.yaml"));
    }
    if let Some((folder, _)) = row.rule_folder() {
        add("rules", format!("{folder}, from agent/rules"), Canon("rules"));
    }
    if let Some(file) = row.ignore {
        add("ignore", format!("{file}, from agent/ignore"), Canon("ignore"));
    }
    match row.id {
        "claude" => {
            add("ignore", "denied reads in .claude/settings.json, from agent/ignore".to_owned(), Canon("ignore"))
        }
        "gemini" => {
            add("aiexclude", ".aiexclude for Gemini Code Assist, from agent/ignore".to_owned(), Canon("ignore"))
        }
        _ => {}
    }
    for switch in switches.iter_mut().filter(|switch| switch.key == "context") {
        match row.id {
            "claude" => switch.value = "import",
            "gemini" => switch.value = "setting",
            _ => {}
        }
    }
    switches
}

/// Effect of `context`, and whether the tool needs it to see the root instructions.
fn context_effect(row: &ToolRow) -> Option<(String, bool)> {
    let own = row.own_context()?;
    let reads_shared = row.context.iter().any(|context| context.file == "AGENTS.md");
    Some(match (row.id, own.mode) {
        ("claude", _) => ("CLAUDE.md, if there is one, imports AGENTS.md".to_owned(), true),
        ("gemini", _) => (".gemini/settings.json names AGENTS.md as context".to_owned(), true),
        // Only reports say that it reads `AGENTS.md`.
        ("antigravity", _) => (format!("{}/canonry.md, the root instructions", own.file), true),
        (_, ContextForm::Text) => (format!("{} contains agent/AGENTS.md", own.file), !reads_shared),
        (_, ContextForm::Import(_)) => (format!("{} imports AGENTS.md", own.file), !reads_shared),
        (_, ContextForm::Rules(folder)) => {
            (format!("{}/canonry*{}, AGENTS.md and each policy", own.file, folder.extension), !reads_shared)
        }
    })
}

/// Whether only reports say that a tool obeys a part, with which the evidence begins.
fn is_reported(row: &ToolRow, part: &str) -> bool {
    let is_about = |about: &str| about.split(' ').next() == Some(part);
    row.evidence.iter().any(|evidence| evidence.level == EvidenceLevel::Reported && is_about(evidence.about))
}

/// The switches of some tools that `init` turns on, or names with a reason. Those of `agents` are always included if any
/// tool is chosen.
pub fn switches_of(tools: &[Target]) -> Vec<Switch> {
    if tools.is_empty() {
        return Vec::new();
    }
    let shared = |key, value, effect: &str, requires| Switch {
        tool: Target::AGENTS.name(),
        key,
        value,
        effect: effect.to_owned(),
        requires,
    };
    let mut switches = vec![
        shared("context", "map", "AGENTS.md contains agent/AGENTS.md", SwitchRequirement::Scaffold),
        shared("rules", "true", "rules in AGENTS.md, from agent/rules", SwitchRequirement::Canon("rules")),
    ];
    let rows = TOOLS.iter().filter(|row| tools.iter().any(|tool| tool.name() == row.id));
    switches.extend(rows.flat_map(switches_of_tool));
    switches.retain(|switch| switch.requires != SwitchRequirement::Unsupported(NATIVE));
    switches
}

/// The `files:` section of a config, with one comment per switch.
pub fn section(switches: &[Switch]) -> String {
    let mut text = String::from("files:\n");
    let mut tool = None;
    for switch in switches {
        if tool != Some(switch.tool) {
            text.push_str(&format!("  {}:\n", switch.tool));
            tool = Some(switch.tool);
        }
        let setting = format!("{}: {}", switch.key, switch.value);
        text.push_str(&format!("    {setting:19} # {}\n", switch.effect));
    }
    text
}

/// The `files:` of a config that turns on these switches and nothing else.
pub fn files_config(switches: &[Switch]) -> ToolFilesConfig {
    let source = Source::new(RepoPath::from("agent/canonry.yaml"), section(switches));
    Config::parse(&source, &[]).expect("a test parses every switch").files
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_switch_turns_on_what_it_names_and_nothing_else() {
        let shared = switches_of(&[Target::AGENTS]);
        let all: Vec<Switch> = shared.into_iter().chain(TOOLS.iter().flat_map(switches_of_tool)).collect();
        for switch in &all {
            let files = files_config(std::slice::from_ref(switch));
            let on: Vec<_> = all.iter().filter(|other| other.is_on(&files)).collect();
            assert_eq!(on, [switch]);
        }
        let files = files_config(&all);
        assert!(all.iter().all(|switch| switch.is_on(&files)));
    }

    #[test]
    fn any_tool_brings_the_shared_context() {
        assert_eq!(switches_of(&[]), []);
        assert!(switches_of(&[Target::CODEX]).iter().any(|switch| switch.tool == "agents"));
    }

    #[test]
    fn a_protection_that_is_only_reported_stays_off() {
        let hooks = |id| {
            let target = Target::of_tool(id).unwrap();
            switches_of(&[target]).into_iter().find(|switch| switch.key == "hooks").unwrap().requires
        };
        assert_eq!(hooks("qwen"), SwitchRequirement::Scaffold);
        assert_eq!(hooks("codex"), SwitchRequirement::Scaffold);
        assert_eq!(hooks("factory"), SwitchRequirement::Unsupported(REPORTED));
        assert_eq!(hooks("antigravity"), SwitchRequirement::Unsupported(REPORTED));
    }
}
