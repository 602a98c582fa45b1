//! The tools that a team uses, and the switches that connect them to the canon.

use crate::Workspace;
use crate::configuration::Origin;
use crate::scaffold::ScaffoldSize;
use crate::scaffold::switches::{Switch, SwitchRequirement, files_config, switches_of};
use canonry_agents::{ToolFileRequest, desired_tool_files};
use canonry_model::config::Target;
use canonry_repo::view::PathKind;
use canonry_repo::view::tool_files::load_sources;
use canonry_text::RepoPath;
use std::path::Path;

/// The tools that get more than skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolSelection {
    /// Those in use: see [`detect`]. The targets if none is found.
    #[default]
    Detected,
    /// These. They also become the targets of a new config.
    Only(Vec<Target>),
    /// None: every tool gets skills only.
    None,
}

/// A tool in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedTool {
    /// The tool.
    pub tool: Target,
    /// Its files that were found: in the repository, otherwise in the user's home.
    pub evidence: Vec<String>,
}

/// Files in the home of a user that show that a tool is installed.
const IN_HOME: &[(Target, &[&str])] = &[
    (Target::CLAUDE, &[".claude"]),
    (Target::GEMINI, &[".gemini/settings.json"]),
    (Target::CURSOR, &[".cursor"]),
    (Target::CODEX, &[".codex"]),
    (Target::ANTIGRAVITY, &[".gemini/antigravity"]),
];

/// The tools with files in the repository, otherwise those with files in the user's home.
pub(super) fn detect(workspace: &Workspace) -> Vec<DetectedTool> {
    let view = &workspace.view;
    let traces: Vec<(Target, &[&str])> =
        Target::DEFAULT.into_iter().filter_map(|tool| Some((tool, tool.row()?.traces))).collect();
    let here = find(&traces, &|path| view.kind(&RepoPath::from(path)) != PathKind::Nothing);
    match (&workspace.env.home, here.is_empty()) {
        (Some(home), true) => {
            let found = find(IN_HOME, &|path| home.join(Path::new(path)).exists());
            let in_home = |path: String| format!("~/{path}");
            let tools = found.into_iter();
            tools.map(|t| DetectedTool { evidence: t.evidence.into_iter().map(in_home).collect(), ..t }).collect()
        }
        _ => here,
    }
}

fn find(table: &[(Target, &[&str])], exists: &dyn Fn(&str) -> bool) -> Vec<DetectedTool> {
    let tools = table.iter().map(|(tool, paths)| {
        let evidence = paths.iter().filter(|path| exists(path)).map(|path| (*path).to_owned()).collect();
        DetectedTool { tool: *tool, evidence }
    });
    tools.filter(|tool| !tool.evidence.is_empty()).collect()
}

/// The switches of the chosen tools.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolSwitches {
    /// Those that a new config turns on.
    pub on: Vec<&'static Switch>,
    /// Those that stay off, and why.
    pub off: Vec<(&'static Switch, String)>,
}

/// Why a context file stays as it is.
const LINKED: &str = "the file is a link, and sync writes only into regular files";
/// Why a switch is off in an existing config.
const CONFIG_KEPT: &str = "`init` does not change an existing config";

/// Why a tool does not get files that nobody asked for.
const INCOMPLETE: &str = "the tool cannot express all of it; `canonry check` says what, once it is on";

/// Whether a tool would get a file of the canon without a part of it, such as the environment of a server.
fn loses_a_part(workspace: &Workspace, switch: &Switch) -> bool {
    if !matches!(switch.requires, SwitchRequirement::Canon(_)) {
        return false;
    }
    let files = files_config(&[switch]);
    // What cannot be read is reported by the first sync.
    let Ok(sources) = load_sources(&workspace.view, &workspace.layout, &files) else { return false };
    let request = ToolFileRequest {
        layout: &workspace.layout,
        files: &files,
        targets: &[switch.tool],
        mirrors: &[switch.tool],
        sources: &sources,
        available_skills: None,
        hook_failure: workspace.config.hooks.fail,
    };
    desired_tool_files(&request).problems.iter().any(|problem| problem.omitted.is_some())
}

impl ToolSwitches {
    /// Decides the switches of a run.
    pub fn choose(workspace: &Workspace, selection: &ToolSelection, size: ScaffoldSize) -> Self {
        let tools = match (selection, size) {
            (ToolSelection::None, _) | (ToolSelection::Detected, ScaffoldSize::Minimal) => return Self::default(),
            (ToolSelection::Only(tools), _) => tools.clone(),
            (ToolSelection::Detected, ScaffoldSize::Full) => match detect(workspace) {
                found if found.is_empty() => workspace.config.targets.clone(),
                found => found.into_iter().map(|found| found.tool).collect(),
            },
        };
        let mut switches = Self::default();
        for switch in switches_of(&tools) {
            let is_link = |file| workspace.view.link_text(&RepoPath::from(file)).is_some();
            let missing = match switch.requires {
                SwitchRequirement::Scaffold => None,
                SwitchRequirement::Canon(name) => {
                    let path = workspace.layout.root().join(name);
                    (workspace.view.kind(&path) == PathKind::Nothing).then(|| format!("there is no {path} yet"))
                }
                SwitchRequirement::Unsupported(why) => Some(why.to_owned()),
            };
            let is_new_config = workspace.origin == Origin::Elsewhere;
            let why = if let Some(missing) = missing {
                missing
            } else if loses_a_part(workspace, switch) {
                INCOMPLETE.to_owned()
            } else if switch.context_file().is_some_and(is_link) {
                LINKED.to_owned()
            } else if is_new_config || (switch.is_on)(&workspace.config.files) {
                switches.on.extend(is_new_config.then_some(switch));
                continue;
            } else {
                CONFIG_KEPT.to_owned()
            };
            switches.off.push((switch, why));
        }
        switches
    }
}
