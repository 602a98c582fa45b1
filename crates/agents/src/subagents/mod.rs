//! Subagents in the format of each tool, parsed and rendered. A tool gets a subagent only with equivalent restrictions.

mod parse;
#[cfg(test)]
mod property_tests;

use super::desired::DesiredToolFiles;
use super::prompts::{Prompt, freeze, read};
use super::request::ToolFileRequest;
use canonry_model::canon::subagent::{MODELS_KEY, SubagentLimits, models};
use canonry_model::config::{SubagentFormat, SubagentRow, TOOLS, ToolRow, tool_row};
use canonry_model::tools::agent_tools::{
    FACTORY_TOOLS, OPENCODE_PERMISSIONS, QWEN_TOOLS, copilot_names, gemini_name, gemini_names_except,
};
use canonry_text::{MarkdownFile, RepoPath, toml};
pub use parse::{ToolSubagent, UnsupportedSubagent};
use serde_json::json;
use std::collections::BTreeMap;
use toml_edit::{DocumentMut, value};

/// Keys of the canon's subagents that are for canonry. Claude Code reports keys that it does not know in its debug log
/// (2.1.330).
const OWN_KEYS: [&str; 2] = [MODELS_KEY, "targets"];

/// A tool that gets subagents, as its row says.
#[derive(Clone, Copy, Debug)]
struct SubagentTool {
    row: &'static ToolRow,
    folder: &'static str,
    format: SubagentFormat,
}

impl SubagentTool {
    fn from_row(row: &'static ToolRow) -> Option<Self> {
        let SubagentRow { folder, format } = row.subagents?;
        Some(Self { row, folder, format: format? })
    }
}

/// A file of a user that restricts a subagent which the canon does not restrict.
pub struct LooserSubagent {
    /// The part that the tool does not get.
    pub part: String,
    pub message: String,
}

/// Checks whether the canon's subagent would replace a stricter one: its own read-only mode or list of tools would be
/// lost. `None` if it would not, or if the file is not a subagent.
pub fn looser_subagent(path: &RepoPath, existing: &str, desired: &str) -> Option<LooserSubagent> {
    let readers = TOOLS.iter().filter_map(SubagentTool::from_row);
    let reader = readers.into_iter().find(|reader| path.is_within(&RepoPath::from(reader.folder)))?;
    let theirs = file_limits(reader.format, existing);
    let ours = file_limits(reader.format, desired);
    let is_open = ours.tools.is_none() && !ours.is_read_only;
    let restriction = if theirs.is_read_only && is_open {
        "a read-only mode"
    } else if theirs.tools.is_some() && is_open {
        "a list of tools"
    } else {
        return None;
    };
    let name = path.below(&RepoPath::from(reader.folder))?.to_string();
    let stem = name.strip_suffix(reader.format.extension()).unwrap_or(&name);
    Some(LooserSubagent {
        part: format!("{}/subagents/{stem}", reader.row.id),
        message: format!(
            "{path} stays unchanged: it has {restriction}, which the canon's subagent has not; add `permissionMode: plan` \
             or `tools` to the canon's, or remove the file"
        ),
    })
}

/// The restrictions in a tool's own file. None for a file that cannot be parsed: no tool loads a subagent from it.
fn file_limits(format: SubagentFormat, text: &str) -> SubagentLimits {
    let root = if format == SubagentFormat::CodexToml {
        toml::parse(text).ok()
    } else {
        MarkdownFile::parse(text).ok().map(|file| file.root().clone())
    };
    root.map(|root| ToolSubagent::limits(format, &root)).unwrap_or_default()
}

/// Name and restrictions of a subagent.
struct Subagent<'p> {
    prompt: &'p Prompt<'p>,
    name: String,
    description: String,
    limits: SubagentLimits,
    /// The models by tool, except Claude Code's.
    models: BTreeMap<String, String>,
}

/// Form of a subagent's restrictions in a tool.
enum Restriction {
    /// Keys of the frontmatter or the table.
    Keys(String),
    /// The names of its tools.
    Tools(Vec<String>),
    /// Not at all, and why.
    Unsupported(String),
}

/// Adds the configured subagents.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let readers: Vec<SubagentTool> =
        request.files.subagent_tools().into_iter().filter_map(SubagentTool::from_row).collect();
    let folders: Vec<&str> = readers.iter().map(|reader| reader.folder).collect();
    for prompt in read(request, &request.layout.subagents(), &folders, desired) {
        let (Some(name), Some(description)) = (prompt.field("name"), prompt.field("description")) else {
            freeze(&prompt.file_stem, &folders, desired);
            desired.add_problem(prompt.canon, "a subagent needs `name` and `description` in its frontmatter");
            continue;
        };
        let root = prompt.file.as_ref().map(MarkdownFile::root);
        let limits = root.map(SubagentLimits::from_frontmatter).unwrap_or_default();
        let models = root.map(models).unwrap_or_default();
        for tool in models.keys().filter(|tool| !has_model(tool)) {
            let message = match tool.as_str() {
                "claude" => "`models` names `claude`, whose model is the key `model`".to_owned(),
                _ => format!("`models` names `{tool}`, which gets no subagents from canonry"),
            };
            desired.add_omission(prompt.canon, format!("{tool}/subagents/{}/model", prompt.file_stem), message);
        }
        let subagent = Subagent { prompt: &prompt, name, description, limits, models };
        let readers = readers.iter().filter(|reader| prompt.targets.includes(reader.row.id));
        readers.for_each(|reader| subagent.add(*reader, desired));
    }
}

