//! See `code_replaced_by_arguments.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;
use canonry_text::markdown::CodeBlock;

pub(super) static RULE: Rule = Rule {
    id: "code-replaced-by-arguments",
    summary: "code of a skill that Claude Code changes when the skill gets arguments",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("code_replaced_by_arguments.md"),
    check: Check::Skill(check),
};

/// Languages in which `$1` is never meant for the arguments of a skill.
const LANGUAGES: [&str; 19] = [
    "awk",
    "sql",
    "postgresql",
    "plpgsql",
    "perl",
    "ruby",
    "js",
    "javascript",
    "ts",
    "typescript",
    "nginx",
    "apache",
    "python",
    "py",
    "go",
    "rust",
    "java",
    "php",
    "csharp",
];

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Ok(document) = &skill.document else { return };
    let source = &document.source;
    let mut spans = document.outline.blocks.iter().flat_map(|block| in_block(source.text(), block));
    let Some(first) = spans.next() else { return };
    let message = format!(
        "Claude Code replaces `{}` in this code with an argument of the skill, if it is given enough of them",
        source.slice(first)
    );
    let finding = RULE.at(Location::at(source, first), message).help(
        "move the code into a script of the skill; a backslash before `$` also prevents it, but other tools show it",
    );
    findings.push(spans.fold(finding, |finding, span| finding.related(Location::at(source, span), "replaced too")));
}

/// The placeholders in a code block that are parameters of the code itself, one for each line.
fn in_block(text: &str, block: &CodeBlock) -> Vec<Span> {
    let code = &text[block.span.range()];
    if !code.contains('$') {
        return Vec::new();
    }
    let has_own_parameters = LANGUAGES.contains(&block.language.as_str()) || defines_function(code);
    let mut at = block.span.offset;
    let mut found = Vec::new();
    for line in code.split_inclusive('\n') {
        // Quotation marks keep the shell from replacing it, so that awk and its kind get the text.
        let is_awk = ["awk '", "awk -F"].iter().any(|word| line.contains(word)) && line.contains('\'');
        if has_own_parameters || is_awk {
            found.extend(placeholder(line).map(|span| Span::new(at + span.offset, at + span.end())));
        }
        at += line.len();
    }
    found
}

/// Whether shell code defines a function, or a script with arguments of its own.
fn defines_function(code: &str) -> bool {
    code.lines().any(|line| {
        let line = line.trim();
        let name = line.strip_prefix("function ").unwrap_or(line);
        let is_name =
            |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        line.starts_with("#!/")
            || name.split_once("()").is_some_and(|(name, rest)| is_name(name) && rest.trim_start().starts_with('{'))
    })
}

/// The first `$0` to `$9` of a line that is not escaped. Claude Code replaces digits that no letter follows, and an index
/// without an argument stays as it is, so larger numbers are hardly ever replaced.
fn placeholder(line: &str) -> Option<Span> {
    let bytes = line.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let found = line.match_indices('$').map(|(at, _)| at).find(|at| {
        let is_escaped = *at > 0 && bytes[at - 1] == b'\\';
        bytes.get(at + 1).is_some_and(u8::is_ascii_digit) && !is_word(at + 2) && !is_escaped
    });
    found.map(|at| Span::new(at, at + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_digits_are_placeholders() {
        for (line, want) in [
            ("awk '{print $1}'", Some(12)),
            ("cut -d' ' -f1 \"$10\" \\$1 ${1} $HOME $$", None),
            ("$1st \\$2 $3", Some(9)),
        ] {
            assert_eq!(placeholder(line).map(|span| span.offset), want, "{line}");
        }
    }

    #[test]
    fn functions_and_scripts_have_their_own_parameters() {
        for (code, want) in [
            ("deploy() {\n  echo $1\n}", true),
            ("function deploy() { echo $1; }", true),
            ("#!/bin/sh\necho $1", true),
            ("git checkout $1\necho $(date) { }", false),
        ] {
            assert_eq!(defines_function(code), want, "{code}");
        }
    }
}
