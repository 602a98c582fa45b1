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
    /// Whether a language or another text follows, for the author.
    has_info: bool,
    /// Whether anything follows, so that it closes no block for a renderer.
    has_rest: bool,
    /// Whether a page in Markdown, or anything, may be in the block.
    is_text: bool,
    /// Whether another block was opened in it.
    has_inner: bool,
}

impl Fence {
    /// Whether a block may contain a block that starts with this fence. In code, only an indented one can be data, such as a value
    /// in YAML.
    fn may_be_in(&self, outer: &Self) -> bool {
        outer.is_text || self.indentation > outer.indentation
    }

    fn may_close(&self, opening: &Self) -> bool {
        opening.mark == self.mark && opening.length <= self.length
    }
}

/// The blocks of a text as its author pairs the fences.
#[derive(Debug, Default)]
pub struct Samples {
    /// The blocks that contain other blocks.
    pub spans: Vec<Span>,
    /// Every block, if every fence has a partner.
    blocks: Vec<Span>,
    /// The first fence that may belong to the block around it, which ends too early for a renderer. It is undecidable whether the
    /// rest of the text is code.
    torn_at: Option<usize>,
}

impl Samples {
    /// Pairs the fences of a text.
    pub fn find(text: &str) -> Self {
        let mut open: Vec<Fence> = Vec::new();
        let mut found: Vec<(Span, Fence)> = Vec::new();
        for fence in fences(text) {
            let closed = if fence.has_info { None } else { open.iter().rposition(|opening| fence.may_close(opening)) };
            let Some(at) = closed else {
                if let Some(outer) = open.last_mut() {
                    outer.has_inner |= fence.may_be_in(outer);
                }
                open.push(fence);
                continue;
            };
            let opening = open[at];
            open.truncate(at);
            if open.is_empty() {
                found.push((Span::new(opening.at, fence.at), opening));
            }
        }
        // If a fence has no partner, one of a block of code may have been forgotten, and what follows it is no sample.
        let is_paired = open.is_empty();
        let is_sample = |opening: &Fence| opening.has_inner && (is_paired || opening.is_text);
        Self {
            spans: found.iter().filter(|(_, opening)| is_sample(opening)).map(|(span, _)| *span).collect(),
            blocks: if is_paired { found.into_iter().map(|(span, _)| span).collect() } else { Vec::new() },
            torn_at: if is_paired { None } else { first_torn(text) },
        }
    }

    /// Whether a place is in a block that contains other blocks.
    pub fn contain(&self, at: usize) -> bool {
        self.spans.iter().any(|sample| sample.range().contains(&at))
    }

    /// Whether a place that a renderer shows as text is in a block.
    pub fn contain_text(&self, at: usize) -> bool {
        self.contain(at) || self.blocks.iter().any(|block| block.range().contains(&at))
    }

    /// The fence that makes it undecidable whether a place is in a block.
    pub fn doubt_about(&self, at: usize) -> Option<usize> {
        self.torn_at.filter(|torn| *torn < at)
    }
}

/// The first fence in a block that a renderer takes for text of the block, and its author for the start of another one.
fn first_torn(text: &str) -> Option<usize> {
    let mut open: Option<Fence> = None;
    for fence in fences(text) {
        match open {
            None => open = Some(fence),
            Some(outer) if !fence.may_close(&outer) => {}
            Some(_) if !fence.has_rest => open = None,
            Some(outer) if fence.has_info && fence.may_be_in(&outer) => return Some(fence.at),
            Some(_) => {}
        }
    }
    None
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
        is_fence.then_some(Fence {
            at,
            mark,
            length,
            indentation,
            has_info,
            has_rest: !info.is_empty(),
            is_text,
            has_inner: false,
        })
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
            let found: Vec<&str> = Samples::find(text).spans.into_iter().map(|span| &text[span.range()]).collect();
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn text_is_in_a_block_if_every_fence_has_a_partner() {
        for (text, want) in [
            ("```xml\na\n```sh\nb\n```\nlink\n```\n", true),
            ("<a>\n```xml\n<b/>\n\nlink\n```\n", true),
            ("```sh\na\n```\nlink\n```py\nb\n```\n", false),
            ("```xml\na\n```sh\nb\n```\nlink\n", false),
        ] {
            let link = text.find("link").unwrap();
            assert_eq!(Samples::find(text).contain_text(link), want, "{text}");
        }
    }

    #[test]
    fn text_after_a_torn_sample_is_in_doubt() {
        for (text, want) in [
            ("link\n```md\na\n```sh\nb\n```\nlink\n", Some(13)),
            ("```md\na\n```sh\nb\n```\n```\nc\n```\n```\nlink\n```\n", Some(8)),
            // All fences have partners, or a block of code was not closed.
            ("```md\na\n```sh\nb\n```\n```\nlink\n", None),
            ("```sh\na\n\n```py\nb\n```\nlink\n", None),
            ("````md\na\n```sh\nb\n```\n````\nlink\n```\n", None),
        ] {
            let samples = Samples::find(text);
            assert_eq!(samples.doubt_about(0), None, "{text}");
            assert_eq!(samples.doubt_about(text.len()), want, "{text}");
        }
    }
}
