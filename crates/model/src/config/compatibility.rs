//! `compatibility`: the tool versions that a skill states in words, such as `Requires Claude Code 1.5 or later`.

use super::target::Target;

/// The lowest version of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimumVersion {
    pub tool: Target,
    /// One to three numbers.
    pub version: String,
}

/// The lowest versions that a text states: the name of a tool of the default targets, then a version with words or signs that make it a minimum. Any other
/// text states none.
pub fn minimum_versions(text: &str) -> Vec<MinimumVersion> {
    let mut found = Vec::new();
    for tool in Target::DEFAULT {
        let product = tool.title();
        for (at, _) in text.match_indices(product) {
            let is_whole = !text[..at].ends_with(|c: char| c.is_alphanumeric());
            if let Some(version) = minimum_after(&text[at + product.len()..]).filter(|_| is_whole) {
                found.push(MinimumVersion { tool, version });
            }
        }
    }
    found
}

/// The minimum at the start of a text: ` >= 2.1`, ` 2.1+`, ` 1.5 or later`, ` version 2 and above`, ` (v2.1 or newer)`.
fn minimum_after(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix(" CLI").unwrap_or(rest).trim_start_matches([' ', '(', ',', ':']);
    let (has_sign, rest) = match [">=", "≥"].iter().find_map(|sign| rest.strip_prefix(sign)) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest),
    };
    let rest = ["version ", "versions ", "at least "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest);
    let rest = rest.strip_prefix(['v', 'V']).unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let version = rest[..end].trim_end_matches('.');
    let after = rest[version.len()..].trim_start();
    let has_words =
        ["+", "or later", "or newer", "or higher", "or above", "and later", "and newer", "and above", "and up"]
            .iter()
            .any(|words| after.starts_with(words));
    let numbers = version.split('.').filter(|part| !part.is_empty()).count();
    let is_version = (1..=3).contains(&numbers) && version.split('.').all(|part| !part.is_empty());
    (is_version && (has_sign || has_words)).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimums_in_words() {
        for (text, want) in [
            ("Requires Claude Code 1.5 or later", &["Claude Code 1.5"][..]),
            ("Claude Code >= 2.1.0 and Codex 0.150+", &["Claude Code 2.1.0", "Codex 0.150"]),
            ("Requires Cursor (v2 or newer).", &["Cursor 2"]),
            ("Codex CLI version 0.142 and above", &["Codex 0.142"]),
            ("Designed for Claude Code", &[]),
            ("Tested with Claude Code 2.1", &[]),
            ("Requires Python 3.11 or later and Claude Code", &[]),
            ("Claude Code 1.2.3.4 or later", &[]),
            ("Precursor 2 or later", &[]),
        ] {
            let found: Vec<String> = minimum_versions(text)
                .into_iter()
                .map(|found| format!("{} {}", found.tool.title(), found.version))
                .collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
