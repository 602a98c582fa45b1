//! The permissions in the settings of each tool. Those of the first tool are imported whole; the others can only add
//! restrictions, because a canon's permission applies to every tool.

use super::formats::parser;
use super::permissions::Permissions;
use super::plan::ImportPlan;
use canonry_agents::permissions::{parse, parse_codex_rules};
use canonry_model::config::Target;
use canonry_text::RepoPath;

/// The tools with permissions, in order of precedence.
const TOOLS: [Target; 6] =
    [Target::CLAUDE, Target::CURSOR, Target::ANTIGRAVITY, Target::GEMINI, Target::CODEX, Target::OPENCODE];

const CODEX_RULES: &str = ".codex/rules";

/// Imports the permissions.
pub(super) fn import(plan: &mut ImportPlan<'_>) {
    let mut found: Vec<(Permissions, Target, RepoPath)> = Vec::new();
    for tool in TOOLS {
        let Some(row) = tool.row().and_then(|row| row.permissions.as_ref()) else { continue };
        let path = RepoPath::from(row.path);
        if !plan.source.has(row.path) {
            continue;
        }
        // Settings of these that cannot be read are reported with their servers.
        let is_reported = matches!(tool, Target::GEMINI | Target::CODEX | Target::OPENCODE);
        let text = if is_reported { plan.source.text(&path).ok() } else { plan.read(&path) };
        let Some(text) = text else { continue };
        match parser(row.path)(&text) {
            Ok(settings) => {
                let permissions = Permissions::of_tool(parse(row.grammar, &settings.to_json()));
                found.extend((!permissions.is_empty()).then_some((permissions, tool, path)));
            }
            Err(_) if is_reported => {}
            Err(error) => plan.skip_unreadable(&path, error.to_string()),
        }
    }
    let rules: Vec<RepoPath> = plan.source.below(CODEX_RULES).map(|(path, _)| path).collect();
    for path in rules.into_iter().filter(|path| path.as_bstr().ends_with(b".rules")) {
        let Some(text) = plan.read(&path) else { continue };
        let permissions = Permissions::of_tool(parse_codex_rules(&text));
        found.extend((!permissions.is_empty()).then_some((permissions, Target::CODEX, path)));
    }
    let tools: Vec<Target> = found.iter().map(|(_, tool, _)| *tool).collect();
    let mut found = found.into_iter();
    let Some((mut all, _, from)) = found.next() else { return };
    for (other, tool, path) in found {
        all.merge(other, tool.title(), plan, &path);
    }
    all.finish(plan, &from);
    for tool in tools {
        // The order of its rules decides, so that sync only writes them as a whole.
        if tool == Target::OPENCODE {
            plan.next_steps.push(
                "opencode.json keeps its `permission`. To let canonry write it from agent/protocols/permissions.md, remove it there \
                 and set `files: {opencode: {permissions: true}}`"
                    .to_owned(),
            );
        } else {
            plan.tools.single.insert((tool.name(), "permissions"));
        }
    }
}
