//! See `hidden_unicode.md`.

use crate::{Check, Defaults, RawFindings, Rule, scripts};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::skill::SkillText;
use canonry_model::finding::{Location, RawFinding, Severity};
use canonry_text::frontmatter::{self, BOM};
use canonry_text::markdown::MarkdownOutline;
use canonry_text::{Source, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "hidden-unicode",
    summary: "invisible or direction-changing characters",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("hidden_unicode.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text)]),
};

/// The effect of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum HiddenKind {
    ZeroWidth,
    /// A single zero-width character that hides nothing, such as one that a web page left at the end of a sentence.
    Stray,
    Direction,
    Tag,
}

/// The hidden characters of one kind in a text.
struct Hidden {
    first: Span,
    count: usize,
    /// The distinct ones, in order of first appearance.
    points: Vec<char>,
}

fn check(skill: &Skill, findings: &mut RawFindings) {
    // The rules on names report every invalid character in a name.
    let name = skill.field("name").map_or(Span::default(), |entry| entry.value.span);
    let mut found: Vec<(&Arc<Source>, HiddenKind, Hidden)> = Vec::new();
    for (source, outline) in skill.all_texts().filter(|(source, _)| !source.text().is_ascii()) {
        let is_document = source.path() == skill.path();
        // Data files may contain any character; text that an agent reads or runs may not.
        if is_document || outline.is_some() || skill.texts.iter().any(|text| is_script(text, source)) {
            let except = if is_document { name } else { Span::default() };
            let quoted = outline.map_or_else(Vec::new, quoted_blocks);
            // The values of the frontmatter are no prose: a program reads them.
            let body = skill.front().filter(|_| is_document).map_or(0, |front| front.fences.body.offset);
            let code = outline.map(|outline| {
                let blocks = outline.blocks.iter().map(|block| block.span);
                blocks.chain([Span::new(0, body)]).collect::<Vec<_>>()
            });
            let of_text = find(source.text(), except, &quoted, code.as_deref());
            found.extend(of_text.into_iter().map(|(kind, hidden)| (source, kind, hidden)));
        }
    }
    // So many texts have the same characters because a program wrote them, such as the converter of a website.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, kind, hidden) in &found {
        *counts.entry(cause(skill, *kind, hidden)).or_default() += 1;
    }
    findings.extend(found.iter().map(|(source, kind, hidden)| {
        let cause = cause(skill, *kind, hidden);
        let finding = finding(source, *kind, hidden);
        if *kind == HiddenKind::ZeroWidth && counts.get(&cause).is_some_and(|count| *count > MAX_SEPARATE) {
            finding.caused_by(cause, ("text with the same characters", "texts with the same characters"))
        } else {
            finding
        }
    }));
}

/// Texts of a skill with the same characters before they are reported as one cause.
const MAX_SEPARATE: usize = 5;

fn cause(skill: &Skill, kind: HiddenKind, hidden: &Hidden) -> String {
    format!("{} {kind:?} {}", skill.folder.path, points(&hidden.points))
}

fn check_agent_text(text: &AgentText, findings: &mut RawFindings) {
    let source = &text.source;
    if source.text().is_ascii() {
        return;
    }
    // The values of the frontmatter are no prose: a program reads them.
    let body = frontmatter::split(source.text()).map_or(0, |parts| parts.body.offset);
    let code = text
        .outline
        .as_ref()
        .map(|outline| outline.blocks.iter().map(|block| block.span).chain([Span::new(0, body)]).collect::<Vec<_>>());
    let found = find(source.text(), Span::default(), &[], code.as_deref());
    findings.extend(found.into_iter().map(|(kind, hidden)| finding(source, kind, &hidden)));
}

/// The hidden characters of a whole text.
pub(super) fn find_in(source: &Arc<Source>) -> Vec<RawFinding> {
    let found = find(source.text(), Span::default(), &[], None);
    found.into_iter().map(|(kind, hidden)| finding(source, kind, &hidden)).collect()
}

