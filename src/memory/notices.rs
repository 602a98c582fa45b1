//! What an agent is told to do before anything else.

use super::failing::FAILURES;
use std::collections::BTreeMap;

/// Lines of lessons up to which nobody has to put them together.
pub const LESSON_LINES: usize = 200;

/// What is to be done about lessons that have become too many to be read.
pub fn too_many_lessons(path: &str, lessons: &str) -> Option<String> {
    let lines = lessons.lines().count();
    let name = path.rsplit('/').next().unwrap_or(path);
    (lines > LESSON_LINES)
        .then(|| format!("{name} has {lines} lines: run `canonry dream`, and put lessons together by hand."))
}

/// Skills that failed so often of late that they are to be rewritten, each in a line.
pub fn to_rewrite(failures: &BTreeMap<String, usize>) -> Vec<(String, String)> {
    let often = failures.iter().filter(|(_, count)| **count >= FAILURES);
    let told =
        |count: &usize, skill: &str| format!("- {skill} failed {count} times in 14 days: rewrite it, or say why not.");
    often.map(|(skill, count)| (skill.clone(), told(count, skill))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_are_told_from_the_two_hundred_and_first_line_on() {
        let path = "agent/memory/semantic/LESSONS.md";
        assert_eq!(too_many_lessons(path, &"- x\n".repeat(200)), None);
        assert_eq!(
            too_many_lessons(path, &"- x\n".repeat(201)).as_deref(),
            Some("LESSONS.md has 201 lines: run `canonry dream`, and put lessons together by hand.")
        );
    }

    #[test]
    fn skills_are_told_from_the_third_failure_on() {
        let failures = BTreeMap::from([("deploy".to_owned(), 3), ("lint".to_owned(), 2)]);
        let want = ("deploy".to_owned(), "- deploy failed 3 times in 14 days: rewrite it, or say why not.".to_owned());
        assert_eq!(to_rewrite(&failures), [want]);
    }
}
