//! Groups the reasons of rejected steps by cause, for a person to turn into rules.
//!
//! Two reasons have the same cause if they have most of their words in common, without what differs between two occurrences:
//! paths, numbers, quoted names and ids.

use canonry_text::error_text::mask_word;
use canonry_text::printable::head;
use std::collections::{HashMap, HashSet};

/// The part of a reason that is compared, in bytes.
const COMPARED: usize = 2_000;
/// The longest cause, in bytes.
const SHOWN: usize = 200;
/// The share of words that two reasons of the same cause have in common.
const SAME: f64 = 0.6;
/// The most groups that are compared for one word of a reason. A word in more groups says little about the cause.
const CANDIDATES: usize = 64;

/// A rejected step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub run: String,
    pub step: String,
    /// The n-th time the run reached the step.
    pub visit: u64,
    pub reason: String,
    /// When, in RFC 3339.
    pub at: String,
}

/// Rejections with the same cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonGroup {
    /// The first reason, with `…` for quoted names and paths, and `#` for numbers and ids.
    pub cause: String,
    /// The indices of the rejections in order.
    pub rejections: Vec<usize>,
}

/// Groups rejections by cause. The groups are in the order of their first rejections.
///
/// A reason joins the group whose first reason it has most in common with. Later reasons never change earlier groups, so that
/// a group stays the same when a run adds rejections.
pub fn group(reasons: &[Rejection]) -> Vec<LessonGroup> {
    let mut groups: Vec<LessonGroup> = Vec::new();
    // The number of words of each group's first reason.
    let mut sizes: Vec<usize> = Vec::new();
    // The groups whose first reason contains a word.
    let mut with_word: HashMap<String, Vec<usize>> = HashMap::new();
    let mut same_text: HashMap<String, usize> = HashMap::new();
    for (at, rejection) in reasons.iter().enumerate() {
        let text = mask(&rejection.reason);
        if let Some(&known) = same_text.get(&text) {
            groups[known].rejections.push(at);
            continue;
        }
        let words = content_words(&text);
        let group = closest(&words, &with_word, &sizes).unwrap_or_else(|| {
            for word in &words {
                let groups_with_word = with_word.entry((*word).to_owned()).or_default();
                if groups_with_word.len() < CANDIDATES {
                    groups_with_word.push(groups.len());
                }
            }
            sizes.push(words.len());
            groups.push(LessonGroup { cause: shorten(&text), rejections: Vec::new() });
            groups.len() - 1
        });
        groups[group].rejections.push(at);
        same_text.insert(text, group);
    }
    groups
}

/// The first of the groups that have most in common with these words, if they have enough in common.
fn closest(words: &HashSet<&str>, with_word: &HashMap<String, Vec<usize>>, sizes: &[usize]) -> Option<usize> {
    let mut common: HashMap<usize, usize> = HashMap::new();
    for group in words.iter().filter_map(|word| with_word.get(*word)).flatten() {
        *common.entry(*group).or_default() += 1;
    }
    let share = |(group, common): (usize, usize)| {
        let all = words.len() + sizes[group] - common;
        (common as f64 / all as f64, group)
    };
    let shares = common.into_iter().map(share).filter(|(share, _)| *share >= SAME);
    let best = shares.min_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    best.map(|(_, group)| group)
}

/// The words that are compared: without marks, placeholders and single letters.
fn content_words(text: &str) -> HashSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.chars().count() > 1 && !COMMON.contains(word)).collect()
}

/// Words that say nothing about a cause. Negations are not among them.
const COMMON: [&str; 16] =
    ["the", "an", "is", "are", "was", "were", "be", "been", "of", "in", "on", "to", "and", "it", "this", "that"];

/// A reason without what differs between two occurrences of a cause.
fn mask(reason: &str) -> String {
    let unquoted = mask_quoted(head(reason, COMPARED));
    let mut words: Vec<String> = Vec::new();
    for word in unquoted.split_whitespace() {
        let masked = if is_path(word) { mask_path(word) } else { mask_word(&word.to_lowercase()) };
        if !masked.is_empty() {
            words.push(masked);
        }
    }
    words.join(" ")
}

/// Replaces what is in quotes by `…`. An apostrophe inside a word is no quote.
fn mask_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Where no closing quote of a kind follows, none follows later.
    let mut unclosed: HashSet<char> = HashSet::new();
    while let Some(quote) = rest.chars().next() {
        let length = quote.len_utf8();
        let closing = match quote {
            '“' => '”',
            '‘' => '’',
            quote => quote,
        };
        let opens = matches!(quote, '`' | '"' | '\'' | '“' | '‘')
            && !out.ends_with(char::is_alphanumeric)
            && !unclosed.contains(&quote);
        let end = if opens { rest[length..].find(closing) } else { None };
        match end {
            Some(end) => {
                out.push('…');
                rest = &rest[length + end + closing.len_utf8()..];
            }
            None => {
                if opens {
                    unclosed.insert(quote);
                }
                out.push(quote);
                rest = &rest[length..];
            }
        }
    }
    out
}

