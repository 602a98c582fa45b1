//! See `encoded_payload.md`.

use super::shell_text::{self, ReadText, Runner, ShellText, is_comment};
use crate::scripts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_guard::guard::Origins;
use canonry_guard::shell::{Script, SimpleCommand};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::script::ScriptLanguage;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::{Location, Severity};
use canonry_text::{Source, Span, WordMatcher};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "encoded-payload",
    summary: "command decodes and runs a payload",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("encoded_payload.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text), Check::ToolFile(check_tool_file)]),
};

/// Functions that decode a text, in lower case.
const DECODERS: [&str; 8] = [
    "b64decode(",
    "bytes.fromhex(",
    "atob(",
    "buffer.from(",
    "frombase64string(",
    "decode_base64(",
    "unhexlify(",
    "base64.decode64(",
];
/// Functions that run their argument, in lower case.
const RUNNERS: [&str; 6] = ["exec(", "eval(", "function(", "os.system(", "iex ", "invoke-expression "];
/// Minimum length of encoded text that can hide a command, in characters.
const MIN_LENGTH: usize = 40;

/// Every shell text with such a command contains one of these.
static KEYWORDS: WordMatcher = WordMatcher::new(&[
    "base64",
    "gbase64",
    "base32",
    "xxd",
    "uudecode",
    "openssl",
    "powershell.exe",
    "powershell",
    "pwsh.exe",
    "pwsh",
    "PowerShell",
    "Powershell",
    "POWERSHELL",
]);

const HELP: &str = "write the commands in plain text, so that they can be reviewed";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(shell_text::of_skill(skill, &KEYWORDS).iter().flat_map(in_text));
    for text in &skill.texts {
        let is_shell = |language| matches!(language, ScriptLanguage::Shell | ScriptLanguage::Batch);
        if scripts::language(text).is_some_and(|language| !is_shell(language)) {
            in_program(&text.source, findings);
        }
    }
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    findings.extend(shell_text::of_agent_text(text, &KEYWORDS).iter().flat_map(in_text));
}

fn check_tool_file(file: &ToolFile, findings: &mut Vec<Finding>) {
    findings.extend(shell_text::of_tool_file(file, &KEYWORDS).iter().flat_map(in_text));
}

fn finding(source: &Arc<Source>, span: Span) -> Finding {
    let message = "this decodes and runs a payload that cannot be reviewed";
    RULE.at(Location::at(source, span), message).help(HELP)
}

fn in_text(text: &ShellText<'_>) -> Vec<Finding> {
    text.read().iter().flat_map(in_script).collect()
}

fn in_script(read: &ReadText<'_>) -> Vec<Finding> {
    let origins = Origins::of_decoded(&read.script);
    let commands = read.script.commands.iter().enumerate().filter(|(_, command)| !command.is_possible);
    let running = commands.filter(|(at, command)| runs_payload(&origins, &read.script, *at, command));
    let mut spans: Vec<Span> = running.map(|(_, command)| read.span_of(command)).collect();
    spans.dedup();
    let finding = |span: Span| {
        let finding = finding(read.source, span);
        match read.runner {
            Runner::Tool | Runner::Script => finding,
            Runner::Block => finding.severity(Defaults::both(Severity::Warning)),
            Runner::Mention => finding.severity(Defaults::both(Severity::Info)),
        }
    };
    spans.into_iter().map(finding).collect()
}

fn runs_payload(origins: &Origins, script: &Script, at: usize, command: &SimpleCommand) -> bool {
    origins.run_by(script, at).is_some() || has_encoded_argument(command) || has_decoding_argument(command)
}

