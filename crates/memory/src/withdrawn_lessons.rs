//! Lessons that a person rejected, superseded or retired. Neither they nor their episodes are read to an agent.

use super::lessons::{self, normalized, struck_lessons};
use super::review::{CandidateKind, QueueEntry, ReviewQueue, ReviewStatus};
use std::collections::HashSet;

/// The texts and the evidence of withdrawn lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WithdrawnLessons {
    /// The texts, normalized.
    pub texts: HashSet<String>,
    /// The ids of the episodes that taught them.
    pub episodes: HashSet<String>,
}

impl WithdrawnLessons {
    /// The lessons that are struck out in `LESSONS.md`, and those that the review queue rejects or retires. What a lesson in
    /// effect says or cites is not withdrawn.
    pub fn find(lessons: &str, queue: &ReviewQueue) -> Self {
        let mut withdrawn = Self::default();
        for struck in struck_lessons(lessons) {
            withdrawn.texts.insert(normalized(&struck.text));
            withdrawn.episodes.extend(struck.episodes);
        }
        for QueueEntry { staged, .. } in queue.entries.iter().filter(|entry| is_withdrawn(entry)) {
            withdrawn.texts.insert(normalized(&staged.text));
            withdrawn.episodes.extend(staged.episodes.iter().cloned());
        }
        if withdrawn != Self::default() {
            for lesson in lessons::lessons(lessons) {
                withdrawn.texts.remove(&normalized(&lesson.text));
                lesson.episodes.iter().for_each(|id| {
                    withdrawn.episodes.remove(id);
                });
            }
        }
        withdrawn
    }
}

fn is_withdrawn(entry: &QueueEntry) -> bool {
    matches!(
        (entry.staged.kind, &entry.status),
        (CandidateKind::Lesson, ReviewStatus::Rejected(_)) | (CandidateKind::Retire, ReviewStatus::Accepted(_))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_lesson_in_effect_says_is_not_withdrawn() {
        let lessons = "- ~~old way~~ (superseded 2026-05-02) (episodes: a, b; pattern p1)\n- new way (episodes: b, c; pattern p2)\n";
        let staged = |name: &str, kind: &str, text: &str, id: &str| {
            format!(
                "{{\"event\":\"staged\",\"candidate\":\"{name}\",\"kind\":\"{kind}\",\"date\":\"2026-05-01\",\"text\":\"{text}\",\
                 \"episodes\":[\"{id}\"],\"of\":1}}\n"
            )
        };
        let decided = |name: &str, event: &str| {
            format!(
                "{{\"event\":\"{event}\",\"candidate\":\"{name}\",\"timestamp\":\"2026-05-03T00:00:00Z\",\"by\":\"A\",\"reason\":\"r\"}}\n"
            )
        };
        let queue = [
            staged("q1", "lesson", "Bad advice.", "d"),
            decided("q1", "rejected"),
            staged("q2", "lesson", "New way", "c"),
            decided("q2", "rejected"),
            staged("q3", "lesson", "pending", "e"),
            staged("q4", "lesson", "undone", "f"),
            decided("q4", "rejected"),
            decided("q4", "accepted"),
            staged("retire:p9", "retire", "past", "g"),
            decided("retire:p9", "accepted"),
            staged("skill:x", "skill", "a skill", "h"),
            decided("skill:x", "rejected"),
        ];
        let found = WithdrawnLessons::find(lessons, &ReviewQueue::parse(&queue.concat()));
        let set = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<HashSet<_>>();
        assert_eq!(found.texts, set(&["old way", "bad advice", "past"]));
        assert_eq!(found.episodes, set(&["a", "d", "g"]));
    }
}
