//! The words of a list item, reduced so that inflected forms are equal.

/// A word, a code span or a separator of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word as written, and its stem.
    Word {
        raw: String,
        stem: String,
    },
    Code(String),
    Comma,
    /// A colon after an introduction.
    Colon,
}

impl Token {
    /// The text to compare with the stems of a phrase.
    pub(super) fn stem(&self) -> Option<&str> {
        match self {
            Self::Word { stem, .. } => Some(stem),
            Self::Code(code) => Some(code),
            Self::Comma | Self::Colon => None,
        }
    }

    pub(super) fn raw(&self) -> &str {
        match self {
            Self::Word { raw, .. } | Self::Code(raw) => raw,
            Self::Comma | Self::Colon => "",
        }
    }
}

/// Splits an item into its sentences and the parts between semicolons.
pub(super) fn clauses(text: &str) -> Vec<Vec<Token>> {
    let mut clauses = vec![Vec::new()];
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            push(&mut clauses, Token::Code(piece.trim().to_owned()));
            continue;
        }
        for word in piece.split_whitespace() {
            let inner = word.trim_matches(|c: char| !is_word(c));
            let inner = inner.trim_end_matches('.');
            if word.starts_with(['(', '—', '–']) || word == "-" {
                push(&mut clauses, Token::Comma);
            }
            if !inner.is_empty() {
                push(&mut clauses, Token::Word { raw: inner.to_owned(), stem: stem(inner) });
            }
            match word.chars().next_back() {
                Some('.' | ';' | '!' | '?') => clauses.push(Vec::new()),
                Some(':') => push(&mut clauses, Token::Colon),
                Some(',' | ')' | '—' | '–') => push(&mut clauses, Token::Comma),
                _ => {}
            }
        }
    }
    clauses.retain(|clause| clause.iter().any(|token| token.stem().is_some()));
    clauses
}

fn push(clauses: &mut Vec<Vec<Token>>, token: Token) {
    match clauses.last_mut() {
        Some(last) => last.push(token),
        None => clauses.push(vec![token]),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '*' | '.' | '~' | '_' | '-' | '@')
}

/// Reduces a word to a stem: "deploys", "deploying" and "deployed" are equal. Only equality counts, so that a stem need
/// not be a word.
pub(super) fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    if lower.contains(['/', '*', '.', '~']) {
        return lower;
    }
    let cut = |end: &str, least: usize| lower.strip_suffix(end).filter(|rest| rest.chars().count() >= least);
    let base = if lower.ends_with("ss") {
        lower.as_str()
    } else {
        cut("ing", 3).or_else(|| cut("ed", 3)).or_else(|| cut("s", 2)).unwrap_or(&lower)
    };
    let base = match base.strip_suffix("ie") {
        Some(rest) if rest.len() > 2 => format!("{rest}y"),
        _ => base.to_owned(),
    };
    let base = base.strip_suffix('e').filter(|rest| rest.chars().count() > 2).unwrap_or(&base);
    let mut letters: Vec<char> = base.chars().collect();
    if let [.., a, b] = letters[..]
        && a == b
        && letters.len() > 3
    {
        letters.pop();
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_forms_have_the_same_stem() {
        for group in [
            &["deploy", "deploys", "deploying", "deployed"][..],
            &["merge", "merges", "merging", "merged"],
            &["dependency", "dependencies"],
            &["delete", "deletes", "deleting", "deleted"],
            &["push", "pushes", "pushing"],
            &["run", "runs", "running"],
            &["install", "installs", "installing"],
            &["database", "databases"],
            &["branch", "branches"],
            &["access", "accesses", "accessing"],
            &["library", "libraries"],
        ] {
            let stems: Vec<String> = group.iter().map(|word| stem(word)).collect();
            assert!(stems.iter().all(|other| *other == stems[0]), "{stems:?}");
        }
        assert_ne!(stem("deploy"), stem("deployment"));
    }

    #[test]
    fn sentences_and_semicolons_end_a_clause() {
        let count = |text: &str| clauses(text).len();
        assert_eq!(count("Deploy. Merge; push"), 3);
        assert_eq!(count("Change v1.2 of `a; b`."), 1);
        assert_eq!(count(""), 0);
    }
}
