//! `init`: creates a canon, or completes an existing one, and adopts the skills that tools already have.

mod known_skills;
mod plan;
mod targets;
mod tools;

pub use tools::DetectedTool;

use crate::canon_location::open_for_canon;
use crate::diffs::FileDiff;
pub use crate::scaffold::CanonPart;
use crate::scaffold::switches::part_of;
use crate::sync::write::write_adoption;
use crate::{Environment, Error, Workspace, trust};
use canonry_exchange::import::OTHER_SKILLS;
use canonry_mirror::adopt_skills::SkillAdoptError;
use canonry_mirror::repeated::{RepeatedReader, repeated_readers};
use canonry_model::canon::inventory::Inventory;
use canonry_model::config::Target;
use canonry_model::config::switches::Switch;
use canonry_model::edit::{Edit, EditContent};
use canonry_repo::apply::{Session, unfinished};
use canonry_repo::view::IgnoreMode;
use canonry_text::RepoPath;
use plan::InitPlan;
use targets::DetectedTargets;
use tools::ToolSwitches;

/// Options of a new canon.
#[derive(Clone, Debug)]
pub struct InitRequest {
    /// The parts of the canon to create, besides [`CanonPart::Skills`].
    pub parts: Vec<CanonPart>,
    /// The tools of the team; those in use if empty.
    pub tools: Vec<Target>,
    /// Report the changes without making them.
    pub dry_run: bool,
}

/// Files that a run created, or would create in a dry run.
#[derive(Debug)]
pub struct InitOutcome {
    /// The canon's directory.
    pub root: RepoPath,
    /// New files of the canon, except adopted ones.
    pub written: Vec<RepoPath>,
    /// Existing files that the run did not touch.
    pub kept: Vec<RepoPath>,
    /// Files of the canon that were copied from tools' directories.
    pub adopted: Vec<RepoPath>,
    /// The skills that they belong to.
    pub skills: Vec<AdoptedSkill>,
    /// Paths that were not changed, and why.
    pub refused: Vec<InitRefusal>,
    /// Whether skills with the same name and different content are among the refused paths.
    pub has_conflicting_skills: bool,
    /// New files that git ignores.
    pub ignored: Vec<RepoPath>,
    /// Folders of mirrors that git ignores. A new config has each clone make its own; an existing one has them committed.
    pub ignored_mirrors: Vec<RepoPath>,
    /// The number of skills in a folder `skills/` at the top that is not the canon's.
    pub skills_at_top: usize,
    /// Folders with skills that `canonry import` takes.
    pub importable_skills: Vec<&'static str>,
    /// The number of files in the canon's directory that do not belong to a canon: another program may own the directory.
    pub foreign_files: usize,
    /// The switches of tool files that the new config turns on.
    pub switched_on: Vec<Switch>,
    /// The switches of the chosen tools that are off, and why.
    pub switched_off: Vec<(Switch, String)>,
    /// The tools of the team, with the files that show it.
    pub tools: Vec<DetectedTool>,
    /// Whether the run writes the config, or would in a dry run.
    pub is_new_config: bool,
    /// The targets of the mirrors.
    pub targets: Vec<Target>,
    /// The parts that were not chosen.
    pub left_out: Vec<CanonPart>,
    /// Lines that a person adds to the existing config, so that tools get the chosen parts.
    pub to_configure: Option<String>,
    /// Tools that will see each skill several times; empty if an existing config chose the targets.
    pub repeated: Vec<RepeatedReader>,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The new files as diffs; only in a dry run.
    pub diffs: Vec<FileDiff>,
}

/// A skill that was adopted from one or more tools.
#[derive(Clone, Debug)]
pub struct AdoptedSkill {
    /// The name.
    pub name: String,
    /// Its directories, which are mirrors from now on.
    pub directories: Vec<RepoPath>,
    /// The path in a link, if the skill is a link to a folder elsewhere.
    pub link: Option<String>,
}

/// A path that was not changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct InitRefusal {
    /// The path.
    pub path: RepoPath,
    /// Why it was not changed.
    pub reason: String,
}

