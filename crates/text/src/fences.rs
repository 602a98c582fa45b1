//! Samples in Markdown whose fences do not nest.
//!
//! In a sample between three backticks, the first inner block ends the sample for a renderer, but not for its author. Its author
//! pairs fences as brackets: one with a language opens a block, and one without closes the last open block.

use super::Span;

/// A line that opens or closes a block.
#[derive(Clone, Copy)]
struct Fence {
    /// Where its line starts.
    at: usize,
    mark: u8,
    length: usize,
    indentation: usize,
    /// Whether a language or another text follows.
    has_info: bool,
    /// Whether a page in Markdown, or anything, may be in the block.
    is_text: bool,
    /// Whether another block was opened in it.
    has_inner: bool,
}

/// The blocks that contain other blocks as their author pairs the fences.
pub fn samples_with_blocks(text: &str) -> Vec<Span> {
    let mut open: Vec<Fence> = Vec::new();
    let mut found: Vec<(Span, bool)> = Vec::new();
    for fence in fences(text) {
        let closes = |outer: &Fence| outer.mark == fence.mark && outer.length <= fence.length;
        let closed = if fence.has_info { None } else { open.iter().rposition(closes) };
        let Some(at) = closed else {
            if let Some(outer) = open.last_mut() {
                // In code, only an indented block can be data, such as a value in YAML.
                outer.has_inner |= outer.is_text || fence.indentation > outer.indentation;
            }
            open.push(fence);
            continue;
        };
        let opening = open[at];
        open.truncate(at);
        if open.is_empty() && opening.has_inner {
            found.push((Span::new(opening.at, fence.at), opening.is_text));
        }
    }
    // If a fence has no partner, one of a block of code may have been forgotten, and what follows it is no sample.
    let is_paired = open.is_empty();
    found.into_iter().filter(|(_, is_text)| is_paired || *is_text).map(|(span, _)| span).collect()
}

/// The lines that start with a fence.
fn fences(text: &str) -> impl Iterator<Item = Fence> + '_ {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = start;
        start += line.len();
        let indentation = line.len() - line.trim_start().len();
        let line = line.trim();
        let mark = line.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
        let length = line.bytes().take_while(|byte| *byte == mark).count();
        let info = line[length..].trim();
        // Backticks after the fence make it a code span.
        let is_fence = length >= 3 && !(mark == b'`' && info.contains('`'));
        let word =
            info.split(|c: char| c.is_whitespace() || c == ',').next().expect("split is never empty").to_lowercase();
        let is_text = matches!(word.as_str(), "" | "markdown" | "md" | "mdx" | "text" | "txt");
        // A sentence may follow a closing fence by mistake: "```- then check the result".
        let is_placeholder =
            [('[', ']'), ('<', '>')].iter().any(|(open, close)| info.starts_with(*open) && info.ends_with(*close));
        let has_info = is_placeholder || info.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '{' | '.'));
        is_fence.then_some(Fence { at, mark, length, indentation, has_info, is_text, has_inner: false })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_paired_as_brackets() {
        for (text, want) in [
            ("```md\na\n```sh\nb\n```\nlink\n```\n", vec!["```md\na\n```sh\nb\n```\nlink\n"]),
            ("```yaml\na\n  ```sh\n  b\n  ```\nlink\n```\n", vec!["```yaml\na\n  ```sh\n  b\n  ```\nlink\n"]),
            ("```md\na\n```[language]\nb\n```\nlink\n```\n", vec!["```md\na\n```[language]\nb\n```\nlink\n"]),
            ("```\na\n~~~sh\nb\n~~~\nlink\n```\n", vec!["```\na\n~~~sh\nb\n~~~\nlink\n"]),
            // The block of code was not closed.
            ("```sh\na\n\n```py\nb\n```\nlink\n\n```\nc\n```\n", vec![]),
            ("```sh\na\n```\nlink\n```py\nb\n```\n", vec![]),
            ("```py\na\n```- then\n```sh\nb\n```\nlink\n```\nc\n```\n", vec![]),
            ("```py\na\n```sh\nb\n```\nlink\n```\n", vec![]),
            ("```md\na\n```sh\nb\n```\nlink\n", vec![]),
            ("``` `code` ```\nlink\n```\na\n```\n", vec![]),
        ] {
            let found: Vec<&str> = samples_with_blocks(text).into_iter().map(|span| &text[span.range()]).collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
