use super::*;
use canonry_text::RepoPath;
use proptest::prelude::*;

fn source(text: impl Into<String>) -> Source {
    Source::new(RepoPath::from("x"), text.into())
}

/// The lines around one mark, with the mark in brackets.
fn excerpt(text: &str, offset: usize, length: usize, width: usize) -> String {
    let (excerpt, places) = Excerpt::new(&source(text), &[Span { offset, length }], width);
    let place = places[0].expect("the first mark is always visible");
    let (before, rest) = excerpt.text.split_at(place.offset);
    let (marked, after) = rest.split_at(place.length);
    format!("{before}[{marked}]{after}")
}

#[test]
fn excerpts_have_whole_lines() {
    let text = "one\ntwo\nthree\nfour\n";
    for (offset, length, want) in
        [(4, 3, "one\n[two]\nthree\n"), (0, 0, "[]one\ntwo\n"), (9, 6, "two\nt[hree\nf]our\n"), (19, 0, "four\n[]\n")]
    {
        assert_eq!(excerpt(text, offset, length, 80), want);
    }
}

#[test]
fn lines_are_cut_to_the_width_around_the_mark() {
    let text = format!("{}MARK{}", "a".repeat(100), "b".repeat(100));
    for (offset, want) in
        [(100, "…aaaaaa[MARK]bbbbbbbb…\n"), (0, "[aaaa]aaaaaaaaaaaaaaa…\n"), (200, "…bbbbbbbbbbbbbbb[bbbb]\n")]
    {
        assert_eq!(excerpt(&text, offset, 4, FRAME_COLUMNS + 20), want);
    }
    assert_eq!(excerpt(&text, 100, 100, FRAME_COLUMNS + 20), format!("…aaaaaa[MARK{}]…\n", "b".repeat(8)));
    assert_eq!(excerpt("日本語日本語日本語日本語", 0, 3, FRAME_COLUMNS + 20), "[日]本語日本語日本語…\n");
    assert_eq!(excerpt("short\n", 0, 5, 0), "[short]\n");
}

#[test]
fn marks_that_are_cut_off_have_no_place() {
    let text = format!("a{}b\nc\n", " ".repeat(200));
    let marks = [Span::new(0, 1), Span::new(201, 202), Span::new(203, 204)];
    let (excerpt, places) = Excerpt::new(&source(text), &marks, 60);
    assert_eq!((places[0], places[1]), (Some(Span::new(0, 1)), None));
    assert_eq!(&excerpt.text[places[2].unwrap().range()], "c");
}

#[test]
fn hidden_characters_are_escaped() {
    let text = "a\u{202e}b\u{1b}[31m\u{200b}\u{e0041}\rc\td👩\u{200d}🔬\r\n";
    assert_eq!(excerpt(text, 1, 3, 200), "a[<U+202E>]b<U+001B>[31m<U+200B><U+E0041><U+000D>c\td👩\u{200d}🔬\n");
    assert_eq!(escape("a\u{1b}[31m\n\tb"), "a<U+001B>[31m\n\tb");
    assert_eq!(escape_line("a\r\nb\nc\u{202e}"), "a b c<U+202E>");
}

#[test]
fn a_mark_covers_some_lines_only() {
    let text = "line\n".repeat(100);
    let (excerpt, places) = Excerpt::new(&source(text.clone()), &[Span::new(0, text.len())], 80);
    assert_eq!(excerpt.text.lines().count(), MAX_MARKED_LINES + 1);
    assert!(places[0].unwrap().end() <= 5 * MAX_MARKED_LINES);
}

#[test]
fn ranges_have_only_neighbouring_lines() {
    let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let (excerpt, places) = Excerpt::new(&source(text), &[Span::new(2, 3), Span::new(14, 15)], 80);
    assert_eq!(excerpt.text, "1\n2\n3\n7\n8\n9\n");
    let lines = |at: usize, around| {
        let range = excerpt.lines_of(places[at].unwrap(), around);
        (&excerpt.text[range.span.range()], range.number, range.count)
    };
    assert_eq!(lines(0, 0), ("2\n", 2, 1));
    assert_eq!(lines(0, 1), ("1\n2\n3\n", 1, 3));
    assert_eq!(lines(0, 2), ("1\n2\n3\n", 1, 3));
    assert_eq!(lines(1, 1), ("7\n8\n9\n", 7, 3));
}

#[test]
fn time_does_not_depend_on_the_length_of_the_file() {
    let line = "A [link](to/nowhere.md) of many.\n";
    let source = source(line.repeat(100_000));
    let length = |at: usize| {
        let mark = Span { offset: at * line.len() + 2, length: 21 };
        Excerpt::new(&source, &[mark], 80).0.text.len()
    };
    assert_eq!((0..100_000).step_by(99).map(length).max(), Some(3 * line.len()));
}

proptest! {
    #[test]
    fn lines_fit_and_the_first_mark_is_visible(
        text in "[a-zé日\\n\\t\u{1b}\u{202e}\r ]{0,200}", at in 0usize..220, length in 0usize..40, width in 0usize..100,
    ) {
        let floor = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let span = Span::new(floor(at), floor(at + length));
        let (excerpt, places) = Excerpt::new(&source(text.clone()), &[span], width);
        let place = places[0].unwrap();
        prop_assert!(excerpt.text.get(place.range()).is_some());
        for line in excerpt.text.lines() {
            let columns: usize = line.chars().map(columns_of).sum();
            prop_assert!(columns <= width.saturating_sub(FRAME_COLUMNS).max(MIN_COLUMNS), "{line:?}");
        }
        let range = excerpt.lines_of(place, 1);
        prop_assert!(range.span.offset <= place.offset && place.end() <= range.span.end());
    }
}
