//! The input for tool files: the config and the texts of canonical files.

use super::executable::Executable;
use canonry_model::canon::Layout;
use canonry_model::canon::permissions::{PermissionSubject, Verdict, decisions};
use canonry_model::config::{AgentsMdMode, HookFailMode, Target, ToolFilesConfig};
use canonry_model::tools::tool_formats::ContextForm;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Which tool files to make, and from what.
pub struct ToolFileRequest<'a> {
    pub layout: &'a Layout,
    pub files: &'a ToolFilesConfig,
    /// The targets that skills are mirrored for; empty if there are no skills.
    pub targets: &'a [Target],
    /// The configured targets.
    pub mirrors: &'a [Target],
    pub sources: &'a ToolFileSources,
    /// The list of skills for tools without skill support, if it is enabled.
    pub available_skills: Option<&'a str>,
    /// Fate of a call if a hook fails.
    pub hook_failure: HookFailMode,
}

/// Why a canonical file has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanonTextError {
    #[error("it is not UTF-8")]
    NotUtf8,
    #[error("{0}")]
    Unreadable(String),
}

/// The texts of the canonical files that tool files are made from. Files that do not exist have no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFileSources {
    /// By path, with `\n` line endings and without a byte order mark.
    pub texts: BTreeMap<RepoPath, Result<String, CanonTextError>>,
    /// Entries of the texts that no tool gets.
    pub withheld: BTreeSet<Executable>,
}

impl ToolFileSources {
    pub fn add(&mut self, path: RepoPath, bytes: Result<Vec<u8>, CanonTextError>) {
        let text = bytes.and_then(|bytes| {
            let text = String::from_utf8(bytes).map_err(|_| CanonTextError::NotUtf8)?;
            Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
        });
        self.texts.insert(path, text);
    }

    /// Returns a text; `None` if the file does not exist.
    pub fn get(&self, path: &RepoPath) -> Option<Result<&str, &CanonTextError>> {
        self.texts.get(path).map(|text| text.as_deref())
    }

    /// The decisions of a permissions page, without what is withheld.
    pub fn decisions(&self, page: &str) -> Vec<(Verdict, PermissionSubject)> {
        let mut found = decisions(page);
        found.retain(|(decision, subject)| {
            *decision != Verdict::Allow || !self.withholds(&Executable::Allowed(subject.clone()))
        });
        found
    }

    /// Whether no tool gets an entry.
    pub fn withholds(&self, entry: &Executable) -> bool {
        self.withheld.contains(entry)
    }

    /// Whether no tool gets an MCP server.
    pub fn withholds_server(&self, server: &str) -> bool {
        self.withheld.iter().any(|entry| matches!(entry, Executable::Server { name, .. } if name == server))
    }

    /// Lists the Markdown files below a folder.
    pub fn below<'s>(&'s self, folder: &RepoPath) -> Vec<(&'s RepoPath, Result<&'s str, &'s CanonTextError>)> {
        let inside = self.texts.iter().filter(|(path, _)| path.is_within(folder) && path.as_bstr().ends_with(b".md"));
        inside.map(|(path, text)| (path, text.as_deref())).collect()
    }
}

/// Lists the canonical files and folders that the config requires.
pub fn required_sources(layout: &Layout, files: &ToolFilesConfig) -> Vec<RepoPath> {
    let rules = files.context_tools().iter().any(|tool| matches!(tool.form, ContextForm::Rules(_)));
    let sources = [
        (!files.context_tools().is_empty() || files.agents.context != AgentsMdMode::Off, layout.map()),
        (rules || files.agents.context == AgentsMdMode::Full, layout.policies()),
        (!files.mcp_tools().is_empty(), layout.mcp()),
        (!files.permission_tools().is_empty(), layout.permissions()),
        (!files.subagent_tools().is_empty(), layout.subagents()),
        (has_rules(files), layout.rules()),
        (has_ignore(files), layout.ignore()),
        (files.tools_with(|tool| tool.team_hooks).any(|row| row.hooks.is_some()), layout.hooks()),
        (!files.command_tools().is_empty(), layout.commands()),
    ];
    sources.into_iter().filter(|(required, _)| *required).map(|(_, path)| path).collect()
}

/// Whether any tool gets the canon's rules.
pub fn has_rules(files: &ToolFilesConfig) -> bool {
    files.agents.rules || !files.rule_tools().is_empty()
}

/// Whether any tool gets the canon's list of files that agents do not read.
fn has_ignore(files: &ToolFilesConfig) -> bool {
    files.tools_with(|tool| tool.ignore || tool.aiexclude).next().is_some()
}
