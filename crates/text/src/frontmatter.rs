//! The YAML block between two `---` lines at the top of a Markdown file.

use super::node::Node;
use super::{Span, yaml};

/// The byte order mark that some editors write before the text; three bytes in UTF-8.
pub const BOM: char = '\u{feff}';

/// The spans of a file with frontmatter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontmatter {
    /// The YAML between the fences, including its last line ending.
    pub yaml: Span,
    /// The opening fence line, without its line ending.
    pub opening: Span,
    /// The closing fence line, without its line ending.
    pub closing: Span,
    /// Everything after the closing fence.
    pub body: Span,
}

/// Why a file has no frontmatter. The spans are the lines to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontmatterError {
    Empty,
    /// The first line is not a fence, and no misplaced frontmatter follows.
    Missing {
        first: Span,
    },
    /// The frontmatter comes after other text or blank lines.
    NotFirst {
        /// Its opening fence.
        fence: Span,
    },
    /// There is no closing fence.
    Unclosed {
        opening: Span,
        /// A line `...`, which ends a YAML document but not frontmatter.
        dots: Option<Span>,
        /// A line `---` after white space, which is no fence.
        indented: Option<Span>,
    },
}

/// The data of the frontmatter; `None` without a readable one.
pub fn root(text: &str) -> Option<Node> {
    let span = split(text).ok()?.yaml;
    Some(yaml::parse(&text[span.range()], span.offset).ok()?.root)
}

/// Splits `text` at its fences.
///
/// The first line must be `---`, and the next line that is `---` closes. A byte order mark before the first fence and
/// white space after it are tolerated here and reported by rules. Only whole lines count, so `a --- b` in a value is
/// text.
///
/// # Errors
/// There is no complete frontmatter at the start.
pub fn split(text: &str) -> Result<Frontmatter, FrontmatterError> {
    let start = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    if text[start..].trim().is_empty() {
        return Err(FrontmatterError::Empty);
    }
    let mut lines = lines(text, start);
    let Some(opening) = lines.next() else { return Err(FrontmatterError::Empty) };
    if !is_fence(text, opening) {
        return Err(misplaced(text, opening, lines));
    }
    let mut dots = None;
    let mut indented = None;
    let yaml_start = next_line(text, opening);
    for line in lines {
        if is_fence(text, line) {
            let behind = next_line(text, line);
            return Ok(Frontmatter {
                yaml: Span::new(yaml_start, line.offset),
                opening,
                closing: line,
                body: Span::new(behind, text.len()),
            });
        }
        match text[line.range()].trim_end() {
            "..." if dots.is_none() => dots = Some(line),
            other if indented.is_none() && other.trim_start() == "---" => indented = Some(line),
            _ => {}
        }
    }
    Err(FrontmatterError::Unclosed { opening, dots, indented })
}

/// The lines within which a fence counts as misplaced frontmatter and not as a horizontal rule.
const MISPLACED_WITHIN_LINES: usize = 12;

/// Distinguishes misplaced frontmatter from a file without any: the line after the fence must look like a key.
fn misplaced(text: &str, first: Span, lines: impl Iterator<Item = Span>) -> FrontmatterError {
    let lines: Vec<Span> = lines.take(MISPLACED_WITHIN_LINES).collect();
    let looks_like_key = |line: Span| {
        let line = &text[line.range()];
        ["name:", "description:"].iter().any(|key| line.starts_with(key))
    };
    lines
        .windows(2)
        .find(|pair| is_fence(text, pair[0]) && looks_like_key(pair[1]))
        .map_or(FrontmatterError::Missing { first }, |pair| FrontmatterError::NotFirst { fence: pair[0] })
}

fn is_fence(text: &str, line: Span) -> bool {
    text[line.range()].trim_end() == "---"
}

fn lines(text: &str, start: usize) -> impl Iterator<Item = Span> {
    let mut at = start;
    text[start..].split_inclusive('\n').map(move |line| {
        let span = Span::new(at, at + line.trim_end_matches(['\n', '\r']).len());
        at += line.len();
        span
    })
}

fn next_line(text: &str, line: Span) -> usize {
    text[line.offset..].find('\n').map_or(text.len(), |at| line.offset + at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Result<(&str, &str), FrontmatterError> {
        split(text).map(|f| (&text[f.yaml.range()], &text[f.body.range()]))
    }

    #[test]
    fn splits_at_whole_lines() {
        let table = [
            ("---\na: 1\n---\nbody\n", "a: 1\n", "body\n"),
            ("---\na: b --- c\n---", "a: b --- c\n", ""),
            ("---\r\na: 1\r\n---\r\nx", "a: 1\r\n", "x"),
            ("\u{feff}---\na: 1\n---\n", "a: 1\n", ""),
            ("--- \na: 1\n---\t\n", "a: 1\n", ""),
            ("---\n---\n", "", ""),
        ];
        for (text, yaml, body) in table {
            assert_eq!(parts(text), Ok((yaml, body)), "{text:?}");
        }
    }

    #[test]
    fn reports_what_is_missing() {
        assert_eq!(parts(""), Err(FrontmatterError::Empty));
        assert_eq!(parts("\u{feff}\n"), Err(FrontmatterError::Empty));
        assert_eq!(parts("# T\n"), Err(FrontmatterError::Missing { first: Span::new(0, 3) }));
        assert_eq!(parts("----\na: 1\n----\n"), Err(FrontmatterError::Missing { first: Span::new(0, 4) }));
        assert_eq!(parts("\n---\nname: x\n---\n"), Err(FrontmatterError::NotFirst { fence: Span::new(1, 4) }));
        assert_eq!(
            parts("---\na: 1\n...\n"),
            Err(FrontmatterError::Unclosed { opening: Span::new(0, 3), dots: Some(Span::new(9, 12)), indented: None })
        );
        assert_eq!(
            parts("---\na: 1\n  ---\nbody\n  ---\n"),
            Err(FrontmatterError::Unclosed { opening: Span::new(0, 3), dots: None, indented: Some(Span::new(9, 14)) })
        );
    }

    #[test]
    fn horizontal_rule_is_not_misplaced_frontmatter() {
        let text = "# T\n\n---\nbold text\n---\n";
        assert_eq!(parts(text), Err(FrontmatterError::Missing { first: Span::new(0, 3) }));
    }
}
