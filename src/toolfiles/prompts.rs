//! Reads subagents and commands: one Markdown file each in the canon and in the folder of each tool.

use super::desired::DesiredToolFiles;
use super::request::ToolFileRequest;
use crate::canon::page_targets::PageTargets;
use crate::config::{ToolFilesConfig, tool_row};
use crate::syntax::node::Node;
use crate::syntax::{RepoPath, frontmatter, yaml};

/// A subagent or a command of the canon.
pub(super) struct Prompt<'t> {
    pub canon: &'t RepoPath,
    /// The path below the canonical folder, without `.md`.
    pub file_stem: String,
    pub header: MarkdownHeader<'t>,
    /// The tools that get it.
    pub targets: PageTargets,
    /// The line of the body's start, from 1.
    pub body_line: usize,
}

/// Reads the prompts in a canonical folder. Prompts that cannot be read are reported, and their files are frozen.
pub(super) fn read<'w>(
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
        let parse = |text| MarkdownHeader::parse(text).map(|header| (text, header)).map_err(|error| error.to_string());
        match text.map_err(ToString::to_string).and_then(parse) {
            Ok((text, header)) => {
                let body_line = text[..text.len() - header.body.len()].matches('\n').count() + 1;
                let targets = header.root.as_ref().map(PageTargets::from_frontmatter).unwrap_or_default();
                if let Some(name) = unknown_target(&targets, request.files) {
                    freeze(&file_stem, tool_folders, desired);
                    desired.add_problem(path, format!("`targets` names an unknown tool: `{name}`"));
                    continue;
                }
                prompts.push(Prompt { canon: path, file_stem, header, targets, body_line });
            }
            Err(message) => {
                freeze(&file_stem, tool_folders, desired);
                desired.add_problem(path, message);
            }
        }
    }
    prompts
}

/// A name in `targets` that no tool has. Leaving the page out of every tool would be a surprise after a misspelling.
pub(super) fn unknown_target<'t>(targets: &'t PageTargets, files: &ToolFilesConfig) -> Option<&'t str> {
    let is_known = |name: &str| tool_row(name).is_some() || files.custom.iter().any(|own| own.name == name);
    targets.names().iter().map(String::as_str).find(|name| !is_known(name))
}

pub(super) fn freeze(file_stem: &str, tool_folders: &[&str], desired: &mut DesiredToolFiles) {
    let files = tool_folders
        .iter()
        .flat_map(|folder| [".md", ".agent.md", ".prompt.md", ".toml"].map(|end| format!("{folder}/{file_stem}{end}")));
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
    pub root: Option<Node>,
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
