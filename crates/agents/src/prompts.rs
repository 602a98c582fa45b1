//! Reads subagents and commands: one Markdown file each in the canon and in the folder of each tool.

use super::desired::DesiredToolFiles;
use super::request::ToolFileRequest;
use canonry_model::canon::page_targets::PageTargets;
use canonry_model::config::{ToolFilesConfig, tool_row};
use canonry_text::node::Node;
use canonry_text::{RepoPath, frontmatter, yaml};

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
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                freeze(&file_stem, tool_folders, desired);
                desired.add_problem(path, error.to_string());
                continue;
            }
        };
        match MarkdownHeader::parse(text) {
            Ok(header) => {
                let body_line = text[..text.len() - header.body.len()].matches('\n').count() + 1;
                let targets = header.root.as_ref().map(PageTargets::from_frontmatter).unwrap_or_default();
                if let Some(name) = unknown_target(&targets, request.files) {
                    freeze(&file_stem, tool_folders, desired);
                    desired.add_problem(path, format!("`targets` names an unknown tool: `{name}`"));
                    continue;
                }
                prompts.push(Prompt { canon: path, file_stem, header, targets, body_line });
            }
            Err(error) => {
                freeze(&file_stem, tool_folders, desired);
                desired.add_syntax_error(path, error.to_string());
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
    text: &'t str,
    /// Where the YAML ends in the text.
    yaml_end: usize,
}

impl<'t> MarkdownHeader<'t> {
    /// Parses a file; without frontmatter, everything is body.
    pub fn parse(text: &'t str) -> Result<Self, MarkdownHeaderError> {
        let parts = match frontmatter::split(text) {
            Ok(parts) => parts,
            Err(frontmatter::FrontmatterError::Unclosed { .. }) => {
                return Err(MarkdownHeaderError::Unclosed);
            }
            Err(_) => return Ok(Self { root: None, body: text, text, yaml_end: 0 }),
        };
        let document = yaml::parse(&text[parts.yaml.range()], parts.yaml.offset);
        let document = document.map_err(|error| MarkdownHeaderError::Yaml(error.message))?;
        let yaml_end = parts.yaml.range().end;
        Ok(Self { root: Some(document.root), body: &text[parts.body.range()], text, yaml_end })
    }

    /// The text without the lines of these keys; `None` if it has none of them, each on lines of its own.
    pub fn without(&self, keys: &[&str]) -> Option<String> {
        let entries = &self.root.as_ref()?.as_mapping()?.entries;
        let starts_line = |at: usize| self.text[..at].ends_with('\n');
        let mut rest = String::new();
        let mut kept = 0;
        for (index, entry) in entries.iter().enumerate() {
            let start = entry.key_span.offset;
            let end = entries.get(index + 1).map_or(self.yaml_end, |next| next.key_span.offset);
            if keys.contains(&entry.key.as_str()) && starts_line(start) && starts_line(end) {
                rest.push_str(&self.text[kept..start]);
                kept = end;
            }
        }
        (kept > 0).then(|| rest + &self.text[kept..])
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn keys_are_removed_with_their_lines() {
        for (text, want) in [
            ("---\nname: a\nmodels: {cursor: x}\nmodel: y\n---\nB\n", Some("---\nname: a\nmodel: y\n---\nB\n")),
            ("---\nmodels:\n  cursor: x\n  codex: y\ntargets: [claude]\nname: a\n---\n", Some("---\nname: a\n---\n")),
            ("---\nname: a\ntargets: claude\n---\n\ntargets: x\n", Some("---\nname: a\n---\n\ntargets: x\n")),
            ("---\n{name: a, models: {}}\n---\n", None),
            ("---\nname: a\n---\n", None),
            ("B\n", None),
        ] {
            let header = MarkdownHeader::parse(text).unwrap();
            assert_eq!(header.without(&["models", "targets"]).as_deref(), want, "{text}");
        }
    }
}
