//! Commands in the format of each tool, with their placeholders in its syntax.

use super::desired::DesiredToolFiles;
use super::prompts::{Prompt, read};
use super::request::ToolFileRequest;
use canonry_model::config::CommandRow;
use canonry_model::config::tool_formats::CommandFormat;
use canonry_text::RepoPath;
use canonry_text::prompt::{PlacedPiece, parse_claude, write_gemini, write_plain};
use serde_json::json;
use toml_edit::{DocumentMut, value};

/// Adds the configured commands.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let tools = request.files.command_tools();
    let folders: Vec<&str> = tools.iter().map(|(_, commands)| commands.folder).collect();
    for prompt in read(request, &request.layout.commands(), &folders, desired) {
        let whole = prompt.header.body;
        let body = whole.trim_start_matches('\n');
        let pieces = parse_claude(body, prompt.body_line + whole.len() - body.len());
        for (_, CommandRow { folder, format }) in tools.iter().filter(|(row, _)| prompt.targets.includes(row.id)) {
            let file = format!("{folder}/{}.md", prompt.file_stem);
            let text = match format {
                CommandFormat::Claude => prompt.header.without(&["targets"]).map(without_empty_header),
                CommandFormat::GeminiToml => {
                    add_gemini(&prompt, &pieces, desired);
                    continue;
                }
                CommandFormat::DescribedClaude => Some(description(&prompt) + body),
                // The whole file is the prompt.
                CommandFormat::Plain => Some(write_plain(&pieces)),
                CommandFormat::Described => Some(description(&prompt) + &write_plain(&pieces)),
                CommandFormat::CopilotPrompt => {
                    let file = format!("{folder}/{}.prompt.md", prompt.file_stem);
                    let text = write_plain(&pieces).replace("$ARGUMENTS", "${input:arguments}");
                    desired.add_generated(&file, Some(description(&prompt) + &text), prompt.canon);
                    continue;
                }
            };
            desired.add_generated(&file, text, prompt.canon);
        }
    }
}

/// A text without a frontmatter that has no keys.
fn without_empty_header(text: String) -> String {
    text.strip_prefix("---\n---\n").map(|body| body.trim_start_matches('\n').to_owned()).unwrap_or(text)
}

/// The frontmatter with the description, or the command's name if it has none.
fn description(prompt: &Prompt<'_>) -> String {
    let description = prompt.header.field(&["description"]).unwrap_or_else(|| prompt.file_stem.clone());
    format!("---\ndescription: {}\n---\n\n", json!(description))
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