fn is_script(text: &SkillText, source: &Source) -> bool {
    text.source.path() == source.path() && scripts::language(text).is_some()
}

/// Languages of code blocks that only quote: a sample of a page, or the output of a tool.
const QUOTING_LANGUAGES: [&str; 8] = ["", "text", "txt", "markdown", "md", "html", "xml", "output"];

fn quoted_blocks(outline: &MarkdownOutline) -> Vec<Span> {
    let blocks = outline.blocks.iter().filter(|block| QUOTING_LANGUAGES.contains(&block.language.as_str()));
    blocks.map(|block| block.span).collect()
}

/// Finds hidden characters, except zero-width ones in a quoted line with other characters that are not ASCII, such as formulas of a
/// web page. `blocks` are the code blocks of a Markdown text, outside of which single zero-width characters may be stray.
fn find(text: &str, except: Span, quoted: &[Span], blocks: Option<&[Span]>) -> BTreeMap<HiddenKind, Hidden> {
    let mut found: BTreeMap<HiddenKind, Hidden> = BTreeMap::new();
    let mut from = 0;
    // Most bytes are ASCII.
    while let Some((at, c)) = next_non_ascii(text, from) {
        from = at + c.len_utf8();
        if c == BLACK_FLAG {
            from += flag_length(&text[from..]);
        }
        let is_mark = at == 0 && c == BOM;
        let Some(kind) = kind(c).filter(|_| !is_mark && !except.range().contains(&at)) else { continue };
        // Text in another order and tags hide what a line says, whatever it says that it is about.
        let is_quoted = || {
            let has_other = |line: &str| line.chars().any(|c| !c.is_ascii() && self::kind(c).is_none());
            quoted.iter().any(|block| block.range().contains(&at)) && has_other(line_at(text, at))
        };
        let is_harmless = || {
            is_quoted()
                || is_literal(text, at, c)
                || breaks_fence(text, at, at + c.len_utf8())
                || is_about_characters(line_at(text, at))
        };
        if kind == HiddenKind::ZeroWidth && is_harmless() || is_whole_string(text, at, c) {
            continue;
        }
        let is_prose = || blocks.is_some_and(|blocks| !blocks.iter().any(|block| block.range().contains(&at)));
        let is_stray = kind == HiddenKind::ZeroWidth && is_prose() && is_stray(text, at, c);
        let kind = if is_stray { HiddenKind::Stray } else { kind };
        let first = Span::new(at, at + c.len_utf8());
        let hidden = found.entry(kind).or_insert(Hidden { first, count: 0, points: Vec::new() });
        hidden.count += 1;
        if !hidden.points.contains(&c) {
            hidden.points.push(c);
        }
    }
    found
}

/// Whether a character keeps a code fence inside of a code block from ending it.
fn breaks_fence(text: &str, at: usize, after: usize) -> bool {
    ["```", "~~~"].iter().any(|fence| text[after..].starts_with(fence) || text[..at].ends_with(fence))
}

/// Whether a character is all of a string in code, or in a class of a regular expression.
fn is_literal(text: &str, at: usize, c: char) -> bool {
    let before = &text[..at];
    let after = &text[at + c.len_utf8()..];
    // A class of a regular expression: `/[<U+200B><U+FEFF>]/g`.
    let open = line_at(before, at).rsplit_once('[').map(|(_, class)| class);
    let is_class = |part: &str| !part.contains(['"', '\'', ']', '`', ',', '(']);
    let close = after.split('\n').next().unwrap_or_default().split_once(']').map(|(class, _)| class);
    is_whole_string(text, at, c) || open.is_some_and(is_class) && close.is_some_and(is_class)
}

