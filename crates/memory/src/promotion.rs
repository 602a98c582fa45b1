//! Promotion and retirement: which candidates become lessons automatically, which wait for review, and which lessons are
//! proposed for retirement.

use super::consolidation::{DreamDecision, DreamParams};
use super::lessons::{self, Lesson, LessonCandidate, lesson_texts, normalized, select_new};
use super::opposites::{find_contradictions, find_near_opposites};
use super::review::{CandidateKind, QueueEntry, ReviewQueue, ReviewStatus, StagedCandidate};
use super::ruleset::Ruleset;
use canonry_model::config::Promotion;
use std::collections::{BTreeSet, HashMap};

/// Pending candidates of a kind in the review queue; nobody reads more. Lessons are limited by [`MAX_LESSONS`].
pub const MAX_PENDING: usize = 10;
/// New lessons and lesson candidates of a day. The others are left for the next nights.
pub const MAX_LESSONS: usize = 10;

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

/// The candidates with those of one text as one candidate, which has the name of the first and the episodes of all, beginning
/// with the best episode of each.
pub fn merge_equal_texts(candidates: Vec<LessonCandidate>) -> Vec<LessonCandidate> {
    let mut merged: Vec<LessonCandidate> = Vec::with_capacity(candidates.len());
    // The position of each text, and the number of candidates that it comes from.
    let mut by_text: HashMap<String, (usize, usize)> = HashMap::new();
    for candidate in candidates {
        let (at, parts) = by_text.entry(normalized(&candidate.text)).or_insert((merged.len(), 0));
        if *parts == 0 {
            merged.push(candidate);
        } else {
            let first = &mut merged[*at];
            let mut episodes = candidate.episodes.into_iter();
            first.episodes.splice(*parts..*parts, episodes.next());
            first.episodes.extend(episodes);
            first.total += candidate.total;
            if candidate.salience > first.salience {
                first.salience = candidate.salience;
            }
        }
        *parts += 1;
    }
    merged
}

/// The number of lessons that a dream may add on a day, besides those that were written or staged on that day.
pub fn free_places(lessons: &str, queue: &ReviewQueue, date: &str) -> usize {
    let is_staged = |entry: &&QueueEntry| {
        let QueueEntry { staged, status } = entry;
        staged.kind == CandidateKind::Lesson && staged.date == date && !matches!(status, ReviewStatus::Rejected(_))
    };
    let is_queued = |name: &str| queue.entries.iter().any(|entry| entry.staged.candidate == name);
    let is_written = |lesson: &Lesson| {
        lesson.date.as_deref() == Some(date) && lesson.pattern.as_deref().is_some_and(|pattern| !is_queued(pattern))
    };
    let written = lessons::lessons(lessons).iter().filter(|lesson| is_written(lesson)).count();
    MAX_LESSONS.saturating_sub(written + queue.entries.iter().filter(is_staged).count())
}

/// The `count` most salient of the candidates `new`, in this order. Those that do not depend on salience come first.
pub fn most_salient(candidates: &[LessonCandidate], mut new: Vec<usize>, count: usize) -> Vec<usize> {
    let salience = |at: &usize| candidates[*at].salience.unwrap_or(f64::INFINITY);
    new.sort_by(|a, b| salience(b).total_cmp(&salience(a)));
    new.truncate(count);
    new
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
    let mut old = lessons::lessons(text);
    old.retain(|lesson| lesson.is_dated() && lesson.date < Some(limit.date()));
    if days == 0 || old.is_empty() {
        return Vec::new();
    }
    let is_recent = |rows: &[usize]| rows.iter().any(|row| decision.log.rows[*row].at >= limit);
    let recent = decision.patterns.iter().filter(|pattern| is_recent(&pattern.rows));
    let recent: BTreeSet<String> = recent.map(|pattern| decision.pattern_id(pattern)).collect();
    let ids: BTreeSet<String> = (0..decision.log.rows.len()).map(|row| decision.row_id(row)).collect();
    let staged = |lesson: Lesson| {
        let pattern = lesson.pattern?;
        let is_due = !recent.contains(&pattern) && !lesson.episodes.iter().any(|id| ids.contains(id));
        let name = format!("{RETIRE_PREFIX}{pattern}");
        is_due.then(|| StagedCandidate {
            total: lesson.episodes.len(),
            episodes: lesson.episodes,
            ..StagedCandidate::new(CandidateKind::Retire, name, lesson.text, params.now.date())
        })
    };
    old.into_iter().filter_map(staged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(name: &str, text: &str, episodes: &[&str], salience: Option<f64>) -> LessonCandidate {
        LessonCandidate {
            text: text.to_owned(),
            episodes: episodes.iter().map(|id| (*id).to_owned()).collect(),
            total: episodes.len(),
            pattern: Some(name.to_owned()),
            salience,
        }
    }

    #[test]
    fn one_text_is_one_candidate() {
        let merged = merge_equal_texts(vec![
            candidate("p1", "Rotate keys.", &["a1", "a2", "a3"], Some(8.0)),
            candidate("p2", "use tabs", &["b1", "b2"], Some(9.0)),
            candidate("p3", "rotate  KEYS", &["c1", "c2"], Some(12.0)),
            candidate("p4", "rotate keys", &["d1", "d2"], Some(7.5)),
        ]);
        let rotate = candidate("p1", "Rotate keys.", &["a1", "c1", "d1", "a2", "a3", "c2", "d2"], Some(12.0));
        assert_eq!(merged, [rotate, candidate("p2", "use tabs", &["b1", "b2"], Some(9.0))]);
    }

    #[test]
    fn the_most_salient_come_first_and_the_others_later() {
        let mut candidates: Vec<LessonCandidate> =
            (0..12).map(|at| candidate("p", "t", &[], Some(7.0 + f64::from(at % 3)))).collect();
        candidates.push(candidate("constraint", "t", &[], None));
        assert_eq!(most_salient(&candidates, (0..13).collect(), 10), [12, 2, 5, 8, 11, 1, 4, 7, 10, 0]);
        assert_eq!(most_salient(&candidates, vec![0, 1], 10), [1, 0]);
    }

    #[test]
    fn a_day_has_ten_places() {
        let staged = |name: &str, date: &str, kind: &str| {
            format!(
                "{{\"event\":\"staged\",\"candidate\":\"{name}\",\"kind\":\"{kind}\",\"date\":\"{date}\",\"text\":\"{name}\",\
                 \"episodes\":[],\"of\":2}}\n"
            )
        };
        let decided = |name: &str, event: &str| {
            format!(
                "{{\"event\":\"{event}\",\"candidate\":\"{name}\",\"timestamp\":\"2026-05-01T00:00:00Z\",\"by\":\"A\",\"reason\":\"r\"}}\n"
            )
        };
        let queue = [
            staged("p1", "2026-05-01", "lesson"),
            staged("p2", "2026-05-01", "lesson"),
            decided("p2", "accepted"),
            staged("p3", "2026-05-01", "lesson"),
            decided("p3", "rejected"),
            staged("p4", "2026-04-30", "lesson"),
            staged("skill:p5", "2026-05-01", "skill"),
        ];
        let queue = ReviewQueue::parse(&queue.concat());
        let lessons = "## 2026-04-30\n\n- a (episodes: 1; pattern p6)\n\n## 2026-05-01\n\n- p2 (episodes: 2; pattern p2)\n\
                       - b (episodes: 3; pattern p7)\n";
        assert_eq!(free_places(lessons, &queue, "2026-05-01"), 7);
        assert_eq!(free_places(lessons, &queue, "2026-05-02"), 10);
    }
}
