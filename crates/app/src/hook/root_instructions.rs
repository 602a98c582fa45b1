//! Whether a tool loads the canon's root instructions by itself, so that the context of a session need not repeat them.

use crate::claude_context::{CLAUDE_FILES, hides_agents_md};
use crate::memory_files::read_document;
use canonry_agents::json::JsonSettings;
use canonry_model::canon::Layout;
use canonry_model::config::{ContextRow, ContextSetting, ToolRow};
use canonry_model::tools::tool_formats::ContextForm;
use canonry_repo::view::View;
use canonry_text::RepoPath;
use canonry_text::imports::mentions;
use serde_json::Value;
use std::path::Path;

/// Maximum depth of imports from a context file; Claude Code follows four, Gemini CLI five.
const HOPS: usize = 4;

/// Whether the context files that the tool loads at the start of a session contain or import the canon's `AGENTS.md`.
/// `top` is the folder of the view.
pub(crate) fn loads_root_instructions(
    view: &View,
    layout: &Layout,
    tool: &ToolRow,
    top: &Path,
    home: Option<&Path>,
) -> bool {
    let map = layout.map();
    let text = text(view, &map);
    let search = InstructionSearch { view, map: &map, text: text.trim() };
    let files = match tool.id {
        "claude" if hides_agents_md(top, home).is_some() => CLAUDE_FILES.map(RepoPath::from).to_vec(),
        "claude" => vec![RepoPath::from("AGENTS.md")],
        _ => context_files(view, tool),
    };
    !search.text.is_empty() && files.iter().any(|file| search.reaches(file, HOPS))
}

/// The context files at the top of the repository that the tool reads.
fn context_files(view: &View, tool: &ToolRow) -> Vec<RepoPath> {
    let first_of = |names: [&str; 2]| names.map(RepoPath::from).into_iter().find(|name| !text(view, name).is_empty());
    let file = |row: &ContextRow| match row.mode {
        ContextForm::Rules(folder) => RepoPath::new(format!("{}/canonry{}", row.file, folder.extension)),
        ContextForm::Text | ContextForm::Import(_) => RepoPath::from(row.file),
    };
    match tool.id {
        "codex" => first_of(["AGENTS.override.md", "AGENTS.md"]).into_iter().collect(),
        _ => tool
            .context_setting
            .and_then(|setting| named_files(view, setting))
            .unwrap_or_else(|| tool.context.iter().map(file).collect()),
    }
}

/// The names in the settings, if they have any.
fn named_files(view: &View, setting: ContextSetting) -> Option<Vec<RepoPath>> {
    let settings = JsonSettings::parse(&text(view, &RepoPath::from(setting.file))).ok()?;
    match settings.get(&setting.keys.map(str::to_owned)).ok()?? {
        Value::String(name) => Some(vec![RepoPath::from(name.as_str())]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).map(RepoPath::from).collect()),
        _ => None,
    }
}

/// The text of a file; empty if there is none. Whether it can be read matters to the tool, not here.
fn text(view: &View, path: &RepoPath) -> String {
    read_document(view, path).unwrap_or_default()
}

struct InstructionSearch<'a> {
    view: &'a View,
    /// The canon's `AGENTS.md`, and its text.
    map: &'a RepoPath,
    text: &'a str,
}

impl InstructionSearch<'_> {
    fn reaches(&self, file: &RepoPath, hops: usize) -> bool {
        let text = text(self.view, file);
        if file == self.map || text.contains(self.text) {
            return true;
        }
        let imported = |path: &str| file.resolve_beside(path.as_bytes());
        hops > 0
            && mentions(&text, 0)
                .iter()
                .filter_map(|mention| imported(&mention.path))
                .any(|path| self.reaches(&path, hops - 1))
    }
}
