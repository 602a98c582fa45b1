//! The files of the canon that the tools' files are made from.

use crate::canon::Layout;
use crate::config::{AgentsMdMode, ContextMode, Target, ToolFilesConfig};
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// Their texts, or why one gives none, by path. What does not exist is not here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFileSources {
    /// With `\n` as line ends and without a byte order mark.
    pub texts: BTreeMap<RepoPath, Result<String, String>>,
}

/// What is to be made, and from what.
pub struct ToolFileRequest<'a> {
    /// Where the canon is.
    pub layout: &'a Layout,
    /// What is switched on.
    pub files: &'a ToolFilesConfig,
    /// The targets that skills are mirrored for; none where there is no skill.
    pub targets: &'a [Target],
    /// The configured targets.
    pub mirrors: &'a [Target],
    /// What there is.
    pub sources: &'a ToolFileSources,
}

impl ToolFileSources {
    /// Takes in a file's bytes.
    pub fn add(&mut self, path: RepoPath, bytes: Result<Vec<u8>, String>) {
        let text = bytes.and_then(|bytes| {
            let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
            Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
        });
        self.texts.insert(path, text);
    }

    /// One file; `None` where there is none.
    pub fn get(&self, path: &RepoPath) -> Option<Result<&str, &str>> {
        self.texts.get(path).map(|text| text.as_deref().map_err(String::as_str))
    }

    /// The Markdown files below a folder.
    pub fn below<'s>(&'s self, folder: &RepoPath) -> Vec<(&'s RepoPath, Result<&'s str, &'s str>)> {
        let inside = self.texts.iter().filter(|(path, _)| path.is_within(folder) && path.as_bstr().ends_with(b".md"));
        inside.map(|(path, text)| (path, text.as_deref().map_err(String::as_str))).collect()
    }
}

/// Files and folders of the canon that the switches ask for.
pub fn required_sources(layout: &Layout, files: &ToolFilesConfig) -> Vec<RepoPath> {
    let ToolFilesConfig { claude, gemini, codex, cursor, antigravity, agents, git: _ } = files;
    let copies = claude.context == ContextMode::Copy || gemini.context == ContextMode::Copy;
    let rules = cursor.context || antigravity.context;
    let imports = claude.context != ContextMode::Off || gemini.context != ContextMode::Off;
    let needs = [
        (copies || rules || imports || agents.context != AgentsMdMode::Off, layout.map()),
        (rules || agents.context == AgentsMdMode::Full, layout.policies()),
        (claude.mcp || gemini.mcp || codex.mcp || cursor.mcp || antigravity.mcp, layout.mcp()),
        (claude.permissions || gemini.permissions || codex.permissions || cursor.permissions, layout.permissions()),
        (
            claude.subagents || gemini.subagents || codex.subagents || cursor.subagents || antigravity.subagents,
            layout.subagents(),
        ),
        (claude.commands || gemini.commands || cursor.commands || antigravity.commands, layout.commands()),
    ];
    needs.into_iter().filter(|(needed, _)| *needed).map(|(_, path)| path).collect()
}
