//! Lists the skills.

use crate::app::skill_catalog::SkillCatalog;
use crate::app::{Error, Progress, Workspace};
use crate::registry::ManifestEntry;
use crate::syntax::RepoPath;

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
