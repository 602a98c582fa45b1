use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn text(merged: &MergeOutput) -> &str {
    std::str::from_utf8(&merged.bytes).unwrap()
}

fn three(kind: MergeFileKind, base: &str, ours: &str, theirs: &str) -> MergeOutput {
    kind.merge(&MergeInput { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() })
}

/// A merge without conflicts.
#[track_caller]
fn clean(kind: MergeFileKind, base: &str, ours: &str, theirs: &str) -> String {
    let merged = three(kind, base, ours, theirs);
    assert_eq!(merged.conflicts, 0, "{}", text(&merged));
    text(&merged).to_owned()
}

fn row(id: &str, day: u8) -> String {
    format!("{{\"id\": \"{id}\", \"timestamp\": \"2026-04-{day:02}\"}}\n")
}

#[test]
fn rows_are_sorted_by_time_without_those_that_left() {
    let base = row("old", 1) + &row("a", 2) + &row("late", 1);
    let ours = row("a", 2) + &row("late", 1) + &row("o1", 5) + &row("o2", 9);
    let theirs = row("old", 1) + &row("a", 2) + &row("t1", 7);
    let want = row("a", 2) + &row("o1", 5) + &row("t1", 7) + &row("o2", 9);
    assert_eq!(clean(MergeFileKind::Rows, &base, &ours, &theirs), want);
    assert_eq!(clean(MergeFileKind::Rows, &base, &theirs, &ours), want);
}

#[test]
fn rows_without_an_id_are_identified_by_their_bytes() {
    let x = "{\"timestamp\":\"2026-04-01\"}\n";
    let y = "{\"timestamp\": \"2026-04-01\"}";
    assert_eq!(clean(MergeFileKind::Rows, x, &format!("{x}{x}"), &format!("{x}{x}{y}")), format!("{x}{x}{y}\n"));
    assert_eq!(clean(MergeFileKind::Rows, x, &format!("{x}{y}"), &x.replace('\n', "\r\n")), format!("{x}{y}\n"));
    // Invalid lines are merged like rows.
    assert_eq!(clean(MergeFileKind::Rows, "oops\n", "", "oops\n\nagain\n"), "again\n");
}

#[test]
fn a_row_changed_by_one_side_and_moved_by_the_other_conflicts() {
    let base = row("x", 1);
    let changed = row("x", 2);
    let merged = three(MergeFileKind::Rows, &base, "", &changed);
    assert_eq!((text(&merged), merged.conflicts), (&*format!("<<<<<<< ours\n=======\n{changed}>>>>>>> theirs\n"), 1));
    let other = row("x", 3);
    assert_eq!(three(MergeFileKind::Rows, &base, &other, &changed).conflicts, 1);
    assert_eq!(three(MergeFileKind::Rows, "", &other, &changed).conflicts, 1, "two rows of one id");
    let end = row("y", 9);
    assert_eq!(clean(MergeFileKind::Rows, &base, &(base.clone() + &end), &changed), changed + &end);
}

#[test]
fn a_quarantined_line_is_kept_once() {
    let head = "# Log lines\n# Repaired lines\n";
    let ours = format!("{head}# 2026-04-01 line 3: not JSON\noops\n# 2026-04-01 line 4: not JSON\n# mine\n");
    let theirs = format!("{head}# 2026-04-02 line 9: not JSON\noops\n# 2026-04-02 line 10: not JSON\nother\n");
    let want = format!("{ours}# 2026-04-02 line 10: not JSON\nother\n");
    assert_eq!(clean(MergeFileKind::Quarantine, "", &ours, &theirs), want);
}

const HEAD: &str = "# Lessons\n\nEdit freely.\n";

