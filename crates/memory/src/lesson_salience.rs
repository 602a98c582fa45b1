//! The salience of lessons: new and well-proven ones rank first.

use super::lessons::{Lesson, lessons};
use super::policy::{MAX_RECURRENCE, MemoryPolicy, Scoring};
use canonry_model::canon::timestamp::Timestamp;

/// The salience of a lesson that is old or has no evidence to speak of.
const LEAST: f64 = 0.5;
/// Half-lives of an episode in one half-life of a lesson.
const DURABILITY: f64 = 6.0;

/// A lesson with its salience.
#[derive(Clone, Debug, PartialEq)]
pub struct WeighedLesson {
    /// The text in one line.
    pub text: String,
    /// Between 0.5 and 1.
    pub salience: f64,
}

/// The lessons of a text in file order, except those that are struck out.
///
/// A lesson that a dream wrote loses salience with its age, and has less while few episodes support it. One that a person wrote
/// names no episodes and keeps the full salience.
pub fn weighed_lessons(text: &str, policy: &MemoryPolicy, now: Timestamp) -> Vec<WeighedLesson> {
    let half_life = match &policy.scoring {
        Scoring::Seed => 30.0,
        Scoring::HalfLife { days, .. } => *days,
    } * DURABILITY;
    let weigh = |lesson: Lesson| {
        let recency = lesson
            .date
            .as_deref()
            .and_then(Timestamp::parse)
            .map_or(1.0, |date| (-(date.days_before(now) as f64).max(0.0) / half_life).exp2());
        let evidence = match lesson.total {
            0 => 1.0,
            count => count.min(MAX_RECURRENCE) as f64 / MAX_RECURRENCE as f64,
        };
        WeighedLesson { text: lesson.text, salience: LEAST + (1.0 - LEAST) * recency * evidence }
    };
    lessons(text).into_iter().map(weigh).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_and_evidence_lower_the_salience() {
        let text = "# Lessons\n\n- by a person\n\n## 2026-05-01\n\n- new (episodes: a, b and 5 more; pattern 1)\n- once (episodes: a)\n- ~~gone~~\n\n\
                    ## 2025-05-01\n\n- old (episodes: a, b, c)\n";
        let now = Timestamp::parse("2026-05-01T03:00:00Z").unwrap();
        let found = weighed_lessons(text, &MemoryPolicy::default(), now);
        let salience = |text: &str| found.iter().find(|lesson| lesson.text == text).unwrap().salience;
        assert_eq!((found.len(), salience("by a person"), salience("new")), (4, 1.0, 1.0));
        assert!(salience("once") < salience("new") && salience("old") < salience("once") && salience("old") > 0.5);
    }
}
