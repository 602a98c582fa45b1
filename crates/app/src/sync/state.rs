//! State that a sync reads before it plans.

use crate::sync::plan::plan;
use crate::trust::ExecutableTrust;
use crate::{Error, Workspace};
use canonry_agents::Executable;
use canonry_mirror::SyncPlan;
use canonry_model::canon::inventory::{Inventory, SkillFolder};
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::canon::{FileMode, FileState, Layout, TreeEntry};
use canonry_model::edit::OverwriteMode;
use canonry_repo::view::survey::{
    self, InspectedSkill, Inspection, Survey, SurveyPurpose, inspect_skill, mirrored, survey,
};
use canonry_repo::view::{IgnoreMode, View};
use canonry_text::RepoPath;
use gix::bstr::BString;
use std::path::PathBuf;

/// The canon and its mirrors at one moment.
pub struct SyncState {
    /// The current and the desired content of the mirrors and tool files.
    pub survey: Survey,
    /// Paths of the canon.
    pub layout: Layout,
    /// The canon's skills.
    pub inventory: Inventory,
    /// All files below the canon's `skills/`, sorted by path.
    pub canon_files: Vec<TreeEntry>,
    /// Folders of the canon that could not be listed.
    pub unreadable: Vec<(RepoPath, IoDiagnosis)>,
    /// The repository's object hash.
    pub hash: gix::hash::Kind,
    /// Entries that make tools execute commands, which count because they were written in this work tree.
    pub written_here: Vec<Executable>,
}

impl SyncState {
    /// Reads the canon and its mirrors. `pending` lists the file states that an unfinished run may have left; they count
    /// as owned.
    ///
    /// # Errors
    /// The lock or git's own files cannot be read.
    pub fn load(workspace: &Workspace, view: &View, pending: Vec<(RepoPath, FileState)>) -> Result<Self, Error> {
        Self::load_with(workspace, view, pending, &|folder, inspection| inspect_skill(view, folder, inspection))
    }

    /// Reads a commit. It does not depend on this clone.
    ///
    /// # Errors
    /// See [`SyncState::load`].
    pub fn load_commit(workspace: &Workspace) -> Result<Self, Error> {
        let view = &workspace.view;
        let inspect = |folder: &SkillFolder, inspection| inspect_skill(view, folder, inspection);
        Self::load_for(SurveyPurpose::Check, None, workspace, view, Vec::new(), &inspect)
    }

    /// Like [`SyncState::load`], with another way to inspect the documents of a skill.
    ///
    /// # Errors
    /// See [`SyncState::load`].
    pub fn load_with(
        workspace: &Workspace,
        view: &View,
        pending: Vec<(RepoPath, FileState)>,
        inspect: &(dyn Fn(&SkillFolder, Inspection) -> InspectedSkill + Sync),
    ) -> Result<Self, Error> {
        Self::load_for(SurveyPurpose::Sync, workspace.git_dir().ok(), workspace, view, pending, inspect)
    }

    fn load_for(
        purpose: SurveyPurpose,
        git_dir: Option<PathBuf>,
        workspace: &Workspace,
        view: &View,
        pending: Vec<(RepoPath, FileState)>,
        inspect: &(dyn Fn(&SkillFolder, Inspection) -> InspectedSkill + Sync),
    ) -> Result<Self, Error> {
        let listing = view.list(&workspace.layout.skills(), IgnoreMode::Exclude)?;
        let entries = listing.entries();
        let inventory = mirrored(&entries, Inventory::from_entries(&entries, &workspace.layout), &workspace.layout);
        let trust = ExecutableTrust::new(workspace, view);
        let scope = survey::SurveyRequest {
            layout: &workspace.layout,
            targets: &workspace.config.targets,
            config: &workspace.config,
            unreadable: &listing.unreadable,
            pending,
            purpose,
            git_dir,
            inspect,
        };
        let survey = survey(view, &listing.files, &inventory, scope, &|entry| trust.trusts(entry))?;
        let layout = workspace.layout.clone();
        let hash = view.object_hash();
        let written_here = trust.into_written_here();
        Ok(Self { survey, layout, inventory, canon_files: entries, unreadable: listing.unreadable, hash, written_here })
    }

    /// The text of a mirror's link; `None` if the path is not a link.
    pub fn link_text(&self, view: &View, path: &RepoPath) -> Option<BString> {
        let is_link = self.survey.actual.state(path).is_some_and(|state| state.mode == FileMode::Link);
        is_link.then(|| view.link_text(path)).flatten()
    }

    /// The edits that bring the mirrors in line with the canon.
    pub fn plan(&self, overwrite: OverwriteMode) -> SyncPlan {
        plan(&self.survey, overwrite, self.hash)
    }

    /// Whether the lock stays absent if it does not exist: there is nothing to mirror and nothing owned.
    pub fn owns_nothing(&self, plan: &SyncPlan) -> bool {
        self.survey.desired.files.is_empty() && plan.lock.is_empty()
    }
}
