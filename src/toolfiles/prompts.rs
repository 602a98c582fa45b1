//! Subagents and commands: one Markdown file each in the canon and in the folder of each tool.

use super::desired::DesiredToolFiles;
use super::request::ToolFileRequest;
use crate::syntax::node::Node;
use crate::syntax::{RepoPath, frontmatter, yaml};
use serde_json::json;
use toml_edit::{DocumentMut, value};

/// A subagent or a command of the canon.
struct Prompt<'t> {
    canon: &'t RepoPath,
    /// The path below the canonical folder, without `.md`.
    file_stem: String,
    /// `name` in the frontmatter.
    name: Option<String>,
    /// `description` in the frontmatter.
    description: Option<String>,
    body: &'t str,
}

/// Adds the configured subagents.
pub(super) fn add_subagents(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let files = request.files;
    let switches = [
        (files.claude.subagents, ".claude/agents"),
        (files.gemini.subagents, ".gemini/agents"),
        (files.cursor.subagents, ".cursor/agents"),
        (files.codex.subagents, ".codex/agents"),
        (files.antigravity.subagents, ".agents/agents"),
    ];
    let folders: Vec<&str> = switches.into_iter().filter(|(on, _)| *on).map(|(_, folder)| folder).collect();
    for prompt in read(request, &request.layout.subagents(), &folders, desired) {
        let (canon, stem) = (prompt.canon, &prompt.file_stem);
        let (Some(name), Some(description)) = (&prompt.name, &prompt.description) else {
            freeze(stem, &folders, desired);
            desired.add_problem(canon, "a subagent needs `name` and `description` in its frontmatter");
            continue;
        };
        let head = format!("---\nname: {}\ndescription: {}\n---\n", json!(name), json!(description));
        for folder in &folders {
            match *folder {
                ".claude/agents" => desired.add_generated(&format!("{folder}/{stem}.md"), None, canon),
                ".codex/agents" => {
                    let mut table = DocumentMut::new();
                    table["name"] = value(name.as_str());
                    table["description"] = value(description.as_str());
                    table["developer_instructions"] = value(prompt.body.trim_start_matches('\n'));
                    desired.add_generated(&format!("{folder}/{stem}.toml"), Some(table.to_string()), canon);
                }
                // Tool and model names differ between tools, so only the common keys are written.
                _ => desired.add_generated(&format!("{folder}/{stem}.md"), Some(head.clone() + prompt.body), canon),
            }
        }
    }
}

/// Adds the configured commands.
pub(super) fn add_commands(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let files = request.files;
    let switches = [
        (files.claude.commands, ".claude/commands"),
        (files.gemini.commands, ".gemini/commands"),
        (files.cursor.commands, ".cursor/commands"),
        (files.antigravity.commands, ".agents/workflows"),
    ];
    let folders: Vec<&str> = switches.into_iter().filter(|(on, _)| *on).map(|(_, folder)| folder).collect();
    for prompt in read(request, &request.layout.commands(), &folders, desired) {
        let (canon, body) = (prompt.canon, prompt.body.trim_start_matches('\n'));
        for folder in &folders {
            let file = format!("{folder}/{}.md", prompt.file_stem);
            match *folder {
                ".claude/commands" => desired.add_generated(&file, None, canon),
                ".gemini/commands" => add_gemini_command(&prompt, body, desired),
                // Cursor's commands have no frontmatter: the whole file is the prompt.
                ".cursor/commands" => desired.add_generated(&file, Some(body.to_owned()), canon),
                _ => {
                    let description = prompt.description.clone().unwrap_or_else(|| prompt.file_stem.clone());
                    let head = format!("---\ndescription: {}\n---\n\n", json!(description));
                    desired.add_generated(&file, Some(head + body), canon);
                }
            }
        }
    }
}

fn add_gemini_command(prompt: &Prompt<'_>, body: &str, desired: &mut DesiredToolFiles) {
    let file = format!(".gemini/commands/{}.toml", prompt.file_stem);
    if ('1'..='9').any(|digit| body.contains(&format!("${digit}"))) {
        desired.frozen.insert(RepoPath::from(file.as_str()));
        let message = format!("{file} is not written: Gemini CLI does not support `$1`, only all arguments together");
        return desired.add_problem(prompt.canon, message);
    }
    let mut table = DocumentMut::new();
    if let Some(description) = &prompt.description {
        table["description"] = value(description.as_str());
    }
    table["prompt"] = value(body.replace("$ARGUMENTS", "{{args}}"));
    desired.add_generated(&file, Some(table.to_string()), prompt.canon);
}

/// Reads the prompts in a canonical folder. Prompts that cannot be read are reported, and their files are frozen.
fn read<'w>(
    request: &'w ToolFileRequest<'_>,
    folder: &RepoPath,
    tool_folders: &[&str],
    desired: &mut DesiredToolFiles,
) -> Vec<Prompt<'w>> {
    let mut prompts = Vec::new();
    if tool_folders.is_empty() {
        return prompts;
    }
    for (path, text) in request.sources.below(folder) {
        let below = path.below(folder).unwrap_or_default().to_string();
        let file_stem = below.strip_suffix(".md").unwrap_or(&below).to_owned();
        let parse = |text| MarkdownHeader::parse(text).map_err(|error| error.to_string());
        match text.map_err(ToString::to_string).and_then(parse) {
            Ok(header) => prompts.push(Prompt {
                canon: path,
                file_stem,
                name: header.field(&["name"]),
                description: header.field(&["description"]),
                body: header.body,
            }),
            Err(message) => {
                freeze(&file_stem, tool_folders, desired);
                desired.add_problem(path, message);
            }
        }
    }
    prompts
}

fn freeze(file_stem: &str, tool_folders: &[&str], desired: &mut DesiredToolFiles) {
    let files = tool_folders.iter().flat_map(|folder| [".md", ".toml"].map(|end| format!("{folder}/{file_stem}{end}")));
    desired.frozen.extend(files.map(RepoPath::new));
}

/// Why the frontmatter of a Markdown file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MarkdownHeaderError {
    #[error("its frontmatter is not closed")]
    Unclosed,
    #[error("its frontmatter is not valid YAML: {0}")]
    Yaml(String),
}

/// The frontmatter and the body of a Markdown file.
pub(super) struct MarkdownHeader<'t> {
    root: Option<Node>,
    pub body: &'t str,
}

impl<'t> MarkdownHeader<'t> {
    /// Parses a file; without frontmatter, everything is body.
    pub fn parse(text: &'t str) -> Result<Self, MarkdownHeaderError> {
        let parts = match frontmatter::split(text) {
            Ok(parts) => parts,
            Err(frontmatter::FrontmatterError::Unclosed { .. }) => {
                return Err(MarkdownHeaderError::Unclosed);
            }
            Err(_) => return Ok(Self { root: None, body: text }),
        };
        let document = yaml::parse(&text[parts.yaml.range()], parts.yaml.offset);
        let document = document.map_err(|error| MarkdownHeaderError::Yaml(error.message))?;
        Ok(Self { root: Some(document.root), body: &text[parts.body.range()] })
    }

    /// Returns the non-empty text at nested keys.
    pub fn field(&self, keys: &[&str]) -> Option<String> {
        let mut here = self.root.as_ref()?;
        for key in keys {
            here = here.get(key)?;
        }
        here.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    }
}
