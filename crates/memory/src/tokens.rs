//! Estimates how many tokens a text costs.
//!
//! Every model has its own tokenizer, so this is an estimate by the kind of character. The weights are calibrated on two published
//! vocabularies, `o200k_base` and `cl100k_base`: a text that fits a budget here exceeds it in neither by more than 5 %.
//! `fixtures/memory/token_counts.jsonl` has the counts.

/// The parts of a token that a weight is stated in.
pub const UNITS_PER_TOKEN: usize = 100;

/// Letters of a word that cost one token.
const SHORT_WORD: usize = 4;
/// The least length of a run of letters and digits that is an id or a hash.
const SHORTEST_ID: usize = 6;
/// The least length of a run that looks like encoded bytes.
const ENCODED: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Latin letters and digits.
    Word,
    /// A space.
    Space,
    /// Line breaks and tabs.
    Break,
    /// ASCII punctuation.
    Mark,
    /// A character of another script, which costs this many units.
    Other(usize),
}

fn classify(c: char) -> Class {
    match c {
        ' ' => Class::Space,
        '\0'..='\u{1f}' => Class::Break,
        _ if c.is_ascii_alphanumeric() => Class::Word,
        _ if c.is_ascii() => Class::Mark,
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Class::Word,
        _ => Class::Other(weight(c)),
    }
}

/// The cost of a character outside the Latin script.
fn weight(c: char) -> usize {
    match c {
        // Greek, Cyrillic.
        '\u{370}'..='\u{3ff}' => 105,
        '\u{400}'..='\u{52f}' => 45,
        // Hebrew, Arabic.
        '\u{590}'..='\u{5ff}' => 130,
        '\u{600}'..='\u{6ff}' => 85,
        // Devanagari, Thai.
        '\u{900}'..='\u{97f}' => 120,
        '\u{e00}'..='\u{e7f}' => 100,
        // General punctuation: dashes, quotes, ellipses.
        '\u{2000}'..='\u{206f}' if !matches!(c, '\u{200d}') => 100,
        // CJK punctuation, full-width forms; kana; Han; Hangul.
        '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' => 105,
        '\u{3040}'..='\u{30ff}' => 95,
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => 135,
        '\u{ac00}'..='\u{d7a3}' => 120,
        // Emoji with their joiners and variants.
        '\u{1f000}'..='\u{1ffff}' | '\u{2600}'..='\u{27bf}' | '\u{200d}' | '\u{fe0f}' => 300,
        '\u{20000}'..='\u{3ffff}' => 300,
        // Arrows, mathematics, box drawing.
        '\u{2070}'..='\u{2bff}' => 160,
        _ => 240,
    }
}

/// The estimated cost of a text, in [`UNITS_PER_TOKEN`]ths of a token. Two lines cost at least as much apart as together.
pub fn units(text: &str) -> usize {
    let mut sum = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = classify(first);
        let is_same = |c: char| match class {
            Class::Mark => c == first,
            Class::Other(_) => false,
            class => classify(c) == class,
        };
        let end = rest[first.len_utf8()..].find(|c| !is_same(c)).map_or(rest.len(), |at| at + first.len_utf8());
        let (run, after) = rest.split_at(end);
        sum += match class {
            Class::Word => word_units(run),
            // One space is part of the following word, but not of a number.
            Class::Space if run.len() == 1 && !after.starts_with(|c: char| c.is_ascii_digit()) => 0,
            Class::Space => 100,
            Class::Break => 130,
            Class::Mark if run.len() == 1 => 88,
            Class::Mark => (run.len() * 25 + 50).max(140),
            Class::Other(weight) => weight,
        };
        rest = after;
    }
    sum
}

/// The cost of a run of letters and digits.
fn word_units(run: &str) -> usize {
    let length = run.chars().count();
    let has = |is: fn(&char) -> bool| run.chars().any(|c| is(&c));
    let has_digits = has(char::is_ascii_digit);
    if !has(|c| c.is_alphabetic()) {
        return number_units(length);
    }
    if has_digits && length >= SHORTEST_ID {
        let is_hex = run.chars().all(|c| c.is_ascii_hexdigit());
        return length
            * if is_hex {
                75
            } else if length >= ENCODED {
                96
            } else {
                70
            };
    }
    let parts = name_parts(run);
    parts.into_iter().map(part_units).sum()
}

/// The parts of an identifier: `userId7` has three.
fn name_parts(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut previous: Option<char> = None;
    for (at, c) in run.char_indices() {
        let is_border = previous.is_some_and(|previous| {
            previous.is_ascii_digit() != c.is_ascii_digit() || (previous.is_lowercase() && c.is_uppercase())
        });
        if is_border {
            parts.push(&run[start..at]);
            start = at;
        }
        previous = Some(c);
    }
    parts.push(&run[start..]);
    parts
}

fn part_units(part: &str) -> usize {
    let length = part.chars().count();
    let foreign = part.chars().filter(|c| !c.is_ascii()).count();
    if part.starts_with(|c: char| c.is_ascii_digit()) {
        number_units(length)
    } else if foreign > 0 {
        (length * 30 + foreign * 100).max(length * 55).max(100)
    } else if length > 1 && part.bytes().all(|byte| byte.is_ascii_uppercase()) {
        (length * 42).max(100)
    } else {
        100 + length.saturating_sub(SHORT_WORD) * 16
    }
}

/// Digits are tokens in groups of three.
fn number_units(digits: usize) -> usize {
    digits.div_ceil(3) * 105
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
