//! Rejecting a lesson that `LESSONS.md` has: the line is removed, and the lesson never returns.

use super::decide::ReviewVerdict;
use super::review_context::ReviewContext;
use super::single_line;
use crate::{Error, ErrorKind};
use canonry_memory::lessons::{Lesson, lessons, remove_lesson};
use canonry_memory::proposals::candidate_id;
use canonry_memory::review::{CandidateKind, QueueEntry, ReviewEvent, ReviewStatus, StagedCandidate};

/// Characters of the shortest prefix of a pattern id that identifies a lesson.
const MIN_PREFIX: usize = 4;

impl ReviewContext<'_> {
    /// The name of the candidate or the lesson that a name or a prefix means.
    pub(super) fn resolve_name(&self, name: &str, verdict: &ReviewVerdict) -> Result<String, Error> {
        self.find(name, verdict)?;
        // A lesson that was written by hand has no other name than its words.
        Ok(self.files.find(name).map_or_else(|_| name.to_owned(), |entry| entry.staged.candidate.clone()))
    }

    /// The candidate with a name. To reject, also a lesson: by its pattern id, a prefix of that, or its words.
    pub(super) fn find(&self, name: &str, verdict: &ReviewVerdict) -> Result<QueueEntry, Error> {
        let staged = self.files.find(name);
        if let (Err(_), ReviewVerdict::Reject) = (&staged, verdict)
            && let Some(lesson) = self.find_lesson(name)?
        {
            return Ok(QueueEntry { staged: self.staged_lesson(lesson), status: ReviewStatus::Pending });
        }
        staged.cloned()
    }

    fn find_lesson(&self, name: &str) -> Result<Option<Lesson>, Error> {
        let lessons = lessons(self.files.lessons_text());
        if let Some(lesson) = lessons.iter().find(|lesson| lesson.is(Some(name), name)) {
            return Ok(Some(lesson.clone()));
        }
        let has_prefix = |lesson: &&Lesson| {
            lesson.pattern.as_deref().is_some_and(|id| name.len() >= MIN_PREFIX && id.starts_with(name))
        };
        let found: Vec<&Lesson> = lessons.iter().filter(has_prefix).collect();
        match found[..] {
            [] => Ok(None),
            [lesson] => Ok(Some(lesson.clone())),
            _ => {
                let ids: Vec<&str> = found.iter().filter_map(|lesson| lesson.pattern.as_deref()).collect();
                let message = format!("`{}` is ambiguous: it could be {}", single_line(name), ids.join(", "));
                Err(Error::new(ErrorKind::Unreadable, message).help("give more characters of the pattern id"))
            }
        }
    }

    fn staged_lesson(&self, lesson: Lesson) -> StagedCandidate {
        let name = lesson.pattern.unwrap_or_else(|| candidate_id(&lesson.text));
        StagedCandidate {
            episodes: lesson.episodes,
            total: lesson.total,
            ..StagedCandidate::new(CandidateKind::Lesson, name, lesson.text, self.now.date())
        }
    }

    /// The lessons without the one that is rejected; `None` if they do not have it.
    pub(super) fn remove_rejected(&self, entry: &QueueEntry) -> Option<String> {
        let staged = &entry.staged;
        if staged.kind != CandidateKind::Lesson {
            return None;
        }
        let text = self.files.lessons_text();
        let lessons = lessons(text);
        let lesson = lessons.iter().find(|lesson| lesson.is(Some(&staged.candidate), &staged.text))?;
        Some(remove_lesson(text, lesson.span))
    }

    /// The events of a rejection. A lesson that never was in the queue is staged first.
    pub(super) fn rejection(&self, entry: &QueueEntry) -> Vec<ReviewEvent> {
        let is_queued = self.files.queue.entries.iter().any(|other| other.staged.candidate == entry.staged.candidate);
        let rejected = ReviewEvent::Rejected(self.decision(&entry.staged, None));
        if is_queued { vec![rejected] } else { vec![ReviewEvent::Staged(entry.staged.clone()), rejected] }
    }
}
