//! `init`: creates a canon, or completes an existing one, and adopts the skills that tools already have.

mod plan;
mod targets;
mod tools;

pub use tools::{DetectedTool, ToolSelection};

use crate::canon_location::open_for_canon;
use crate::configuration::Origin;
use crate::diffs::FileDiff;
pub use crate::scaffold::ScaffoldSize;
use crate::scaffold::switches::Switch;
use crate::sync::write::write_adoption;
use crate::{Environment, Error, Workspace, trust};
use canonry_mirror::adopt_skills::SkillAdoptError;
use canonry_mirror::repeated::{RepeatedReader, repeated_readers};
use canonry_model::canon::inventory::Inventory;
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
    /// The set of files to create.
    pub size: ScaffoldSize,
    /// The tools that get context, permissions and hooks besides skills.
    pub tools: ToolSelection,
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
    /// Folders of mirrors that git ignores although the config has them committed.
    pub ignored_mirrors: Vec<RepoPath>,
    /// The number of skills in a folder `skills/` at the top that is not the canon's.
    pub skills_at_top: usize,
    /// The number of files in the canon's directory that do not belong to a canon: another program may own the directory.
    pub foreign_files: usize,
    /// The switches of tool files that the new config turns on.
    pub switched_on: Vec<&'static Switch>,
    /// The switches of the chosen tools that are off, and why.
    pub switched_off: Vec<(&'static Switch, String)>,
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

/// Finds the tools in use: those with files in the repository, otherwise those with files in the user's home.
/// `None` if there is a config already, which `init` does not change.
///
/// # Errors
/// There is no repository, or its config is invalid.
pub fn detect_tools(environment: &Environment) -> Result<Option<Vec<DetectedTool>>, Error> {
    let workspace = open_for_canon(environment)?;
    Ok((workspace.origin == Origin::Elsewhere).then(|| tools::detect(&workspace)))
}

/// Creates the canon. Never overwrites a file; a second run adds what is missing.
///
/// # Errors
/// The canon's directory is not usable, another process writes, or a file system error.
pub fn run(environment: &Environment, request: &InitRequest) -> Result<InitOutcome, Error> {
    let mut workspace = open_for_canon(environment)?;
    let detected = DetectedTargets::detect(&workspace, &request.tools)?;
    let switches = ToolSwitches::choose(&workspace, &request.tools, request.size);
    workspace.config.targets.clone_from(&detected.targets);
    let git_dir = workspace.git_dir()?;
    if request.dry_run {
        let plan = InitPlan::build(&workspace, &detected, &switches, request.size, unfinished(&git_dir))?;
        let diffs = plan.edits().map(|edit| FileDiff::from_edit(&workspace.view, edit)).collect();
        return Ok(InitOutcome { dry_run: true, diffs, ..plan.into_outcome(&workspace, switches) });
    }
    let mut session = Session::begin(&git_dir)?;
    session.sweep(&workspace.view)?;
    let plan = InitPlan::build(&workspace, &detected, &switches, request.size, session.pending())?;
    if plan.writes() && plan.is_first_sync_due {
        let lock = &plan.adoption.adoption.lock;
        let text = (!lock.is_empty()).then(|| lock.to_text());
        session.expect_first_sync(text.as_deref())?;
    }
    let applied = write_adoption(&workspace, &mut session, &plan.adoption.adoption, &plan.scaffold.edits)?;
    let mut outcome = plan.into_outcome(&workspace, switches);
    // Keep files that another process created in the meantime.
    let (kept, written) = outcome.written.into_iter().partition(|path| applied.conflicts.contains(path));
    outcome.written = written;
    outcome.kept.extend::<Vec<RepoPath>>(kept);
    outcome.kept.sort();
    trust::pin_files(&workspace, &outcome.written)?;
    Ok(outcome)
}

/// Skills that a repository offers to others are often in `skills/`.
fn skills_at_top(workspace: &Workspace) -> usize {
    let folder = RepoPath::from("skills");
    if workspace.layout.skills() == folder {
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

    fn into_outcome(self, workspace: &Workspace, switches: ToolSwitches) -> InitOutcome {
        // Without a new config nothing was switched on.
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
            skills_at_top: skills_at_top(workspace),
            foreign_files: self.foreign_files,
            switched_on: if has_config { switches.on } else { Vec::new() },
            switched_off: switches.off,
            repeated: if has_config { repeated_readers(&workspace.config.targets) } else { Vec::new() },
            dry_run: false,
            diffs: Vec::new(),
        }
    }
}
