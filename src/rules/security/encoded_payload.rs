//! See `encoded_payload.md`.

use super::commands::{self, CommandGroup, CommandLine};
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::WordMatcher;

pub(super) static RULE: Rule = Rule {
    id: "encoded-payload",
    summary: "command decodes and runs a payload",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("encoded_payload.md"),
    check: Check::Skill(check),
};

const DECODERS: [&str; 12] = [
    "base64 -d",
    "base64 --decode",
    "base64 -di",
    "openssl base64 -d",
    "xxd -r",
    "b64decode(",
    "bytes.fromhex(",
    "atob(",
    "frombase64string(",
    "decode_base64(",
    "unhexlify(",
    "'base64')",
];
/// Commands and functions that run their argument.
const RUNNERS: [&str; 9] =
    ["exec(", "eval(", "eval \"$(", "eval $(", "iex ", "invoke-expression", "sh -c \"$(", "function(", "os.system("];
const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "python", "python3", "node", "perl"];
/// Minimum length of encoded text that can hide a command, in characters.
const MIN_LENGTH: usize = 40;

/// Every text with such a command contains one of these.
static KEYWORDS: WordMatcher = WordMatcher::new(&[
    "base64",
    "Base64",
    "xxd ",
    "fromhex",
    "atob(",
    "unhexlify",
    "powershell",
    "PowerShell",
    "pwsh",
    "Powershell",
    "POWERSHELL",
]);

const HELP: &str = "write the commands in plain text, so that they can be reviewed";

fn check(skill: &Skill, findings: &mut RawFindings) {
    for group in commands::groups(skill, &KEYWORDS) {
        let is_reported = |at: usize| runs_encoded(&group.lines[at].text) && !is_logged(&group, at);
        for line in (0..group.lines.len()).filter(|at| is_reported(*at)).map(|at| &group.lines[at]) {
            let message = "this decodes and runs a payload that cannot be reviewed";
            findings.push(RawFinding::new(Location::at(group.source, line.span), message).help(HELP));
        }
    }
}

fn runs_encoded(line: &str) -> bool {
    let lower = line.to_lowercase();
    if is_encoded_command(line, &lower) {
        return true;
    }
    let decodes = DECODERS.iter().any(|decoder| lower.contains(decoder));
    decodes && (RUNNERS.iter().any(|runner| runs(&lower, runner)) || pipes_to_shell(&lower))
}

/// Whether a decoder follows the runner.
fn runs(line: &str, runner: &str) -> bool {
    line.match_indices(runner).any(|(at, _)| {
        let is_word = line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        !is_word && DECODERS.iter().any(|decoder| line[at..].contains(decoder))
    })
}

fn pipes_to_shell(line: &str) -> bool {
    let mut pieces =
        line.split('|').skip_while(|piece| !DECODERS.iter().any(|decoder| piece.contains(decoder))).skip(1);
    pieces.any(|piece| {
        let mut words = piece.split_whitespace().skip_while(|word| *word == "sudo");
        let program = words.next().map(|word| word.trim_matches(['"', '\'', ')', '`', ';', ',']));
        let argument = words.next().unwrap_or_default();
        program.is_some_and(|word| SHELLS.contains(&word.rsplit('/').next().unwrap_or(word)))
            && !argument.starts_with("-c")
            && !argument.starts_with("-m")
            && !argument.starts_with("-e")
    })
}

/// Matches `powershell -enc …`.
fn is_encoded_command(line: &str, lower: &str) -> bool {
    let is_powershell = lower.contains("powershell") || lower.contains("pwsh");
    let is_long =
        |word: &str| word.len() >= MIN_LENGTH && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    let has_flag = || lower.split_whitespace().any(|word| matches!(word, "-enc" | "-e" | "-ec" | "-encodedcommand"));
    is_powershell && has_flag() && line.split(['"', '\'', ' ']).any(is_long)
}

/// Lines around a field that are searched for other fields of the same event.
const EVENT_LINES: usize = 3;

