//! Subagents and commands.

use super::formats::parse_toml;
use super::plan::ImportPlan;
use super::quoting::{code_list, quoted};
use super::subagents;
use canonry_agents::commands::{has_gemini_placeholders, limiting_key, parse_prompt};
use canonry_agents::subagents::ToolSubagent;
use canonry_model::canon::subagent::{MODELS_KEY, SubagentLimits};
use canonry_model::canon::tool_file::data::repaired;
use canonry_model::config::{SubagentFormat, Target, ToolRow};
use canonry_model::tools::tool_formats::CommandFormat;
use canonry_text::node::{MappingEntry, Node};
use canonry_text::{HeaderError, MarkdownFile, RepoPath};
use std::collections::BTreeMap;

/// Keys that a source adds to a frontmatter.
#[derive(Clone, Copy, Default)]
pub(super) struct SourceKeys {
    /// Whether it has the keys of rulesync: `targets`, and sections for single tools.
    pub has_sections: bool,
    /// The tool whose keys the frontmatter has; Claude Code's if unset.
    pub tool: Option<Target>,
    /// The format of a command; Claude Code's if unset.
    pub format: Option<CommandFormat>,
}

/// The section of rulesync's frontmatter for Claude Code.
const CLAUDE_SECTION: &str = "claudecode";

/// Whether a key of rulesync's frontmatter is for rulesync itself, or a section for one tool. The others are those of the tools.
pub(super) fn is_rulesync_key(entry: &MappingEntry) -> bool {
    let is_section = entry.value.as_mapping().is_some() && !matches!(entry.key.as_str(), "metadata" | "hooks");
    entry.key == "targets" || is_section
}

/// The kind of a prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PromptKind {
    /// `agents/`
    Subagent,
    /// `commands/`
    Command,
}

impl PromptKind {
    /// The switch in the config.
    pub fn switch(self) -> &'static str {
        match self {
            Self::Subagent => "subagents",
            Self::Command => "commands",
        }
    }

    /// Whether sync writes such files for a tool.
    pub fn is_written_for(self, row: &ToolRow) -> bool {
        let has_format = match self {
            Self::Subagent => row.subagents.is_some_and(|subagents| subagents.format.is_some()),
            Self::Command => row.commands.is_some(),
        };
        row.is_written() && has_format
    }
}

/// Imports a Markdown file. `name` is its path in the canon's directory for such prompts.
pub(super) fn import_markdown(
    plan: &mut ImportPlan<'_>,
    from: &RepoPath,
    kind: PromptKind,
    name: &str,
    keys: SourceKeys,
) {
    let Some(text) = plan.read(from) else { return };
    let to = directory(plan, kind).join(name);
    let mut changes = Vec::new();
    let is_lenient = keys.tool.is_some_and(|tool| tool != Target::GEMINI);
    let text = match read_leniently(&text).filter(|_| is_lenient) {
        Some(repaired) => {
            changes.push(REPAIRED.to_owned());
            repaired
        }
        None => text,
    };
    let text = match MarkdownFile::editable(&text) {
        Ok(file) => {
            let mut edits = Vec::new();
            if keys.has_sections {
                // The canon has the keys of Claude Code at the top level.
                let lifted = file.lift(CLAUDE_SECTION);
                let is_lifted = |entry: &&MappingEntry| lifted.is_some() && entry.key == CLAUDE_SECTION;
                for entry in file.entries().iter().filter(|entry| is_rulesync_key(entry) && !is_lifted(entry)) {
                    changes.push(format!("removed `{}` from its frontmatter", entry.key));
                    edits.extend(file.remove(&entry.key));
                }
                if let Some(lifted) = lifted {
                    let names = code_list(&lifted.keys);
                    changes.push(format!("moved the keys of `{CLAUDE_SECTION}` to the top level: {names}"));
                    edits.push(lifted.edit);
                }
            }
            if kind == PromptKind::Subagent
                && let Some(tool) = keys.tool
            {
                let folder = tool.row().and_then(|row| row.subagents).map(|subagents| RepoPath::from(subagents.folder));
                let is_own = folder.is_some_and(|folder| from.is_within(&folder));
                match subagents::convert(&file, tool, is_own) {
                    Ok(conversion) => {
                        edits.extend(conversion.edits);
                        changes.extend(conversion.changes);
                    }
                    Err(error) => return plan.skip(from, error.to_string(), "write it for the canon by hand"),
                }
            }
            if kind == PromptKind::Subagent && file.field("name").is_none() {
                changes.push("added `name` from its file name".to_owned());
                edits.push(file.set("name", &quoted(&stem(&to))));
            }
            if kind == PromptKind::Subagent && file.field("description").is_none() {
                let reason = "its frontmatter has no `description`, which every tool requires";
                return plan.skip(from, reason, "add one, then run this again");
            }
            if let Some(format) = keys.format {
                if let Some(key) = limiting_key(format, file.root()) {
                    let reason =
                        format!("its `{key}` limits what it may do, and commands of the canon have no such key");
                    return plan.skip(from, reason, "nothing to do: it stays where it is");
                }
                let lost: Vec<&MappingEntry> =
                    file.entries().iter().filter(|entry| !COMMAND_KEYS.contains(&entry.key.as_str())).collect();
                if !lost.is_empty() {
                    let names: Vec<String> = lost.iter().map(|entry| entry.key.clone()).collect();
                    let tool = keys.tool.map_or("the tool", Target::title);
                    changes.push(format!("removed {}, which only {tool} reads", code_list(&names)));
                    edits.extend(lost.iter().filter_map(|entry| file.remove(&entry.key)));
                }
            }
            let limits = subagents::limits_of_sections(&file);
            let models = subagents::models_of_sections(&file);
            let text = file.apply(edits);
            if kind == PromptKind::Subagent && keys.has_sections {
                let text = restricted(text, &limits, "its sections for other tools", &mut changes);
                subagents::with_models(text, models, &mut changes)
            } else {
                text
            }
        }
        Err(HeaderError::Missing) if kind == PromptKind::Subagent => {
            let reason = "it has no frontmatter with `name` and `description`, which every tool requires";
            return plan.skip(from, reason, "add it, then run this again");
        }
        Err(HeaderError::Missing) => text,
        Err(error) => return plan.skip_unreadable(from, error.to_string()),
    };
    let text = match keys.format {
        None => text,
        Some(format) => match converted_command(&text, format, keys.tool, &mut changes) {
            Ok(text) => text,
            Err(active) => {
                let reason = format!("Claude Code cannot express `{active}` in its prompt");
                return plan.skip(from, reason, "rewrite it in Claude Code's syntax by hand");
            }
        },
    };
    add_prompt(plan, from, to, text, changes);
}

