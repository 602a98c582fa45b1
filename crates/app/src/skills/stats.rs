//! Counts how often skills were used, and how it went.

use crate::memory_files::read_all_rows;
use crate::skill_catalog::{SkillCatalog, find_skill};
use crate::skill_usage::add_snapshots;
use crate::{Error, Workspace};
use canonry_memory::Ruleset;
use canonry_memory::skill_usage::{SkillAdvice, SkillUsage, UsageTable};
use canonry_model::canon::timestamp::Timestamp;

/// The use of a skill.
#[derive(Clone, Debug)]
pub struct SkillStats {
    /// The name of its folder.
    pub name: String,
    /// Its use.
    pub usage: SkillUsage,
    /// Advice for its maintainers.
    pub advice: Option<SkillAdvice>,
}

/// Counts the rows of the log and of all snapshots, for one skill by the name of its folder, or for all, sorted by name. `now` decides
/// what is stale; by default it is the current time. Writes nothing.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if the skill does not exist, or the log or a snapshot cannot be read.
pub fn run(workspace: &Workspace, name: Option<&str>, now: Option<Timestamp>) -> Result<Vec<SkillStats>, Error> {
    let now = now.unwrap_or_else(|| workspace.env.clock.now());
    let mut names: Vec<String> = match name {
        Some(name) => vec![find_skill(workspace, name)?.file_name_lossy()],
        None => {
            SkillCatalog::load(workspace)?.inventory.skills.iter().map(|skill| skill.path.file_name_lossy()).collect()
        }
    };
    names.sort();
    let mut table = UsageTable::default();
    if let Some(read) = read_all_rows(workspace, Ruleset::Current)? {
        table.add(&read.log.rows, now);
    }
    add_snapshots(workspace, &mut table, now, None)?;
    let stats = |name: String| {
        let usage = table.usage(&name);
        SkillStats { name, usage, advice: usage.advice(now) }
    };
    Ok(names.into_iter().map(stats).collect())
}
