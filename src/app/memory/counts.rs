//! The number of episodes behind a candidate. The queue has the number of the night that staged it; the log may have grown.

use crate::app::consolidation::themes::CoveredCandidate;
use crate::app::consolidation::{DreamPlan, plan_dream, read_line};
use crate::app::{Error, Workspace};
use crate::canon::episode::Episode;
use crate::canon::timestamp::Timestamp;
use crate::memory::review::{CandidateKind, QueueEntry, ReviewQueue, ReviewStatus};
use crate::memory::skill_candidates::{SKILL_PREFIX, skill_name};
use crate::memory::{DreamDecision, DreamParams, MemoryPolicy, Ruleset};
use std::collections::BTreeMap;

/// Sets the number of episodes of each pending lesson and skill to that of its pattern or theme in the log. A number never goes down:
/// a dream may have archived some of the rows since. Returns what a dream would not stage, because something stands for it.
///
/// # Errors
/// [`crate::app::ErrorKind::Unreadable`] if a file of the memory cannot be read.
pub(super) fn refresh_counts(
    workspace: &Workspace,
    queue: &mut ReviewQueue,
    now: Timestamp,
) -> Result<Vec<CoveredCandidate>, Error> {
    if !queue.entries.iter().any(is_counted) {
        return Ok(Vec::new());
    }
    let policy = MemoryPolicy::from_config(&workspace.config.memory);
    let plan = plan_dream(workspace, &DreamParams { now, policy, ruleset: Ruleset::Current })?;
    set_counts(workspace, queue, &plan);
    Ok(plan.covered)
}

/// The same for a log that is read already.
pub(super) fn set_counts(workspace: &Workspace, queue: &mut ReviewQueue, plan: &DreamPlan) {
    let decision = &plan.decision;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for pattern in &decision.patterns {
        counts.insert(decision.pattern_id(pattern), pattern.rows.len());
    }
    counts.extend(skill_counts(workspace, decision));
    for entry in queue.entries.iter_mut().filter(|entry| is_counted(entry)) {
        for count in [counts.get(&entry.staged.candidate), plan.theme_counts.get(&entry.staged.candidate)] {
            entry.staged.total = entry.staged.total.max(count.copied().unwrap_or_default());
        }
    }
}

fn is_counted(entry: &QueueEntry) -> bool {
    entry.status == ReviewStatus::Pending && matches!(entry.staged.kind, CandidateKind::Lesson | CandidateKind::Skill)
}

/// The repetitions of actions that would be proposed as skills, by the name of the candidate.
fn skill_counts(workspace: &Workspace, decision: &DreamDecision) -> Vec<(String, usize)> {
    let log = workspace.view.on_disk(&workspace.layout.log()).unwrap_or_default();
    let Ok(log) = crate::fs::open(log) else { return Vec::new() };
    let count = |pattern: &crate::memory::Pattern| {
        let first = pattern.rows.iter().find(|row| decision.rows[**row].outcome.has_reflection)?;
        let line = read_line(&log, decision.rows[*first].extent).ok()?;
        let episode = Episode::parse(&line).ok()?;
        let name = skill_name(episode.action.as_deref().unwrap_or_default());
        Some((format!("{SKILL_PREFIX}{name}"), pattern.rows.len()))
    };
    decision.repeated.iter().filter_map(count).collect()
}
