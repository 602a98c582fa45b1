//! Converts the frontmatter of subagents to that of Claude Code, which the canon uses. Keeps every restriction.

use super::frontmatter::{HeaderEdit, MarkdownFile, quoted};
use canonry_model::canon::agent_tools::claude_name;
use canonry_model::canon::subagent::{MODELS_KEY, SubagentLimits, models};
use canonry_model::config::Target;
use canonry_text::node::Node;
use std::collections::BTreeMap;

/// The edits of a frontmatter.
#[derive(Default)]
pub(super) struct Conversion {
    pub edits: Vec<HeaderEdit>,
    /// Differences from the source, one sentence each.
    pub changes: Vec<String>,
}

/// Models that every version of Claude Code knows.
const MODELS: [&str; 4] = ["inherit", "opus", "sonnet", "haiku"];
/// Keys of Cursor and Gemini CLI that Claude Code does not read.
const FOREIGN_KEYS: [&str; 9] = [
    "is_background",
    "temperature",
    "timeout_mins",
    "max_turns",
    "kind",
    "mcp_servers",
    "mcpServers",
    "display_name",
    "topP",
];

/// The keys of a subagent of another tool in the canon's terms.
///
/// # Errors
/// The restrictions cannot be kept; a reason.
pub(super) fn convert(file: &MarkdownFile<'_>, tool: Target) -> Result<Conversion, String> {
    let mut conversion = Conversion::default();
    if tool == Target::CLAUDE {
        return Ok(conversion);
    }
    if file.field("kind").as_deref() == Some("remote") {
        return Err("it is a remote subagent, which only Gemini CLI has".to_owned());
    }
    if file.get("readonly").is_some() {
        if file.is_true("readonly") {
            conversion.edits.push(file.set("permissionMode", "plan"));
            conversion.changes.push("replaced `readonly: true` with `permissionMode: plan`".to_owned());
        }
        if !file.is_true("readonly") {
            conversion.changes.push("removed `readonly: false`, the default".to_owned());
        }
        conversion.edits.extend(file.remove("readonly"));
    }
    if let Some(model) = file.field("model").filter(|model| !MODELS.contains(&model.as_str())) {
        let models = BTreeMap::from([(tool.name().to_owned(), model)]);
        conversion.edits.extend(file.remove("model"));
        conversion.edits.push(file.set(MODELS_KEY, &flow(&models)));
        conversion.changes.push(format!("wrote its `model` as `models: {}`", flow(&models)));
    }
    if tool != Target::CURSOR
        && let Some(node) = file.get("tools").filter(|node| !node.is_null())
    {
        convert_tools(file, node, tool, &mut conversion)?;
    }
    for key in FOREIGN_KEYS.iter().filter(|key| file.get(key).is_some()) {
        conversion.edits.extend(file.remove(key));
        conversion.changes.push(format!("removed `{key}`, which other tools do not know"));
    }
    Ok(conversion)
}

fn convert_tools(
    file: &MarkdownFile<'_>,
    node: &Node,
    tool: Target,
    conversion: &mut Conversion,
) -> Result<(), String> {
    let given = file.list("tools");
    let given: Vec<&str> = given.iter().flat_map(|names| names.split(',')).map(str::trim).collect();
    if node.as_mapping().is_some() || (tool == Target::ANTIGRAVITY && !given.contains(&"*")) {
        return Err("its `tools` are names that canonry does not know".to_owned());
    }
    if given.contains(&"*") {
        conversion.edits.extend(file.remove("tools"));
        conversion.changes.push("removed `tools`: without it, a subagent has all of them".to_owned());
        return Ok(());
    }
    let (names, unknown) = translate_tools(given.iter().copied());
    if names.is_empty() {
        return Err(format!("Claude Code has no equivalent of its tools: {}", given.join(", ")));
    }
    let list = names.join(", ");
    conversion.edits.push(file.set("tools", &list));
    conversion.changes.push(format!("translated `tools` to `{list}`"));
    if !unknown.is_empty() {
        conversion.changes.push(format!("removed from `tools`: {}, which have no equivalent", unknown.join(", ")));
    }
    Ok(())
}