/// Whether a line is the field of a logged event, `"process.command_line": "…"` next to another field `"process.…"`, in a
/// file that starts no processes, so that nothing can run it.
fn is_logged(group: &CommandGroup<'_>, at: usize) -> bool {
    let is_event = |line: &CommandLine<'_>| {
        log_field(&line.text.to_lowercase()).is_some_and(|key| !key.ends_with(".command_line"))
    };
    let near = at.saturating_sub(EVENT_LINES)..(at + EVENT_LINES + 1).min(group.lines.len());
    let is_field = log_field(&group.lines[at].text.to_lowercase()).is_some_and(|key| key.ends_with(".command_line"));
    let starts_process = || {
        let lines = group.source.text().lines().filter(|line| log_field(&line.to_lowercase()).is_none());
        lines.into_iter().any(commands::starts_process)
    };
    is_field && near.clone().any(|other| is_event(&group.lines[other])) && !starts_process()
}

/// The key of a field with dots and a text as value: `"process.name": "x",`.
fn log_field(lower: &str) -> Option<String> {
    let (key, value) = lower.trim_start().strip_prefix(['"', '\''])?.split_once(['"', '\''])?;
    let value = value.trim_start().strip_prefix(':')?.trim().trim_end_matches(',');
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let is_text = value.len() > 1 && value.ends_with(quote) && !value[1..value.len() - 1].contains(quote);
    (key.contains('.') && is_text).then(|| key.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{RepoPath, Source, Span};
    use std::sync::Arc;

    #[test]
    fn only_payloads_that_run_are_found() {
        for (line, want) in [
            ("echo cHJpbnRmIGE= | base64 -d | sh", true),
            ("echo $X | base64 --decode | sudo bash", true),
            ("eval \"$(echo cHJpbnRmIGE= | base64 -d)\"", true),
            ("exec(base64.b64decode('cHJpbnRmIGE='))", true),
            ("eval(atob(\"cHJpbnRmIGE=\"))", true),
            ("powershell -enc SQBFAFgAIABhAGIAYwBkAGUAZgBnAGgAaQBqAGsAbABtAG4A", true),
            ("kubectl get secret x -o json | jq -r .data.y | base64 -d", false),
            ("echo $X | base64 -d > key.json", false),
            ("echo $X | base64 -d | python3 -m json.tool", false),
            ("data = base64.b64decode(text)", false),
            ("re.exec(atob(x))", false),
            ("\"command\": \"powershell -enc SQBFAFgAIABhAGIAYwBkAGUAZgBnAGgAaQBqAGsAbABtAG4A\",", true),
            ("\"process.command_line\": \"powershell -enc SQBFAFgAIABhAGIAYwBkAGUAZgBnAGgAaQBqAGsAbABtAG4A\",", true),
            ("\"a.command_line\": run(\"powershell -enc SQBFAFgAIABhAGIAYwBkAGUAZgBnAGgAaQBqAGsAbABtAG4A\"),", true),
        ] {
            assert_eq!(runs_encoded(line), want, "{line}");
        }
    }

    #[test]
    fn only_events_in_files_without_processes_are_logged() {
        let line = "\"process.command_line\": \"powershell -enc SQBFAFgAIABhAGIAYwBkAGUAZgBnAGgAaQBqAGsAbABtAG4A\",";
        let name = "\"process.name\": \"powershell.exe\",";
        for (text, want) in [
            (format!("const e = {{\n{name}\n{line}\n}};"), true),
            (format!("const e = {{\n{line}\n}};"), false),
            (format!("const e = {{\n{name}\n{line}\n}};\nspawn(e['process.command_line']);"), false),
            (format!("{name}\n{}", line.replace("\",", "\" + tail,")), false),
        ] {
            let source = Arc::new(Source::new(RepoPath::from("a.js"), text.clone()));
            let mut offset = 0;
            let lines = text.lines().map(|line| {
                let span = Span::new(offset, offset + line.len());
                offset = span.end() + 1;
                CommandLine { text: line.into(), span }
            });
            let group = CommandGroup { source: &source, lines: lines.collect() };
            let at = text.lines().position(|line| line.contains("command_line\":")).unwrap();
            assert_eq!(is_logged(&group, at), want, "{text}");
        }
    }
}