/// Whether a character is all of a string, or a byte order mark at its start, so that it hides nothing.
fn is_whole_string(text: &str, at: usize, c: char) -> bool {
    let last = text[..at].chars().next_back();
    let next = text[at + c.len_utf8()..].chars().next();
    matches!(last, Some('"' | '\'')) && (last == next || c == BYTE_ORDER_MARK)
}

const BYTE_ORDER_MARK: char = '\u{feff}';
/// Forbids a line break beside it, for instance after a hyphen.
const WORD_JOINER: char = '\u{2060}';

/// Whether a zero-width character in prose stands alone, at the edge of a word or next to a letter of a script without spaces. Inside of an ASCII word
/// it hides the word from a search, in code and addresses it breaks them, and several in a row can spell something.
fn is_stray(text: &str, at: usize, c: char) -> bool {
    // Web pages also leave pairs. Two kinds of characters, or more of one, can spell something.
    let before = text[..at].trim_end_matches(c);
    let after = text[at + c.len_utf8()..].trim_start_matches(c);
    let is_row = text.len() - before.len() - after.len() > 2 * c.len_utf8();
    let before = before.chars().next_back();
    let after = after.chars().next();
    let is_other = |neighbour: Option<char>| neighbour.is_some_and(|n| kind(n).is_some());
    let is_word = |c: Option<char>| {
        c.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | ':' | '\\' | '`'))
    };
    let head = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..at];
    // At the edge of inline code, a copy of the code may have it or not.
    let is_in_code = head.matches('`').count() % 2 == 1 && before != Some('`') && after != Some('`');
    let joins = c == WORD_JOINER && (before == Some('-') || after == Some('-'));
    let is_in_word = is_word(before) && is_word(after) && before != Some('`') && after != Some('`') && !joins;
    !(is_other(before) || is_other(after) || is_row || is_in_word || is_in_code)
}

fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].split('\n').next().unwrap_or_default()
}