#[test]
fn the_same_lesson_is_kept_once() {
    let ours = format!("{HEAD}\n## 2026-05-01\n\n- use x (episodes: a1, a2)\n- ours (episodes: o)\n");
    let theirs = format!(
        "{HEAD}\n## 2026-05-01\n\n- Use x. (episodes: a1, b1, b2, b3, b4 and 2 more)\n- theirs (episodes: t)\n"
    );
    let want = format!(
        "{HEAD}\n## 2026-05-01\n\n- use x (episodes: a1, a2, b1, b2, b3 and 3 more)\n- ours (episodes: o)\n- theirs (episodes: t)\n"
    );
    assert_eq!(clean(MergeFileKind::Lessons, HEAD, &ours, &theirs), want);
    assert_eq!(clean(MergeFileKind::Lessons, "", &ours, &theirs), want, "both began the file");
}

#[test]
fn the_same_lesson_of_two_nights_leaves_no_empty_heading() {
    let night = |day: u8, lessons: &str| format!("{HEAD}\n## 2026-05-{day:02}\n\n{lessons}");
    let first = night(1, "- use x (episodes: a1)\n");
    let second = night(2, "- use x (episodes: a1)\n");
    for (ours, theirs) in [(&first, &second), (&second, &first)] {
        assert_eq!(clean(MergeFileKind::Lessons, HEAD, ours, theirs), *ours);
    }
    let more = night(2, "- use x (episodes: a1)\n- use y (episodes: b1)\n");
    let merged = clean(MergeFileKind::Lessons, HEAD, &first, &more);
    assert_eq!(merged, format!("{first}\n## 2026-05-02\n\n- use y (episodes: b1)\n"));
}

#[test]
fn date_headings_are_sorted() {
    let day = |day: u8, lesson: &str| format!("\n## 2026-05-{day:02}\n\n- {lesson}\n");
    let first = day(1, "a");
    let second = day(2, "b");
    let want = format!("{HEAD}{first}{second}");
    for (ours, theirs) in [(&first, &second), (&second, &first)] {
        assert_eq!(clean(MergeFileKind::Lessons, HEAD, &format!("{HEAD}{ours}"), &format!("{HEAD}{theirs}")), want);
    }
    // The second day has no lesson of its own.
    let same = format!("{HEAD}{}", day(2, "A."));
    assert_eq!(clean(MergeFileKind::Lessons, HEAD, &format!("{HEAD}{first}"), &same), format!("{HEAD}{first}"));
    // Additions to the earlier day stay below it.
    let base = format!("{HEAD}{first}");
    let want = format!("{base}- more\n{second}");
    for (ours, theirs) in [("- more\n", second.as_str()), (second.as_str(), "- more\n")] {
        assert_eq!(clean(MergeFileKind::Lessons, &base, &format!("{base}{ours}"), &format!("{base}{theirs}")), want);
    }
}

#[test]
fn a_reworded_lesson_wins() {
    let base = format!("{HEAD}\n## D\n\n- use x (episodes: a1, a2)\n- y\n");
    let edited = base.replace("use x", "Always use x, since y");
    let more = base.replace("a1, a2)", "a1, a2 and 3 more)");
    for (ours, theirs) in [(&edited, &more), (&more, &edited)] {
        let merged = clean(MergeFileKind::Lessons, &base, ours, theirs);
        assert!(
            merged.contains("- Always use x, since y (episodes: a1, a2") && !merged.contains("- use x"),
            "{merged}"
        );
    }
    // One side removed the lesson, the other did not touch it.
    let without = base.replace("- use x (episodes: a1, a2)\n", "");
    let longer = base.clone() + "- z\n";
    assert_eq!(clean(MergeFileKind::Lessons, &base, &without, &longer), without + "- z\n");
    // Text between the lessons is merged line by line.
    let noted = base.replace("Edit freely.", "Edit freely, all.");
    assert_eq!(clean(MergeFileKind::Lessons, &base, &noted, &longer), noted + "- z\n");
}

