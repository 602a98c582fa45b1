//! Lessons of which nothing has been seen for long: a person is asked whether they still hold.

use super::decide::{Decision, Night};
use super::lessons::{self, Dated};
use super::review::{Kind, Staged};
use std::collections::BTreeSet;

/// What candidates for retirement are called by, before the name of their pattern.
pub const PREFIX: &str = "retire:";

/// Lessons that a dream wrote long ago, of whose pattern no row is young, and of whose episodes none is in the log. What
/// has no pattern was written by hand, and is never asked about.
pub fn due(text: &str, decision: &Decision, night: &Night) -> Vec<Staged> {
    let days = night.policy.retire_lessons_after_days;
    let limit = night.now.minus_days(days);
    let old: Vec<Dated> = lessons::dated(text).into_iter().filter(|lesson| lesson.date < limit.date()).collect();
    if days == 0 || old.is_empty() {
        return Vec::new();
    }
    let young = |rows: &[usize]| rows.iter().any(|row| decision.rows[*row].at >= limit);
    let seen: BTreeSet<String> =
        decision.patterns.iter().filter(|pattern| young(&pattern.rows)).map(|pattern| decision.name(pattern)).collect();
    let ids: BTreeSet<String> = (0..decision.rows.len()).map(|row| decision.id(row)).collect();
    let is_due = |lesson: &Dated| !seen.contains(&lesson.pattern) && !lesson.episodes.iter().any(|id| ids.contains(id));
    let staged = |lesson: Dated| Staged {
        candidate: format!("{PREFIX}{}", lesson.pattern),
        kind: Kind::Retire,
        date: night.now.date(),
        text: lesson.text,
        steps: Vec::new(),
        of: lesson.episodes.len(),
        episodes: lesson.episodes,
    };
    old.into_iter().filter(is_due).map(staged).collect()
}
