//! See `hidden_unicode.md`.

use crate::{Check, Defaults, Finding, Rule, scripts};
use bstr::ByteSlice;
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::frontmatter::BOM;
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
    /// Spells something: tag characters, or several invisible characters in a row.
    Payload,
    Direction,
    /// Splits a word, so that a search does not find it.
    InWord,
    /// Hides nothing, such as a zero-width space that a web page left at the end of a sentence.
    Stray,
}

/// The hidden characters of one kind in a text.
struct Hidden {
    first: Span,
    count: usize,
    /// The distinct ones, in order of first appearance.
    points: Vec<char>,
}

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // The rules on names report every invalid character in a name.
    let name = skill.field("name").map_or(Span::default(), |entry| entry.value.span);
    for (source, outline) in skill.all_texts() {
        let is_document = source.path() == skill.path();
        let is_script =
            || skill.texts.iter().any(|text| text.source.path() == source.path() && scripts::language(text).is_some());
        // Data files may contain any character; text that an agent reads or runs may not.
        if is_document || outline.is_some() || is_script() {
            let except = if is_document { name } else { Span::default() };
            for (kind, hidden) in find(source.text(), except) {
                let cause = format!("{} {kind:?} {}", skill.folder.path, points(&hidden.points));
                let what = ("text with the same characters", "texts with the same characters");
                findings.push(finding(&RULE, source, kind, &hidden).caused_by(cause, what));
            }
        }
    }
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    findings.extend(find_in(&RULE, &text.source));
}

/// The hidden characters of a whole text.
pub(super) fn find_in(rule: &'static Rule, source: &Arc<Source>) -> Vec<Finding> {
    find(source.text(), Span::default())
        .into_iter()
        .map(|(kind, hidden)| finding(rule, source, kind, &hidden))
        .collect()
}

fn find(text: &str, except: Span) -> BTreeMap<HiddenKind, Hidden> {
    let mut found: BTreeMap<HiddenKind, Hidden> = BTreeMap::new();
    let mut from = 0;
    // Most bytes are ASCII.
    while let Some((at, c)) = next_non_ascii(text, from) {
        from = at + c.len_utf8();
        if c == BLACK_FLAG {
            from += flag_length(&text[from..]);
        }
        let Some(kind) = kind(text, at, c).filter(|_| !except.range().contains(&at)) else { continue };
        let first = Span::new(at, at + c.len_utf8());
        let hidden = found.entry(kind).or_insert(Hidden { first, count: 0, points: Vec::new() });
        hidden.count += 1;
        if !hidden.points.contains(&c) {
            hidden.points.push(c);
        }
    }
    found
}

/// Most invisible characters in a row that an emoji needs: a variation selector and a joiner.
const MAX_ROW: usize = 2;

/// The effect of the character at an offset; `None` if it is visible, or if scripts and emoji need it there.
fn kind(text: &str, at: usize, c: char) -> Option<HiddenKind> {
    if !is_ignorable(c) || at == 0 && c == BOM {
        return None;
    }
    let row = |chars: &mut dyn Iterator<Item = char>| chars.take(MAX_ROW).take_while(|c| is_ignorable(*c)).count();
    let before = &text[..at];
    let after = &text[at + c.len_utf8()..];
    let is_tag = matches!(c, '\u{e0000}'..='\u{e007f}');
    if is_tag || row(&mut before.chars().rev()) + row(&mut after.chars()) >= MAX_ROW {
        return Some(HiddenKind::Payload);
    }
    let last = before.chars().rfind(|c| !is_ignorable(*c));
    let next = after.chars().find(|c| !is_ignorable(*c));
    if matches!(last, Some('"' | '\'')) && last == next {
        // A program that searches for the character.
        return None;
    }
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || "_-/.:\\".contains(c));
    let is_in_word = is_word(last) && is_word(next);
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(HiddenKind::Direction),
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{180e}' | BOM if !is_in_word => Some(HiddenKind::Stray),
        // Tells where a word may be broken.
        SOFT_HYPHEN => None,
        _ => is_in_word.then_some(HiddenKind::InWord),
    }
}

const SOFT_HYPHEN: char = '\u{ad}';