#[test]
fn different_rewordings_conflict() {
    let base = format!("{HEAD}\n- use x (episodes: a1)\n- y\n");
    let ours = base.replace("use x", "always x");
    let theirs = base.replace("use x", "never x");
    let merged = three(MergeFileKind::Lessons, &base, &ours, &theirs);
    assert_eq!(merged.conflicts, 1);
    let clash = "<<<<<<< ours\n- always x (episodes: a1)\n=======\n- never x (episodes: a1)\n>>>>>>> theirs\n";
    assert!(text(&merged).contains(clash) && text(&merged).ends_with("- y\n"), "{}", text(&merged));
    // The same applies if the lesson is new on both sides: it is unknown which one a person wrote.
    let new = |words: &str| format!("{HEAD}\n- {words} (episodes: a1)\n");
    let merged = three(MergeFileKind::Lessons, HEAD, &new("always x"), &new("never x"));
    assert_eq!(merged.conflicts, 1);
    assert!(text(&merged).contains("=======\n- never x"), "{}", text(&merged));
    assert_eq!(three(MergeFileKind::Lessons, "a\n", "b\n", "c\n").conflicts, 1);
}

#[test]
fn line_endings_and_wrapped_items_are_kept() {
    let base = "# L\r\n\r\n- a\r\n";
    let merged =
        clean(MergeFileKind::Lessons, base, "# L\r\n\r\n- a\r\n- b\r\n  continues\r\n", "# L\r\n\r\n- a\r\n- c");
    assert_eq!(merged, "# L\r\n\r\n- a\r\n- b\r\n  continues\r\n- c\r\n");
}

/// A log with rows of these numbers.
fn log(rows: &BTreeSet<u8>) -> String {
    rows.iter().map(|number| row(&format!("r{number}"), number % 28 + 1)).collect()
}

fn numbers() -> impl Strategy<Value = BTreeSet<u8>> {
    prop::collection::btree_set(0..40u8, 0..20)
}

fn counts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    text.lines().filter(|line| !line.is_empty()).for_each(|line| *counts.entry(line.to_owned()).or_default() += 1);
    counts
}

/// Lessons of these numbers under date headings.
fn lessons_of(numbers: &BTreeSet<u8>) -> String {
    let mut text = HEAD.to_owned();
    for day in 0..4 {
        let of_day: Vec<&u8> = numbers.iter().filter(|number| **number / 10 == day).collect();
        if !of_day.is_empty() {
            text.push_str(&format!("\n## 2026-05-0{}\n\n", day + 1));
            of_day.iter().for_each(|n| text.push_str(&format!("- lesson {n} (episodes: e{n}, f{n})\n")));
        }
    }
    text
}

