//! Promotion and retirement: which candidates become lessons automatically, which wait for review, and which lessons are
//! proposed for retirement.

use super::consolidation::{DreamDecision, DreamParams};
use super::contradictions::find_contradictions;
use super::lessons::{DatedLesson, LessonCandidate, dated_lessons, lesson_texts, select_new};
use super::review::{CandidateKind, ReviewQueue, StagedCandidate};
use super::ruleset::Ruleset;
use super::themes::find_near_opposites;
use crate::config::Promotion;
use std::collections::BTreeSet;

/// Pending candidates of a kind in the review queue; nobody reads more. Lessons are not limited.
pub const MAX_PENDING: usize = 10;

/// Prefix of the name of a retirement candidate, before the pattern id.
pub const RETIRE_PREFIX: &str = "retire:";

/// The candidates that the queue does not contain yet, limited to its free places.
pub fn limit_new(found: Vec<StagedCandidate>, queue: &ReviewQueue) -> Vec<StagedCandidate> {
    let pending = |kind: CandidateKind| queue.pending().filter(|entry| entry.staged.kind == kind).count();
    let is_new = |staged: &StagedCandidate| !queue.contains(staged.kind, &staged.candidate, &staged.text);
    let mut new: Vec<StagedCandidate> = found.into_iter().filter(is_new).collect();
    if let Some(first) = new.first() {
        new.truncate(MAX_PENDING.saturating_sub(pending(first.kind)));
    }
    new
}

/// The candidates that neither the lessons contain nor the queue in any state.
pub fn new_candidates(candidates: &[LessonCandidate], lessons: &str, queue: &ReviewQueue) -> Vec<usize> {
    let name = |candidate: &LessonCandidate| candidate.pattern.clone().unwrap_or_default();
    let is_new = |at: &usize| !queue.contains(CandidateKind::Lesson, &name(&candidates[*at]), &candidates[*at].text);
    select_new(lessons, candidates, Ruleset::Current).into_iter().filter(is_new).collect()
}

/// Those of the candidates `new` that may become lessons by themselves, given the text of the existing lessons.
///
/// A candidate that contradicts a lesson, a pending candidate or another candidate, or nearly does, waits for review, so that
/// contradictory lessons never appear unnoticed.
pub fn promotable(
    candidates: &[LessonCandidate],
    new: &[usize],
    lessons: &str,
    queue: &ReviewQueue,
    promotion: Promotion,
) -> BTreeSet<usize> {
    if promotion == Promotion::Review || new.is_empty() {
        return BTreeSet::new();
    }
    let existing = lesson_texts(lessons);
    let pending = queue.pending().filter(|entry| entry.staged.kind == CandidateKind::Lesson);
    let others = existing.iter().map(String::as_str).chain(pending.map(|entry| entry.staged.text.as_str()));
    let texts: Vec<&str> = new.iter().map(|at| candidates[*at].text.as_str()).chain(others).collect();
    let opposites = find_contradictions(&texts).into_iter().zip(find_near_opposites(&texts));
    let opposed = new.iter().zip(opposites);
    let alone = opposed.filter(|(_, (contradictions, near))| contradictions.is_empty() && near.is_empty());
    alone.map(|(at, _)| *at).collect()
}

/// The lessons to propose for retirement: written long ago, their pattern has no recent row, and none of their episodes is in
/// the log. Lessons without a pattern were written by hand and are never proposed.
pub fn retirement_candidates(text: &str, decision: &DreamDecision, params: &DreamParams) -> Vec<StagedCandidate> {
    let days = params.policy.retire_lessons_after_days;
    let limit = params.now.minus_days(days);
    let mut old = dated_lessons(text);
    old.retain(|lesson| lesson.date < limit.date());
    if days == 0 || old.is_empty() {
        return Vec::new();
    }
    let is_recent = |rows: &[usize]| rows.iter().any(|row| decision.rows[*row].at >= limit);
    let recent = decision.patterns.iter().filter(|pattern| is_recent(&pattern.rows));
    let recent: BTreeSet<String> = recent.map(|pattern| decision.pattern_id(pattern)).collect();
    let ids: BTreeSet<String> = (0..decision.rows.len()).map(|row| decision.row_id(row)).collect();
    let is_due =
        |lesson: &DatedLesson| !recent.contains(&lesson.pattern) && !lesson.episodes.iter().any(|id| ids.contains(id));
    let staged = |lesson: DatedLesson| StagedCandidate {
        candidate: format!("{RETIRE_PREFIX}{}", lesson.pattern),
        kind: CandidateKind::Retire,
        date: params.now.date(),
        text: lesson.text,
        steps: Vec::new(),
        total: lesson.episodes.len(),
        episodes: lesson.episodes,
        target: None,
        group: None,
        like: None,
    };
    old.into_iter().filter(is_due).map(staged).collect()
}
