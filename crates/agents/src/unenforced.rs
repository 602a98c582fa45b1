//! The restrictions of a canon that the tools in use get, but do not enforce.

use super::mcp;
use super::prompts::MarkdownHeader;
use super::request::ToolFileSources;
use canonry_model::canon::Layout;
use canonry_model::canon::page_targets::PageTargets;
use canonry_model::canon::subagent::SubagentLimits;
use canonry_model::config::unenforced::{RestrictionKind, UNENFORCED, UnenforcedRestriction};
use canonry_model::config::{Config, SHARED_MIRROR, Target, ToolRow};

/// A restriction that a tool does not enforce, and the parts of the canon that have it.
#[derive(Debug)]
pub struct Unenforced {
    pub tool: &'static ToolRow,
    /// The version in which it was seen.
    pub version: &'static str,
    pub restriction: &'static UnenforcedRestriction,
    /// The names of the subagents, servers or skills.
    pub names: Vec<String>,
}

/// Lists the restrictions that the tools in use do not enforce. `sources` has what the files of the config are made from.
pub fn unenforced(
    layout: &Layout,
    config: &Config,
    sources: &ToolFileSources,
    in_use: &[&'static ToolRow],
) -> Vec<Unenforced> {
    let mut found = Vec::new();
    for restriction in UNENFORCED {
        for (id, version) in restriction.tools {
            let Some(tool) = in_use.iter().find(|tool| tool.id == *id) else { continue };
            let names = match restriction.kind {
                RestrictionKind::PlanMode | RestrictionKind::ReadOnly => {
                    subagents(layout, config, sources, tool.id, restriction.kind)
                }
                RestrictionKind::ServerFilter if config.files.tool("claude").mcp => {
                    let text = sources.get(&layout.mcp()).and_then(Result::ok);
                    text.map(|text| mcp::filtered_servers(text, "claude")).unwrap_or_default()
                }
                RestrictionKind::ServerFilter => Vec::new(),
                RestrictionKind::SkillTargets => skills(config, tool),
            };
            if !names.is_empty() {
                found.push(Unenforced { tool, version, restriction, names });
            }
        }
    }
    found
}

/// The subagents with a restriction that a tool gets.
fn subagents(
    layout: &Layout,
    config: &Config,
    sources: &ToolFileSources,
    tool: &str,
    kind: RestrictionKind,
) -> Vec<String> {
    if !config.files.subagent_tools().iter().any(|row| row.id == tool) {
        return Vec::new();
    }
    let name = |text: &str| {
        let header = MarkdownHeader::parse(text).ok()?;
        let root = header.root.as_ref()?;
        let limits = SubagentLimits::from_frontmatter(root);
        let is_restricted = match kind {
            // A list of tools holds in any mode.
            RestrictionKind::PlanMode => limits.is_read_only && limits.tools.is_none(),
            _ => limits.only_reads(),
        };
        let is_written = PageTargets::from_frontmatter(root).includes(tool);
        header.field(&["name"]).filter(|_| is_restricted && is_written)
    };
    let texts = sources.below(&layout.subagents()).into_iter().filter_map(|(_, text)| text.ok());
    texts.filter_map(name).collect()
}

/// The skills that a tool reads in the mirror of another tool, although it is not among their targets.
fn skills(config: &Config, tool: &'static ToolRow) -> Vec<String> {
    let own = Target::of_tool(tool.id);
    let is_read = |target: &Target| {
        target.mirror() == SHARED_MIRROR || tool.skill_folders().any(|folder| folder == target.mirror())
    };
    let reaches = |targets: &Vec<Target>| {
        !targets.iter().any(|target| Some(*target) == own)
            && targets.iter().any(|target| config.targets.contains(target) && is_read(target))
    };
    let skills = config.skills.iter().filter(|(_, skill)| skill.targets.as_ref().is_some_and(reaches));
    skills.map(|(name, _)| name.clone()).collect()
}
