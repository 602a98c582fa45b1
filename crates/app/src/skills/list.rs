//! Lists the skills.

use crate::skill_catalog::SkillCatalog;
use crate::{Error, Progress, Workspace};
use canonry_mirror::registry::ManifestEntry;
use canonry_text::RepoPath;

/// The skills.
#[derive(Clone, Debug)]
pub struct SkillList {
    /// The manifest entries, sorted by name.
    pub entries: Vec<ManifestEntry>,
    /// The folder of the skills.
    pub folder: RepoPath,
}

/// Lists the skills that tools can read.
///
/// # Errors
/// Git's own files cannot be read.
pub fn run(workspace: &Workspace, _progress: &dyn Progress) -> Result<SkillList, Error> {
    let entries = SkillCatalog::load(workspace)?.entries(workspace);
    Ok(SkillList { entries, folder: workspace.layout.skills() })
}
