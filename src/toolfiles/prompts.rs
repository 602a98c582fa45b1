//! Subagents and commands: a file each in the canon, and in each tool's folder.

use super::desired::DesiredToolFiles;
use super::markdown_header::MarkdownHeader;
use super::request::ToolFileRequest;
use crate::syntax::RepoPath;
use serde_json::json;
use toml_edit::{DocumentMut, value};

/// A file of the canon.
struct Prompt<'t> {
    canon: &'t RepoPath,
    /// Its path below the canon's folder, without `.md`.
    name: String,
    /// `name` of its frontmatter.
    own_name: Option<String>,
    description: Option<String>,
    body: &'t str,
}

/// Adds the subagents that are switched on.
pub(super) fn add_subagents(wish: &ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) {
    let files = wish.files;
    let on = [
        (files.claude.subagents, ".claude/agents"),
        (files.gemini.subagents, ".gemini/agents"),
        (files.cursor.subagents, ".cursor/agents"),
        (files.codex.subagents, ".codex/agents"),
        (files.antigravity.subagents, ".agents/agents"),
    ];
    let on: Vec<&str> = on.into_iter().filter(|(on, _)| *on).map(|(_, folder)| folder).collect();
    for prompt in read(wish, &wish.layout.subagents(), &on, wanted) {
        let canon = prompt.canon;
        let (Some(name), Some(description)) = (&prompt.own_name, &prompt.description) else {
            freeze(&prompt.name, &on, wanted);
            wanted.problem(canon, "a subagent's frontmatter has `name` and `description`, which every tool asks for");
            continue;
        };
        let head = format!("---\nname: {}\ndescription: {}\n---\n", json!(name), json!(description));
        for folder in &on {
            match *folder {
                ".claude/agents" => wanted.whole(&format!("{folder}/{}.md", prompt.name), None, canon),
                ".codex/agents" => {
                    let mut table = DocumentMut::new();
                    table["name"] = value(name.as_str());
                    table["description"] = value(description.as_str());
                    table["developer_instructions"] = value(prompt.body.trim_start_matches('\n'));
                    wanted.whole(&format!("{folder}/{}.toml", prompt.name), Some(table.to_string()), canon);
                }
                // Tools and models have other names in each: what they share is written.
                _ => wanted.whole(&format!("{folder}/{}.md", prompt.name), Some(head.clone() + prompt.body), canon),
            }
        }
    }
}

/// Adds the commands that are switched on.
pub(super) fn add_commands(wish: &ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) {
    let files = wish.files;
    let on = [
        (files.claude.commands, ".claude/commands"),
        (files.gemini.commands, ".gemini/commands"),
        (files.cursor.commands, ".cursor/commands"),
        (files.antigravity.commands, ".agents/workflows"),
    ];
    let on: Vec<&str> = on.into_iter().filter(|(on, _)| *on).map(|(_, folder)| folder).collect();
    for prompt in read(wish, &wish.layout.commands(), &on, wanted) {
        let (canon, body) = (prompt.canon, prompt.body.trim_start_matches('\n'));
        for folder in &on {
            let file = format!("{folder}/{}.md", prompt.name);
            match *folder {
                ".claude/commands" => wanted.whole(&file, None, canon),
                ".gemini/commands" => gemini_command(&prompt, body, wanted),
                // It has no frontmatter there: all of the file is the prompt.
                ".cursor/commands" => wanted.whole(&file, Some(body.to_owned()), canon),
                _ => {
                    let description = prompt.description.clone().unwrap_or_else(|| prompt.name.clone());
                    let head = format!("---\ndescription: {}\n---\n\n", json!(description));
                    wanted.whole(&file, Some(head + body), canon);
                }
            }
        }
    }
}

fn gemini_command(prompt: &Prompt<'_>, body: &str, wanted: &mut DesiredToolFiles) {
    let file = format!(".gemini/commands/{}.toml", prompt.name);
    if ('1'..='9').any(|digit| body.contains(&format!("${digit}"))) {
        wanted.frozen.insert(RepoPath::from(file.as_str()));
        let why = format!("{file} is not written: Gemini CLI knows all arguments as one, and no `$1`");
        return wanted.problem(prompt.canon, why);
    }
    let mut table = DocumentMut::new();
    if let Some(description) = &prompt.description {
        table["description"] = value(description.as_str());
    }
    table["prompt"] = value(body.replace("$ARGUMENTS", "{{args}}"));
    wanted.whole(&file, Some(table.to_string()), prompt.canon);
}

/// The prompts in a folder of the canon; of those that cannot be read it is told, and nothing of them is taken out.
fn read<'w>(
    wish: &'w ToolFileRequest<'_>,
    folder: &RepoPath,
    on: &[&str],
    wanted: &mut DesiredToolFiles,
) -> Vec<Prompt<'w>> {
    let mut prompts = Vec::new();
    if on.is_empty() {
        return prompts;
    }
    for (path, text) in wish.sources.below(folder) {
        let below = path.below(folder).unwrap_or_default().to_string();
        let name = below.strip_suffix(".md").unwrap_or(&below).to_owned();
        match text.map_err(str::to_owned).and_then(MarkdownHeader::of) {
            Ok(head) => prompts.push(Prompt {
                canon: path,
                name,
                own_name: head.field(&["name"]),
                description: head.field(&["description"]),
                body: head.body,
            }),
            Err(why) => {
                freeze(&name, on, wanted);
                wanted.problem(path, why);
            }
        }
    }
    prompts
}

fn freeze(name: &str, on: &[&str], wanted: &mut DesiredToolFiles) {
    let files = on.iter().flat_map(|folder| [".md", ".toml"].map(|end| format!("{folder}/{name}{end}")));
    wanted.frozen.extend(files.map(RepoPath::new));
}
