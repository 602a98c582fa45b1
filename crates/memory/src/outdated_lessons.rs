//! Lessons that are older than the last change of the skill or page they are about.
//!
//! Such a lesson may describe a problem that the change has solved. It is flagged and ranks below other lessons; only a person
//! can say whether it still holds.

use super::lessons::{self, Lesson, single_line};
use super::log::ParsedLog;
use super::row::{RowId, skill_hash};
use super::ruleset::Ruleset;
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::RepoPath;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A skill, a policy or a protocol that lessons can be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The name of the skill's folder, or the file name of a page.
    pub name: String,
    /// The files and folders whose changes count.
    pub paths: Vec<RepoPath>,
}

/// A lesson and what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonSubjects {
    /// The text in one line.
    pub text: String,
    /// The first moment after the day on which the lesson was written.
    pub until: Timestamp,
    /// Positions in the list of subjects.
    pub subjects: BTreeSet<usize>,
}

/// A lesson that is older than a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutdatedLesson {
    /// The text in one line.
    pub text: String,
    /// Change since then.
    #[serde(flatten)]
    pub change: SubjectChange,
}

/// The last change of a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SubjectChange {
    /// The name of the subject.
    pub subject: String,
    /// The day of the change, as in `2026-05-01`.
    #[serde(rename = "changed")]
    pub date: String,
}

impl std::fmt::Display for SubjectChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "older than the change of {} on {}", self.subject, self.date)
    }
}

/// The lessons below a dated heading that are about a subject: the skill of an episode they cite, or a skill or page they name.
/// `log` is the log or its end.
pub fn lesson_subjects(lessons: &str, log: &[u8], subjects: &[Subject]) -> Vec<LessonSubjects> {
    let lessons = lessons::lessons(lessons);
    let cited: BTreeSet<&str> = lessons.iter().flat_map(|lesson| &lesson.episodes).map(String::as_str).collect();
    let skills = if cited.is_empty() { HashMap::new() } else { skills_of_rows(log, &cited) };
    let by_hash: BTreeMap<u32, usize> =
        subjects.iter().enumerate().map(|(at, subject)| (skill_hash(&subject.name), at)).collect();
    let dated = |lesson: &Lesson| {
        let until = Timestamp::parse(lesson.date.as_deref()?)?.minus_days(-1);
        let text = lesson.text.clone();
        let named = subjects.iter().enumerate().filter(|(_, subject)| names(&text, &subject.name)).map(|(at, _)| at);
        let of_episodes = lesson.episodes.iter().filter_map(|id| by_hash.get(skills.get(id.as_str())?).copied());
        let about: BTreeSet<usize> = named.chain(of_episodes).collect();
        (!about.is_empty()).then_some(LessonSubjects { text, until, subjects: about })
    };
    lessons.iter().filter_map(dated).collect()
}

/// The hashes of the skills of the rows with these ids.
fn skills_of_rows(log: &[u8], ids: &BTreeSet<&str>) -> HashMap<String, u32> {
    let rows = ParsedLog::parse(log, Ruleset::Current).rows.into_iter();
    let skill = |row: super::row::EpisodeRow| {
        let id = match row.id {
            RowId::Own(id) => single_line(&id),
            RowId::Content(hash) => format!("{hash:016x}"),
            RowId::Line => return None,
        };
        ids.contains(id.as_str()).then_some((id, row.skill?))
    };
    rows.filter_map(skill).collect()
}

/// Whether a text names a skill or page. A name without a hyphen or dot is an ordinary word, such as `deploy`, so it must stand
/// in backticks.
fn names(text: &str, name: &str) -> bool {
    if !name.contains(['-', '.', '_']) {
        return !name.is_empty() && text.contains(&format!("`{name}`"));
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// The lessons that are older than the last change of what they are about. `changes` has the time of the last change of each
/// subject, if it is known.
pub fn outdated_lessons(
    lessons: Vec<LessonSubjects>,
    subjects: &[Subject],
    changes: &BTreeMap<usize, Timestamp>,
) -> Vec<OutdatedLesson> {
    let outdated = |lesson: LessonSubjects| {
        let changed = |at: &usize| Some((*changes.get(at)?, subjects.get(*at)?));
        let later = lesson.subjects.iter().filter_map(changed).filter(|(at, _)| *at >= lesson.until);
        let (at, subject) = later.max_by_key(|(at, _)| *at)?;
        let change = SubjectChange { subject: subject.name.clone(), date: at.date() };
        Some(OutdatedLesson { text: lesson.text, change })
    };
    lessons.into_iter().filter_map(outdated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSONS: &str = "# Lessons\n\n- undated, about smoke-test\n\n## 2026-04-20\n\n- by episode (episodes: e1)\n- names smoke-test and `deploy`\n\
                           - we deploy with smoke-tests\n- read permissions.md first\n- ~~retired smoke-test~~\n";

    fn subjects() -> Vec<Subject> {
        let subject = |name: &str| Subject { name: name.to_owned(), paths: vec![RepoPath::from(name)] };
        ["deploy", "smoke-test", "permissions.md"].map(subject).to_vec()
    }

    fn dated() -> Vec<LessonSubjects> {
        let log = b"{\"timestamp\":\"2026-04-19\",\"id\":\"e1\",\"skill\":\"deploy\",\"action\":\"a\"}\nnot a row\n";
        lesson_subjects(LESSONS, log, &subjects())
    }

    #[test]
    fn a_lesson_is_about_the_skills_of_its_episodes_and_those_it_names() {
        let found: Vec<(String, Vec<usize>)> =
            dated().into_iter().map(|lesson| (lesson.text, lesson.subjects.into_iter().collect())).collect();
        let want = [
            ("by episode", vec![0]),
            ("names smoke-test and `deploy`", vec![0, 1]),
            ("read permissions.md first", vec![2]),
        ];
        assert_eq!(found, want.map(|(text, about)| (text.to_owned(), about)));
    }

    #[test]
    fn only_later_changes_outdate_a_lesson() {
        let outdated = |changes: &[(usize, &str)]| -> Vec<String> {
            let changes = changes.iter().map(|(at, time)| (*at, Timestamp::parse(time).unwrap())).collect();
            let found = outdated_lessons(dated(), &subjects(), &changes);
            found.into_iter().map(|lesson| format!("{}: {}", lesson.text, lesson.change)).collect()
        };
        assert_eq!(outdated(&[]), <[String; 0]>::default());
        // The time of day at which the lesson was written is unknown.
        assert_eq!(outdated(&[(0, "2026-04-20T23:00:00Z")]), <[String; 0]>::default());
        assert_eq!(
            outdated(&[(0, "2026-04-22T01:00:00Z"), (1, "2026-04-23T01:00:00Z")]),
            [
                "by episode: older than the change of deploy on 2026-04-22",
                "names smoke-test and `deploy`: older than the change of smoke-test on 2026-04-23"
            ]
        );
    }
}
