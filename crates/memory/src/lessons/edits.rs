//! Changes of lessons: struck out, or deleted from the text.

use super::{CITATION, STRIKETHROUGH};
use canonry_text::Span;

/// Strikes out the lessons at these positions, with a note of when they were superseded.
pub fn strike_out(text: &str, lessons: &[Span], date: &str) -> String {
    let mut out = text.to_owned();
    let mut spans: Vec<&Span> = lessons.iter().collect();
    // Last to first, so that the remaining spans stay valid.
    spans.sort_by_key(|span| std::cmp::Reverse(span.offset));
    for span in spans {
        let item = &text[span.range()];
        let begin = item.len() - item.trim_start().len() + 2;
        // Search after the bullet: an item can consist of nothing but a citation.
        let end = item[begin..].rfind(CITATION).map_or(item.trim_end().len(), |at| begin + at);
        let struck = format!(
            "{}{STRIKETHROUGH}{}{STRIKETHROUGH} (superseded {date}){}",
            &item[..begin],
            item[begin..end].trim(),
            &item[end..]
        );
        out.replace_range(span.range(), &struck);
    }
    out
}

/// Removes one lesson and its line ending.
pub fn remove_lesson(text: &str, lesson: Span) -> String {
    let rest = &text[lesson.end()..];
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
    format!("{}{rest}", &text[..lesson.offset])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{Lesson, lessons};

    fn dated(text: &str) -> Vec<Lesson> {
        lessons(text).into_iter().filter(Lesson::is_dated).collect()
    }

    const TEXT: &str = "# Ours\n\n- by hand\n\n## 2026-05-01\n\n- one (episodes: a1, a2; pattern p1)\n- by hand too\n- two\n  lines (episodes: b1; pattern p2)\n- ~~gone~~ (superseded 2026-05-02) (episodes: c1; pattern p3)\n\n## Other\n\n- three (episodes: d1; pattern p4)\n";

    #[test]
    fn dated_lessons_name_a_pattern_below_a_date() {
        let found = dated(TEXT);
        let shown: Vec<_> = found.iter().map(|l| (l.text.as_str(), l.pattern.as_deref(), l.date.as_deref())).collect();
        let date = Some("2026-05-01");
        assert_eq!(shown, [("one", Some("p1"), date), ("two lines", Some("p2"), date)]);
        assert_eq!(found[0].episodes, ["a1", "a2"]);
    }

    #[test]
    fn remove_lesson_keeps_everything_else() {
        let [one, two] = &dated(TEXT)[..] else { panic!() };
        assert_eq!(remove_lesson(TEXT, one.span), TEXT.replace("- one (episodes: a1, a2; pattern p1)\n", ""));
        assert_eq!(remove_lesson(TEXT, two.span), TEXT.replace("- two\n  lines (episodes: b1; pattern p2)\n", ""));
        let crlf = TEXT.replace('\n', "\r\n");
        let one = dated(&crlf)[0].span;
        assert_eq!(remove_lesson(&crlf, one), crlf.replace("- one (episodes: a1, a2; pattern p1)\r\n", ""));
    }

    #[test]
    fn strike_out_keeps_the_citations() {
        let spans: Vec<Span> = dated(TEXT).iter().map(|lesson| lesson.span).collect();
        let struck = strike_out(TEXT, &spans, "2026-06-01");
        assert!(struck.contains("\n- ~~one~~ (superseded 2026-06-01) (episodes: a1, a2; pattern p1)\n"), "{struck}");
        assert!(
            struck.contains("\n- ~~two\n  lines~~ (superseded 2026-06-01) (episodes: b1; pattern p2)\n"),
            "{struck}"
        );
        assert!(dated(&struck).is_empty());
    }

    #[test]
    fn strike_out_handles_an_item_without_text() {
        let text = "- (episodes: a1)\n";
        let spans: Vec<Span> = lessons(text).into_iter().map(|lesson| lesson.span).collect();
        assert_eq!(strike_out(text, &spans, "2026-06-01"), "- ~~(episodes: a1)~~ (superseded 2026-06-01)\n");
    }
}
