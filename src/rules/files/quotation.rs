//! Links that a text only quotes: what to write, or what a page of someone else contains.

use super::words_around::line_before;
use crate::syntax::fences::samples_with_blocks;
use crate::syntax::markdown::{CodeBlock, MarkdownOutline};
use crate::syntax::{Source, Span};
use gix::bstr::ByteSlice;

/// The quoted parts of a text.
pub(super) struct Quotations<'a> {
    source: &'a Source,
    /// Samples that a fence in them ended early, up to the fence that was meant to end them.
    torn_samples: Vec<Span>,
}

impl<'a> Quotations<'a> {
    pub(super) fn find(source: &'a Source, outline: &MarkdownOutline) -> Self {
        // Most texts have no such block, and their fences need not be paired.
        let is_torn = |block: &CodeBlock| contains_opening(source.slice(block.span));
        let torn_samples = match outline.blocks.iter().any(is_torn) {
            true => samples_with_blocks(source.text()),
            false => Vec::new(),
        };
        Self { source, torn_samples }
    }

    /// Whether a link belongs to a sentence that the text quotes, or to a sample whose fences do not nest.
    pub(super) fn contains(&self, link: Span) -> bool {
        self.torn_samples.iter().any(|sample| sample.range().contains(&link.offset)) || self.is_in_sentence(link)
    }

    fn is_in_sentence(&self, link: Span) -> bool {
        let line = self.source.line_span(link.offset);
        if line.length > MAX_LINE {
            return false;
        }
        let before = line_before(self.source, link.offset);
        let after = self.source.text().get(link.end()..line.end()).unwrap_or_default();
        is_in_quoted_sentence(before, after) || is_in_coded_sentence(before, after)
    }
}

/// Bytes of a line in which quotation marks are counted, so that the time for many links in one line stays linear.
const MAX_LINE: usize = 4 << 10;

/// Whether a line of a block, after its first, starts a block with a language, which a fence that ends a block never has.
fn contains_opening(block: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| {
        block.as_bytes().find_iter(fence).any(|at| {
            let is_first_in_line = block[..at].trim_end_matches([' ', '\t']).ends_with('\n');
            is_first_in_line && block[at + fence.len()..].starts_with(char::is_alphanumeric)
        })
    })
}

/// Matches `"See the [guide](install.md)"`: quotation marks around the link and the words before it.
fn is_in_quoted_sentence(before: &str, after: &str) -> bool {
    let opening = |open: char, close: char| {
        let at = before.rfind(open)?;
        let is_open = if open == close { before.matches(open).count() % 2 == 1 } else { !before[at..].contains(close) };
        (is_open && after.contains(close)).then(|| &before[at + open.len_utf8()..])
    };
    let quoted =
        opening('"', '"').or_else(|| opening('“', '”')).or_else(|| opening('„', '“')).or_else(|| opening('「', '」'));
    quoted.is_some_and(|words| words.trim_end_matches(['`', '*']).contains(|c: char| c.is_alphanumeric()))
}

/// Matches `` `Read references/a.md first` ``: code that is a sentence. Commands start in lower case.
fn is_in_coded_sentence(before: &str, after: &str) -> bool {
    let Some((_, code)) = before.rsplit_once('`').filter(|_| before.matches('`').count() % 2 == 1) else {
        return false;
    };
    let is_word = |word: &str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    let first = code.split_whitespace().next().unwrap_or_default();
    code.contains(' ') && is_word(first) && first.starts_with(char::is_uppercase) && after.contains('`')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{RepoPath, markdown};

    #[test]
    fn quoted_sentences_and_samples_are_no_links() {
        let torn = "```markdown\n# T\n```bash\nrun\n```\nSee [a](references/a.md).\n```\n";
        for (text, want) in [
            ("- Write \"See the [guide](./a.md)\" here", true),
            ("Say “read `references/a.md` first”.", true),
            ("Write `Run python scripts/a.py --all` and not more", true),
            ("Write `Before you query, read references/a.md` there", true),
            (torn, true),
            ("```markdown\n# T\n```\nSee [a](references/a.md).\n```\nx\n```\n", false),
            ("See [\"a\"](./a.md)", false),
            ("Run `python scripts/a.py --all`", false),
            ("The \"long\" form is in [a](./a.md), the \"short\" one is not", false),
            ("Set `\"path\": references/a.md`", false),
        ] {
            let source = Source::new(RepoPath::from("a/SKILL.md"), text.to_owned());
            let outline = markdown::outline(text, 0);
            let link = outline.links.first().unwrap_or_else(|| panic!("no path in {text}"));
            assert_eq!(Quotations::find(&source, &outline).contains(link.span), want, "{text}");
        }
    }
}
