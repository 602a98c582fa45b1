//! Converts the frontmatter of subagents to that of Claude Code, which the canon uses. Keeps every restriction.

use super::detected_tools::NamedTool;
use super::quoting::{code_list, quoted};
use canonry_agents::subagents::{ToolSubagent, UnsupportedSubagent};
use canonry_model::canon::subagent::{MODELS_KEY, SubagentLimits, models};
use canonry_model::config::{SubagentFormat, Target, ToolRow};
use canonry_text::node::Node;
use canonry_text::{MarkdownFile, TextEdit};
use std::collections::BTreeMap;

/// The edits of a frontmatter.
#[derive(Default)]
pub(super) struct Conversion {
    pub edits: Vec<TextEdit>,
    /// Differences from the source, one sentence each.
    pub changes: Vec<String>,
}

impl Conversion {
    /// Replaces the permissions of OpenCode with the tools that they deny.
    fn deny(&mut self, file: &MarkdownFile<'_>, limits: &SubagentLimits) {
        for key in ["tools", "permission", "disable"].into_iter().filter(|key| file.get(key).is_some()) {
            self.edits.extend(file.remove(key));
            if key != "disable" {
                self.changes.push(format!("removed `{key}`, as OpenCode has it"));
            }
        }
        if !limits.denied_tools.is_empty() {
            self.edits.push(file.set("disallowedTools", &limits.denied_tools.join(", ")));
            self.changes.push(format!("set {}", limits.described()));
        }
        if file.field("mode").as_deref() != Some("subagent") {
            self.changes.push("it becomes a subagent alone, and no primary agent any more".to_owned());
        }
    }
}

/// The model of the session.
const INHERITED: &str = "inherit";
/// Models that every version of Claude Code knows.
const MODELS: [&str; 4] = [INHERITED, "opus", "sonnet", "haiku"];

/// The format of a tool's subagents.
fn format_of(tool: Target) -> SubagentFormat {
    tool.row().and_then(|row| row.subagents.as_ref()?.format).unwrap_or(SubagentFormat::Claude)
}

/// The keys of a subagent of another tool in the canon's terms. `is_own` says whether the file is in the tool's own folder, so
/// that no other tool has its model.
///
/// # Errors
/// The restrictions cannot be kept.
pub(super) fn convert(file: &MarkdownFile<'_>, tool: Target, is_own: bool) -> Result<Conversion, UnsupportedSubagent> {
    let mut conversion = Conversion::default();
    let format = format_of(tool);
    if format == SubagentFormat::Claude {
        return Ok(conversion);
    }
    let found = ToolSubagent::parse(format, file.root())?;
    if file.get("readonly").is_some() {
        if found.limits.is_read_only {
            conversion.edits.push(file.set("permissionMode", "plan"));
            conversion.changes.push("replaced `readonly: true` with `permissionMode: plan`".to_owned());
        } else {
            conversion.changes.push("removed `readonly: false`, the default".to_owned());
        }
        conversion.edits.extend(file.remove("readonly"));
    }
    if format == SubagentFormat::Qwen {
        if found.limits.is_read_only && file.get("approvalMode").is_some() {
            conversion.edits.push(file.set("permissionMode", "plan"));
            conversion.changes.push("replaced `approvalMode: plan` with `permissionMode: plan`".to_owned());
        }
        if file.get("disallowedTools").is_some() {
            let list = found.limits.denied_tools.join(", ");
            conversion.edits.push(file.set("disallowedTools", &list));
            conversion.changes.push(format!("translated `disallowedTools` to `{list}`"));
        }
    }
    let is_known = found.model.as_deref().is_some_and(|model| MODELS.contains(&model));
    let is_kept = |model: &String| if is_own { model != INHERITED } else { !is_known };
    if let Some(model) = found.model.filter(is_kept) {
        let models = BTreeMap::from([(tool.name().to_owned(), model)]);
        conversion.edits.extend(file.remove("model").filter(|_| !is_known));
        conversion.edits.push(file.set(MODELS_KEY, &flow(&models)));
        conversion.changes.push(format!("wrote its `model` as `models: {}`", flow(&models)));
    }
    if format == SubagentFormat::OpenCode {
        conversion.deny(file, &found.limits);
    } else if format != SubagentFormat::Cursor && file.get("tools").is_some_and(|node| !node.is_null()) {
        match &found.limits.tools {
            Some(names) => {
                let list = names.join(", ");
                conversion.edits.push(file.set("tools", &list));
                conversion.changes.push(format!("translated `tools` to `{list}`"));
            }
            None => {
                conversion.edits.extend(file.remove("tools"));
                conversion.changes.push("removed `tools`: without it, a subagent has all of them".to_owned());
            }
        }
    }
    if !found.lost_tools.is_empty() {
        let lost = code_list(&found.lost_tools);
        conversion.changes.push(format!("removed from `tools`: {lost}, which have no equivalent"));
    }
    for key in found.lost {
        conversion.edits.extend(file.remove(key));
        conversion.changes.push(format!("removed `{key}`, which other tools do not know"));
    }
    Ok(conversion)
}

/// The sections of rulesync for single tools that have subagents with other keys than the canon's.
fn tool_sections<'f>(file: &'f MarkdownFile<'_>) -> impl Iterator<Item = (&'static ToolRow, SubagentFormat, &'f Node)> {
    let sections = file.entries().iter().filter(|entry| entry.value.as_mapping().is_some());
    sections.filter_map(|entry| {
        let row = NamedTool::find(&entry.key)?.row?;
        let format = row.subagents?.format.filter(|format| *format != SubagentFormat::Claude)?;
        Some((row, format, &entry.value))
    })
}

/// The restrictions that rulesync's sections set for single tools.
pub(super) fn limits_of_sections(file: &MarkdownFile<'_>) -> SubagentLimits {
    let mut limits = SubagentLimits::default();
    for (_, format, section) in tool_sections(file) {
        limits.restrict(&ToolSubagent::limits(format, section));
    }
    limits
}

/// The models that rulesync's sections set for single tools, by the names of canonry's targets.
pub(super) fn models_of_sections(file: &MarkdownFile<'_>) -> BTreeMap<String, String> {
    let model = |(row, _, section): (&'static ToolRow, SubagentFormat, &Node)| {
        Some((row.id.to_owned(), section.get("model")?.as_scalar()?.text.trim().to_owned()))
    };
    tool_sections(file).filter_map(model).filter(|(_, model)| !model.is_empty()).collect()
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
    match MarkdownFile::editable(&text) {
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
    let Ok(file) = MarkdownFile::editable(text) else { return text.to_owned() };
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
