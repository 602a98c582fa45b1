//! The number of episodes behind a candidate. The queue has the number of the night that staged it; the log may have grown.

use crate::Workspace;
use crate::consolidation::{DreamPlan, read_line};
use canonry_memory::DreamDecision;
use canonry_memory::review::{CandidateKind, QueueEntry, ReviewQueue, ReviewStatus};
use canonry_memory::skill_candidates::{SKILL_PREFIX, skill_name};
use canonry_model::canon::episode::Episode;
use std::collections::BTreeMap;

/// Sets the number of episodes of each pending lesson and skill to that of the log. A number never goes down: a dream may have
/// archived some of the rows since.
pub(super) fn set_counts(workspace: &Workspace, queue: &mut ReviewQueue, plan: &DreamPlan) {
    let decision = &plan.decision;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for pattern in &decision.patterns {
        counts.insert(decision.pattern_id(pattern), pattern.rows.len());
    }
    counts.extend(skill_counts(workspace, decision));
    // A lesson can come from several patterns.
    for lesson in &plan.candidates {
        let name = lesson.pattern.as_deref().unwrap_or_default();
        if let Some(entry) = queue.lookup(CandidateKind::Lesson, name, &lesson.text) {
            let count = counts.entry(entry.staged.candidate.clone()).or_default();
            *count = lesson.total.max(*count);
        }
    }
    for entry in queue.entries.iter_mut().filter(|entry| is_counted(entry)) {
        let count = counts.get(&entry.staged.candidate).copied().unwrap_or_default();
        entry.staged.total = entry.staged.total.max(count);
    }
}

fn is_counted(entry: &QueueEntry) -> bool {
    entry.status == ReviewStatus::Pending && matches!(entry.staged.kind, CandidateKind::Lesson | CandidateKind::Skill)
}

/// The repetitions of actions that would be proposed as skills, by the name of the candidate.
fn skill_counts(workspace: &Workspace, decision: &DreamDecision) -> Vec<(String, usize)> {
    let log = workspace.view.on_disk(&workspace.layout.log()).unwrap_or_default();
    let Ok(log) = canonry_repo::fs::open(log) else { return Vec::new() };
    let count = |pattern: &canonry_memory::Pattern| {
        let first = pattern.rows.iter().find(|row| decision.rows[**row].outcome.has_reflection)?;
        let line = read_line(&log, decision.rows[*first].extent).ok()?;
        let episode = Episode::parse(&line).ok()?;
        let name = skill_name(episode.action.as_deref().unwrap_or_default());
        Some((format!("{SKILL_PREFIX}{name}"), pattern.rows.len()))
    };
    decision.repeated.iter().filter_map(count).collect()
}