/// The tools of Gemini CLI by their names in Claude Code, and those without an equivalent.
pub(super) fn translate_tools<'n>(given: impl Iterator<Item = &'n str>) -> (Vec<&'static str>, Vec<String>) {
    let mut names = Vec::new();
    let mut unknown = Vec::new();
    for name in given.filter(|name| !name.is_empty()) {
        match claude_name(name) {
            Some(name) if names.contains(&name) => {}
            Some(name) => names.push(name),
            None => unknown.push(format!("`{name}`")),
        }
    }
    (names, unknown)
}

/// The restrictions that rulesync's sections set for single tools, in the terms of Claude Code.
pub(super) fn limits_of_sections(file: &MarkdownFile<'_>) -> SubagentLimits {
    let text = |section: &str, key: &str| {
        let node = file.get(section)?.get(key)?;
        Some(node.as_scalar()?.text.trim().to_owned())
    };
    let tools = file.get("geminicli").and_then(|section| section.get("tools")).and_then(Node::as_sequence);
    let tools = tools.map(|tools| tools.iter().filter_map(Node::as_str).collect::<Vec<&str>>());
    SubagentLimits {
        tools: tools
            .filter(|tools| !tools.contains(&"*"))
            .map(|tools| translate_tools(tools.into_iter()).0.into_iter().map(str::to_owned).collect()),
        is_read_only: text("cursor", "readonly").as_deref() == Some("true")
            || text("codexcli", "sandbox_mode").as_deref() == Some("read-only"),
        ..SubagentLimits::default()
    }
}

/// The models that rulesync's sections set for single tools, by the names of canonry's targets.
pub(super) fn models_of_sections(file: &MarkdownFile<'_>) -> BTreeMap<String, String> {
    let sections = [("geminicli", "gemini"), ("cursor", "cursor"), ("codexcli", "codex"), ("copilot", "copilot")];
    let model = |(section, tool): &(&str, &str)| {
        let node = file.get(section)?.get("model")?;
        Some(((*tool).to_owned(), node.as_scalar()?.text.trim().to_owned()))
    };
    sections.iter().filter_map(model).filter(|(_, model)| !model.is_empty()).collect()
}

/// The models of a converted subagent, by tool.
pub(super) fn models_of(text: &str) -> BTreeMap<String, String> {
    MarkdownFile::parse(text).map(|file| models(file.root())).unwrap_or_default()
}

/// A converted subagent with these models besides its own, which take precedence.
pub(super) fn with_models(text: String, more: BTreeMap<String, String>, changes: &mut Vec<String>) -> String {
    let own = models_of(&text);
    let mut all = more;
    all.extend(own.clone());
    match MarkdownFile::parse(&text) {
        Ok(file) if all != own => {
            changes.push(format!("set `models: {}`", flow(&all)));
            file.apply(vec![file.set(MODELS_KEY, &flow(&all))])
        }
        _ => text,
    }
}

/// `{codex: "a", gemini: "b"}`
pub(super) fn flow(models: &BTreeMap<String, String>) -> String {
    let entries: Vec<String> = models.iter().map(|(tool, model)| format!("{tool}: {}", quoted(model))).collect();
    format!("{{{}}}", entries.join(", "))
}

/// The restrictions of a converted subagent.
pub(super) fn limits(text: &str) -> SubagentLimits {
    let Ok(file) = MarkdownFile::parse(text) else { return SubagentLimits::default() };
    SubagentLimits::from_frontmatter(file.root())
}

/// A converted subagent with these restrictions.
pub(super) fn with_limits(text: &str, limits: &SubagentLimits) -> String {
    let Ok(file) = MarkdownFile::parse(text) else { return text.to_owned() };
    let mut edits = Vec::new();
    let plan = limits.is_read_only.then(|| "plan".to_owned());
    let tools = limits.tools.as_ref().map(|tools| quoted_list(tools));
    let denied = Some(&limits.denied_tools).filter(|tools| !tools.is_empty()).map(|tools| quoted_list(tools));
    for (key, value) in [("tools", tools), ("disallowedTools", denied), ("permissionMode", plan)] {
        edits.extend(value.map(|value| file.set(key, &value)));
    }
    file.apply(edits)
}

fn quoted_list(names: &[String]) -> String {
    let is_plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !names.is_empty() && names.iter().all(is_plain) {
        names.join(", ")
    } else {
        format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
    }
}