/// Matches `powershell -enc …`. PowerShell takes each beginning of the name of an option.
fn has_encoded_argument(command: &SimpleCommand) -> bool {
    let program = command.program().unwrap_or_default().to_ascii_lowercase();
    let is_option = |text: &str| {
        let name = text.strip_prefix('-').unwrap_or_default().to_ascii_lowercase();
        !name.is_empty() && "encodedcommand".starts_with(&name) || name == "ec"
    };
    let is_encoded = |text: &str| {
        text.len() >= MIN_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
    };
    matches!(program.trim_end_matches(".exe"), "powershell" | "pwsh")
        && command.words.windows(2).any(|two| is_option(&two[0].text) && is_encoded(&two[1].text))
}

/// Matches `python3 -c "exec(base64.b64decode('…'))"`.
fn has_decoding_argument(command: &SimpleCommand) -> bool {
    let is_code = |text: &str| matches!(text, "-c" | "-e" | "-Command" | "-command");
    command.words.windows(2).any(|two| is_code(&two[0].text) && two[1].text.lines().any(runs_decoded))
}

/// The lines of a program that decode and run a text.
fn in_program(source: &Arc<Source>, findings: &mut Vec<Finding>) {
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        if runs_decoded(line) {
            findings.push(finding(source, Span::new(start, start + line.trim_end().len())));
        }
        start += line.len();
    }
}

/// Whether a line of a program runs what it decodes. What is in a string, such as the pattern of a scanner, does not count.
fn runs_decoded(line: &str) -> bool {
    let code = outside_strings(line).to_lowercase();
    if is_comment(&code) {
        return false;
    }
    RUNNERS.iter().any(|runner| {
        code.match_indices(runner).any(|(at, _)| {
            let is_part = code[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
            !is_part && DECODERS.iter().any(|decoder| code[at..].contains(decoder))
        })
    })
}

/// A line of a script without the contents of its strings.
fn outside_strings(line: &str) -> String {
    let mut quote = None;
    let keep = |c: &char| match quote {
        Some(open) => {
            quote = quote.filter(|_| *c != open);
            false
        }
        None => {
            quote = ['"', '\'', '`'].contains(c).then_some(*c);
            true
        }
    };
    line.chars().filter(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_guard::shell;

    #[test]
    fn only_payloads_that_run_are_found() {
        for (line, want) in [
            ("echo cHJpbnRmIGE= | base64 -d | sh", true),
            ("echo $X | base64 --decode | sudo bash", true),
            ("eval \"$(echo cHJpbnRmIGE= | base64 -d)\"", true),
            ("bash <(xxd -r -p <<< 7072696e7466)", true),
            ("base64 -d < a.txt > b.sh; sh b.sh", false),
            ("python3 -c \"exec(base64.b64decode('cHJpbnRmIGE='))\"", true),
            ("powershell -enc SQBFAFgAIABhAGIAYwBkAGUAZgBnAGgAaQBqAGsAbABtAG4A", true),
            ("powershell.exe -NoP -EncodedCommand SQBFAFgAIABhAGIAYwBkAGUAZgBnAGgAaQBqAGsAbABtAG4A", true),
            ("kubectl get secret x -o json | jq -r .data.y | base64 -d", false),
            ("echo $X | base64 -d > key.json", false),
            ("echo $X | base64 -d | python3 -m json.tool", false),
            ("grep 'base64 -d | sh' README.md", false),
        ] {
            let script = shell::read_script(line);
            let origins = Origins::of_decoded(&script);
            let mut commands = script.commands.iter().enumerate();
            let runs = commands.any(|(at, command)| runs_payload(&origins, &script, at, command));
            assert_eq!(runs, want, "{line}");
        }
    }

    #[test]
    fn code_in_strings_and_comments_does_not_run() {
        for (line, want) in [
            ("exec(base64.b64decode('cHJpbnRmIGE='))", true),
            ("eval(atob(\"cHJpbnRmIGE=\"))", true),
            ("new Function(Buffer.from(text, 'base64').toString())()", true),
            ("data = base64.b64decode(text)", false),
            ("re.exec(atob(x))", false),
            ("'eval(atob(encoded))',", false),
            ("# exec(base64.b64decode(x))", false),
        ] {
            assert_eq!(runs_decoded(line), want, "{line}");
        }
    }
}
