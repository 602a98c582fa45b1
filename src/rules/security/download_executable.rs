//! See `download_executable.md`.

use super::commands::{self, CommandGroup};
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::{Span, WordMatcher};

pub(super) static RULE: Rule = Rule {
    id: "download-executable",
    summary: "downloaded program is run without verification",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("download_executable.md"),
    check: Check::Skill(check),
};

/// Programs and words that verify a download.
const CHECKS: [&str; 9] =
    ["sha256", "sha512", "shasum", "md5sum", "gpg --verify", "cosign", "minisign", "checksum", "get-filehash"];

const HELP: &str = "pin the version and verify the checksum before running it, or use a package manager";

/// Every text with such commands contains this.
static KEYWORDS: WordMatcher = WordMatcher::new(&["chmod "]);

fn check(skill: &Skill, findings: &mut RawFindings) {
    for group in commands::groups(skill, &KEYWORDS).iter().filter(|group| group.lines.len() > 1 || has_and(group)) {
        if let Some((span, name)) = first_unverified(group) {
            let message = format!("`{name}` is downloaded and made executable without verification");
            findings.push(RawFinding::new(Location::at(group.source, span), message).help(HELP));
        }
    }
}

fn has_and(group: &CommandGroup<'_>) -> bool {
    group.lines.iter().any(|line| line.text.contains("&&"))
}

/// The first download in a group that is later made executable.
fn first_unverified(group: &CommandGroup<'_>) -> Option<(Span, String)> {
    let is_check = |text: &str| CHECKS.iter().any(|check| text.to_lowercase().contains(check));
    if group.lines.iter().any(|line| is_check(&line.text)) {
        return None;
    }
    group.lines.iter().enumerate().find_map(|(at, line)| {
        let file = downloaded(&line.text)?;
        let name = file.rsplit('/').next().unwrap_or(&file).to_owned();
        let later = group.lines[at..].iter().any(|line| makes_executable(&line.text, &name));
        (later && name.len() > 1).then_some((line.span, name))
    })
}

/// The output file of a download command.
fn downloaded(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let at = words.iter().position(|word| matches!(*word, "curl" | "wget"))?;
    let command: Vec<&str> =
        words[at..].iter().copied().take_while(|word| !matches!(*word, "&&" | ";" | "|" | "||")).collect();
    let address = command.iter().find(|word| word.contains("://"))?;
    let is_curl = command.first() == Some(&"curl");
    let (long, short) = if is_curl { ("--output", 'o') } else { ("--output-document", 'O') };
    let mut outputs = command.windows(2).filter(|two| two[0] == long || (is_short(two[0]) && two[0].ends_with(short)));
    if command.iter().any(|word| is_short(word) && word.ends_with("O-")) {
        return None;
    }
    match outputs.next() {
        Some(two) => (two[1] != "-").then(|| two[1].to_owned()),
        // wget uses the name in the URL, and so does curl with -O.
        None if is_curl && !command.iter().any(|word| is_short(word) && word.contains('O')) => None,
        None => address.split(['?', '#']).next().map(str::to_owned),
    }
}

fn is_short(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--")
}

/// Matches `chmod +x NAME`.
fn makes_executable(line: &str, name: &str) -> bool {
    line.match_indices("chmod ").any(|(at, _)| {
        let mut words = line[at..].split_whitespace().skip(1).map(|word| word.trim_matches(['"', '\'', ';']));
        let mode = words.next().unwrap_or_default();
        let executes = mode.contains('x') || mode.contains('7') || mode.contains('5');
        executes && words.any(|word| word.rsplit('/').next() == Some(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_output_file() {
        for (line, want) in [
            ("curl -fsSLo /usr/local/bin/tool https://example.com/tool", Some("/usr/local/bin/tool")),
            ("curl -LO https://example.com/tool?x=1", Some("https://example.com/tool")),
            ("wget https://example.com/tool", Some("https://example.com/tool")),
            ("wget -qO- https://example.com/tool", None),
            ("curl https://example.com/tool", None),
        ] {
            assert_eq!(downloaded(line).as_deref(), want, "{line}");
        }
    }
}
