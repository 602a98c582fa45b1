//! See `script_prompts.md`.

use super::prompt_guard::is_guarded;
use super::script_not_executable::is_copied;
use crate::canon::skill::Skill;
use crate::canon::skill::SkillText;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::scripts::{self, Language};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Span;
use gix::bstr::ByteSlice;

pub(super) static RULE: Rule = Rule {
    id: "script-prompts",
    summary: "script waits for interactive input",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("script_prompts.md"),
    check: Check::Skill(check),
};

/// Signs that a script checks for an interactive input before it prompts.
const TERMINAL_CHECKS: [&str; 6] =
    ["-t 0", "stdin.isatty", "stdin.isTTY", "STDIN.tty", "IsInputRedirected", "UserInteractive"];

/// Functions and commands that always prompt a user.
const PROMPTS: [(Language, &[&str]); 5] = [
    (Language::Python, &["input(", "raw_input(", "getpass(", "getpass.getpass(", "click.prompt(", "click.confirm("]),
    (Language::JavaScript, &["rl.question(", "readline.question(", "inquirer.prompt(", "readlineSync.question("]),
    (Language::Ruby, &["gets.chomp", "$stdin.gets", "STDIN.gets"]),
    (Language::PowerShell, &["Read-Host", "PromptForChoice("]),
    (Language::Batch, &["set /p ", "pause"]),
];

fn check(skill: &Skill, findings: &mut RawFindings) {
    for text in &skill.texts {
        let Some(language) = scripts::language(text) else { continue };
        if is_copied(text) || TERMINAL_CHECKS.iter().any(|sign| text.source.text().contains(sign)) {
            continue;
        }
        if let Some((span, what)) = first_prompt(text, language) {
            let message = format!("`{what}` waits for interactive input, which an agent cannot provide");
            let help = "take the answer as an argument, or use a default if stdin is not a terminal (`[ -t 0 ]`)";
            findings.push(RawFinding::new(Location::at(&text.source, span), message).help(help));
        }
    }
}

/// The first prompt that the script does not get past without an answer. Text in triple quotes is not Python code.
fn first_prompt(text: &SkillText, language: Language) -> Option<(Span, String)> {
    // Most scripts have no prompt, and this search is many times faster than the one for each line.
    if !signs(language).iter().any(|sign| text.source.text().as_bytes().contains_str(sign)) {
        return None;
    }
    let mut offset = 0;
    let mut in_quotes = false;
    for line in text.source.text().split_inclusive('\n') {
        let fences = line.matches("\"\"\"").count() + line.matches("'''").count();
        let is_code = !in_quotes && fences == 0;
        in_quotes ^= language == Language::Python && fences % 2 == 1;
        let found = prompt(line, language).filter(|_| is_code);
        if let Some((at, what)) = found.filter(|(at, _)| !is_guarded(text.source.text(), offset + at)) {
            return Some((Span::new(offset + at, offset + at + what.len()), what.trim_end_matches('(').to_owned()));
        }
        offset += line.len();
    }
    None
}

/// What every prompt of a language contains.
fn signs(language: Language) -> &'static [&'static str] {
    match language {
        Language::Shell => &["read "],
        _ => PROMPTS.iter().find(|(of, _)| *of == language).map_or(&[], |(_, signs)| signs),
    }
}

fn prompt(line: &str, language: Language) -> Option<(usize, &str)> {
    let code = line.trim_start();
    if code.starts_with(['#', '/', '*', '"', '\'', ':']) || code.starts_with("REM ") || code.starts_with("rem ") {
        return None;
    }
    if language == Language::Shell {
        return shell_prompt(line);
    }
    signs(language).iter().find_map(|sign| {
        let at = line.find(sign)?;
        let before = line[..at].chars().next_back();
        let is_own_word = !line[..at].contains(" or ")
            && before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '"' | '\'' | '-' | '`'));
        let is_defined = ["def ", "function "].iter().any(|word| line[..at].ends_with(word));
        let rest = &line[at..];
        (is_own_word && !is_defined && (*sign != "pause" || rest.trim_end() == "pause"))
            .then(|| (at, &rest[..sign.len()]))
    })
}

/// Matches `read` with a prompt. Without a prompt, `read` usually reads from a pipe, and `<` redirects a file.
fn shell_prompt(line: &str) -> Option<(usize, &str)> {
    let at = line.match_indices("read ").map(|(at, _)| at).find(|at| {
        let before = line[..*at].trim_end();
        before.is_empty()
            || before.ends_with([';', '&', '|', '(', '!'])
            || before.ends_with("if")
            || before.ends_with("then")
            || before.ends_with("do")
    })?;
    let rest = line[at..].trim_end();
    let has_prompt =
        rest.split_whitespace().skip(1).take_while(|word| word.starts_with('-')).any(|word| word.contains('p'));
    let is_redirected = rest.contains('<') && !rest.contains("/dev/tty");
    let end = rest.find(['"', '\'']).unwrap_or(rest.len());
    (has_prompt && !is_redirected).then(|| (at, rest[..end].trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_prompts_are_found() {
        for (language, line, want) in [
            (Language::Shell, "read -p \"Sure? \" yes", Some("read -p")),
            (Language::Shell, "  if read -rp 'Sure? ' yes; then", Some("read -rp")),
            (Language::Shell, "while read -r line; do", None),
            (Language::Shell, "read name", None),
            (Language::Shell, "read -rp x < answers.txt", None),
            (Language::Shell, "# read -p is not used", None),
            (Language::Shell, "echo 'please read -p'", None),
            (Language::Python, "name = input(\"Name: \")", Some("input(")),
            (Language::Python, "self.input(x)", None),
            (Language::Python, "def input(x):", None),
            (Language::Python, "parse_input(x)", None),
            (Language::Python, "print(\"input(\")", None),
            (Language::PowerShell, "$name = Read-Host 'Name'", Some("Read-Host")),
            (Language::Batch, "pause", Some("pause")),
            (Language::Batch, "call pause-all.bat", None),
            (Language::Other, "input()", None),
        ] {
            assert_eq!(prompt(line, language).map(|(_, what)| what), want, "{line}");
        }
    }
}