/// Whether a line explains such characters, with the character as an example.
fn is_about_characters(line: &str) -> bool {
    let lower = line.to_lowercase();
    [
        "u+20",
        "u+fe",
        "u+e0",
        "\\u20",
        "zero-width",
        "zero width",
        "bidi",
        "utf-8 bom",
        "byte order mark",
        "byte-order mark",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Joiners (U+200C, U+200D) are allowed: emoji and several scripts need them.
fn kind(c: char) -> Option<HiddenKind> {
    Some(match c {
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{180e}' | BOM => HiddenKind::ZeroWidth,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => HiddenKind::Direction,
        '\u{e0000}'..='\u{e007f}' => HiddenKind::Tag,
        _ => return None,
    })
}

/// The flags of England, Scotland and Wales consist of this flag, the region in tag characters, and a closing tag.
const BLACK_FLAG: char = '\u{1f3f4}';
const CLOSING_TAG: char = '\u{e007f}';
/// Maximum length of a region such as `gbeng`, with a margin. More tag characters could hide text after a flag.
const MAX_REGION: usize = 6;

/// The length in bytes of the region and the closing tag after a flag, or 0.
fn flag_length(after: &str) -> usize {
    let is_region = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let region = after.chars().take_while(is_region).take(MAX_REGION + 1).count();
    let is_closed = after.chars().nth(region) == Some(CLOSING_TAG);
    let is_flag = is_closed && (1..=MAX_REGION).contains(&region);
    if is_flag { (region + 1) * CLOSING_TAG.len_utf8() } else { 0 }
}

/// The first character from an offset on that is not ASCII, and its offset.
fn next_non_ascii(text: &str, from: usize) -> Option<(usize, char)> {
    let at = from + text.as_bytes()[from..].iter().position(|byte| !byte.is_ascii())?;
    text[at..].chars().next().map(|c| (at, c))
}

fn finding(source: &Arc<Source>, kind: HiddenKind, hidden: &Hidden) -> RawFinding {
    let (what, help) = match kind {
        HiddenKind::ZeroWidth => (
            "zero-width",
            "remove them: agents read them, but people do not see them; to keep a fence in a code block, write the outer fence with four backticks",
        ),
        HiddenKind::Stray => ("zero-width", "remove them: a search for the text around them does not find it"),
        HiddenKind::Direction => {
            ("direction-changing", "remove them: people see the text in another order than agents read it")
        }
        HiddenKind::Tag => ("tag", "remove them: they spell text that only agents can read"),
    };
    let many = match hidden.count {
        1 => format!("1 invisible {what} character"),
        count => format!("{count} invisible {what} characters"),
    };
    let message = format!("{many} ({})", points(&hidden.points));
    let finding = RawFinding::new(Location::at(source, hidden.first), message).help(help);
    let finding = match kind {
        HiddenKind::Stray => finding.severity(Defaults::both(Severity::Info)),
        _ => finding,
    };
    // A suppression on the line of the first does not cover the others.
    if hidden.count == 1 { finding } else { finding.about_whole_file() }
}

/// The first code points in the form `U+200B`.
fn points(points: &[char]) -> String {
    const SHOWN: usize = 4;
    let names: Vec<String> = points.iter().take(SHOWN).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = if points.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> Vec<(HiddenKind, usize, usize)> {
        find(text, Span::default(), &[], None).into_iter().map(|(kind, h)| (kind, h.first.offset, h.count)).collect()
    }

    #[test]
    fn counts_by_kind() {
        let text = "a\u{200b}b\u{202e}c\u{2066}\u{feff}\u{e0041}";
        assert_eq!(
            counts(text),
            [(HiddenKind::ZeroWidth, 1, 2), (HiddenKind::Direction, 5, 2), (HiddenKind::Tag, 15, 1)]
        );
    }

    #[test]
    fn a_leading_byte_order_mark_is_allowed() {
        assert_eq!(counts("\u{200b}a\u{feff}"), [(HiddenKind::ZeroWidth, 0, 2)]);
    }

    #[test]
    fn single_characters_at_the_edge_of_a_word_are_stray() {
        for (text, want) in [
            ("Release notes.\u{200b}\n", HiddenKind::Stray),
            ("新增功能\u{200b}如下", HiddenKind::Stray),
            ("Release\u{200b} notes", HiddenKind::Stray),
            ("Rel\u{200b}ease", HiddenKind::ZeroWidth),
            ("Release.\u{200b}\u{200b} Notes", HiddenKind::Stray),
            ("Run `\u{2060}sort()`", HiddenKind::Stray),
            ("Release.\u{200b}\u{200b}\u{200b}", HiddenKind::ZeroWidth),
            ("Release.\u{200b}\u{2060}", HiddenKind::ZeroWidth),
            ("See https:\u{200b}//notes.test", HiddenKind::ZeroWidth),
            ("Run `sort \u{200b}x`", HiddenKind::ZeroWidth),
        ] {
            let found: Vec<HiddenKind> = find(text, Span::default(), &[], Some(&[])).into_keys().collect();
            assert_eq!(found, [want], "{text:?}");
        }
    }

    #[test]
    fn legitimate_characters_are_allowed() {
        let scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        for text in ["\u{feff}---\n", "é 発 👩\u{200d}💻 ن\u{200c}ا", scotland, &format!("{scotland}{scotland}!")]
        {
            assert_eq!(counts(text), [], "{text:?}");
        }
    }

    #[test]
    fn text_after_a_flag_is_found() {
        let open = "\u{1f3f4}\u{e0067}\u{e0062}x";
        let long = "\u{1f3f4}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}";
        let spaced = "\u{1f3f4}\u{e0061}\u{e0020}\u{e007f}";
        assert_eq!(counts(open), [(HiddenKind::Tag, 4, 2)]);
        assert_eq!(counts(long), [(HiddenKind::Tag, 4, 8)]);
        assert_eq!(counts(spaced), [(HiddenKind::Tag, 4, 3)]);
    }
}
