//! See `hidden_unicode.md`.

use crate::canon::skill::Skill;
use crate::canon::skill_text::SkillText;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule, scripts};
use crate::syntax::frontmatter::BOM;
use crate::syntax::{Source, Span};
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::CharIndices;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "hidden-unicode",
    summary: "characters that cannot be seen or that turn the reading direction",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("hidden_unicode.md"),
    check: Check::Skill(check),
};

/// Why a character is not seen for what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    ZeroWidth,
    Direction,
    Tag,
}

/// The characters of one kind in a text.
struct Hidden {
    first: Span,
    count: usize,
    /// The distinct ones, in order of first appearance.
    points: Vec<char>,
}

fn check(skill: &Skill, findings: &mut RawFindings) {
    // A name may hold few characters at all, and the rule of names says which.
    let name = skill.field("name").map_or(Span::default(), |entry| entry.value.span);
    for (source, outline) in skill.all_texts().filter(|(source, _)| !source.text().is_ascii()) {
        let is_document = source.path() == skill.path();
        // Data may hold any character; what an agent reads or runs may not.
        if is_document || outline.is_some() || skill.texts.iter().any(|text| is_script(text, source)) {
            let except = if is_document { name } else { Span::default() };
            findings
                .extend(find(source.text(), except).into_iter().map(|(kind, hidden)| finding(source, kind, &hidden)));
        }
    }
}

fn is_script(text: &SkillText, source: &Source) -> bool {
    text.source.path() == source.path() && scripts::language(text).is_some()
}

fn find(text: &str, except: Span) -> BTreeMap<Kind, Hidden> {
    let mut found: BTreeMap<Kind, Hidden> = BTreeMap::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == BLACK_FLAG {
            skip_flag(&mut chars);
        }
        let is_mark = at == 0 && c == BOM;
        let Some(kind) = kind(c).filter(|_| !is_mark && !except.range().contains(&at)) else { continue };
        let first = Span::new(at, at + c.len_utf8());
        let hidden = found.entry(kind).or_insert(Hidden { first, count: 0, points: Vec::new() });
        hidden.count += 1;
        if !hidden.points.contains(&c) {
            hidden.points.push(c);
        }
    }
    found
}

/// Joiners (U+200C, U+200D) are part of emoji and of several scripts, and are left alone.
fn kind(c: char) -> Option<Kind> {
    Some(match c {
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{180e}' | BOM => Kind::ZeroWidth,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Kind::Direction,
        '\u{e0000}'..='\u{e007f}' => Kind::Tag,
        _ => return None,
    })
}

/// The flags of England, Scotland and Wales are this flag, the region in tag characters, and a closing tag.
const BLACK_FLAG: char = '\u{1f3f4}';
const CLOSING_TAG: char = '\u{e007f}';
/// Tag characters of the longest region, such as `gbeng`, with room to spare; more would hide text behind a flag.
const LONGEST_REGION: usize = 6;

fn skip_flag(chars: &mut Peekable<CharIndices<'_>>) {
    let ahead = || chars.clone().map(|(_, c)| c);
    let is_region = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let region = ahead().take_while(is_region).take(LONGEST_REGION + 1).count();
    let is_closed = ahead().nth(region) == Some(CLOSING_TAG);
    if is_closed && (1..=LONGEST_REGION).contains(&region) {
        chars.by_ref().take(region + 1).for_each(drop);
    }
}

fn finding(source: &Arc<Source>, kind: Kind, hidden: &Hidden) -> RawFinding {
    let (what, help) = match kind {
        Kind::ZeroWidth => ("zero-width", "delete them: an agent reads them, and nobody else sees them"),
        Kind::Direction => {
            ("direction-changing", "delete them: they show the text in another order than an agent reads it")
        }
        Kind::Tag => ("tag", "delete them: they spell out text that only an agent can read"),
    };
    let many = if hidden.count == 1 { "a character".to_owned() } else { format!("{} characters", hidden.count) };
    let message = format!("{many} of the {what} kind ({}) cannot be seen", points(&hidden.points));
    let finding = RawFinding::new(Location::at(source, hidden.first), message).help(help);
    // To allow the line of the first is not to allow the others.
    if hidden.count == 1 { finding } else { finding.about_whole_file() }
}

/// The first code points, as people look them up.
fn points(points: &[char]) -> String {
    const SHOWN: usize = 4;
    let names: Vec<String> = points.iter().take(SHOWN).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
    let more = if points.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> Vec<(Kind, usize, usize)> {
        find(text, Span::default()).into_iter().map(|(kind, h)| (kind, h.first.offset, h.count)).collect()
    }

    #[test]
    fn counts_by_kind() {
        let text = "a\u{200b}b\u{202e}c\u{2066}\u{feff}\u{e0041}";
        assert_eq!(counts(text), [(Kind::ZeroWidth, 1, 2), (Kind::Direction, 5, 2), (Kind::Tag, 15, 1)]);
    }

    #[test]
    fn only_a_byte_order_mark_may_start_a_text() {
        assert_eq!(counts("\u{200b}a\u{feff}"), [(Kind::ZeroWidth, 0, 2)]);
    }

    #[test]
    fn leaves_what_is_legitimate_alone() {
        let scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        for text in ["\u{feff}---\n", "é 発 👩\u{200d}💻 ن\u{200c}ا", scotland, &format!("{scotland}{scotland}!")]
        {
            assert_eq!(counts(text), [], "{text:?}");
        }
    }

    #[test]
    fn a_flag_hides_no_text() {
        let open = "\u{1f3f4}\u{e0067}\u{e0062}x";
        let long = "\u{1f3f4}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}";
        let spaced = "\u{1f3f4}\u{e0061}\u{e0020}\u{e007f}";
        assert_eq!(counts(open), [(Kind::Tag, 4, 2)]);
        assert_eq!(counts(long), [(Kind::Tag, 4, 8)]);
        assert_eq!(counts(spaced), [(Kind::Tag, 4, 3)]);
    }
}