/// Whether sync writes a subagent's model for a tool.
fn has_model(tool: &str) -> bool {
    tool_row(tool).and_then(SubagentTool::from_row).is_some_and(|reader| reader.format != SubagentFormat::Claude)
}

impl Subagent<'_> {
    fn add(&self, reader: SubagentTool, desired: &mut DesiredToolFiles) {
        let canon = self.prompt.canon;
        let stem = &self.prompt.file_stem;
        let part = format!("{}/subagents/{stem}", reader.row.id);
        let mut keys = String::new();
        match self.restriction(reader.format) {
            Restriction::Keys(restriction) => keys.push_str(&restriction),
            Restriction::Tools(names) => keys.push_str(&list("tools", &names)),
            // The file is removed if an older version wrote it without the restriction.
            Restriction::Unsupported(reason) => {
                let message = format!("`{}` is not written for {}: {reason}", self.name, reader.row.name);
                return desired.add_omission(canon, part, message);
            }
        }
        let model = self.models.get(reader.row.id);
        let file = format!("{}/{stem}{}", reader.folder, reader.format.extension());
        let text = match reader.format {
            SubagentFormat::Claude => self.prompt.without(&OWN_KEYS),
            SubagentFormat::CodexToml => {
                let mut table = DocumentMut::new();
                table["name"] = value(self.name.as_str());
                table["description"] = value(self.description.as_str());
                if let Some(model) = model {
                    table["model"] = value(model.as_str());
                }
                if !keys.is_empty() {
                    table["sandbox_mode"] = value("read-only");
                }
                table["developer_instructions"] = value(self.prompt.body.trim_start_matches('\n'));
                Some(table.to_string())
            }
            SubagentFormat::Gemini
            | SubagentFormat::Cursor
            | SubagentFormat::Markdown
            | SubagentFormat::Copilot
            | SubagentFormat::OpenCode
            | SubagentFormat::Qwen
            | SubagentFormat::Factory => {
                if reader.format == SubagentFormat::OpenCode {
                    keys.insert_str(0, "mode: subagent\n");
                }
                let name = json!(self.name);
                let description = json!(self.description);
                let model = model.map(|model| format!("model: {}\n", json!(model))).unwrap_or_default();
                let body = self.prompt.body;
                Some(format!("---\nname: {name}\ndescription: {description}\n{model}{keys}---\n{body}"))
            }
        };
        desired.add_generated(&file, text, canon);
    }

    fn restriction(&self, format: SubagentFormat) -> Restriction {
        let limits = &self.limits;
        if let [key, ..] = limits.foreign.as_slice() {
            let advice = "write `permissionMode: plan` for a read-only subagent, or `tools`, which canonry translates";
            return Restriction::Unsupported(format!("`{key}` is a restriction that canonry does not know; {advice}"));
        }
        if format == SubagentFormat::Claude || limits.is_open() {
            return Restriction::Keys(String::new());
        }
        match format {
            SubagentFormat::Cursor if limits.only_reads() => Restriction::Keys("readonly: true\n".to_owned()),
            SubagentFormat::CodexToml if limits.only_reads() => Restriction::Keys("sandbox_mode".to_owned()),
            SubagentFormat::Gemini => self.gemini_tools(),
            SubagentFormat::Copilot => self.copilot_tools(),
            SubagentFormat::OpenCode => self.opencode_permission(),
            SubagentFormat::Qwen => self.qwen_tools(),
            SubagentFormat::Factory => self.factory_tools(),
            _ => Restriction::Unsupported(format!("it has no equivalent of {}", limits.described())),
        }
    }

    /// The tools that it may use, with Claude Code's names; `None` for all but the denied ones.
    fn allowed_tools(&self) -> Option<Vec<String>> {
        const READ_ONLY: [&str; 4] = ["Read", "Grep", "Glob", "LS"];
        let limits = &self.limits;
        let listed: Vec<String> = match &limits.tools {
            Some(tools) => tools.clone(),
            None if limits.is_read_only => READ_ONLY.map(str::to_owned).to_vec(),
            None => return None,
        };
        let is_allowed = |tool: &String| {
            !limits.denied_tools.contains(tool) && (!limits.is_read_only || READ_ONLY.contains(&tool.as_str()))
        };
        Some(listed.into_iter().filter(is_allowed).collect())
    }

    /// The tools in GitHub Copilot. One of its names can stand for several tools, and must not add any.
    fn copilot_tools(&self) -> Restriction {
        let limits = &self.limits;
        let Some(allowed) = self.allowed_tools() else {
            return Restriction::Unsupported(format!("it has no equivalent of {}", limits.described()));
        };
        match copilot_names(&allowed) {
            Ok(names) if names.is_empty() => {
                Restriction::Unsupported(format!("{} leaves it no tool", limits.described()))
            }
            Ok(names) => Restriction::Tools(names),
            Err(tool) => Restriction::Unsupported(format!("it has no equivalent of the tool `{tool}` alone")),
        }
    }

    /// The denied permissions in OpenCode. A list of the only tools has no form: where it allows a tool, that decides before
    /// the permissions of the project.
    fn opencode_permission(&self) -> Restriction {
        let denied = &self.limits.denied_tools;
        let is_denied = |tool: &&str| denied.iter().any(|denied| denied == tool);
        let actions = OPENCODE_PERMISSIONS.iter().filter(|(_, tools)| tools.iter().all(is_denied));
        let covered: Vec<&str> = actions.clone().flat_map(|(_, tools)| tools.iter().copied()).collect();
        let is_covered = denied.iter().all(|tool| covered.contains(&tool.as_str()));
        if self.limits.tools.is_some() || self.limits.is_read_only || !is_covered {
            return Restriction::Unsupported(format!("it has no equivalent of {}", self.limits.described()));
        }
        let lines = actions.map(|(action, _)| format!("  {action}: deny\n"));
        Restriction::Keys(format!("permission:\n{}", lines.collect::<String>()))
    }

    /// The tools in Qwen Code, and those that it does not get.
    fn qwen_tools(&self) -> Restriction {
        let name = |tool: &String| {
            // A server alone is a pattern, which only the denied tools may be.
            let is_server = tool.strip_prefix("mcp__").is_some_and(|rest| !rest.is_empty());
            let own = || QWEN_TOOLS.iter().find(|(claude, _)| claude == tool).map(|(_, own)| (*own).to_owned());
            own().or_else(|| is_server.then(|| tool.clone())).ok_or_else(|| tool.clone())
        };
        let named = |tools: &[String]| tools.iter().map(name).collect::<Result<Vec<String>, String>>();
        let Some(allowed) = self.allowed_tools() else {
            return match named(&self.limits.denied_tools) {
                Ok(names) => Restriction::Keys(list("disallowedTools", &names)),
                Err(tool) => Restriction::Unsupported(format!("it has no equivalent of the tool `{tool}`")),
            };
        };
        let is_pattern = |tool: &&String| tool.strip_prefix("mcp__").is_some_and(|rest| !rest.contains("__"));
        match (allowed.iter().find(is_pattern), named(&allowed)) {
            (Some(tool), _) => Restriction::Unsupported(format!("it has no equivalent of the tools `{tool}`")),
            (None, Err(tool)) => Restriction::Unsupported(format!("it has no equivalent of the tool `{tool}`")),
            (None, Ok(names)) if names.is_empty() => {
                Restriction::Unsupported(format!("{} leaves it no tool", self.limits.described()))
            }
            (None, Ok(names)) => Restriction::Tools(names),
        }
    }

    /// The tools in Factory Droid, where `Edit` may bring a tool that also creates files.
    fn factory_tools(&self) -> Restriction {
        let Some(allowed) = self.allowed_tools().filter(|allowed| !allowed.is_empty()) else {
            return Restriction::Unsupported(format!("it has no equivalent of {}", self.limits.described()));
        };
        let has = |name: &str| allowed.iter().any(|tool| tool == name);
        let name = |tool: &String| {
            let own = FACTORY_TOOLS.iter().find(|(claude, _)| claude == tool).map(|(_, own)| (*own).to_owned());
            own.filter(|_| tool != "Edit" || has("Write")).ok_or_else(|| tool.clone())
        };
        match allowed.iter().map(name).collect() {
            Ok(names) => Restriction::Tools(names),
            Err(tool) => Restriction::Unsupported(format!("it has no equivalent of the tool `{tool}` alone")),
        }
    }

    /// The tools in Gemini CLI, which inherits all of them if none is listed.
    fn gemini_tools(&self) -> Restriction {
        let limits = &self.limits;
        let Some(allowed) = self.allowed_tools() else {
            return match gemini_names_except(&limits.denied_tools) {
                Some(names) => Restriction::Tools(names),
                None => Restriction::Unsupported(format!("it has no equivalent of {}", limits.described())),
            };
        };
        let mut names: Vec<String> = Vec::new();
        for tool in &allowed {
            match gemini_name(tool) {
                Some(name) if names.contains(&name) => {}
                Some(name) => names.push(name),
                None => return Restriction::Unsupported(format!("it has no equivalent of the tool `{tool}`")),
            }
        }
        if names.is_empty() {
            Restriction::Unsupported(format!("{} leaves it no tool", limits.described()))
        } else {
            Restriction::Tools(names)
        }
    }
}

/// A key with a list of names.
fn list(key: &str, names: &[String]) -> String {
    let lines = names.iter().map(|name| format!("  - {name}\n"));
    format!("{key}:\n{}", lines.collect::<String>())
}