/// Whether a program shows nothing for a character that it does not support: the property `Default_Ignorable_Code_Point`,
/// <https://www.unicode.org/Public/16.0.0/ucd/DerivedCoreProperties.txt>.
fn is_ignorable(c: char) -> bool {
    matches!(c,
        SOFT_HYPHEN | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | BOM | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The flags of England, Scotland and Wales consist of this flag, the region in tag characters, and a closing tag.
const BLACK_FLAG: char = '\u{1f3f4}';
const CLOSING_TAG: char = '\u{e007f}';
/// Maximum length of a region (`gbeng`): the longest subdivision code in Unicode CLDR. More tag characters could hide text after a flag.
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
    let at = from + text.as_bytes()[from..].find_non_ascii_byte()?;
    text[at..].chars().next().map(|c| (at, c))
}

fn finding(rule: &'static Rule, source: &Arc<Source>, kind: HiddenKind, hidden: &Hidden) -> Finding {
    let is_one = hidden.count == 1;
    let (what, effect, help) = match kind {
        HiddenKind::Payload => ("invisible", " that can spell text", "agents can read it, people cannot see it"),
        HiddenKind::Direction => {
            ("invisible direction-changing", "", "people see the text in another order than agents read it")
        }
        HiddenKind::InWord if is_one => ("invisible", " in a word", "a search for the word does not find it"),
        HiddenKind::InWord => ("invisible", " in words", "a search for the words does not find them"),
        HiddenKind::Stray => ("invisible", "", "a search for the text around it does not find it"),
    };
    let (characters, remove) = if is_one { ("character", "it") } else { ("characters", "them") };
    let message = format!("{} {what} {characters} ({}){effect}", hidden.count, points(&hidden.points));
    let finding = rule.at(Location::at(source, hidden.first), message).help(format!("remove {remove}: {help}"));
    let finding = match kind {
        HiddenKind::Stray => finding.severity(Defaults::both(Severity::Info)),
        _ => finding,
    };
    // A suppression on the line of the first does not cover the others.
    if is_one { finding } else { finding.about_whole_file() }
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
        find(text, Span::default()).into_iter().map(|(kind, h)| (kind, h.first.offset, h.count)).collect()
    }

    #[test]
    fn counts_by_kind() {
        let text = "a\u{200b}b\u{202e}c \u{2066}d\u{feff} \u{e0041}";
        assert_eq!(
            counts(text),
            [
                (HiddenKind::Payload, 18, 1),
                (HiddenKind::Direction, 5, 2),
                (HiddenKind::InWord, 1, 1),
                (HiddenKind::Stray, 14, 1)
            ]
        );
    }

    #[test]
    fn the_place_of_a_character_decides_its_effect() {
        for (text, want) in [
            ("Release notes.\u{200b}\n", Some(HiddenKind::Stray)),
            ("新增功能\u{200b}如下", Some(HiddenKind::Stray)),
            ("Release\u{200b} notes", Some(HiddenKind::Stray)),
            ("Release.\u{200b}\u{200b} Notes", Some(HiddenKind::Stray)),
            ("Run `\u{2060}sort()`", Some(HiddenKind::Stray)),
            ("\u{200b}```sh", Some(HiddenKind::Stray)),
            ("Rel\u{200b}ease", Some(HiddenKind::InWord)),
            ("Rel\u{200d}ease", Some(HiddenKind::InWord)),
            ("Rel\u{200b}\u{2060}ease", Some(HiddenKind::InWord)),
            ("Rel\u{3164}ease", Some(HiddenKind::InWord)),
            ("See https:\u{200b}//notes.test", Some(HiddenKind::InWord)),
            ("Release.\u{200b}\u{200b}\u{200b}", Some(HiddenKind::Payload)),
            ("Release \u{200c}\u{200d}\u{200c}", Some(HiddenKind::Payload)),
            ("👍\u{fe00}\u{fe04}\u{fe0f}\u{e0101}", Some(HiddenKind::Payload)),
            ("\u{feff}Release", None),
            ("['\u{200b}', \"\u{202e}\"]", None),
            ("ausge\u{ad}zeichnet", None),
            ("é 発 👩\u{200d}💻 ن\u{200c}ا 🏳\u{fe0f}\u{200d}🌈", None),
        ] {
            let found: Vec<HiddenKind> = find(text, Span::default()).into_keys().collect();
            assert_eq!(found, Vec::from_iter(want), "{text:?}");
        }
    }

    #[test]
    fn flags_are_allowed_and_text_after_them_is_found() {
        let scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        for text in [scotland, &format!("{scotland}{scotland}!")] {
            assert_eq!(counts(text), [], "{text:?}");
        }
        let open = "\u{1f3f4}\u{e0067}\u{e0062}x";
        let long = "\u{1f3f4}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e0061}\u{e007f}";
        let spaced = "\u{1f3f4}\u{e0061}\u{e0020}\u{e007f}";
        assert_eq!(counts(open), [(HiddenKind::Payload, 4, 2)]);
        assert_eq!(counts(long), [(HiddenKind::Payload, 4, 8)]);
        assert_eq!(counts(spaced), [(HiddenKind::Payload, 4, 3)]);
    }
}
