//! Files that name what agents do not read, imported as the canon's `ignore`.

use super::plan::{ImportPlan, PlannedItem};
use canonry_model::config::{TOOLS, ToolRow, ToolStatus};
use canonry_text::RepoPath;
use std::sync::LazyLock;

/// Files that no row has: of Gemini Code Assist, and of several editors.
const OTHER_FILES: [&str; 2] = [".aiexclude", ".aiignore"];

/// The ignore files of tools at the top of the repository, in order of precedence: those of active tools first.
pub(super) static FILES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let is_active = |row: &&ToolRow| row.status == ToolStatus::Active;
    let (active, others): (Vec<_>, Vec<_>) = TOOLS.iter().partition(is_active);
    active.into_iter().chain(others).filter_map(|row| row.ignore).chain(OTHER_FILES).collect()
});

/// Imports the first of the files. Others with the same patterns count as its copies; the user has to merge the rest.
pub(super) fn import(plan: &mut ImportPlan<'_>, files: &[&str]) {
    let to = plan.source.layout.ignore();
    let mut imported: Option<(usize, String)> = None;
    for file in files {
        let path = RepoPath::from(*file);
        if !plan.source.has(file) {
            continue;
        }
        let Some(text) = plan.read(&path) else { continue };
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let patterns = patterns(&text);
        match &imported {
            _ if patterns.is_empty() => {}
            Some((at, known)) if *known == patterns => plan.items[*at].also_from.push(path),
            Some((at, _)) => {
                let reason = format!("it differs from {}, which takes precedence", plan.items[*at].from);
                plan.skip(&path, reason, "move its patterns to agent/ignore; it keeps working until then");
            }
            None => {
                let files = plan.text_file(text, to.clone()).into_iter().collect();
                imported = Some((plan.items.len(), patterns));
                plan.items.push(PlannedItem { files, ..PlannedItem::new(path, to.clone()) });
            }
        }
    }
    let Some((at, _)) = imported else { return };
    let item = &plan.items[at];
    let own: Vec<(&str, &str)> =
        std::iter::once(&item.from).chain(&item.also_from).filter_map(|path| switch(path)).collect();
    plan.tools.single.extend(own);
    plan.next_steps.push(
        "the tools now get their ignore files from agent/ignore, in a block of their own: remove other patterns there. \
         `files: {claude: {ignore: true}}` also denies reading to Claude Code"
            .to_owned(),
    );
}

/// The switch that writes a file. Gemini CLI has two.
fn switch(path: &RepoPath) -> Option<(&'static str, &'static str)> {
    let row = TOOLS.iter().find(|row| row.ignore.is_some_and(|file| path.as_bstr() == file));
    row.map(|row| (row.id, "ignore")).or((path.as_bstr() == ".aiexclude").then_some(("gemini", "aiexclude")))
}

/// The lines that mean something.
fn patterns(text: &str) -> String {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}