/// The keys of a command that other tools than its own read.
const COMMAND_KEYS: [&str; 3] = ["description", "argument-hint", "disable-model-invocation"];

/// A command with its placeholders in Claude Code's syntax, and without a frontmatter that has no keys.
///
/// # Errors
/// A placeholder that Claude Code cannot express.
fn converted_command(
    text: &str,
    format: CommandFormat,
    tool: Option<Target>,
    changes: &mut Vec<String>,
) -> Result<String, String> {
    let prompt = body(text);
    let head = &text[..text.len() - prompt.len()];
    // Qwen Code before version 1 had the placeholders of Gemini CLI.
    let is_older = tool.is_some_and(|tool| tool.name() == "qwen") && has_gemini_placeholders(prompt);
    let found = parse_prompt(if is_older { CommandFormat::GeminiToml } else { format }, prompt)?;
    if is_older {
        changes.push("wrote its placeholders as Claude Code and Qwen Code 1 do".to_owned());
    }
    if !found.arguments.is_empty() {
        changes.push(format!("replaced {} with `$ARGUMENTS`", code_list(&found.arguments)));
    }
    if !found.lost.is_empty() {
        changes.push(format!("kept {}, which only GitHub Copilot replaces", code_list(&found.lost)));
    }
    let prompt = found.text;
    let is_empty = MarkdownFile::parse(text).is_ok_and(|file| file.entries().is_empty());
    Ok(if is_empty { prompt.trim_start_matches('\n').to_owned() } else { format!("{head}{prompt}") })
}

/// The change of [`read_leniently`].
pub(super) const REPAIRED: &str = "quoted values in its frontmatter, which was not valid YAML";

/// A text with invalid frontmatter as a tool reads it that quotes values itself; `None` for any other text. Gemini CLI and
/// rulesync do not quote values.
pub(super) fn read_leniently(text: &str) -> Option<String> {
    match MarkdownFile::parse(text) {
        Ok(_) | Err(HeaderError::Missing) => None,
        Err(_) => repaired(text),
    }
}

