//! The `files:` switches of a new config.

use super::CanonPart;
use canonry_model::config::switches::{NATIVE, Switch, SwitchRequirement, switches_of_tool};
use canonry_model::config::{Config, TOOLS, Target, ToolFilesConfig};
use canonry_text::{RepoPath, Source};

/// The part of a canon that a switch connects. Files that the canon has anyway come with the skills.
pub fn part_of(switch: &Switch) -> CanonPart {
    match switch.key {
        "context" => CanonPart::Instructions,
        "permissions" | "hooks" => CanonPart::Hooks,
        _ => CanonPart::Skills,
    }
}

/// The file at the top of the repository that gets a block, and which people may have made a link.
pub fn context_file(switch: &Switch) -> Option<&'static str> {
    match (switch.tool, switch.key) {
        ("agents", "context") => Some("AGENTS.md"),
        ("claude", "context") => Some("CLAUDE.md"),
        _ => None,
    }
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
        assert_eq!(hooks("grok"), SwitchRequirement::Scaffold);
        for reported in ["factory", "antigravity", "kiro"] {
            let requires = SwitchRequirement::Unsupported(canonry_model::config::switches::REPORTED);
            assert_eq!(hooks(reported), requires, "{reported}");
        }
    }
}
