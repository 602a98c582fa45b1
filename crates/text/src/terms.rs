//! Splits texts into search terms.

use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

/// NLTK's English stop words. Other languages have none: their words would hide English identifiers.
static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| stop_words::get("en").iter().copied().collect());

/// Whether a lower-case word says nothing about the subject of a text.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// The stem of a lower-case word: `deploying` and `deployment` become `deploy`. Words with other characters than ASCII letters
/// are identifiers or not English, and stay as they are.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    Stemmer::create(Algorithm::English).stem(word)
}

/// Calls `each` with every word of a text: runs of letters and digits, in lower case. Scripts without spaces between words
/// give the pairs of neighbouring characters. All calls share one buffer, because a log has millions of words.
pub fn each_word(text: &str, mut each: impl FnMut(&mut String)) {
    let mut word = String::new();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        word.clear();
        if run.is_ascii() {
            word.push_str(run);
            word.make_ascii_lowercase();
            each(&mut word);
        } else if run.chars().any(is_unspaced) {
            each_pair(run, &mut word, &mut each);
        } else {
            word.extend(run.chars().flat_map(char::to_lowercase));
            each(&mut word);
        }
    }
}

fn each_pair(run: &str, word: &mut String, each: &mut impl FnMut(&mut String)) {
    let mut chars = run.chars().flat_map(char::to_lowercase).peekable();
    let is_single = run.chars().count() == 1;
    while let Some(c) = chars.next() {
        let Some(next) = chars.peek().copied().map(Some).or(is_single.then_some(None)) else { break };
        word.clear();
        word.push(c);
        word.extend(next);
        each(word);
    }
}

/// Whether a character belongs to a script that is written without spaces between words: Thai and Lao, kana, Han.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The words of a text in the singular, in order: what a phrase is compared by, where a stem would join too much.
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_word(text, |word| {
        strip_plural(word);
        found.push(word.clone());
    });
    found
}

/// The distinct stems of a text in order of appearance. Stop words are left out, unless there are no others.
pub fn distinct_stems(text: &str) -> Vec<String> {
    let (mut all, mut specific): (Vec<String>, Vec<String>) = Default::default();
    each_word(text, |word| {
        let stem = stem(word);
        let add = |stems: &mut Vec<String>| {
            if !stems.iter().any(|known| *known == *stem) {
                stems.push(stem.clone().into_owned());
            }
        };
        add(&mut all);
        if !is_stop_word(word) {
            add(&mut specific);
        }
    });
    if specific.is_empty() { all } else { specific }
}

/// Harman's rules for English plurals: `ies` becomes `y`, `es` becomes `e`, `s` is dropped, each with its exceptions.
fn strip_plural(word: &mut String) {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    if word.len() <= 3 || !word.ends_with('s') {
        return;
    }
    if word.ends_with("ies") {
        if !ends(&["eies", "aies"]) {
            word.truncate(word.len() - 3);
            word.push('y');
        }
    } else if word.ends_with("es") {
        if !ends(&["aes", "ees", "oes"]) {
            word.truncate(word.len() - 1);
        }
    } else if !ends(&["us", "ss"]) {
        word.truncate(word.len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn normalises_words() {
        let text = "The retries of `deploy_check` failed: PR #260, BUSES, status, Écoles";
        assert_eq!(
            terms(text),
            ["the", "retry", "of", "deploy", "check", "failed", "pr", "260", "buse", "status", "école"]
        );
    }

    #[test]
    fn distinct_stems_have_no_stop_words() {
        assert_eq!(distinct_stems("How do I deploy the deployments?"), ["deploy"]);
        assert_eq!(distinct_stems("to be or the"), ["to", "be", "or", "the"]);
        assert_eq!(distinct_stems(" … "), Vec::<String>::new());
    }

    #[test]
    fn stems_have_no_endings() {
        for (word, want) in [
            ("deployments", "deploy"),
            ("deploying", "deploy"),
            ("migrations", "migrat"),
            ("queries", "queri"),
            ("e0042s", "e0042s"),
            ("écoles", "écoles"),
            ("is", "is"),
            ("", ""),
        ] {
            assert_eq!(stem(word), want, "{word}");
        }
    }

    #[test]
    fn scripts_without_spaces_give_pairs() {
        assert_eq!(terms("認証トークン"), ["認証", "証ト", "トー", "ーク", "クン"]);
        assert_eq!(terms("水, ไทย"), ["水", "ไท", "ทย"]);
        assert_eq!(terms("배포 전에"), ["배포", "전에"]);
    }

    proptest! {
        #[test]
        fn ignores_case_and_punctuation(text in "[a-zé ]{0,20}") {
            let shouted = format!("…{}!", text.to_uppercase().replace(' ', " -- "));
            prop_assert_eq!(terms(&text), terms(&shouted));
        }
    }
}
