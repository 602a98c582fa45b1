//! Context files: the canonical AGENTS.md and the policies, in the form each tool reads.

use super::block::{self, BlockMarkers};
use super::desired::{DesiredPart, DesiredToolFiles, ImportLine, PartContent};
use super::request::{ToolFileRequest, required_sources};
use crate::config::{AgentsMdMode, ContextMode};
use crate::syntax::RepoPath;
use crate::syntax::sections::sections;

/// The number of characters that Antigravity reads of a rule.
const ANTIGRAVITY_LIMIT: usize = 12_000;

/// Adds the configured context files.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let files = request.files;
    let canon = request.layout.map();
    let map = match request.sources.get(&canon) {
        None => return,
        Some(Ok(text)) => with_final_newline(text),
        Some(Err(error)) => return freeze(request, &canon, &error.to_string(), desired),
    };
    let root = RepoPath::from("AGENTS.md");
    match files.agents.context {
        AgentsMdMode::Off => {}
        AgentsMdMode::Map => add_block(desired, "AGENTS.md", map.clone(), None, &canon),
        AgentsMdMode::Full => {
            let text = with_policies(request, &map, desired);
            add_block(desired, "AGENTS.md", text, None, &canon);
        }
    }
    // Without a managed AGENTS.md at the root, tools import the canonical file.
    let target = if files.agents.context == AgentsMdMode::Off { canon.clone() } else { root };
    for (context, file, line) in [
        (files.claude.context, "CLAUDE.md", format!("@{target}")),
        (files.gemini.context, "GEMINI.md", format!("@./{target}")),
    ] {
        match context {
            ContextMode::Import => {
                let import = ImportLine { line: line.clone(), target: target.clone() };
                add_block(desired, file, format!("{line}\n"), Some(import), &canon);
            }
            ContextMode::Copy => add_block(desired, file, map.clone(), None, &canon),
            ContextMode::Off | ContextMode::Setting => {}
        }
    }
    if files.gemini.context == ContextMode::Setting {
        for name in ["AGENTS.md", "GEMINI.md"] {
            let canon = request.layout.config();
            desired.add_item(".gemini/settings.json", &["context", "fileName"], name.into(), &canon);
        }
    }
    add_rules(request, &map, desired);
}

fn freeze(request: &ToolFileRequest<'_>, canon: &RepoPath, message: &str, desired: &mut DesiredToolFiles) {
    let paths = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".gemini/settings.json", ".cursor/rules", ".agents/rules"];
    if required_sources(request.layout, request.files).contains(canon) {
        desired.frozen.extend(paths.map(RepoPath::from));
        desired.add_problem(canon, message);
    }
}

fn add_block(
    desired: &mut DesiredToolFiles,
    file: &str,
    inner: String,
    replaced_by: Option<ImportLine>,
    canon: &RepoPath,
) {
    if block::find(&inner, BlockMarkers::Markdown) != Ok(None) {
        desired.frozen.insert(RepoPath::from(file));
        return desired.add_problem(canon, "it contains the markers of a canonry block, so it cannot be put into one");
    }
    let content = PartContent::Block { inner, replaced_by };
    desired.parts.push(DesiredPart { file: RepoPath::from(file), canon: canon.clone(), content });
}

fn with_final_newline(text: &str) -> String {
    if text.ends_with('\n') || text.is_empty() { text.to_owned() } else { format!("{text}\n") }
}

/// Returns the readable policies, and reports the others.
fn policies<'w>(request: &'w ToolFileRequest<'_>, desired: &mut DesiredToolFiles) -> Vec<(&'w RepoPath, String)> {
    let mut found = Vec::new();
    for (path, text) in request.sources.below(&request.layout.policies()) {
        match text {
            Ok(text) => found.push((path, with_final_newline(text))),
            Err(error) => {
                desired.frozen.extend(["AGENTS.md", ".cursor/rules", ".agents/rules"].map(RepoPath::from));
                desired.add_problem(path, error.to_string());
            }
        }
    }
    found
}

fn with_policies(request: &ToolFileRequest<'_>, map: &str, desired: &mut DesiredToolFiles) -> String {
    policies(request, desired).iter().fold(map.to_owned(), |text, (_, policy)| format!("{text}\n{policy}"))
}

/// A rule file for Cursor and Antigravity.
struct Rule {
    name: String,
    canon: RepoPath,
    text: String,
    always_applies: bool,
}

/// Adds a rule for AGENTS.md, which always applies, and one for each policy, which the tool applies as needed.
fn add_rules(request: &ToolFileRequest<'_>, map: &str, desired: &mut DesiredToolFiles) {
    let (cursor, antigravity) = (request.files.cursor.context, request.files.antigravity.context);
    if !cursor && !antigravity {
        return;
    }
    let canon = request.layout.map();
    let mut rules =
        vec![Rule { name: "canonry".to_owned(), canon: canon.clone(), text: map.to_owned(), always_applies: true }];
    for (path, text) in policies(request, desired) {
        let name = format!("canonry-{}", slug(path, &request.layout.policies()));
        rules.push(Rule { name, canon: path.clone(), text, always_applies: false });
    }
    for rule in rules {
        let Rule { name, canon, text, always_applies } = &rule;
        let title = title(text, canon);
        if cursor {
            let head = format!("---\ndescription: {title}\nalwaysApply: {always_applies}\n---\n\n");
            desired.add_generated(&format!(".cursor/rules/{name}.mdc"), Some(head + text), canon);
        }
        if antigravity {
            let head = match always_applies {
                true => "---\ntrigger: always_on\n---\n\n".to_owned(),
                false => format!("---\ntrigger: model_decision\ndescription: {title}\n---\n\n"),
            };
            add_antigravity_rule(name, head + text, canon, desired);
        }
    }
}

fn add_antigravity_rule(name: &str, text: String, canon: &RepoPath, desired: &mut DesiredToolFiles) {
    let file = format!(".agents/rules/{name}.md");
    let length = text.chars().count();
    if length > ANTIGRAVITY_LIMIT {
        desired.frozen.insert(RepoPath::from(file.as_str()));
        let message = format!(
            "{file} is not written: it would have {length} characters, and Antigravity reads only {ANTIGRAVITY_LIMIT}"
        );
        return desired.add_problem(canon, message);
    }
    desired.add_generated(&file, Some(text), canon);
}

/// Turns the path below the policies folder into a lower-case name.
fn slug(path: &RepoPath, folder: &RepoPath) -> String {
    let below = path.below(folder).unwrap_or_default().to_string();
    let stem = below.strip_suffix(".md").unwrap_or(&below).to_lowercase();
    stem.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).collect()
}

/// Returns the first heading, or the file name, as YAML that needs no quotes.
fn title(text: &str, path: &RepoPath) -> String {
    let heading = sections(text, 0).into_iter().map(|section| section.title).find(|title| !title.is_empty());
    let title = heading.unwrap_or_else(|| path.file_name_lossy());
    let plain: String =
        title.chars().map(|c| if c.is_alphanumeric() || " -_.,()/".contains(c) { c } else { ' ' }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let plain = words.join(" ").trim_start_matches(['-', '.', ',', ' ']).to_owned();
    if plain.is_empty() { slug(path, &path.parent().unwrap_or_default()) } else { plain }
}
