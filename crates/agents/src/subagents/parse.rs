//! A subagent in the file of a tool, in the terms of the canon.

use canonry_model::canon::subagent::SubagentLimits;
use canonry_model::config::SubagentFormat;
use canonry_model::tools::agent_tools::{
    FACTORY_GROUPS, FACTORY_TOOLS, OPENCODE_PERMISSIONS, QWEN_TOOLS, by_claude_name, claude_name,
    claude_names_of_copilot,
};
use canonry_text::node::Node;
use std::collections::BTreeMap;

/// The keys of a subagent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSubagent {
    pub limits: SubagentLimits,
    /// The model by its name in the tool.
    pub model: Option<String>,
    /// Keys that only this tool has.
    pub lost: Vec<&'static str>,
    /// Tools without an equivalent, which the subagent does not get from the canon.
    pub lost_tools: Vec<String>,
}

/// Why a subagent has no equivalent in the canon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedSubagent {
    #[error("it is a remote subagent, which only Gemini CLI has")]
    Remote,
    #[error("its `tools` are names that canonry does not know")]
    UnknownTools,
    #[error("Claude Code has no equivalent of its tools: {0}")]
    NoTool(String),
    #[error("it is a primary agent, which only OpenCode has")]
    Primary,
    #[error("it is disabled")]
    Disabled,
    #[error("the canon has no equivalent of its permission `{0}`")]
    Permission(String),
}

/// Keys of other tools than Claude Code.
const FOREIGN_KEYS: [&str; 15] = [
    "approvalMode",
    "reasoningEffort",
    "is_background",
    "temperature",
    "timeout_mins",
    "max_turns",
    "kind",
    "mcp_servers",
    "mcpServers",
    "display_name",
    "topP",
    "mcp-servers",
    "handoffs",
    "infer",
    "target",
];

/// Keys of OpenCode besides those of its restrictions.
const OPENCODE_KEYS: [&str; 10] =
    ["mode", "temperature", "top_p", "steps", "maxSteps", "hidden", "color", "variant", "options", "prompt"];

