//! Commands in the format of each tool, with their placeholders in its syntax.

use super::desired::DesiredToolFiles;
use super::prompts::{Prompt, read};
use super::request::ToolFileRequest;
use crate::syntax::RepoPath;
use crate::syntax::prompt::{PlacedPiece, parse_claude, write_gemini, write_plain};
use serde_json::json;
use toml_edit::{DocumentMut, value};

/// Adds the configured commands.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let files = request.files;
    let switches = [
        (files.claude.commands, ".claude/commands"),
        (files.gemini.commands, ".gemini/commands"),
        (files.cursor.commands, ".cursor/commands"),
        (files.antigravity.commands, ".agents/workflows"),
    ];
    let folders: Vec<&str> = switches.into_iter().filter(|(on, _)| *on).map(|(_, folder)| folder).collect();
    for prompt in read(request, &request.layout.commands(), &folders, desired) {
        let whole = prompt.header.body;
        let body = whole.trim_start_matches('\n');
        let pieces = parse_claude(body, prompt.body_line + whole.len() - body.len());
        for folder in &folders {
            let file = format!("{folder}/{}.md", prompt.file_stem);
            match *folder {
                ".claude/commands" => desired.add_generated(&file, None, prompt.canon),
                ".gemini/commands" => add_gemini(&prompt, &pieces, desired),
                // Cursor's commands have no frontmatter: the whole file is the prompt.
                ".cursor/commands" => desired.add_generated(&file, Some(write_plain(&pieces)), prompt.canon),
                _ => {
                    let description = prompt.header.field(&["description"]);
                    let description = description.unwrap_or_else(|| prompt.file_stem.clone());
                    let head = format!("---\ndescription: {}\n---\n\n", json!(description));
                    desired.add_generated(&file, Some(head + &write_plain(&pieces)), prompt.canon);
                }
            }
        }
    }
}

fn add_gemini(prompt: &Prompt<'_>, pieces: &[PlacedPiece<'_>], desired: &mut DesiredToolFiles) {
    let file = format!(".gemini/commands/{}.toml", prompt.file_stem);
    let text = match write_gemini(pieces) {
        Ok(text) => text,
        Err(error) => {
            desired.frozen.insert(RepoPath::from(file.as_str()));
            let part = format!("gemini/commands/{}", prompt.file_stem);
            return desired.add_omission(prompt.canon, part, format!("{file} is not written: {error}"));
        }
    };
    let mut table = DocumentMut::new();
    if let Some(description) = prompt.header.field(&["description"]) {
        table["description"] = value(description);
    }
    table["prompt"] = value(text);
    desired.add_generated(&file, Some(table.to_string()), prompt.canon);
}
