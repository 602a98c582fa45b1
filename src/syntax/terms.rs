//! Splits texts into search terms.

/// Frequent words without meaning for a search.
const COMMON: [&str; 41] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "do", "for", "from", "has", "have", "how",
    "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "so", "that", "the", "then", "this",
    "to", "was", "we", "when", "will", "with", "you",
];

/// Calls `each` with every term of a text: runs of letters and digits, in lower case and in the singular. All calls
/// share one buffer, because a log has millions of terms.
pub fn each_term(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        word.clear();
        match run.is_ascii() {
            true => {
                word.push_str(run);
                word.make_ascii_lowercase();
            }
            false => word.extend(run.chars().flat_map(char::to_lowercase)),
        }
        strip_plural(&mut word);
        each(&word);
    }
}

/// The terms of a text in order.
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_term(text, |term| found.push(term.to_owned()));
    found
}

/// The distinct terms of a query in order of appearance. Common words are left out, unless there are no others.
pub fn query_terms(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    each_term(text, |term| {
        if !all.iter().any(|known| known == term) {
            all.push(term.to_owned());
        }
    });
    let specific: Vec<String> = all.iter().filter(|term| !COMMON.contains(&term.as_str())).cloned().collect();
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
        assert_eq!(query_terms("How do I deploy the deploys?"), ["deploy"]);
        assert_eq!(query_terms("to be or the"), ["to", "be", "or", "the"]);
        assert_eq!(query_terms(" … "), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn ignores_case_and_punctuation(text in "[a-zé ]{0,20}") {
            let shouted = format!("…{}!", text.to_uppercase().replace(' ', " -- "));
            prop_assert_eq!(terms(&text), terms(&shouted));
        }
    }
}
