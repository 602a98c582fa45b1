use super::super::row::RowId;
use super::*;
use crate::ParsedLog;
use proptest::prelude::*;

fn candidate(text: &str, ids: &[&str]) -> LessonCandidate {
    LessonCandidate {
        text: text.to_owned(),
        episodes: ids.iter().map(|id| (*id).to_owned()).collect(),
        total: ids.len(),
        pattern: None,
        salience: None,
    }
}

fn add(existing: &str, candidates: &[LessonCandidate]) -> LessonAddition {
    add_as(Ruleset::Current, existing, candidates)
}

fn add_as(ruleset: Ruleset, existing: &str, candidates: &[LessonCandidate]) -> LessonAddition {
    append_lessons(existing, candidates, select_new(existing, candidates, ruleset), "2026-05-01")
}

#[test]
fn lessons_cite_their_episodes() {
    let lessons = add("", &[candidate("use x", &["e1", "e2"])]);
    assert_eq!(lessons.text, format!("{}\n## 2026-05-01\n\n- use x (episodes: e1, e2)\n", memory_file::LESSONS));
    let many = add("# Mine\n", &[candidate("use x", &["1", "2", "3", "4", "5", "6", "7"])]);
    assert_eq!(many.text, "\n## 2026-05-01\n\n- use x (episodes: 1, 2, 3, 4, 5 and 2 more)\n");
}

#[test]
fn a_second_dream_of_the_day_shares_the_heading() {
    let first = format!("# Lessons\n{}", add("# Lessons\n", &[candidate("a", &["1"])]).text);
    assert_eq!(add(&first, &[candidate("b", &["2"])]).text, "- b (episodes: 2)\n");
    assert_eq!(add(&first, &[candidate("a", &["1"])]), LessonAddition::default());
}

#[test]
fn additions_continue_any_existing_text() {
    assert_eq!(add("mine", &[candidate("a", &["1"])]).text, "\n\n## 2026-05-01\n\n- a (episodes: 1)\n");
    assert_eq!(add("mine\n\n", &[candidate("a", &["1"])]).text, "## 2026-05-01\n\n- a (episodes: 1)\n");
    assert_eq!(add("mine\r\n", &[candidate("a", &["1"])]).text, "\r\n## 2026-05-01\r\n\r\n- a (episodes: 1)\r\n");
}

#[test]
fn known_lessons_are_not_added_again() {
    let written = |existing: &str, text: &str, id: &str| !add(existing, &[candidate(text, &[id])]).written.is_empty();
    // A part of another lesson is a lesson of its own.
    assert!(written("- use X only when\n", "use X", "1"));
    // Case, white space and a final full stop do not matter.
    assert!(!written("* Use  X.\n", "use X", "1"));
    // Nor does the wording if an episode is the same, even if an editor has wrapped the item.
    assert!(!written("- X is what we use\n  (episodes: 0, 1 and 7 more)\n", "use X", "1"));
    assert!(written("- X is what we use (episodes: 11)\n", "use X", "1"));
    // Equal candidates of one dream are one lesson.
    let twice = add("", &[candidate("a", &["1"]), candidate("a", &["2"])]);
    assert_eq!(twice.written, [0]);
}

#[test]
fn a_pattern_has_one_lesson() {
    let of = |id: &str, text: &str| LessonCandidate {
        pattern: Some("00ff00ff00ff00ff".to_owned()),
        ..candidate(text, &[id])
    };
    let first = add("# Mine\n", &[of("1", "use x")]).text;
    assert!(first.ends_with("- use x (episodes: 1; pattern 00ff00ff00ff00ff)\n"), "{first}");
    for existing in [first.clone(), first.replace("use x", "X is what we use").replace("; pattern", ";\n  pattern")] {
        assert_eq!(add(&existing, &[of("2", "other words")]), LessonAddition::default(), "{existing}");
    }
    assert_eq!(find_citations(&first).iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["1"]);
}

#[test]
fn the_seed_compares_substrings_and_not_within_one_dream() {
    let seed = |existing: &str, candidates: &[LessonCandidate]| add_as(Ruleset::Seed, existing, candidates);
    assert_eq!(seed("- use X only when\n", &[candidate("use X", &["1"])]).written, [0usize; 0]);
    let twice = [candidate("a\n## b", &["1"]), candidate("a\n## b", &["2"])];
    let first = seed("", &twice);
    assert_eq!(first.written, [0, 1]);
    assert_eq!(seed(&first.text, &twice).written, [0usize; 0], "a second run");
}

#[test]
fn episodes_cannot_write_markdown() {
    for text in [
        "# heading",
        "- nested",
        "1. nested",
        "> quote",
        "[ ] task",
        "<!-- hidden -->",
        "a <script>alert(1)</script>",
        "[x]: http://example.com",
        "![x](http://example.com/p.png)",
        "```",
        "    code",
        "---",
    ] {
        let line = LessonLine::new(&candidate(text, &["<b>", "1"])).line();
        assert!(markdown::is_plain_item(&line), "{line}");
        assert_eq!(line.lines().count(), 1);
        let known = ExistingLessons::parse(&line);
        assert!(known.contains(&LessonLine::new(&candidate(text, &["9"])), &candidate(text, &["9"])), "{line}");
        assert!(known.cited.contains("<b>"), "{:?}", known.cited);
    }
    assert_eq!(LessonLine::new(&candidate("use `a<b>` and *b*", &["1"])).text, "use `a<b>` and *b*");
}

#[test]
fn long_lessons_are_shortened() {
    let text = LessonLine::new(&candidate(&"é".repeat(2_000), &["1"])).text;
    assert_eq!(text.chars().count(), MAX_LESSON_CHARACTERS + 1);
}

proptest! {
    #[test]
    fn any_text_is_one_plain_item_and_added_once(text in "\\PC{0,40}|[-#<>!\\[\\](): `*_a\\n\u{2028}]{0,24}", id in "\\PC{1,9}") {
        let candidates = [candidate(&text, &[&id])];
        let first = add("# Lessons\n", &candidates);
        let lessons = format!("# Lessons\n{}", first.text);
        prop_assert_eq!(&add(&lessons, &candidates), &LessonAddition::default());
        for line in first.text.split('\n').filter(|line| line.starts_with("- ")) {
            prop_assert!(markdown::is_plain_item(line), "{}", line);
        }
        prop_assert!(first.text.split('\n').count() <= 5);
    }
}

#[test]
fn citations_have_spans() {
    let text = "# L\n\n- a (episodes: x1,\n  00000000000000ff-2 and 7 more)\r\n- b (episodes: see the wiki)\n- c (episodes: y\\_z)\n- d\n";
    let found = find_citations(text);
    let shown: Vec<(&str, &str)> = found.iter().map(|c| (c.id.as_str(), &text[c.span.range()])).collect();
    assert_eq!(shown, [("x1", "x1"), ("00000000000000ff-2", "00000000000000ff-2"), ("y_z", "y\\_z")]);
}

#[test]
fn citations_of_existing_rows_are_resolved() {
    let log = "{\"timestamp\":\"2026-05-01\",\"id\":\"own\"}\n{\"timestamp\":\"2026-05-01\"}\n";
    let rows = ParsedLog::parse(log, Ruleset::Current).rows;
    let RowId::Content(hash) = rows[1].id else { panic!("{:?}", rows[1].id) };
    let text = format!("- a (episodes: own, {hash:016x}, {hash:016x}-2, L7, gone, 00000000000000ff)\n");
    let mut left = find_citations(&text);
    retain_unresolved(&mut left, &rows);
    assert_eq!(left.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["gone", "00000000000000ff"]);
}