impl ToolSubagent {
    /// Parses a frontmatter or a table.
    ///
    /// # Errors
    /// Without its restrictions, the subagent could do more.
    pub fn parse(format: SubagentFormat, root: &Node) -> Result<Self, UnsupportedSubagent> {
        let text = |key: &str| {
            let text = root.get(key)?.as_scalar()?.text.trim().to_owned();
            Some(text).filter(|text| !text.is_empty())
        };
        let mut limits = SubagentLimits::from_frontmatter(root);
        let model = text("model");
        if format == SubagentFormat::Claude {
            return Ok(Self { limits, model, ..Self::default() });
        }
        if format == SubagentFormat::OpenCode {
            return opencode(root, model);
        }
        if text("kind").as_deref() == Some("remote") {
            return Err(UnsupportedSubagent::Remote);
        }
        limits.is_read_only |=
            text("readonly").as_deref() == Some("true") || text("sandbox_mode").as_deref() == Some("read-only");
        limits.foreign.retain(|key| !matches!(key.as_str(), "readonly" | "sandbox_mode"));
        if format == SubagentFormat::Qwen {
            limits.is_read_only |= text("approvalMode").as_deref() == Some("plan");
            for denied in &mut limits.denied_tools {
                let known = claude_names(format, denied).pop();
                *denied = known.ok_or_else(|| UnsupportedSubagent::NoTool(denied.clone()))?;
            }
        }
        let mut lost_tools = Vec::new();
        let has_mapping = root.get("tools").is_some_and(|tools| tools.as_mapping().is_some());
        match (format, limits.tools.take()) {
            (
                SubagentFormat::Claude | SubagentFormat::OpenCode | SubagentFormat::Cursor | SubagentFormat::CodexToml,
                tools,
            ) => limits.tools = tools,
            (SubagentFormat::Markdown, Some(_)) => return Err(UnsupportedSubagent::UnknownTools),
            _ if has_mapping => return Err(UnsupportedSubagent::UnknownTools),
            (_, None) => {}
            (
                SubagentFormat::Gemini | SubagentFormat::Copilot | SubagentFormat::Qwen | SubagentFormat::Factory,
                Some(given),
            ) => {
                let mut names: Vec<String> = Vec::new();
                for name in &given {
                    let translated = claude_names(format, name);
                    if translated.is_empty() {
                        lost_tools.push(name.clone());
                    }
                    for name in translated {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                }
                if names.is_empty() {
                    return Err(UnsupportedSubagent::NoTool(given.join(", ")));
                }
                limits.tools = Some(names);
            }
        }
        let lost = FOREIGN_KEYS.into_iter().filter(|key| root.get(key).is_some()).collect();
        Ok(Self { limits, model, lost, lost_tools })
    }

    /// The restrictions; no tool at all where they have no equivalent.
    pub fn limits(format: SubagentFormat, root: &Node) -> SubagentLimits {
        let none = SubagentLimits { tools: Some(Vec::new()), ..SubagentLimits::default() };
        let found = match Self::parse(format, root) {
            // It has restrictions like any other.
            Err(UnsupportedSubagent::Primary) => opencode_limits(root),
            parsed => parsed.map(|found| found.limits),
        };
        found.unwrap_or(none)
    }
}

/// The names in Claude Code of a tool.
fn claude_names(format: SubagentFormat, name: &str) -> Vec<String> {
    if format == SubagentFormat::Copilot {
        let own = by_claude_name(name).map(|tool| vec![tool.claude.to_owned()]);
        return claude_names_of_copilot(name).or(own).unwrap_or_default();
    }
    let named = |tools: &[(&'static str, &'static str)]| {
        let found = tools.iter().find(|(claude, own)| *own == name || *claude == name);
        found.map(|(claude, _)| (*claude).to_owned())
    };
    match format {
        SubagentFormat::Qwen => {
            named(&QWEN_TOOLS).or_else(|| name.starts_with("mcp__").then(|| name.to_owned())).into_iter().collect()
        }
        SubagentFormat::Factory => match FACTORY_GROUPS.iter().find(|(group, _)| *group == name) {
            Some((_, tools)) => tools.iter().map(|tool| (*tool).to_owned()).collect(),
            None => named(&FACTORY_TOOLS).into_iter().collect(),
        },
        _ => claude_name(name).map(str::to_owned).into_iter().collect(),
    }
}

/// A subagent of OpenCode. Its `tools` are an older form of `permission`, which decides where it says something.
fn opencode(root: &Node, model: Option<String>) -> Result<ToolSubagent, UnsupportedSubagent> {
    let is =
        |key: &str, wanted: &str| root.get(key).and_then(Node::as_scalar).is_some_and(|found| found.text == wanted);
    if is("mode", "primary") {
        return Err(UnsupportedSubagent::Primary);
    }
    if is("disable", "true") {
        return Err(UnsupportedSubagent::Disabled);
    }
    let limits = opencode_limits(root)?;
    let lost = OPENCODE_KEYS.into_iter().filter(|key| root.get(key).is_some()).collect();
    Ok(ToolSubagent { limits, model, lost, lost_tools: Vec::new() })
}

/// The restrictions of an agent of OpenCode, primary or not.
fn opencode_limits(root: &Node) -> Result<SubagentLimits, UnsupportedSubagent> {
    let entries = |key: &str| root.get(key).and_then(Node::as_mapping).map_or(&[][..], |map| map.entries.as_slice());
    let mut decisions: BTreeMap<&str, &Node> = BTreeMap::new();
    for entry in entries("tools") {
        let action = if matches!(entry.key.as_str(), "write" | "patch") { "edit" } else { &entry.key };
        decisions.insert(action, &entry.value);
    }
    decisions.extend(entries("permission").iter().map(|entry| (entry.key.as_str(), &entry.value)));
    let mut limits = SubagentLimits::default();
    if let Some(word) = root.get("permission").and_then(Node::as_scalar).filter(|word| word.text != "allow") {
        return Err(UnsupportedSubagent::Permission(word.text.clone()));
    }
    for (action, decision) in decisions {
        // A pattern for everything is the same as a word.
        let word = match decision.entries() {
            [all] if all.key == "*" => all.value.as_scalar(),
            _ => decision.as_scalar(),
        };
        match word.map(|word| word.text.as_str()) {
            Some("true" | "allow") => {}
            Some("false" | "deny") => {
                let known = OPENCODE_PERMISSIONS.iter().find(|(name, _)| *name == action);
                let (_, tools) = known.ok_or_else(|| UnsupportedSubagent::Permission(action.to_owned()))?;
                limits.denied_tools.extend(tools.iter().map(|tool| (*tool).to_owned()));
            }
            _ => return Err(UnsupportedSubagent::Permission(action.to_owned())),
        }
    }
    Ok(limits)
}
