//! The comments of a YAML text.

use super::Span;
use granit_parser::{Event, Parser};

/// Every comment of `text`, which stands `offset` bytes into its file, in order; up to the first place where the text is
/// no YAML. A `#` in a value is none.
pub fn comments(text: &str, offset: usize) -> Vec<Span> {
    let options = granit_parser::options! { emit_comments: true };
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut found = Vec::new();
    while let Some(Ok((event, span))) = parser.next_event() {
        match event {
            Event::Comment(..) => found.extend(span.byte_range().map(|range| whole(text, range.start).shifted(offset))),
            Event::StreamEnd => break,
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

/// From the `#` to the end of the line.
fn whole(text: &str, at: usize) -> Span {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let start = if text[at..].starts_with('#') { at } else { text[..at].rfind('#').unwrap_or(at) };
    Span::new(start, start + text[start..end].trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::comments;
    use proptest::prelude::*;

    #[test]
    fn finds_comments_and_nothing_that_looks_like_one() {
        let text = "# a\r\nb: 'x # no' # c\nd: |\n  # no\n  e#no\n  # f\ng: [1, # h\n  2]\ni: j#no\n#k";
        let found: Vec<&str> = comments(text, 0).into_iter().map(|span| &text[span.range()]).collect();
        assert_eq!(found, ["# a", "# c", "# h", "#k"]);
        assert_eq!(comments(text, 10)[0].offset, 10);
    }

    #[test]
    fn ends_where_the_yaml_ends() {
        let text = "# a\nb: c: d\n# e\n";
        let found: Vec<&str> = comments(text, 0).into_iter().map(|span| &text[span.range()]).collect();
        assert_eq!(found, ["# a"]);
    }

    proptest! {
        #[test]
        fn stays_inside(text in "[ -~\n\té#:|]{0,120}") {
            prop_assert!(comments(&text, 0).iter().all(|span| text.get(span.range()).is_some()));
        }
    }
}
