//! The tools that a team uses, and the switches that connect them to the canon.

use crate::Workspace;
use crate::configuration::Origin;
use crate::scaffold::CanonPart;
use crate::scaffold::switches::{context_file, files_config, part_of, switches_of};
use canonry_agents::{ToolFileRequest, desired_tool_files};
use canonry_model::config::switches::{Switch, SwitchRequirement};
use canonry_model::config::{TOOLS, Target, ToolRow};
use canonry_repo::view::PathKind;
use canonry_repo::view::tool_files::load_sources;
use canonry_text::RepoPath;
use std::path::Path;

/// A tool in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedTool {
    /// The tool.
    pub tool: Target,
    /// Its files that were found: in the repository, otherwise in the user's home.
    pub evidence: Vec<String>,
}

/// The tools with files in the repository, otherwise those with files in the user's home.
pub(super) fn detect(workspace: &Workspace) -> Vec<DetectedTool> {
    let view = &workspace.view;
    let here = find(|row| row.traces, &|path| view.kind(&RepoPath::from(path)) != PathKind::Nothing);
    match (&workspace.env.home, here.is_empty()) {
        (Some(home), true) => {
            let found = find(|row| row.installed, &|path| home.join(Path::new(path)).exists());
            let in_home = |path: String| format!("~/{path}");
            let tools = found.into_iter();
            tools.map(|t| DetectedTool { evidence: t.evidence.into_iter().map(in_home).collect(), ..t }).collect()
        }
        _ => here,
    }
}

fn find(paths: fn(&ToolRow) -> &'static [&'static str], exists: &dyn Fn(&str) -> bool) -> Vec<DetectedTool> {
    let tools = TOOLS.iter().filter(|row| row.is_written()).filter_map(|row| {
        let evidence = paths(row).iter().filter(|path| exists(path)).map(|path| (*path).to_owned()).collect();
        Some(DetectedTool { tool: Target::of_tool(row.id)?, evidence })
    });
    tools.filter(|tool| !tool.evidence.is_empty()).collect()
}

/// The switches of the tools for the chosen parts.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolSwitches {
    /// Those that the config turns on.
    pub on: Vec<Switch>,
    /// Those that stay off although a part was chosen that they belong to, and why.
    pub off: Vec<(Switch, String)>,
}

/// Why a context file stays as it is.
const LINKED: &str = "the file is a link, and sync writes only into regular files";
/// Why a tool does not get files that nobody asked for.
const INCOMPLETE: &str = "the tool cannot express all of it; `canonry check` says what, once it is on";

/// Whether a tool would get a file of the canon without a part of it, such as the environment of a server.
fn loses_a_part(workspace: &Workspace, switch: &Switch) -> bool {
    if !matches!(switch.requires, SwitchRequirement::Canon(_)) {
        return false;
    }
    let Some(tool) = Target::of_tool(switch.tool) else { return false };
    let files = files_config(std::slice::from_ref(switch));
    // What cannot be read is reported by the first sync.
    let Ok(sources) = load_sources(&workspace.view, &workspace.layout, &files) else { return false };
    let request = ToolFileRequest {
        layout: &workspace.layout,
        files: &files,
        targets: &[tool],
        mirrors: &[tool],
        sources: &sources,
        available_skills: None,
        hook_failure: workspace.config.hooks.fail,
    };
    desired_tool_files(&request).problems.iter().any(|problem| problem.omitted.is_some())
}

impl ToolSwitches {
    /// Decides the switches of a run. A config that turns one on already keeps it.
    pub fn choose(workspace: &Workspace, tools: &[Target], parts: &[CanonPart]) -> Self {
        let is_new_config = workspace.origin == Origin::Elsewhere;
        let mut switches = Self::default();
        for switch in switches_of(tools).into_iter().filter(|switch| parts.contains(&part_of(switch))) {
            let is_link = |file| workspace.view.link_text(&RepoPath::from(file)).is_some();
            let is_missing = |name| workspace.view.kind(&workspace.layout.root().join(name)) == PathKind::Nothing;
            match switch.requires {
                SwitchRequirement::Unsupported(why) => switches.off.push((switch, why.to_owned())),
                // An existing config decides what its tools get of the canon's files.
                SwitchRequirement::Canon(name) if !is_new_config || is_missing(name) => {}
                _ if !is_new_config && switch.is_on(&workspace.config.files) => {}
                _ if loses_a_part(workspace, &switch) => switches.off.push((switch, INCOMPLETE.to_owned())),
                _ if context_file(&switch).is_some_and(is_link) => switches.off.push((switch, LINKED.to_owned())),
                _ => switches.on.push(switch),
            }
        }
        switches
    }
}
