//! See `pipe_to_shell.md`.

use super::downloaded_file;
use super::published_installers::{self, is_address};
use super::shell_text::{self, ReadText, Runner, ShellText};
use crate::{Check, Defaults, Finding, Rule};
use canonry_guard::guard::{FETCH, Origins};
use canonry_guard::shell::SimpleCommand;
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::{Location, Severity};
use canonry_text::WordMatcher;

pub(super) static RULE: Rule = Rule {
    id: "pipe-to-shell",
    summary: "download is run without review",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("pipe_to_shell.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text), Check::ToolFile(check_tool_file)]),
};

/// Every text with such a command contains one of these.
static DOWNLOADS: WordMatcher = WordMatcher::new(&FETCH);

const HELP: &str = "download to a file, verify it, then run it; or use a package manager";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(shell_text::of_skill(skill, &DOWNLOADS).iter().flat_map(in_text));
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    findings.extend(shell_text::of_agent_text(text, &DOWNLOADS).iter().flat_map(in_text));
}

fn check_tool_file(file: &ToolFile, findings: &mut Vec<Finding>) {
    findings.extend(shell_text::of_tool_file(file, &DOWNLOADS).iter().flat_map(in_text));
}

fn in_text(text: &ShellText<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for read in text.read() {
        found.extend(in_script(&read));
        if read.runner != Runner::Mention {
            found.extend(downloaded_file::find(&read));
        }
    }
    found
}

fn in_script(read: &ReadText<'_>) -> Vec<Finding> {
    let script = &read.script;
    let origins = Origins::of_downloads(script);
    let mut found: Vec<Finding> = Vec::new();
    for (at, command) in script.commands.iter().enumerate().filter(|(_, command)| !command.is_possible) {
        let Some(sources) = origins.run_by(script, at) else { continue };
        let downloads: Vec<&SimpleCommand> = sources.iter().map(|at| &script.commands[*at]).collect();
        if !downloads.iter().any(|download| has_address(download, read.runner)) {
            continue;
        }
        let location = Location::at(read.source, read.span_of(command));
        // A wrapper and the command in it are on the same line.
        if found.iter().all(|known| known.location.span != location.span) {
            found.push(finding(read, &downloads, location));
        }
    }
    found
}

fn finding(read: &ReadText<'_>, downloads: &[&SimpleCommand], location: Location) -> Finding {
    let hosts: Option<Vec<String>> = downloads.iter().map(|download| published_installers::host(download)).collect();
    if let Some(host) = hosts.and_then(|hosts| hosts.into_iter().next()) {
        let message = format!("this runs the installer of `{host}` without verification");
        return RULE.at(location, message).help(HELP).severity(Defaults::both(Severity::Info));
    }
    let who = match read.runner {
        Runner::Tool => "the tool runs this download without review",
        Runner::Script | Runner::Block | Runner::Mention => "this runs a download without review",
    };
    let address = downloads.iter().flat_map(|download| &download.words).find(|word| is_address(&word.text));
    let address = address.map_or_else(|| read.script.commands[0].shown(), |word| word.text.clone());
    let key = format!("{} {:?} {address}", read.source.path(), read.runner);
    let finding =
        RULE.at(location, who).help(HELP).caused_by(key, ("command with this address", "commands with this address"));
    match read.runner {
        Runner::Tool => finding.severity(Defaults::both(Severity::Error)),
        Runner::Script | Runner::Block => finding,
        Runner::Mention => finding.severity(Defaults::both(Severity::Info)),
    }
}

/// Hosts that are reserved for documentation: RFC 2606.
const RESERVED: [&str; 3] = ["example.com", "example.org", "example.net"];

/// Whether a download names an address, or a variable with one. In a text for people, `curl … | sh` and the hosts of examples only show
/// the form of a command.
fn has_address(download: &SimpleCommand, runner: Runner) -> bool {
    let is_executed = matches!(runner, Runner::Tool | Runner::Script);
    let is_concrete = |text: &str| {
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let is_reserved = RESERVED.iter().any(|reserved| host == *reserved || host.ends_with(&format!(".{reserved}")));
        host.contains('.') && host.contains(char::is_alphanumeric) && !is_reserved || host.contains('\0')
    };
    let mut args = download.words.iter().skip(1);
    args.any(|word| !word.is_known() || is_address(&word.text) && (is_executed || is_concrete(&word.text)))
}
