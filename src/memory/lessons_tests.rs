use super::super::{Row, RowId};
use super::*;
use proptest::prelude::*;

fn candidate(text: &str, ids: &[&str]) -> Candidate {
    Candidate {
        text: text.to_owned(),
        ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        of: ids.len(),
        pattern: None,
    }
}

fn add(existing: &str, candidates: &[Candidate]) -> Addition {
    add_as(Ruleset::Current, existing, candidates)
}

fn add_as(ruleset: Ruleset, existing: &str, candidates: &[Candidate]) -> Addition {
    append(existing, candidates, fresh(existing, candidates, ruleset), "2026-05-01")
}

#[test]
fn a_lesson_names_its_episodes() {
    let lessons = add("", &[candidate("use x", &["e1", "e2"])]);
    assert_eq!(lessons.text, format!("{}\n## 2026-05-01\n\n- use x (episodes: e1, e2)\n", memory_file::LESSONS));
    let many = add("# Mine\n", &[candidate("use x", &["1", "2", "3", "4", "5", "6", "7"])]);
    assert_eq!(many.text, "\n## 2026-05-01\n\n- use x (episodes: 1, 2, 3, 4, 5 and 2 more)\n");
}

#[test]
fn a_second_dream_of_the_day_goes_under_the_same_heading() {
    let first = format!("# Lessons\n{}", add("# Lessons\n", &[candidate("a", &["1"])]).text);
    assert_eq!(add(&first, &[candidate("b", &["2"])]).text, "- b (episodes: 2)\n");
    assert_eq!(add(&first, &[candidate("a", &["1"])]), Addition::default());
}

#[test]
fn the_end_of_a_text_by_hand_is_respected() {
    assert_eq!(add("mine", &[candidate("a", &["1"])]).text, "\n\n## 2026-05-01\n\n- a (episodes: 1)\n");
    assert_eq!(add("mine\n\n", &[candidate("a", &["1"])]).text, "## 2026-05-01\n\n- a (episodes: 1)\n");
    assert_eq!(add("mine\r\n", &[candidate("a", &["1"])]).text, "\r\n## 2026-05-01\r\n\r\n- a (episodes: 1)\r\n");
}

#[test]
fn known_lessons_are_not_written_again() {
    let written = |existing: &str, text: &str, id: &str| !add(existing, &[candidate(text, &[id])]).written.is_empty();
    // Part of another lesson is another lesson.
    assert!(written("- use X only when\n", "use X", "1"));
    // Case, white space and a full stop make no other lesson.
    assert!(!written("* Use  X.\n", "use X", "1"));
    // Nor do other words about the same episode, also where an editor has wrapped them.
    assert!(!written("- X is what we use\n  (episodes: 0, 1 and 7 more)\n", "use X", "1"));
    assert!(written("- X is what we use (episodes: 11)\n", "use X", "1"));
    // The same words twice in one night are one lesson.
    let twice = add("", &[candidate("a", &["1"]), candidate("a", &["2"])]);
    assert_eq!(twice.written, [0]);
}

#[test]
fn a_pattern_has_one_lesson_whatever_its_rows() {
    let of =
        |id: &str, text: &str| Candidate { pattern: Some("00ff00ff00ff00ff".to_owned()), ..candidate(text, &[id]) };
    let first = add("# Mine\n", &[of("1", "use x")]).text;
    assert!(first.ends_with("- use x (episodes: 1; pattern 00ff00ff00ff00ff)\n"), "{first}");
    for existing in [first.clone(), first.replace("use x", "X is what we use").replace("; pattern", ";\n  pattern")] {
        assert_eq!(add(&existing, &[of("2", "other words")]), Addition::default(), "{existing}");
    }
    assert_eq!(citations(&first).iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["1"]);
}

#[test]
fn the_seed_compares_by_parts_and_not_within_a_night() {
    let seed = |existing: &str, candidates: &[Candidate]| add_as(Ruleset::Seed, existing, candidates);
    assert_eq!(seed("- use X only when\n", &[candidate("use X", &["1"])]).written, [0usize; 0]);
    let twice = [candidate("a\n## b", &["1"]), candidate("a\n## b", &["2"])];
    let first = seed("", &twice);
    assert_eq!(first.written, [0, 1]);
    assert_eq!(seed(&first.text, &twice).written, [0usize; 0], "a second run");
}

#[test]
fn a_row_cannot_write_markdown() {
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
        let line = Lesson::of(&candidate(text, &["<b>", "1"])).line();
        assert!(markdown::is_plain_item(&line), "{line}");
        assert_eq!(line.lines().count(), 1);
        let known = Known::of(&line);
        assert!(known.has(&Lesson::of(&candidate(text, &["9"])), &candidate(text, &["9"])), "{line}");
        assert!(known.cited.contains("<b>"), "{:?}", known.cited);
    }
    assert_eq!(Lesson::of(&candidate("use `a<b>` and *b*", &["1"])).text, "use `a<b>` and *b*");
}

#[test]
fn a_long_lesson_is_cut() {
    let text = Lesson::of(&candidate(&"é".repeat(2_000), &["1"])).text;
    assert_eq!(text.chars().count(), LENGTH_LIMIT + 1);
}

proptest! {
    #[test]
    fn whatever_a_row_says_is_one_plain_line_and_is_written_once(text in "\\PC{0,40}|[-#<>!\\[\\](): `*_a\\n\u{2028}]{0,24}", id in "\\PC{1,9}") {
        let candidates = [candidate(&text, &[&id])];
        let first = add("# Lessons\n", &candidates);
        let lessons = format!("# Lessons\n{}", first.text);
        prop_assert_eq!(&add(&lessons, &candidates), &Addition::default());
        for line in first.text.split('\n').filter(|line| line.starts_with("- ")) {
            prop_assert!(markdown::is_plain_item(line), "{}", line);
        }
        prop_assert!(first.text.split('\n').count() <= 5);
    }
}

#[test]
fn citations_know_their_place() {
    let text = "# L\n\n- a (episodes: x1,\n  00000000000000ff-2 and 7 more)\r\n- b (episodes: see the wiki)\n- c (episodes: y\\_z)\n- d\n";
    let found = citations(text);
    let shown: Vec<(&str, &str)> = found.iter().map(|c| (c.id.as_str(), &text[c.span.range()])).collect();
    assert_eq!(shown, [("x1", "x1"), ("00000000000000ff-2", "00000000000000ff-2"), ("y_z", "y\\_z")]);
}

#[test]
fn citations_are_held_against_rows() {
    let log = "{\"timestamp\":\"2026-05-01\",\"id\":\"own\"}\n{\"timestamp\":\"2026-05-01\"}\n";
    let rows: Vec<Row> =
        crate::memory::scan(crate::memory::Chunk { bytes: log.as_bytes(), offset: 0, lines: 0 }, Ruleset::Current)
            .into_iter()
            .flatten()
            .collect();
    let RowId::Content(hash) = rows[1].id else { panic!("{:?}", rows[1].id) };
    let text = format!("- a (episodes: own, {hash:016x}, {hash:016x}-2, L7, gone, 00000000000000ff)\n");
    let mut left = citations(&text);
    retain_unresolved(&mut left, &rows);
    assert_eq!(left.iter().map(|c| c.id.as_str()).collect::<Vec<_>>(), ["gone", "00000000000000ff"]);
}
