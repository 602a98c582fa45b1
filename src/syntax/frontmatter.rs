//! The YAML block between two `---` lines at the top of a Markdown file.

use super::Span;

/// The byte order mark that some editors put before the text, three bytes in UTF-8.
pub const BOM: char = '\u{feff}';

/// Where the parts of a file with frontmatter lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frontmatter {
    /// The YAML between the fences, with its last line ending.
    pub yaml: Span,
    /// The opening fence line, without its line ending.
    pub opening: Span,
    /// The closing fence line, without its line ending.
    pub closing: Span,
    /// All behind the closing fence.
    pub body: Span,
}

/// Why a file has no frontmatter. Spans point at the line to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrontmatterError {
    /// The file is empty or blank.
    Empty,
    /// The first line is no fence, and no fence follows early.
    Missing {
        /// The first line.
        first: Span,
    },
    /// A fence stands further down, behind other text or blank lines.
    NotFirst {
        /// The fence that should be the first line.
        fence: Span,
    },
    /// Opened and never closed.
    Unclosed {
        /// The opening fence.
        opening: Span,
        /// A line `...`, which YAML would take as an end and the format does not.
        dots: Option<Span>,
    },
}

/// Splits `text` at its fences.
///
/// The first line must be `---` (a byte order mark before it and white space behind it are tolerated, and are for
/// rules to judge); the first further line that is `---` closes. Only whole lines count, so `a --- b` in a value
/// is text.
///
/// # Errors
/// [`FrontmatterError`] says which part is missing.
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
        if dots.is_none() && text[line.range()].trim_end() == "..." {
            dots = Some(line);
        }
    }
    Err(FrontmatterError::Unclosed { opening, dots })
}

/// How far down a fence is still taken for a misplaced frontmatter rather than for a rule in the body.
const MISPLACED_WITHIN_LINES: usize = 12;

/// Tells a block that is merely preceded by something from a file that has none: the line after the late
/// fence must look like a key.
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
    fn says_what_is_missing() {
        assert_eq!(parts(""), Err(FrontmatterError::Empty));
        assert_eq!(parts("\u{feff}\n"), Err(FrontmatterError::Empty));
        assert_eq!(parts("# T\n"), Err(FrontmatterError::Missing { first: Span::new(0, 3) }));
        assert_eq!(parts("----\na: 1\n----\n"), Err(FrontmatterError::Missing { first: Span::new(0, 4) }));
        assert_eq!(parts("\n---\nname: x\n---\n"), Err(FrontmatterError::NotFirst { fence: Span::new(1, 4) }));
        assert_eq!(
            parts("---\na: 1\n...\n"),
            Err(FrontmatterError::Unclosed { opening: Span::new(0, 3), dots: Some(Span::new(9, 12)) })
        );
    }

    #[test]
    fn a_rule_in_the_body_is_no_misplaced_block() {
        let text = "# T\n\n---\nbold text\n---\n";
        assert_eq!(parts(text), Err(FrontmatterError::Missing { first: Span::new(0, 3) }));
    }
}
