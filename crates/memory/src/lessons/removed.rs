//! Lessons that a person took out of `LESSONS.md`: by deleting the line, by reverting a dream, or by merging them into another.

use super::items::list_items;
use super::{ExistingLessons, LessonCandidate, LessonLine, normalized, unescaped};

/// The lessons that earlier versions of `LESSONS.md` have and the current one does not.
#[derive(Default)]
pub struct RemovedLessons {
    lessons: ExistingLessons,
}

impl RemovedLessons {
    /// Compares earlier versions with the current lessons. A lesson that was reworded, moved or merged is not removed: its
    /// pattern or an episode is still cited. Neither is one in the archive of retired lessons.
    pub fn new<'a>(versions: impl IntoIterator<Item = &'a str>, current: &str, retired: &str) -> Self {
        let mut kept = ExistingLessons::parse(current);
        kept.add(retired);
        let mut lessons = ExistingLessons::default();
        for version in versions {
            for item in list_items(version) {
                let (text, cited) = item.text_and_episodes();
                let words = normalized(text);
                let cited = cited.map(unescaped).collect::<Vec<_>>();
                let is_kept = kept.texts.contains(&words)
                    || item.pattern().is_some_and(|pattern| kept.patterns.contains(pattern))
                    || cited.iter().any(|id| kept.cited.contains(id));
                if !is_kept {
                    lessons.patterns.extend(item.pattern().map(str::to_owned));
                    lessons.cited.extend(cited);
                    lessons.texts.insert(words);
                }
            }
        }
        Self { lessons }
    }

    /// Whether this lesson was removed: it has the same words, the same pattern, or a common episode.
    pub fn contains(&self, candidate: &LessonCandidate) -> bool {
        self.lessons.contains(&LessonLine::new(candidate), candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ruleset;
    use crate::lessons::{append_lessons, lessons, remove_lesson, select_new};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn candidate(number: usize) -> LessonCandidate {
        LessonCandidate {
            text: format!("lesson {number}."),
            episodes: vec![format!("e{number}")],
            total: 1,
            pattern: Some(format!("p{number}")),
            salience: None,
        }
    }

    fn with(text: &str, numbers: &[usize]) -> String {
        let candidates: Vec<LessonCandidate> = numbers.iter().map(|number| candidate(*number)).collect();
        text.to_owned() + &append_lessons(text, &candidates, (0..candidates.len()).collect(), "2026-05-01").text
    }

    #[test]
    fn only_what_is_gone_is_removed() {
        let before = with("", &[1, 2, 3, 4, 5]);
        let line = |number: usize| format!("- lesson {number}. (episodes: e{number}; pattern p{number})\n");
        let edited = before
            .replace(&line(1), "")
            .replace("- lesson 2. ", "- other words ")
            .replace(&line(3), "- three, without its source\n")
            .replace(&line(4), &format!("## Elsewhere\n\n{}", line(4)));
        let retired = line(5);
        let current = edited.replace(&line(5), "");
        let removed = RemovedLessons::new([before.as_str()], &current, &retired);
        let gone: Vec<usize> = (1..=6).filter(|number| removed.contains(&candidate(*number))).collect();
        assert_eq!(gone, [1, 3]);
        assert!(!RemovedLessons::new([before.as_str()], &before, "").contains(&candidate(1)));
        assert!(!RemovedLessons::default().contains(&candidate(1)));
    }

    /// Change of `LESSONS.md` between two nights.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Dream,
        Delete(usize),
        Revert,
        Edit(usize),
        AddAgain(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let number = 0..4usize;
        prop_oneof![
            2 => Just(Step::Dream),
            1 => number.clone().prop_map(Step::Delete),
            1 => Just(Step::Revert),
            1 => number.clone().prop_map(Step::Edit),
            1 => number.prop_map(Step::AddAgain),
        ]
    }

    fn numbers_in(text: &str) -> BTreeSet<usize> {
        (0..4).filter(|number| text.contains(&format!("pattern p{number})"))).collect()
    }

    proptest! {
        /// Whatever a person does, a dream never writes a lesson twice, nor one that a person took out.
        #[test]
        fn a_dream_never_restores_what_a_person_removed(steps in prop::collection::vec(step(), 0..24)) {
            let candidates: Vec<LessonCandidate> = (0..4).map(candidate).collect();
            let mut history: Vec<String> = vec![String::new()];
            let mut before_dream = String::new();
            let mut taken_out: BTreeSet<usize> = BTreeSet::new();
            for step in steps {
                let current = history.last().cloned().unwrap_or_default();
                let next = match step {
                    Step::Dream => {
                        let removed = RemovedLessons::new(history.iter().map(String::as_str), &current, "");
                        let mut new = select_new(&current, &candidates, Ruleset::Current);
                        new.retain(|at| !removed.contains(&candidates[*at]));
                        for at in &new {
                            prop_assert!(!taken_out.contains(at) && !numbers_in(&current).contains(at), "{at}");
                        }
                        before_dream.clone_from(&current);
                        current.clone() + &append_lessons(&current, &candidates, new, "2026-05-01").text
                    }
                    Step::Delete(number) => {
                        let lesson = lessons(&current).into_iter().find(|lesson| {
                            current[lesson.span.range()].contains(&format!("pattern p{number})"))
                        });
                        lesson.map_or(current.clone(), |lesson| remove_lesson(&current, lesson.span))
                    }
                    Step::Revert => before_dream.clone(),
                    Step::Edit(number) => current.replace(&format!("- lesson {number}."), "- reworded"),
                    Step::AddAgain(number) if numbers_in(&current).contains(&number) => current.clone(),
                    Step::AddAgain(number) => with(&current, &[number]),
                };
                taken_out.extend(numbers_in(&current).difference(&numbers_in(&next)));
                taken_out.retain(|number| !numbers_in(&next).contains(number));
                history.push(next);
            }
        }
    }
}
