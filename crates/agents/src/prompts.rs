//! Reads subagents and commands: one Markdown file each in the canon and in the folder of each tool.

use super::desired::DesiredToolFiles;
use super::request::ToolFileRequest;
use canonry_model::canon::page_targets::PageTargets;
use canonry_model::config::{ToolFilesConfig, tool_row};
use canonry_text::{HeaderError, MarkdownFile, RepoPath};

/// A subagent or a command of the canon.
pub(super) struct Prompt<'t> {
    pub canon: &'t RepoPath,
    /// The path below the canonical folder, without `.md`.
    pub file_stem: String,
    /// `None` without frontmatter.
    pub file: Option<MarkdownFile<'t>>,
    pub body: &'t str,
    /// The tools that get it.
    pub targets: PageTargets,
    /// The line of the body's start, from 1.
    pub body_line: usize,
}

impl Prompt<'_> {
    /// A text of the frontmatter.
    pub fn field(&self, key: &str) -> Option<String> {
        self.file.as_ref()?.field(key)
    }

    /// The text without these keys; `None` if it has none of them on lines of their own.
    pub fn without(&self, keys: &[&str]) -> Option<String> {
        self.file.as_ref()?.without(keys)
    }
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
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                freeze(&file_stem, tool_folders, desired);
                desired.add_problem(path, error.to_string());
                continue;
            }
        };
        let file = match MarkdownFile::parse(text) {
            Ok(file) => Some(file),
            Err(HeaderError::Missing) => None,
            Err(error) => {
                freeze(&file_stem, tool_folders, desired);
                desired.add_syntax_error(path, error.to_string());
                continue;
            }
        };
        let body = file.as_ref().map_or(text, MarkdownFile::body);
        let body_line = text[..text.len() - body.len()].matches('\n').count() + 1;
        let targets = file.as_ref().map(|file| PageTargets::from_frontmatter(file.root())).unwrap_or_default();
        if let Some(name) = unknown_target(&targets, request.files) {
            freeze(&file_stem, tool_folders, desired);
            desired.add_problem(path, format!("`targets` names an unknown tool: `{name}`"));
            continue;
        }
        prompts.push(Prompt { canon: path, file_stem, file, body, targets, body_line });
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
