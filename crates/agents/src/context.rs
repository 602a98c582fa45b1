//! Context files: the canonical AGENTS.md and the policies, in the form each tool reads.

use super::block::{self, BlockMarkers};
use super::desired::{DesiredPart, DesiredToolFiles, ImportLine, PartContent};
use super::policies::{policies, text_for_context, with_final_newline};
use super::request::{ToolFileRequest, required_sources};
use super::scoped_rules::text_for_root;

use canonry_model::config::{AgentsMdMode, ContextMode, ContextReading, ToolRow};
use canonry_model::tools::tool_formats::ContextForm;
use canonry_text::RepoPath;

/// Adds the configured context files.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let files = request.files;
    let canon = request.layout.map();
    let map = match request.sources.get(&canon) {
        None => return add_skills_only(request, desired),
        Some(Ok(text)) => with_final_newline(text),
        Some(Err(error)) => return freeze(request, &canon, &error.to_string(), desired),
    };
    let root = RepoPath::from("AGENTS.md");
    match files.agents.context {
        AgentsMdMode::Off => add_skills_only(request, desired),
        AgentsMdMode::Map => {
            let text = map.clone() + &text_for_root(request);
            add_block(desired, "AGENTS.md", with_skills(request, text), None, &canon);
        }
        AgentsMdMode::Full => {
            let text = with_policies(request, &map, desired) + &text_for_root(request);
            add_block(desired, "AGENTS.md", with_skills(request, text), None, &canon);
        }
    }
    // Without a managed AGENTS.md at the root, tools import the canonical file.
    let target = if files.agents.context == AgentsMdMode::Off { canon.clone() } else { root };
    for tool in files.context_tools() {
        match (tool.mode, tool.form) {
            (ContextMode::Off, _) | (_, ContextForm::Rules(_)) => {}
            (ContextMode::Setting, _) => {
                let Some(setting) = tool.row.and_then(|row| row.context_setting) else { continue };
                for name in ["AGENTS.md", tool.file] {
                    desired.add_item(setting.file, &setting.keys, name.into(), &request.layout.config());
                }
            }
            (ContextMode::Copy, _) | (_, ContextForm::Text) => {
                add_block(desired, tool.file, map.clone(), None, &canon);
            }
            (ContextMode::Import | ContextMode::On, ContextForm::Import(prefix)) => {
                let line = format!("{prefix}{target}");
                // Copilot CLI expands the import in a CLAUDE.md and reads AGENTS.md too, so that it would have the text twice.
                let reading = tool.row.and_then(ToolRow::reads_agents_md);
                let is_implied =
                    reading == Some(ContextReading::WithoutOwn) && files.agents.context != AgentsMdMode::Off;
                let import = ImportLine { line: line.clone(), target: target.clone(), is_implied };
                add_block(desired, tool.file, format!("{line}\n"), Some(import), &canon);
            }
        }
    }
}

/// A block with nothing but the rules and the list of skills.
fn add_skills_only(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let rules = text_for_root(request);
    let text = match request.available_skills {
        Some(skills) if rules.is_empty() => skills.to_owned(),
        _ => with_skills(request, rules.trim_start_matches('\n').to_owned()),
    };
    if !text.is_empty() {
        let canon = if rules.is_empty() { request.layout.skills() } else { request.layout.rules() };
        add_block(desired, "AGENTS.md", text, None, &canon);
    }
}

fn with_skills(request: &ToolFileRequest<'_>, text: String) -> String {
    match request.available_skills {
        Some(skills) => format!("{text}\n{skills}"),
        None => text,
    }
}

fn freeze(request: &ToolFileRequest<'_>, canon: &RepoPath, message: &str, desired: &mut DesiredToolFiles) {
    if required_sources(request.layout, request.files).contains(canon) {
        let tools = request.files.context_tools();
        let settings = tools.iter().filter_map(|tool| Some(tool.row?.context_setting?.file));
        let files = tools.iter().map(|tool| tool.file).chain(settings).chain(["AGENTS.md"]);
        desired.frozen.extend(files.map(RepoPath::from));
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

fn with_policies(request: &ToolFileRequest<'_>, map: &str, desired: &mut DesiredToolFiles) -> String {
    let texts = policies(request, desired);
    let texts = texts.iter().filter_map(|(_, policy)| text_for_context(policy));
    texts.fold(map.to_owned(), |text, policy| format!("{text}\n{policy}"))
}