/// Imports a TOML file of Codex or Gemini CLI.
pub(super) fn import_toml(plan: &mut ImportPlan<'_>, from: &RepoPath, kind: PromptKind, name: &str) {
    let Some(table) = plan.read_as(from, parse_toml) else { return };
    let field = |key: &str| table.get(key).and_then(Node::as_str).map(str::to_owned);
    let (known, body): (&[&str], _) = match kind {
        PromptKind::Subagent => (
            &["name", "description", "developer_instructions", "sandbox_mode", "model"],
            field("developer_instructions"),
        ),
        PromptKind::Command => (&["description", "prompt"], field("prompt")),
    };
    let Some(body) = body else {
        return plan.skip(from, "it has no prompt", "");
    };
    let mut changes = vec!["converted from TOML to Markdown".to_owned()];
    let lost: Vec<String> =
        table.entries().iter().map(|entry| entry.key.clone()).filter(|key| !known.contains(&key.as_str())).collect();
    if !lost.is_empty() {
        changes.push(format!("removed {}", code_list(&lost)));
    }
    let mut frontmatter = String::new();
    if kind == PromptKind::Subagent {
        frontmatter.push_str(&format!("name: {}\n", quoted(&field("name").unwrap_or_else(|| stem(from)))));
    }
    match field("description") {
        Some(description) => frontmatter.push_str(&format!("description: {}\n", quoted(&description))),
        None if kind == PromptKind::Subagent => {
            let reason = "it has no `description`, which every tool requires";
            return plan.skip(from, reason, "add one, then run this again");
        }
        None => {}
    }
    if kind == PromptKind::Subagent {
        if let Some(model) = field("model") {
            let models = BTreeMap::from([(Target::CODEX.name().to_owned(), model)]);
            frontmatter.push_str(&format!("{MODELS_KEY}: {}\n", subagents::flow(&models)));
            changes.push(format!("wrote its `model` as `models: {}`", subagents::flow(&models)));
        }
        if ToolSubagent::limits(SubagentFormat::CodexToml, &table).is_read_only {
            frontmatter.push_str("permissionMode: plan\n");
            changes.push("replaced `sandbox_mode = \"read-only\"` with `permissionMode: plan`".to_owned());
        } else if let Some(mode) = field("sandbox_mode") {
            changes.push(format!("removed `sandbox_mode = \"{mode}\"`, which only Codex has"));
        }
    }
    let body = match kind {
        PromptKind::Subagent => body,
        PromptKind::Command => match parse_prompt(CommandFormat::GeminiToml, &body) {
            Ok(found) => found.text,
            Err(active) => {
                let reason = format!("Claude Code cannot express `{active}` in its prompt");
                return plan.skip(from, reason, "rewrite it in Claude Code's syntax by hand");
            }
        },
    };
    let end = if body.ends_with('\n') { "" } else { "\n" };
    let text = match frontmatter.as_str() {
        "" => format!("{body}{end}"),
        _ => format!("---\n{frontmatter}---\n\n{body}{end}"),
    };
    let to = directory(plan, kind).join(name.strip_suffix(".toml").unwrap_or(name).to_owned() + ".md");
    add_prompt(plan, from, to, text, changes);
}

/// Adds a prompt, unless another tool has the same one. The restrictions of equal subagents are united.
fn add_prompt(plan: &mut ImportPlan<'_>, from: &RepoPath, to: RepoPath, text: String, changes: Vec<String>) {
    let other = plan.items.iter().position(|item| item.to == to);
    let other_text = other.and_then(|at| plan.planned_text(plan.items[at].files.first()?));
    if let (Some(at), Some(other_text)) = (other, other_text)
        && body(&other_text).trim() == body(&text).trim()
    {
        let mut item_changes = std::mem::take(&mut plan.items[at].changes);
        let united = restricted(other_text.clone(), &subagents::limits(&text), &from.to_string(), &mut item_changes);
        let united = subagents::with_models(united, subagents::models_of(&text), &mut item_changes);
        plan.items[at].changes = item_changes;
        if united != other_text {
            plan.items[at].files = plan.text_file(united, to).into_iter().collect();
        }
        plan.items[at].also_from.push(from.clone());
        return;
    }
    plan.add_text(from, to, text, changes);
}

/// A subagent with its own restrictions and these.
fn restricted(text: String, limits: &SubagentLimits, source: &str, changes: &mut Vec<String>) -> String {
    let own = subagents::limits(&text);
    let mut united = own.clone();
    united.restrict(limits);
    if united == own {
        return text;
    }
    changes.push(format!("set {}, because of {source}", united.described()));
    subagents::with_limits(&text, &united)
}

fn body(text: &str) -> &str {
    MarkdownFile::parse(text).map_or(text, |file| file.body())
}

fn directory(plan: &ImportPlan<'_>, kind: PromptKind) -> RepoPath {
    match kind {
        PromptKind::Subagent => plan.source.layout.subagents(),
        PromptKind::Command => plan.source.layout.commands(),
    }
}

/// A file name without its extension.
fn stem(path: &RepoPath) -> String {
    let name = path.file_name_lossy();
    name.rsplit_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
}
