//! See `code_fence_unclosed.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;
use canonry_text::fences::Samples;
use canonry_text::markdown::{CodeBlock, MarkdownOutline};

pub(super) static RULE: Rule = Rule {
    id: "code-fence-unclosed",
    summary: "code block is not closed",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("code_fence_unclosed.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    for (source, outline) in skill.all_texts() {
        let Some((outline, span)) = outline.and_then(|outline| Some((outline, unclosed(source.text(), outline)?)))
        else {
            continue;
        };
        let finding = RULE.at(Location::at(source, span), "the text from here on is a code block that is not closed");
        findings.push(match outer_block(source.text(), outline, span) {
            Some(outer) => finding
                .related(Location::at(source, outer), "this block contains fences of its own, so it ends too early")
                .help("start and end the outer block with one more backtick than the fences in it"),
            None => match (torn_block(source.text(), outline, span), fence_with_language(source.text(), span)) {
                (Some(torn), _) => finding
                    .related(Location::at(source, torn), "this block contains a heading, so its own end may be missing")
                    .help("close that block after its last line of code; the fences below it then change their roles"),
                (None, Some(fence)) => finding
                    .related(Location::at(source, fence), "a fence with a language does not close the block")
                    .help("write the closing fence without a language"),
                (None, None) if follows_fence(source.text(), span) => {
                    finding.help("remove this fence: the block above it is closed already")
                }
                (None, None) => finding.help("close the block after its last line of code"),
            },
        });
    }
}

/// The opening fence of a block that ends with the text and not with a fence, if the block contains text. A missing fence after
/// the last line of code, or a stray one at the end, changes nothing.
fn unclosed(text: &str, outline: &MarkdownOutline) -> Option<Span> {
    let block = outline.blocks.last()?;
    let code = &text[block.span.range()];
    let mut lines = code.lines();
    let first = lines.next()?;
    let mark = first.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let least = first.chars().take_while(|c| *c == mark).count();
    let is_closed = lines.clone().next_back().is_some_and(|last| {
        let last = last.trim_matches(|c: char| c.is_whitespace() || c == '>');
        last.len() >= least && last.chars().all(|c| c == mark)
    });
    let is_last = text[block.span.end()..].trim().is_empty();
    let has_text = || if block.language.is_empty() { lines.any(is_sentence) } else { has_text_after_code(lines) };
    (is_last && least >= 3 && !is_closed && has_text() && !is_paired_below_tag(text))
        .then(|| Span::new(block.span.offset, block.span.offset + first.len()))
}

/// Whether all fences are in pairs, though a renderer takes one for HTML because it follows a tag: `<usage>`, then "```sh".
fn is_paired_below_tag(text: &str) -> bool {
    let mut open = None;
    let mut is_html = false;
    let mut is_below_tag = false;
    for line in text.lines().map(str::trim) {
        let marks = line.chars().take_while(|c| *c == '`').count();
        match open {
            None if marks >= 3 => {
                is_below_tag |= is_html;
                open = Some(marks);
            }
            Some(least) if marks >= least && marks == line.len() => open = None,
            _ => {}
        }
        // A tag starts a block of HTML, which ends at an empty line.
        is_html = !line.is_empty() && (is_html || line.starts_with('<') && line.ends_with('>'));
    }
    is_below_tag && open.is_none()
}

/// Words of a sentence, at least.
const MIN_WORDS: usize = 4;

/// Whether a line is text for a reader and no code: a heading of a section, a link, or a sentence.
fn is_sentence(line: &str) -> bool {
    let line = line.trim();
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit() || " -*+.>)".contains(c));
    let ends = text.trim_end_matches(['*', '`', ')']).ends_with(['.', ':', '!', '?', '。', '：']);
    let is_prose = text.starts_with(char::is_uppercase) && ends && text.split_whitespace().count() >= MIN_WORDS;
    is_heading(line) || text.contains("](") || is_prose
}

/// Whether text follows an empty line after the code. In a block of Markdown, all of it is text.
fn has_text_after_code<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut is_after_gap = false;
    for line in lines {
        // A comment may be a sentence too.
        let is_comment = line.trim_start().starts_with(['#', '/', '*', '-']) && !line.starts_with("##");
        if is_after_gap && !line.starts_with(' ') && !is_comment && is_sentence(line) {
            return true;
        }
        is_after_gap |= line.trim().is_empty();
    }
    false
}

/// The first line of an earlier block with a fence inside: the usual cause. All blocks after the first of them may be out of step, so
/// that they start with a closing fence.
fn outer_block(text: &str, outline: &MarkdownOutline, unclosed: Span) -> Option<Span> {
    let is_torn = |sample: &Span| {
        let is_same =
            |block: &CodeBlock| sample.range().contains(&block.span.offset) && block.span.end() < sample.end();
        outline.blocks.iter().find(|block| block.span.offset >= sample.offset).is_some_and(is_same)
    };
    let samples = Samples::find(text).spans;
    if let Some(sample) = samples.iter().find(|sample| sample.offset < unclosed.offset && is_torn(sample)) {
        let first = text[sample.range()].lines().next()?;
        let start = sample.offset + first.len() - first.trim_start().len();
        return Some(Span::new(start, sample.offset + first.trim_end().len()));
    }
    let before = outline.blocks.iter().rev().filter(|block| block.span.end() <= unclosed.offset);
    let mut with_fence = before.filter(|block| {
        let code = &text[block.span.range()];
        // Shorter fences are part of its text.
        let marks = |line: &str| line.bytes().take_while(|byte| *byte == b'`').count();
        let opens = |line: &str| is_opening_fence(line) && marks(line) >= marks(code);
        code.lines().skip(1).any(|line| opens(line.trim_start()))
    });
    let block = with_fence.next()?;
    let first = text[block.span.range()].lines().next()?;
    Some(Span::new(block.span.offset, block.span.offset + first.len()))
}