/// Whether a word is a path or a file name, possibly with a line number.
fn is_path(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '\\' | '.' | '_'));
    let bare = bare.split(':').next().expect("split is never empty").trim_end_matches('.');
    if bare.contains('\\') || bare.starts_with(['/', '~']) || bare.matches('/').count() > 1 {
        return true;
    }
    let name = bare.rsplit('/').next().expect("split is never empty");
    let extension = name.rsplit_once('.').map_or("", |(stem, extension)| if stem.is_empty() { "" } else { extension });
    let is_extension = (1..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    is_extension && extension.bytes().any(|b| b.is_ascii_alphabetic())
}

/// A path as `…`, with the marks at the end of its word.
fn mask_path(word: &str) -> String {
    let marks = word.len() - word.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
    format!("…{}", &word[word.len() - marks..])
}

fn shorten(text: &str) -> String {
    if text.len() <= SHOWN { text.to_owned() } else { format!("{}…", head(text, SHOWN)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn groups(reasons: &[&str]) -> Vec<LessonGroup> {
        let rejection = |reason: &&str| Rejection {
            run: "r".to_owned(),
            step: "s".to_owned(),
            visit: 1,
            reason: (*reason).to_owned(),
            at: "2026-05-01T12:00:00Z".to_owned(),
        };
        group(&reasons.iter().map(rejection).collect::<Vec<_>>())
    }

    fn indices(reasons: &[&str]) -> Vec<Vec<usize>> {
        groups(reasons).into_iter().map(|group| group.rejections).collect()
    }

    #[test]
    fn occurrences_of_one_cause_are_one_group() {
        for (one, other) in [
            ("src/a.rs:12: missing test for `login`", "src/auth/b.rs:3: missing test for `logout`"),
            ("The function 'parse' has no doc comment.", "the function \"render\" has no doc comment"),
            ("3 tests failed after 2.5s", "17 tests failed after 900ms"),
            ("commit 1f0c3f1 is not signed", "commit 99ab01cdef is not signed"),
            ("No test covers the new code path", "No test covers the new branch path"),
            ("README.md is stale", "docs/guide.md is stale"),
            ("The reviewer can't build main.rs", "The reviewer can't build C:\\x\\lib.rs"),
        ] {
            assert_eq!(indices(&[one, other]), [[0, 1]], "{one} / {other}: {} / {}", mask(one), mask(other));
        }
    }

    #[test]
    fn different_causes_stay_apart() {
        for (one, other) in [
            ("missing test for `login`", "missing documentation of `login`"),
            ("tests failed", "tests not run"),
            ("the build fails on Windows", "the commit message is too long"),
            ("", "no tests"),
            ("42", "no tests"),
        ] {
            assert_eq!(indices(&[one, other]).len(), 2, "{one} / {other}: {} / {}", mask(one), mask(other));
        }
        assert_eq!(indices(&[]), Vec::<Vec<usize>>::new());
        assert_eq!(indices(&["", "", "7", "8"]), [vec![0, 1], vec![2, 3]]);
    }

    #[test]
    fn groups_are_in_order_and_have_a_readable_cause() {
        let found = groups(&[
            "src/a.rs: missing test for `login`",
            "commit message is too long",
            "src/b.rs: missing test for `logout`",
            "Commit message is too long (90 characters)",
        ]);
        let brief: Vec<(&str, &[usize])> =
            found.iter().map(|group| (group.cause.as_str(), group.rejections.as_slice())).collect();
        let want: [(&str, &[usize]); 2] = [("…: missing test for …", &[0, 2]), ("commit message is too long", &[1, 3])];
        assert_eq!(brief, want);
    }

    #[test]
    fn many_reasons_take_near_linear_time() {
        let started = std::time::Instant::now();
        let letters = |mut number: usize| {
            let mut word = String::new();
            while number > 0 {
                word.push(char::from(b'g' + (number % 20) as u8));
                number /= 20;
            }
            word
        };
        let many: Vec<String> = (1..20_000)
            .map(|at| format!("the check of part {} {} failed again", letters(at), letters(at * 7)))
            .collect();
        let found = groups(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(!found.is_empty());
        groups(&[&"`".repeat(500_000), &"'a".repeat(500_000), &"\" “ ‘ ".repeat(100_000)]);
        assert!(started.elapsed().as_secs() < 30);
    }

    proptest! {
        #[test]
        fn every_rejection_is_in_one_group(reasons in proptest::collection::vec("([a-c ]|test|fail|`x`|'|“|a/b.rs|7|é){0,8}", 0..12)) {
            let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
            let found = indices(&reasons);
            let mut all: Vec<usize> = found.iter().flatten().copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..reasons.len()).collect::<Vec<_>>());
            prop_assert!(found.is_sorted_by_key(|group| group[0]));
            prop_assert!(found.iter().all(|group| group.is_sorted()));
            // Later rejections do not change the groups of earlier ones.
            if let Some((_, earlier)) = reasons.split_last() {
                let kept = found.into_iter().map(|group| group.into_iter().filter(|at| *at < earlier.len()).collect::<Vec<_>>());
                prop_assert_eq!(indices(earlier), kept.filter(|group| !group.is_empty()).collect::<Vec<_>>());
            }
        }

        #[test]
        fn no_reason_panics(reason in any::<String>()) {
            groups(&[&reason]);
        }
    }
}
