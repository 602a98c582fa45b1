use super::*;
use canonry_memory::dream_counts::DreamCounts;
use canonry_memory::nights::NightsOverview;
use canonry_memory::outdated_lessons::{OutdatedLesson, SubjectChange};
use canonry_memory::overview::{
    LearnedLesson, LessonsOverview, LogOverview, MemoryOverview, PatternOverview, SnapshotOverview, Thresholds,
    WaitingCandidate, WeekCount,
};
use canonry_memory::pages::DueDecision;
use canonry_memory::review::{CandidateKind, EvidenceRow};
use proptest::prelude::*;

fn overview(action: &str) -> MemoryOverview {
    let week = |start: &str, rows, archived| WeekCount { start: start.to_owned(), rows, archived };
    let pattern = |salience: f64| PatternOverview {
        id: "a1".to_owned(),
        skill: "s".to_owned(),
        action: action.to_owned(),
        rows: 3,
        salience,
        promoted: salience >= 7.0,
    };
    MemoryOverview {
        now: "2026-05-01T03:00:00Z".to_owned(),
        folder: "agent/memory".to_owned(),
        log: LogOverview {
            rows: 5,
            unreadable: 1,
            bytes: 1234,
            oldest: Some("2026-04-01".to_owned()),
            newest: Some("2026-05-01".to_owned()),
        },
        snapshots: SnapshotOverview { files: 1, rows: 2, bytes: 99 },
        lessons: LessonsOverview { lessons: 1, lines: 7, bytes: 2_000_000 },
        learned: vec![LearnedLesson { date: "2026-04-30".to_owned(), text: action.to_owned() }],
        outdated: vec![OutdatedLesson {
            text: action.to_owned(),
            change: SubjectChange { subject: "deploy".to_owned(), date: "2026-05-01".to_owned() },
        }],
        candidates: vec![WaitingCandidate {
            candidate: "4f0c".to_owned(),
            kind: CandidateKind::Lesson,
            text: action.to_owned(),
            episodes: 17,
            evidence: vec![EvidenceRow {
                id: "a1".to_owned(),
                date: "2026-04-30".to_owned(),
                action: action.to_owned(),
                reflection: action.to_owned(),
            }],
            like: Some(action.to_owned()),
            near_opposites: vec![action.to_owned()],
            opposed_to: vec![action.to_owned()],
        }],
        due_decisions: vec![DueDecision { title: action.to_owned(), date: "2026-04-30".to_owned() }],
        quarantined: 1,
        waiting: 2,
        nights: NightsOverview {
            failed: 2,
            failing_since: Some("2026-04-29T03:00:00Z".to_owned()),
            reason: Some("contention: index.lock".to_owned()),
            ..NightsOverview::default()
        },
        next_dream: DreamCounts { lessons: 1, archived: 0, kept: 5, candidates: 0 },
        thresholds: Thresholds { promote_at: 7.0, archive_below: 2.0, archive_after_days: 90 },
        weeks: vec![week("2026-04-20", 0, 0), week("2026-04-27", 5, 2)],
        patterns: vec![pattern(20.0), pattern(1.5)],
        patterns_in_all: 4,
    }
}

#[test]
fn overview_for_a_terminal() {
    insta::assert_snapshot!(overview_to_text(&overview("rolled back the release"), 60));
}

#[test]
fn sizes_and_labels_are_formatted() {
    let sizes = [0, 999, 1_000, 1_500_000].map(formatted_size);
    assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "1.5 MB"]);
    assert_eq!(row_label("", ""), "(a row without text)");
}

#[test]
fn an_empty_memory_has_an_overview() {
    let empty = MemoryOverview { weeks: Vec::new(), patterns: Vec::new(), log: LogOverview::default(), ..overview("") };
    assert!(page(&empty).contains("No pattern recurs in the log."));
    assert!(!overview_to_text(&empty, 80).contains("Rows by week"));
}

/// The page loads nothing and runs nothing.
#[test]
fn the_page_is_self_contained() {
    let page = page(&overview("x"));
    for asks in ["<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "onload"] {
        assert!(!page.contains(asks), "{asks}");
    }
    assert_eq!(page.matches("http").count(), page.matches("http-equiv").count());
    assert!(page.contains(GENERATOR) && page.contains("default-src 'none'"));
}

proptest! {
    /// The text of a row adds no tags to the page.
    #[test]
    fn rows_cannot_write_markup(action in "\\PC{0,20}|[<>&\"'/a-c\u{0}\u{202e} -]{0,20}") {
        let tags = |page: &str| page.matches('<').count();
        let (with, without) = (page(&overview(&action)), page(&overview("x")));
        prop_assert_eq!(tags(&with), tags(&without));
        prop_assert_eq!(with.matches('"').count(), without.matches('"').count());
        let has_control = with.contains(['\u{0}', '\u{202e}']);
        prop_assert!(!has_control);
    }

    #[test]
    fn lines_fit_the_terminal(action in "[a-z ]{0,200}", width in 50..120usize) {
        // Only lines with text from the log; the lines above have figures and dates.
        for line in overview_to_text(&overview(&action), width).lines().filter(|line| line.starts_with("  ")) {
            prop_assert!(line.chars().count() <= width, "{}", line);
        }
    }
}
