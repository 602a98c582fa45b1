use super::*;
use crate::memory::overview::{FilesPart, LessonsPart, LogPart, Overview, PatternPart, RowPart, Thresholds, Week};
use proptest::prelude::*;

fn overview(action: &str) -> Overview {
    let week = |start: &str, rows, archived| Week { start: start.to_owned(), rows, archived };
    let pattern = |salience: f64| PatternPart {
        id: "a1".to_owned(),
        skill: "s".to_owned(),
        action: action.to_owned(),
        rows: 3,
        salience,
        promoted: salience >= 7.0,
    };
    Overview {
        schema: "canonry/memory-status/v1",
        now: "2026-05-01T03:00:00Z".to_owned(),
        folder: "agent/memory".to_owned(),
        log: LogPart {
            rows: 5,
            unreadable: 1,
            bytes: 1234,
            oldest: Some("2026-04-01".to_owned()),
            newest: Some("2026-05-01".to_owned()),
        },
        snapshots: FilesPart { files: 1, rows: 2, bytes: 99 },
        lessons: LessonsPart { lessons: 1, lines: 7, bytes: 2_000_000 },
        quarantined: 1,
        waiting: 2,
        next_dream: "dream cycle: promoted 1, decayed 0, kept 5".to_owned(),
        thresholds: Thresholds { promote_at: 7.0, archive_below: 2.0, archive_after_days: 90 },
        weeks: vec![week("2026-04-20", 0, 0), week("2026-04-27", 5, 2)],
        patterns: vec![pattern(20.0), pattern(1.5)],
        patterns_in_all: 4,
        decaying: vec![RowPart {
            id: "b1".to_owned(),
            skill: String::new(),
            action: action.to_owned(),
            salience: 2.5,
            leaves: "2026-07-01".to_owned(),
        }],
        outlook: vec![0, 3, 0],
    }
}

#[test]
fn for_a_terminal() {
    insta::assert_snapshot!(words(&overview("rolled back the release"), 60));
}

#[test]
fn sizes_and_lengths() {
    let sizes = [0, 999, 1_000, 1_500_000].map(sized);
    assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "1.5 MB"]);
    assert_eq!((cut("äöü", 3), cut("äöü ß", 4)), ("äöü".to_owned(), "äöü…".to_owned()));
    assert_eq!(about("", ""), "(a row without words)");
}

#[test]
fn an_empty_memory_has_a_page_and_words() {
    let empty = Overview {
        weeks: Vec::new(),
        patterns: Vec::new(),
        decaying: Vec::new(),
        outlook: Vec::new(),
        log: LogPart::default(),
        ..overview("")
    };
    assert!(page(&empty).contains("Nothing in the log recurs."));
    assert!(!words(&empty, 80).contains("Rows by week"));
}

/// Nothing is asked for from elsewhere, and nothing runs.
#[test]
fn the_page_stands_alone() {
    let page = page(&overview("x"));
    for asks in ["<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "onload"] {
        assert!(!page.contains(asks), "{asks}");
    }
    // The name of a language, which no browser fetches.
    assert_eq!(
        page.matches("http").count(),
        page.matches("http://www.w3.org/2000/svg").count() + page.matches("http-equiv").count()
    );
    assert!(page.contains(GENERATOR) && page.contains("default-src 'none'"));
}

proptest! {
    /// Whatever a row says is text: the page has the tags that it has without it.
    #[test]
    fn a_row_cannot_write_markup(action in "\\PC{0,20}|[<>&\"'/a-c\u{0}\u{202e} -]{0,20}") {
        let tags = |page: &str| page.matches('<').count();
        let (with, without) = (page(&overview(&action)), page(&overview("x")));
        prop_assert_eq!(tags(&with), tags(&without));
        prop_assert_eq!(with.matches('"').count(), without.matches('"').count());
        let obeyed = with.contains(['\u{0}', '\u{202e}']);
        prop_assert!(!obeyed);
    }

    #[test]
    fn lines_are_no_wider_than_the_terminal(action in "[a-z ]{0,200}", width in 50..120usize) {
        // Of what the log says, that is; the lines above hold figures and days.
        for line in words(&overview(&action), width).lines().filter(|line| line.starts_with("  ")) {
            prop_assert!(line.chars().count() <= width, "{}", line);
        }
    }
}
