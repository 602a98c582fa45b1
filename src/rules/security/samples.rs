//! Whether a place in a text belongs to a sample: the response of an API, or code that shows what not to write.

/// Words before a block, or in its heading, that introduce a sample.
const SAMPLE_WORDS: [&str; 14] = [
    "example",
    "sample",
    "response",
    "returns",
    "output",
    "vulnerable",
    "insecure",
    "示例",
    "返回",
    "响应",
    "ejemplo",
    "beispiel",
    "exemple",
    "例",
];
/// Words of a comment or a sentence about what not to write.
const BAD_WORDS: [&str; 10] =
    ["bad", "wrong", "never", "avoid", "vulnerable", "insecure", "hardcoded", "hard-coded", "don't", "❌"];
/// Folders with samples.
const SAMPLE_FOLDERS: [&str; 8] = ["example", "examples", "sample", "samples", "fixture", "fixtures", "test", "tests"];
/// Lines above a block that may introduce it.
const INTRODUCTION: usize = 3;

/// Whether a folder of the path says that it contains samples.
pub(super) fn is_sample_path(path: &str) -> bool {
    path.to_lowercase().split('/').rev().skip(1).any(|part| SAMPLE_FOLDERS.contains(&part))
}

/// Whether the text at this offset is in a sample: in a code block or table that is introduced as one, or next to a warning.
pub(super) fn is_in_sample(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let above = text[..start].lines().next_back().unwrap_or_default();
    let is_comment = above.trim_start().starts_with(['#', '/', '-', '*', '❌']);
    if has_word(line, &BAD_WORDS) || is_comment && has_word(above, &BAD_WORDS) {
        return true;
    }
    let surroundings = Surroundings::of(&text[..start]);
    let is_table = line.trim_start().starts_with('|');
    let is_introduced = |words: &[&str]| {
        surroundings.introduction.iter().chain(&surroundings.heading).any(|line| has_word(line, words))
    };
    (surroundings.is_code || is_table) && (is_introduced(&SAMPLE_WORDS) || is_introduced(&BAD_WORDS))
}

/// Words of a heading, of an introduction or of the text after a block that call the block wrong.
const WRONG_WORDS: [&str; 10] = [
    "smell",
    "anti-pattern",
    "antipattern",
    "mistake",
    "pitfall",
    "why it fails",
    "fails on",
    "not portable",
    "exactly one machine",
    "breaks on",
];

/// Whether the code block that contains this offset is called wrong by its heading, its introduction or the text behind it.
pub(in crate::rules) fn is_called_wrong(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let surroundings = Surroundings::of(&text[..start]);
    let is_fence = |line: &&str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let mut behind =
        text[start..].lines().skip_while(|line| !is_fence(line)).skip(1).filter(|line| !line.trim().is_empty());
    let after = behind.next().filter(|line| !line.starts_with('#'));
    let says =
        |line: &str| has_word(line, &WRONG_WORDS) || has_word(line, &["bad", "wrong", "hardcoded", "hard-coded", "❌"]);
    let is_introduced = surroundings.introduction.last().copied().into_iter().chain(surroundings.heading).any(says);
    surroundings.is_code && (is_introduced || after.is_some_and(|line| has_word(line, &WRONG_WORDS)))
}

/// What precedes a place in a Markdown text.
#[derive(Default)]
struct Surroundings<'a> {
    is_code: bool,
    heading: Option<&'a str>,
    /// The last lines of text before the code block, or before the place.
    introduction: Vec<&'a str>,
}

impl<'a> Surroundings<'a> {
    fn of(before: &'a str) -> Self {
        let mut found = Self::default();
        for line in before.lines() {
            let trimmed = line.trim_start();
            if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                found.is_code = !found.is_code;
                if !found.is_code {
                    found.introduction.clear();
                }
            } else if !found.is_code && trimmed.starts_with('#') {
                found.heading = Some(line);
                found.introduction.clear();
            } else if !found.is_code && !trimmed.is_empty() {
                found.introduction.push(line);
                if found.introduction.len() > INTRODUCTION {
                    found.introduction.remove(0);
                }
            }
        }
        found
    }
}

fn has_word(line: &str, words: &[&str]) -> bool {
    let line = line.to_lowercase();
    words.iter().any(|word| match word.is_ascii() {
        false => line.contains(word),
        true => line.match_indices(word).any(|(at, _)| {
            let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let after = line[at + word.len()..].trim_start_matches('s').chars().next();
            is_end(line[..at].chars().next_back()) && is_end(after)
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_introduced() {
        for (text, want) in [
            ("## Response\n\n```json\n{\"uri\": \"KEY\"}\n```\n", true),
            ("The call returns:\n\n```json\n{\"uri\": \"KEY\"}\n```\n", true),
            ("### 返回示例\n```\nKEY\n```\n", true),
            ("```python\n# Never do this\nkey = 'KEY'\n```\n", true),
            ("key = 'KEY'  # wrong\n", true),
            ("| name | example |\n|---|---|\n| key | KEY |\n", true),
            ("## Setup\n\n```json\n{\"env\": {\"TOKEN\": \"KEY\"}}\n```\n", false),
            ("## Responses\n\nUse KEY.\n", false),
            ("Example:\n\n```sh\nls\n```\n\n```sh\nexport TOKEN=KEY\n```\n", false),
            ("KEY", false),
        ] {
            let at = text.find("KEY").unwrap_or_default();
            assert_eq!(is_in_sample(text, at), want, "{text}");
        }
    }

    #[test]
    fn blocks_are_called_wrong() {
        for (text, want) in [
            ("### Smell: a fixed path\n\n```md\nKEY\n```\n", true),
            ("Anti-pattern:\n```md\nKEY\n```\n", true),
            ("```md\nKEY\n```\n\n**Why it fails:** one machine\n", true),
            ("```md\nKEY\n```\n\n## Mistakes\n", false),
            ("If you don't have one, run:\n\n```md\nKEY\n```\n", false),
            ("```md\nKEY\n```\n\nIf the call fails, try again.\n", false),
            ("### Smell\n\nRead KEY.\n", false),
            ("### Setup\n\n```md\nKEY\n```\nIt runs.\n", false),
        ] {
            let at = text.find("KEY").unwrap_or_default();
            assert_eq!(is_called_wrong(text, at), want, "{text}");
        }
    }

    #[test]
    fn folders_name_samples() {
        for (path, want) in [("a/examples/x.md", true), ("a/x.md", false), ("a/examples.md", false)] {
            assert_eq!(is_sample_path(path), want, "{path}");
        }
    }
}
