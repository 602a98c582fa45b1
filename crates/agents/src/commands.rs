//! Commands in the format of each tool, with their placeholders in its syntax, parsed and rendered.

use super::desired::DesiredToolFiles;
use super::prompts::{Prompt, read};
use super::request::ToolFileRequest;
use canonry_model::config::CommandRow;
use canonry_model::tools::tool_formats::CommandFormat;
use canonry_text::RepoPath;
use canonry_text::node::Node;
use canonry_text::prompt::{
    PlacedPiece, PromptPiece, parse_claude, parse_gemini, write_claude, write_gemini, write_plain,
};
use serde_json::json;
use std::collections::BTreeSet;
use toml_edit::{DocumentMut, value};

/// Adds the configured commands.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let tools = request.files.command_tools();
    let folders: Vec<&str> = tools.iter().map(|(_, commands)| commands.folder).collect();
    for prompt in read(request, &request.layout.commands(), &folders, desired) {
        let whole = prompt.body;
        let body = whole.trim_start_matches('\n');
        let pieces = parse_claude(body, prompt.body_line + whole.len() - body.len());
        for (row, CommandRow { folder, format }) in tools.iter().filter(|(row, _)| prompt.targets.includes(row.id)) {
            let file = format!("{folder}/{}{}", prompt.file_stem, format.extension());
            let text = match format {
                CommandFormat::Claude => prompt.without(&["targets"]).map(without_empty_header),
                CommandFormat::GeminiToml => {
                    add_gemini(row.id, &file, &prompt, &pieces, desired);
                    continue;
                }
                CommandFormat::DescribedClaude => Some(description(&prompt) + body),
                // The whole file is the prompt.
                CommandFormat::Plain => Some(write_plain(&pieces)),
                CommandFormat::Described => Some(description(&prompt) + &write_plain(&pieces)),
                CommandFormat::CopilotPrompt => {
                    let text = write_plain(&pieces).replace("$ARGUMENTS", "${input:arguments}");
                    Some(description(&prompt) + &text)
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
    let description = prompt.field("description").unwrap_or_else(|| prompt.file_stem.clone());
    format!("---\ndescription: {}\n---\n\n", json!(description))
}

fn add_gemini(tool: &str, file: &str, prompt: &Prompt<'_>, pieces: &[PlacedPiece<'_>], desired: &mut DesiredToolFiles) {
    let text = match write_gemini(pieces) {
        Ok(text) => text,
        Err(error) => {
            desired.frozen.insert(RepoPath::from(file));
            let part = format!("{tool}/commands/{}", prompt.file_stem);
            return desired.add_omission(prompt.canon, part, format!("{file} is not written: {error}"));
        }
    };
    let mut table = DocumentMut::new();
    if let Some(description) = prompt.field("description") {
        table["description"] = value(description);
    }
    table["prompt"] = value(text);
    desired.add_generated(file, Some(table.to_string()), prompt.canon);
}

/// The prompt of a command with the placeholders of Claude Code, which the canon has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CanonPrompt {
    pub text: String,
    /// Placeholders that became `$ARGUMENTS`.
    pub arguments: Vec<String>,
    /// Placeholders that only the tool replaces. They stay.
    pub lost: Vec<String>,
}

/// Parses the prompt of a tool.
///
/// # Errors
/// A placeholder that Claude Code cannot express.
pub fn parse_prompt(format: CommandFormat, text: &str) -> Result<CanonPrompt, String> {
    Ok(match format {
        CommandFormat::GeminiToml => CanonPrompt { text: write_claude(&parse_gemini(text))?, ..CanonPrompt::default() },
        CommandFormat::CopilotPrompt => parse_copilot(text),
        CommandFormat::Claude | CommandFormat::DescribedClaude | CommandFormat::Plain | CommandFormat::Described => {
            CanonPrompt { text: text.to_owned(), ..CanonPrompt::default() }
        }
    })
}

/// A key that limits what a tool does at a command, such as an agent that only plans; no other tool has it.
/// <https://opencode.ai/docs/commands/>, <https://code.visualstudio.com/docs/copilot/customization/prompt-files>
pub fn limiting_key(format: CommandFormat, root: &Node) -> Option<&'static str> {
    let is_other = |key: &str, open: &str| root.get(key).is_some_and(|node| node.as_str() != Some(open));
    match format {
        CommandFormat::DescribedClaude => is_other("agent", "build").then_some("agent"),
        CommandFormat::CopilotPrompt => {
            let keys = [("mode", "agent"), ("agent", "agent"), ("tools", "")];
            keys.into_iter().find(|(key, open)| is_other(key, open)).map(|(key, _)| key)
        }
        CommandFormat::Claude | CommandFormat::GeminiToml | CommandFormat::Plain | CommandFormat::Described => None,
    }
}

/// Whether a prompt has placeholders of Gemini CLI.
pub fn has_gemini_placeholders(text: &str) -> bool {
    parse_gemini(text).iter().any(|piece| !matches!(piece, PromptPiece::Text(_)))
}

/// A prompt of GitHub Copilot. One input is the text after the name of the command; several have no form.
fn parse_copilot(text: &str) -> CanonPrompt {
    let is_name = |name: &&str| name.starts_with(|c: char| c.is_ascii_alphabetic()) && !name.contains(['\n', '$', '{']);
    let variables = text.split("${").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).filter(is_name);
    let variables: BTreeSet<&str> = variables.collect();
    let input = |variable: &str| variable.strip_prefix("input:").map(|rest| rest.split(':').next().map(str::to_owned));
    let inputs: BTreeSet<String> = variables.iter().filter_map(|variable| input(variable)?).collect();
    let is_single = inputs.len() == 1;
    let mut found = CanonPrompt { text: text.to_owned(), ..CanonPrompt::default() };
    for variable in variables {
        let whole = format!("${{{variable}}}");
        if is_single && input(variable).is_some() {
            found.text = found.text.replace(&whole, "$ARGUMENTS");
        } else {
            found.lost.push(whole);
        }
    }
    if is_single {
        found.arguments = inputs.into_iter().map(|name| format!("${{input:{name}}}")).collect();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    proptest! {
        /// Placeholders are read as they were written; a prompt that a tool cannot express is not written.
        #[test]
        fn a_written_prompt_means_the_same(
            pieces in proptest::collection::vec(
                select(vec!["$ARGUMENTS", " !`git log $ARGUMENTS` ", " @docs/a.md ", " It costs \\$5. ", "x\n", " {y} "]),
                1..6,
            ),
        ) {
            let text = pieces.concat();
            let placed = parse_claude(&text, 1);
            let canon: Vec<PromptPiece<'_>> = placed.iter().map(|placed| placed.piece.clone()).collect();
            if let Ok(written) = write_gemini(&placed) {
                let found = parse_prompt(CommandFormat::GeminiToml, &written).unwrap().text;
                prop_assert_eq!(Ok(found), write_claude(&canon), "{}", written);
            }
            let copilot = text.replace("$ARGUMENTS", "${input:arguments}");
            let found = parse_prompt(CommandFormat::CopilotPrompt, &copilot).unwrap();
            prop_assert_eq!((found.text, found.lost), (text, Vec::new()));
        }
    }
}
