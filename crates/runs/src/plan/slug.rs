//! Names made from texts: lower-case words with hyphens, each used once.

use std::collections::HashSet;

/// Characters of a name. GitHub Actions allows 100 and Argo 128; a number for uniqueness must fit as well.
const MAX_NAME: usize = 60;

/// The words of a text in lower case, joined by hyphens; everything but ASCII letters and digits separates words. Empty if
/// there is none.
pub fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        let room = MAX_NAME.saturating_sub(name.len() + 1);
        if !name.is_empty() && word.len() > room {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.extend(word.chars().take(MAX_NAME).map(|c| c.to_ascii_lowercase()));
    }
    name
}

/// Gives each text a name of its own that begins with a letter.
#[derive(Debug, Default)]
pub struct UniqueNames {
    used: HashSet<String>,
    /// The number to try next for each name.
    next: std::collections::HashMap<String, usize>,
}

impl UniqueNames {
    /// The slug of a text, after `prefix-` if it does not begin with a letter, and with a number if it is taken.
    pub fn add(&mut self, text: &str, prefix: &str) -> String {
        let name = slug(text);
        let name = match name.chars().next() {
            None => prefix.to_owned(),
            Some(first) if first.is_ascii_alphabetic() => name,
            Some(_) => format!("{prefix}-{name}"),
        };
        if self.used.insert(name.clone()) {
            return name;
        }
        let next = self.next.entry(name.clone()).or_insert(2);
        loop {
            let numbered = format!("{name}-{next}");
            *next += 1;
            if self.used.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_with_hyphens() {
        for (text, name) in [
            ("Uploads over 10 MB are refused.", "uploads-over-10-mb-are-refused"),
            ("../../etc/passwd", "etc-passwd"),
            ("api_v2.${{ x }}", "api-v2-x"),
            ("größe", "gr-e"),
            ("", ""),
            ("日本", ""),
        ] {
            assert_eq!(slug(text), name, "{text}");
        }
        assert!(slug(&"word ".repeat(100)).len() <= MAX_NAME);
        assert!(slug(&"x".repeat(500)).len() <= MAX_NAME);
    }

    #[test]
    fn names_are_unique_and_begin_with_a_letter() {
        let mut names = UniqueNames::default();
        let all: Vec<String> =
            ["a b", "a-b", "A_B", "a-b-2", "1", "1", "日"].iter().map(|text| names.add(text, "step")).collect();
        assert_eq!(all, ["a-b", "a-b-2", "a-b-3", "a-b-2-2", "step-1", "step-1-2", "step"]);
    }
}
