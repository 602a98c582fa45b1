//! The restrictions of a canon that the tools in use get, but do not enforce.

use super::desired::ToolFileProblem;
use super::mcp;
use super::request::ToolFileSources;
use canonry_model::canon::Layout;
use canonry_model::canon::page_targets::PageTargets;
use canonry_model::canon::subagent::SubagentLimits;
use canonry_model::config::files::ToolSwitches;
use canonry_model::config::restrictions::{RESTRICTIONS, Restriction, RestrictionKind, RestrictionResult};
use canonry_model::config::{Config, SHARED_MIRROR, TOOLS, Target, ToolRow};
use canonry_text::{MarkdownFile, RepoPath};

/// A restriction that a tool does not enforce, and the parts of the canon that have it.
#[derive(Debug)]
pub struct Unenforced {
    pub tool: &'static ToolRow,
    restriction: &'static Restriction,
    result: &'static RestrictionResult,
    parts: Vec<RestrictedPart>,
}

/// A subagent, server or skill with a restriction.
#[derive(Debug)]
struct RestrictedPart {
    /// The canonical file, or the folder of all skills.
    canon: RepoPath,
    name: String,
}

impl Unenforced {
    /// Its parts, the tool's behaviour, and the remedy.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.parts.iter().map(|part| part.name.as_str()).collect();
        self.text_for(&names.join(", "))
    }

    fn text_for(&self, names: &str) -> String {
        let Restriction { name, effect, remedy, .. } = self.restriction;
        let remedy = remedy.map(|remedy| format!("; {remedy}")).unwrap_or_default();
        format!("{name} does not hold ({names}; seen with {}): {effect}{remedy}", self.result.version)
    }

    /// A report for each part.
    pub fn problems(&self) -> impl Iterator<Item = ToolFileProblem> {
        self.parts.iter().map(|RestrictedPart { canon, name }| ToolFileProblem {
            omitted: Some(format!("{}/{}/{name}", self.tool.id, self.restriction.kind.part())),
            ..ToolFileProblem::new(canon, format!("{}: {}", self.tool.name, self.text_for(name)))
        })
    }
}

/// The tools that the config names.
pub fn configured_tools(config: &Config) -> Vec<&'static ToolRow> {
    let is_configured = |row: &&ToolRow| {
        config.targets.iter().any(|target| target.name() == row.id)
            || config.files.tool(row.id) != ToolSwitches::default()
    };
    TOOLS.iter().filter(is_configured).collect()
}

/// Lists the restrictions that the tools in use do not enforce. `sources` has what the files of the config are made from.
pub fn unenforced(
    layout: &Layout,
    config: &Config,
    sources: &ToolFileSources,
    in_use: &[&'static ToolRow],
) -> Vec<Unenforced> {
    let mut found = Vec::new();
    for restriction in RESTRICTIONS {
        for result in restriction.results.iter().filter(|result| !result.holds) {
            let Some(tool) = in_use.iter().find(|tool| tool.id == result.tool) else { continue };
            let is_own = |other: &RestrictionResult| other.tool == tool.id && other.written_for == tool.id;
            if !is_own(result) && restriction.results.iter().any(is_own) && has_own_file(config, tool, restriction.kind)
            {
                continue;
            }
            let parts = match restriction.kind {
                RestrictionKind::ToolList | RestrictionKind::PlanMode | RestrictionKind::ReadOnly => {
                    subagents(layout, config, sources, result.written_for, restriction.kind)
                }
                RestrictionKind::ServerFilter if config.files.tool(result.written_for).mcp => {
                    let text = sources.get(&layout.mcp()).and_then(Result::ok);
                    let names = text.map(|text| mcp::filtered_servers(text, result.written_for)).unwrap_or_default();
                    names.into_iter().map(|name| RestrictedPart { canon: layout.mcp(), name }).collect()
                }
                RestrictionKind::ServerFilter => Vec::new(),
                RestrictionKind::SkillTargets => {
                    let names = skills(config, tool).into_iter();
                    names.map(|name| RestrictedPart { canon: layout.skills(), name }).collect()
                }
            };
            if !parts.is_empty() {
                found.push(Unenforced { tool, restriction, result, parts });
            }
        }
    }
    found
}

/// Whether a tool gets a file of its own with the restricted part.
fn has_own_file(config: &Config, tool: &ToolRow, kind: RestrictionKind) -> bool {
    let files = config.files.tool(tool.id);
    match kind {
        RestrictionKind::ToolList | RestrictionKind::PlanMode | RestrictionKind::ReadOnly => files.subagents,
        RestrictionKind::ServerFilter => files.mcp,
        RestrictionKind::SkillTargets => true,
    }
}

/// The subagents with a restriction that are written for a tool.
fn subagents(
    layout: &Layout,
    config: &Config,
    sources: &ToolFileSources,
    tool: &str,
    kind: RestrictionKind,
) -> Vec<RestrictedPart> {
    if !config.files.subagent_tools().iter().any(|row| row.id == tool) {
        return Vec::new();
    }
    let part = |canon: &RepoPath, text: &str| {
        let file = MarkdownFile::parse(text).ok()?;
        let root = file.root();
        let limits = SubagentLimits::from_frontmatter(root);
        let is_restricted = match kind {
            // A list of tools holds in any mode.
            RestrictionKind::PlanMode => limits.is_read_only && limits.tools.is_none(),
            _ => limits.only_reads(),
        };
        let is_written = PageTargets::from_frontmatter(root).includes(tool);
        let name = file.field("name").filter(|_| is_restricted && is_written)?;
        Some(RestrictedPart { canon: canon.clone(), name })
    };
    let texts = sources.below(&layout.subagents()).into_iter();
    texts.filter_map(|(canon, text)| part(canon, text.ok()?)).collect()
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
