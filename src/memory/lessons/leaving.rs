//! Lessons that hold no more: struck out, or taken out.

use super::{CITATION, STRUCK, items, unescaped};
use crate::syntax::Span;

/// A lesson that a dream wrote, or that was accepted: it names its pattern, and stands below a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dated {
    /// What it says, on one line.
    pub text: String,
    /// The name of its pattern.
    pub pattern: String,
    /// The ids that it names.
    pub episodes: Vec<String>,
    /// The day, as in `2026-05-01`.
    pub date: String,
    /// Where it stands, without the last line end.
    pub span: Span,
}

/// Those of a text, in file order, but for what was struck out.
pub fn dated(text: &str) -> Vec<Dated> {
    let days = days(text);
    let lesson = |item: super::Item| {
        let day = days.iter().rev().find(|(offset, _)| *offset < item.span.offset)?;
        let (said, episodes) = item.parts();
        let dated = Dated {
            text: unescaped(said).trim().to_owned(),
            pattern: item.pattern()?.to_owned(),
            episodes: episodes.map(unescaped).collect(),
            date: day.1?.to_owned(),
            span: item.span,
        };
        (!dated.text.starts_with(STRUCK)).then_some(dated)
    };
    items(text).into_iter().filter_map(lesson).collect()
}

/// The headings with their places, and the days of those that are one.
fn days(text: &str) -> Vec<(usize, Option<&str>)> {
    let mut days = Vec::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if let Some(heading) = line.trim_end().strip_prefix('#') {
            let day = heading.trim_start_matches('#').trim();
            let is_day = day.parse::<jiff::civil::Date>().is_ok() && day.len() == 10;
            days.push((offset, is_day.then_some(day)));
        }
        offset += line.len();
    }
    days
}

/// A text in which some lessons, by where they stand, are struck out and say since when: they hold no more, and stay.
pub fn superseded(text: &str, lessons: &[Span], date: &str) -> String {
    let mut out = text.to_owned();
    let mut spans: Vec<&Span> = lessons.iter().collect();
    // From the last one on, so that the places of the others stay.
    spans.sort_by_key(|span| std::cmp::Reverse(span.offset));
    for span in spans {
        let item = &text[span.range()];
        let begin = item.len() - item.trim_start().len() + 2;
        // Behind the mark of the list: of an item that names nothing but episodes these are its words.
        let end = item[begin..].rfind(CITATION).map_or(item.trim_end().len(), |at| begin + at);
        let struck = format!(
            "{}{STRUCK}{}{STRUCK} (superseded {date}){}",
            &item[..begin],
            item[begin..end].trim(),
            &item[end..]
        );
        out.replace_range(span.range(), &struck);
    }
    out
}

/// A text without a lesson.
pub fn without(text: &str, lesson: Span) -> String {
    let rest = &text[lesson.end()..];
    let rest = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest);
    format!("{}{rest}", &text[..lesson.offset])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Ours\n\n- by hand\n\n## 2026-05-01\n\n- one (episodes: a1, a2; pattern p1)\n- by hand too\n- two\n  lines (episodes: b1; pattern p2)\n- ~~gone~~ (superseded 2026-05-02) (episodes: c1; pattern p3)\n\n## Other\n\n- three (episodes: d1; pattern p4)\n";

    #[test]
    fn those_that_name_a_pattern_below_a_day() {
        let found = dated(TEXT);
        let told: Vec<_> = found.iter().map(|l| (l.text.as_str(), l.pattern.as_str(), l.date.as_str())).collect();
        assert_eq!(told, [("one", "p1", "2026-05-01"), ("two lines", "p2", "2026-05-01")]);
        assert_eq!(found[0].episodes, ["a1", "a2"]);
    }

    #[test]
    fn one_is_taken_out_and_nothing_else() {
        let [one, two] = &dated(TEXT)[..] else { panic!() };
        assert_eq!(without(TEXT, one.span), TEXT.replace("- one (episodes: a1, a2; pattern p1)\n", ""));
        assert_eq!(without(TEXT, two.span), TEXT.replace("- two\n  lines (episodes: b1; pattern p2)\n", ""));
        let crlf = TEXT.replace('\n', "\r\n");
        let one = dated(&crlf)[0].span;
        assert_eq!(without(&crlf, one), crlf.replace("- one (episodes: a1, a2; pattern p1)\r\n", ""));
    }

    #[test]
    fn struck_out_a_lesson_stays_with_its_episodes() {
        let spans: Vec<Span> = dated(TEXT).iter().map(|lesson| lesson.span).collect();
        let struck = superseded(TEXT, &spans, "2026-06-01");
        assert!(struck.contains("\n- ~~one~~ (superseded 2026-06-01) (episodes: a1, a2; pattern p1)\n"), "{struck}");
        assert!(
            struck.contains("\n- ~~two\n  lines~~ (superseded 2026-06-01) (episodes: b1; pattern p2)\n"),
            "{struck}"
        );
        assert!(dated(&struck).is_empty());
    }

    #[test]
    fn an_item_of_nothing_but_episodes_is_struck_out_too() {
        let text = "- (episodes: a1)\n";
        let spans: Vec<Span> = super::super::placed(text).into_iter().map(|(_, span)| span).collect();
        assert_eq!(superseded(text, &spans, "2026-06-01"), "- ~~(episodes: a1)~~ (superseded 2026-06-01)\n");
    }
}
