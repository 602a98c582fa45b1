//! Lists the skills.

use crate::skill_catalog::SkillCatalog;
use crate::{Error, Workspace};
use canonry_mirror::registry::ManifestEntry;

/// Lists the skills that tools can read, sorted by name.
///
/// # Errors
/// Git's own files cannot be read.
pub fn run(workspace: &Workspace) -> Result<Vec<ManifestEntry>, Error> {
    Ok(SkillCatalog::load(workspace)?.entries(workspace))
}
