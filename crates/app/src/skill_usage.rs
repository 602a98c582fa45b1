//! The use of the canon's skills, from the log and its snapshots.

use crate::memory_files::read_rows;
use crate::skill_catalog::SkillCatalog;
use crate::{Error, Workspace};
use canonry_memory::review::ReviewQueue;
use canonry_memory::skill_usage::{UsageTable, UsedSkill};
use canonry_memory::{EpisodeRow, Ruleset};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::view::IgnoreMode;

/// Bytes of snapshots that a dream reads to see whether a skill is still used; the newest snapshots count.
pub const DREAM_SNAPSHOT_BYTES: u64 = 32 << 20;

/// Counts the rows of the snapshots, the newest first, until `limit` bytes are read.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a snapshot cannot be read.
pub fn add_snapshots(
    workspace: &Workspace,
    table: &mut UsageTable,
    now: Timestamp,
    limit: Option<u64>,
) -> Result<(), Error> {
    let listing = workspace.view.list(&workspace.layout.snapshots(), IgnoreMode::Include)?;
    let mut paths: Vec<_> = listing.files.iter().map(|file| &file.entry.path).collect();
    paths.retain(|path| path.as_bstr().ends_with(b".jsonl"));
    // They are named by month.
    paths.sort_by(|a, b| b.cmp(a));
    let mut read = 0;
    for path in paths {
        let Some(on_disk) = workspace.view.on_disk(path) else { continue };
        read += std::fs::metadata(&on_disk).map_or(0, |metadata| metadata.len());
        if limit.is_some_and(|limit| read > limit) {
            break;
        }
        if let Some(read) = read_rows(workspace, path, Ruleset::Current)? {
            table.add(&read.log.rows, now);
        }
    }
    Ok(())
}

/// The skills that need a rewrite or are stale, by the rows of the log and of recent snapshots.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a snapshot cannot be read.
pub fn skills_with_advice(
    workspace: &Workspace,
    rows: &[EpisodeRow],
    queue: &ReviewQueue,
    now: Timestamp,
) -> Result<Vec<UsedSkill>, Error> {
    // A team that logs no skills gets no advice, and its nights do not list them.
    if rows.iter().all(|row| row.skill.is_none()) {
        return Ok(Vec::new());
    }
    let folders = SkillCatalog::load(workspace)?.inventory.skills;
    let mut table = UsageTable::since_decisions(queue, now);
    table.add(rows, now);
    if !folders.is_empty() {
        add_snapshots(workspace, &mut table, now, Some(DREAM_SNAPSHOT_BYTES))?;
    }
    let mut skills = Vec::new();
    for folder in folders.iter().map(|skill| &skill.path) {
        let name = folder.file_name_lossy();
        let usage = table.usage(&name);
        if usage.advice(now).is_some() {
            skills.push(UsedSkill { name, usage });
        }
    }
    Ok(skills)
}