/// A part of the canon that is not complete, for a person who chooses.
#[derive(Clone, Debug)]
pub struct PartPreview {
    pub part: CanonPart,
    /// New files in the canon.
    pub files: usize,
    /// Copies of new skills in the folders of tools.
    pub copies: usize,
    /// Effects on the files of tools.
    pub effects: Vec<String>,
}

/// A canon as `init` would create it with every part.
#[derive(Clone, Debug)]
pub struct InitPreview {
    /// The canon's directory.
    pub root: RepoPath,
    /// The tools in use, with the files that show it.
    pub tools: Vec<DetectedTool>,
    /// The targets of the mirrors.
    pub targets: Vec<Target>,
    /// The number of skills that are adopted.
    pub adopted: usize,
    /// The parts with new files.
    pub parts: Vec<PartPreview>,
}

/// Shows each part that a run could write. Writes nothing.
///
/// # Errors
/// As in [`run`].
pub fn preview(environment: &Environment, tools: &[Target]) -> Result<InitPreview, Error> {
    let mut workspace = open_for_canon(environment)?;
    let choice = Choice::make(&mut workspace, tools, CanonPart::ALL.to_vec())?;
    let pending = unfinished(&workspace.git_dir()?);
    let plan = InitPlan::build(&workspace, &choice.targets, &choice.switches, &choice.parts, pending)?;
    let skills = workspace.layout.skills();
    let parts = CanonPart::ALL.into_iter().map(|part| {
        let paths: Vec<&RepoPath> = plan.scaffold.paths_of(part, &workspace.layout).collect();
        let of_skills = paths.iter().filter(|path| path.is_within(&skills)).count();
        let switches = choice.switches.on.iter().filter(|switch| part_of(switch) == part);
        PartPreview {
            part,
            files: paths.len() + if part == CanonPart::Skills { plan.adoption.adoption.edits.len() } else { 0 },
            copies: of_skills * choice.targets.targets.len(),
            effects: switches.map(|switch| switch.effect.clone()).collect(),
        }
    });
    Ok(InitPreview {
        root: workspace.layout.root().clone(),
        targets: choice.targets.targets.clone(),
        adopted: plan.adoption.skills.len(),
        tools: choice.tools,
        parts: parts.filter(|part| part.files > 0).collect(),
    })
}

/// The parts of a run, and the tools that they are for.
struct Choice {
    tools: Vec<DetectedTool>,
    parts: Vec<CanonPart>,
    targets: DetectedTargets,
    switches: ToolSwitches,
}

impl Choice {
    /// Decides the targets, which the workspace has from then on, and the switches.
    fn make(workspace: &mut Workspace, tools: &[Target], mut parts: Vec<CanonPart>) -> Result<Self, Error> {
        if !parts.contains(&CanonPart::Skills) {
            parts.push(CanonPart::Skills);
        }
        let named = |tool: &Target| DetectedTool { tool: *tool, evidence: vec!["--tools".to_owned()] };
        let tools = if tools.is_empty() { tools::detect(workspace) } else { tools.iter().map(named).collect() };
        let ids: Vec<Target> = tools.iter().map(|found| found.tool).collect();
        let targets = DetectedTargets::detect(workspace, &ids)?;
        let connected = if ids.is_empty() { &targets.targets } else { &ids };
        let switches = ToolSwitches::choose(workspace, connected, &parts);
        workspace.config.targets.clone_from(&targets.targets);
        Ok(Self { tools, parts, targets, switches })
    }
}