proptest! {
    /// The rows are the three-way merge of the sets of rows.
    #[test]
    fn no_row_is_lost_or_duplicated(base in numbers(), ours in numbers(), theirs in numbers()) {
        let want: BTreeSet<u8> = (0..40).filter(|n| {
            let (b, o, t) = (base.contains(n), ours.contains(n), theirs.contains(n));
            if b { o && t } else { o || t }
        }).collect();
        let (base, ours, theirs) = (log(&base), log(&ours), log(&theirs));
        let merged = clean(MergeFileKind::Rows, &base, &ours, &theirs);
        prop_assert_eq!(counts(&merged), counts(&log(&want)));
        prop_assert_eq!(&clean(MergeFileKind::Rows, &base, &theirs, &ours), &merged, "the merge is symmetric");
        prop_assert_eq!(&clean(MergeFileKind::Rows, &base, &merged, &merged), &merged);
        // Merging again changes nothing.
        prop_assert_eq!(counts(&clean(MergeFileKind::Rows, &theirs, &merged, &theirs)), counts(&merged));
    }

    /// A row that either side archived is in exactly one of the log and the snapshot.
    #[test]
    fn archived_rows_are_in_one_file(
        base in numbers(), ours in numbers(), theirs in numbers(), moved in (numbers(), numbers()),
    ) {
        let side = |added: &BTreeSet<u8>, moved: &BTreeSet<u8>| {
            let all: BTreeSet<u8> = base.union(added).copied().collect();
            let archived: BTreeSet<u8> = base.intersection(moved).copied().collect();
            (log(&all.difference(&archived).copied().collect()), log(&archived))
        };
        let (our_log, our_snapshot) = side(&ours, &moved.0);
        let (their_log, their_snapshot) = side(&theirs, &moved.1);
        let both = clean(MergeFileKind::Rows, &log(&base), &our_log, &their_log) + &clean(MergeFileKind::Rows, "", &our_snapshot, &their_snapshot);
        let all = base.iter().chain(&ours).chain(&theirs).copied().collect();
        prop_assert_eq!(counts(&both), counts(&log(&all)));
    }

    #[test]
    fn any_bytes_merge_without_losing_new_lines(base in "[a-c{}\\n]{0,12}", ours in "[a-c{}\\n]{0,12}", theirs in "[a-c{}\\n]{0,12}") {
        let merged = three(MergeFileKind::Rows, &base, &ours, &theirs);
        prop_assert_eq!(merged.conflicts, 0);
        for (one, other) in [(&ours, &theirs), (&theirs, &ours)] {
            let (base, other, merged) = (counts(&base), counts(other), counts(text(&merged)));
            for (line, count) in counts(one).iter().filter(|(line, _)| !line.trim().is_empty()) {
                let was = base.get(line).copied().unwrap_or_default();
                // Lines beyond those of the base are new and must be kept.
                let left = other.get(line).copied().unwrap_or_default();
                prop_assert!(*count <= was.max(merged.get(line).copied().unwrap_or_default()) || left < was, "{}", line);
            }
        }
    }

    #[test]
    fn no_lesson_is_lost_or_duplicated(base in numbers(), ours in numbers(), theirs in numbers()) {
        // Like dreams, both sides only add lessons.
        let (ours, theirs): (BTreeSet<u8>, BTreeSet<u8>) = (&base | &ours, &base | &theirs);
        let merged = clean(MergeFileKind::Lessons, &lessons_of(&base), &lessons_of(&ours), &lessons_of(&theirs));
        let lessons = |text: &str| text.lines().filter(|l| l.starts_with("- ")).map(str::to_owned).collect::<Vec<_>>();
        let mut found = lessons(&merged);
        found.sort();
        let mut want = lessons(&lessons_of(&(&ours | &theirs)));
        want.sort();
        prop_assert_eq!(found, want);
        prop_assert!(merged.starts_with(HEAD));
        let headings: Vec<&str> = merged.lines().filter(|line| line.starts_with("## ")).collect();
        prop_assert_eq!(headings.iter().collect::<BTreeSet<_>>().len(), headings.len(), "{}", merged);
    }

    #[test]
    fn any_text_merges_and_one_sided_changes_are_taken(base in "[-#ab \\n]{0,16}", ours in "[-#ab \\n]{0,16}", theirs in "[-#ab \\n]{0,16}") {
        let merged = three(MergeFileKind::Lessons, &base, &ours, &theirs);
        if merged.conflicts == 0 {
            prop_assert!(!text(&merged).contains("<<<<<<<"));
        }
        prop_assert_eq!(clean(MergeFileKind::Lessons, &base, &ours, &base), ours.clone());
        prop_assert_eq!(clean(MergeFileKind::Lessons, &base, &ours, &ours), ours.clone());
        let words = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect::<BTreeSet<_>>();
        // New lines of a side are in the result, unless the other side has the same list item.
        for (one, other) in [(&ours, &theirs), (&theirs, &ours)] {
            let (was, others, now) = (words(&base), words(other), words(text(&merged)));
            // Without its trailing space, an item without text is a single hyphen.
            let is_item = |line: &str| line.trim_start().starts_with("- ") || line.trim() == "-";
            for line in words(one).difference(&was).filter(|line| !others.contains(*line)) {
                prop_assert!(now.contains(line) || is_item(line) || line.starts_with('#') || line.starts_with(' '), "{line:?} is not in {now:?}");
            }
        }
    }
}
