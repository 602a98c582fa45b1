//! Skills in folders that are not mirrors, such as copies of a skill that an import took from another folder.

use super::targets::tool_skills;
use crate::sync::state::SyncState;
use crate::{Error, Workspace};
use canonry_mirror::adopt_skills::SkillAdoption;
use canonry_mirror::{MirrorRoot, fold_name};
use canonry_model::canon::inventory::Inventory;
use canonry_model::canon::{FileState, TreeEntry};
use canonry_model::config::{Target, mirror_root};
use canonry_model::edit::Edit;
use canonry_repo::view::written::{UnknownFile, WrittenHistory};
use canonry_text::RepoPath;
use std::collections::BTreeMap;

/// The skills of the canon after a run.
pub struct KnownSkills<'a> {
    workspace: &'a Workspace,
    targets: &'a [Target],
    files: BTreeMap<RepoPath, FileState>,
    /// The folders by folded name, see [`fold_name`].
    folders: BTreeMap<String, RepoPath>,
    history: WrittenHistory,
}

impl<'a> KnownSkills<'a> {
    /// The skills of the canon, with those of `adoption`.
    ///
    /// # Errors
    /// git's own files cannot be read.
    pub fn load(workspace: &'a Workspace, state: &'a SyncState, adoption: &SkillAdoption) -> Result<Self, Error> {
        let layout = &workspace.layout;
        let mut files: BTreeMap<RepoPath, FileState> =
            workspace.view.states_below(&layout.skills())?.into_iter().collect();
        let adopted = adoption.adoption.edits.iter();
        files.extend(adopted.filter_map(|edit: &Edit| Some((edit.path().clone(), edit.now()?))));
        let entries: Vec<TreeEntry> =
            files.iter().map(|(path, state)| TreeEntry { path: path.clone(), mode: state.mode }).collect();
        let inventory = Inventory::from_entries(&entries, layout);
        let folders = inventory.skills.into_iter().map(|skill| skill.path);
        let folders = folders.chain(inventory.linked_skills.into_iter().map(|link| link.path));
        Ok(Self {
            workspace,
            targets: &state.survey.desired.targets,
            files,
            folders: folders.map(|path| (fold_name(path.file_name()), path)).collect(),
            history: WrittenHistory::new(&workspace.view, layout, workspace.git_dir().ok()),
        })
    }

    /// Whether the canon has each skill in the folder of a tool: as it is there, or as an import or a sync changed it.
    ///
    /// # Errors
    /// git's own files cannot be read.
    pub fn has_all_of(&self, target: Target) -> Result<bool, Error> {
        for skill in tool_skills(self.workspace, target)? {
            let is_known = match self.folders.get(&fold_name(skill.path.file_name())) {
                None => false,
                Some(folder) if skill.is_link => self.leads_to(&skill.path, folder),
                Some(folder) => self.has_files_of(&skill.path, folder)?,
            };
            if !is_known {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a link leads to a skill of the canon, or to its mirror.
    fn leads_to(&self, link: &RepoPath, folder: &RepoPath) -> bool {
        let MirrorRoot::LinkInside(to) = self.workspace.view.root(link) else { return false };
        let is_mirror = || self.targets.iter().any(|target| mirror_root(&to) == Some(target.skills_root()));
        to == *folder || to.file_name() == folder.file_name() && is_mirror()
    }

    fn has_files_of(&self, copy: &RepoPath, folder: &RepoPath) -> Result<bool, Error> {
        let mut unknown = Vec::new();
        for (path, state) in self.workspace.view.states_below(copy)? {
            let Some(canon) = path.below(copy).map(|below| folder.join(below)) else { continue };
            match self.files.get(&canon) {
                None => return Ok(false),
                Some(own) if *own == state => {}
                Some(_) => {
                    let canon = Some(canon);
                    unknown.push(UnknownFile { path, state, canon, is_desired: true, record_only: true });
                }
            }
        }
        let count = unknown.len();
        Ok(self.history.recognise(unknown).written.len() == count)
    }
}