/// Creates the canon. Never overwrites a file; a second run adds what is missing.
///
/// # Errors
/// The canon's directory is not usable, another process writes, or a file system error.
pub fn run(environment: &Environment, request: &InitRequest) -> Result<InitOutcome, Error> {
    let mut workspace = open_for_canon(environment)?;
    let choice = Choice::make(&mut workspace, &request.tools, request.parts.clone())?;
    let git_dir = workspace.git_dir()?;
    if request.dry_run {
        let plan = InitPlan::build(&workspace, &choice.targets, &choice.switches, &choice.parts, unfinished(&git_dir))?;
        let diffs = plan.edits().map(|edit| FileDiff::from_edit(&workspace.view, edit)).collect();
        return Ok(InitOutcome { dry_run: true, diffs, ..plan.into_outcome(&workspace, choice) });
    }
    let mut session = Session::begin(&git_dir)?;
    session.sweep(&workspace.view)?;
    let plan = InitPlan::build(&workspace, &choice.targets, &choice.switches, &choice.parts, session.pending())?;
    if plan.writes() && plan.is_first_sync_due {
        let lock = &plan.adoption.adoption.lock;
        let text = (!lock.is_empty()).then(|| lock.to_text());
        session.expect_first_sync(text.as_deref())?;
    }
    let applied = write_adoption(&workspace, &mut session, &plan.adoption.adoption, &plan.scaffold.edits)?;
    let mut outcome = plan.into_outcome(&workspace, choice);
    // Keep files that another process created in the meantime.
    let (kept, written) = outcome.written.into_iter().partition(|path| applied.conflicts.contains(path));
    outcome.written = written;
    outcome.kept.extend::<Vec<RepoPath>>(kept);
    outcome.kept.retain(|path| !outcome.written.contains(path));
    outcome.kept.sort();
    trust::pin_files(&workspace, &outcome.written)?;
    Ok(outcome)
}

/// The number of skills in a folder that is not the canon's. Skills that a repository offers to others are often in `skills/`.
fn skills_in(workspace: &Workspace, folder: &str) -> usize {
    let folder = RepoPath::from(folder);
    if folder.is_within(&workspace.layout.skills()) {
        return 0;
    }
    // Only a hint depends on them.
    let listing = workspace.view.list(&folder, IgnoreMode::Exclude).unwrap_or_default();
    Inventory::from_entries(&listing.entries(), &workspace.layout).skills.len()
}

impl InitPlan {
    fn writes(&self) -> bool {
        !self.scaffold.edits.is_empty() || !self.adoption.skills.is_empty()
    }

    fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.adoption.adoption.edits.iter().chain(&self.scaffold.edits)
    }

    fn into_outcome(self, workspace: &Workspace, choice: Choice) -> InitOutcome {
        // Without an edit of the config nothing was switched on.
        let config = workspace.layout.config();
        let has_config = self.scaffold.edits.iter().any(|edit| *edit.path() == config);
        let paths = |edits: &[Edit]| edits.iter().map(|edit| edit.path().clone()).collect();
        let link = |name: &str| {
            let path = workspace.layout.skills().join(name);
            self.adoption.adoption.edits.iter().find_map(|edit| match edit {
                Edit::Write { path: at, content: EditContent::Link(to), .. } if *at == path => Some(to.to_string()),
                _ => None,
            })
        };
        let skills = self.adoption.skills.iter().map(|(name, directories)| AdoptedSkill {
            name: name.clone(),
            directories: directories.clone(),
            link: link(name),
        });
        let skills = skills.collect();
        let differs = |error: &SkillAdoptError| matches!(error, SkillAdoptError::Differs { .. });
        InitOutcome {
            root: workspace.layout.root().clone(),
            written: paths(&self.scaffold.edits),
            kept: self.scaffold.kept,
            adopted: paths(&self.adoption.adoption.edits),
            skills,
            has_conflicting_skills: self.adoption.refused.iter().any(|(_, error)| differs(error)),
            refused: self.refused,
            ignored: self.ignored.into_iter().collect(),
            ignored_mirrors: self.ignored_mirrors,
            skills_at_top: skills_in(workspace, "skills"),
            importable_skills: OTHER_SKILLS.into_iter().filter(|folder| skills_in(workspace, folder) > 0).collect(),
            foreign_files: self.foreign_files,
            switched_on: if has_config { choice.switches.on } else { Vec::new() },
            switched_off: choice.switches.off,
            tools: choice.tools,
            is_new_config: choice.targets.is_new,
            targets: workspace.config.targets.clone(),
            left_out: CanonPart::ALL.into_iter().filter(|part| !choice.parts.contains(part)).collect(),
            to_configure: self.to_configure,
            repeated: if has_config { repeated_readers(&workspace.config.targets) } else { Vec::new() },
            dry_run: false,
            diffs: Vec::new(),
        }
    }
}