/// The first line of the first block without a language that contains a heading of the text: in code, `## ` after an empty line is rare.
fn torn_block(text: &str, outline: &MarkdownOutline, unclosed: Span) -> Option<Span> {
    let before = outline.blocks.iter().filter(|block| block.span.end() <= unclosed.offset);
    let has_heading = |block: &&CodeBlock| {
        let lines = || text[block.span.range()].lines();
        lines().zip(lines().skip(1)).any(|(above, line)| above.trim().is_empty() && is_heading(line))
    };
    let block = before.filter(|block| block.language.is_empty()).find(has_heading)?;
    let first = text[block.span.range()].lines().next()?;
    Some(Span::new(block.span.offset, block.span.offset + first.len()))
}

fn is_heading(line: &str) -> bool {
    line.starts_with("## ") || line.starts_with("### ")
}

/// Whether the line above a fence is one, too.
fn follows_fence(text: &str, fence: Span) -> bool {
    let above = text[..fence.offset].trim_end_matches([' ', '>']).strip_suffix('\n').unwrap_or_default();
    let above = above.rsplit('\n').next().expect("split is never empty").trim();
    above.len() >= 3 && (above.bytes().all(|byte| byte == b'`') || above.bytes().all(|byte| byte == b'~'))
}

/// The first fence with a language after the start of a block that would close it without the language.
fn fence_with_language(text: &str, start: Span) -> Option<Span> {
    let marks = |line: &str| line.bytes().take_while(|byte| *byte == b'`').count();
    let least = marks(&text[start.range()]);
    let mut at = start.end();
    for line in text[start.end()..].split_inclusive('\n') {
        if is_opening_fence(line.trim_end()) && marks(line) >= least {
            return Some(Span::new(at, at + line.trim_end().len()));
        }
        at += line.len();
    }
    None
}

/// Matches "```sh", and not a fence that may also close a block.
fn is_opening_fence(line: &str) -> bool {
    line.strip_prefix("```").is_some_and(|language| language.starts_with(|c: char| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::markdown;

    #[test]
    fn only_blocks_that_contain_text_are_found() {
        for (text, want) in [
            ("```sh\nls\n\nThen sort the lines by date.\n", Some(0)),
            ("```\nls\n```\n\n```\n\n## Next\n", Some(12)),
            ("```sh\nls\n# Then sort the lines by date.\n", None),
            ("```sh\nls\n```\n```\n", None),
            ("```js\nconst a = 1;\n\nfunction sort() {}\n", None),
            ("```sh\nls\n```\n", None),
        ] {
            let outline = markdown::outline(text, 0);
            assert_eq!(unclosed(text, &outline).map(|span| span.offset), want, "{text}");
        }
    }

    #[test]
    fn the_first_block_without_an_end_is_named() {
        for (text, want) in [
            ("```\nls\n\n## Next\n\n```\nls\n```\n\n## Last\n", Some(0)),
            ("```\nls\n```\n\n```\nls\n\n## Next\n", None),
            ("```sh\nls\n\n## Next\n```\n\n```\nls\n\n## Last\n", None),
        ] {
            let outline = markdown::outline(text, 0);
            let span = unclosed(text, &outline).unwrap_or_else(|| panic!("closed: {text}"));
            assert_eq!(torn_block(text, &outline, span).map(|span| span.offset), want, "{text}");
        }
        let stray = "```sh\nls\n```\n````\n\n## Next\n";
        let span = unclosed(stray, &markdown::outline(stray, 0)).unwrap();
        assert!(follows_fence(stray, span));
    }

    #[test]
    fn a_shorter_fence_does_not_close_a_block() {
        let text = "````\n\n```sh\nls\n```\n";
        assert_eq!(fence_with_language(text, Span::new(0, 4)), None);
        assert_eq!(fence_with_language("```\n\n```sh\n", Span::new(0, 3)), Some(Span::new(5, 10)));
    }

    #[test]
    fn the_block_with_the_inner_fence_is_named() {
        for (text, want) in [
            ("```md\n# A\n```sh\nls\n```\nThen sort the lines.\n```\n\n## Next\n", Some(0)),
            ("```md\n# A\n  ```<lang>\n  ls\n  ```\nThen sort the lines.\n```\n\n## Next\n", Some(0)),
            // The closing fence of the first sample starts a block that contains the second one.
            (
                "```md\n# A\n```sh\nls\n```\nThen.\n```\n```sh\nb\n```\nc\n```md\n# A\n```sh\nls\n```\n```\n\n```md\n```sh\nd\n```\n```\n\n## Next\n",
                Some(0),
            ),
            ("````md\n```sh\nls\n```\n````\n\n```\nls\n\n## Next\n", None),
        ] {
            let outline = markdown::outline(text, 0);
            let span = unclosed(text, &outline).unwrap_or_else(|| panic!("closed: {text}"));
            assert_eq!(outer_block(text, &outline, span).map(|span| span.offset), want, "{text}");
        }
    }
}
