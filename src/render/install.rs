//! Text of `install` and `uninstall`.

use crate::render::{counted, diff};
use canonry_app::install::{
    CommandRun, InstallCommandResult, InstallFileChange, InstallOutcome, InstallStep, IntegrationDetails,
};

/// The output of a command, by stream and in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputLine {
    /// A result, for stdout.
    Result(String),
    /// A remark, for stderr.
    Remark(String),
}

/// The changes of a dry run as unified diffs.
pub fn diffs(outcome: &InstallOutcome) -> Vec<OutputLine> {
    let mut lines = Vec::new();
    for step in &outcome.steps {
        let InstallStep::File(change) = step else { continue };
        let is_unchanged = change.is_unchanged();
        lines.push(OutputLine::Result(if is_unchanged {
            unchanged(change, &outcome.details)
        } else {
            difference(change)
        }));
    }
    lines
}

/// One file change as a unified diff.
pub fn difference(change: &InstallFileChange) -> String {
    diff::unified(change.name.trim_start_matches('/'), change.before.as_deref(), change.after.as_deref())
}

/// Report of an installation.
pub fn installed(outcome: &InstallOutcome) -> Vec<OutputLine> {
    let mut lines = Vec::new();
    let is_file = |step: &&InstallStep| matches!(step, InstallStep::File(_));
    for step in outcome.steps.iter().filter(is_file) {
        lines.push(step_line(step, outcome, InstallAction::Install));
    }
    let is_changed =
        outcome.steps.iter().any(|step| matches!(step, InstallStep::File(change) if !change.is_unchanged()));
    // The merge driver explains itself on every run: the user still has to commit a file.
    if is_changed || matches!(outcome.details, IntegrationDetails::MergeDriver) {
        lines.push(OutputLine::Result(effect(&outcome.details)));
    }
    for step in outcome.steps.iter().filter(|step| !is_file(step)) {
        lines.push(step_line(step, outcome, InstallAction::Install));
    }
    if let IntegrationDetails::Codeowners { skipped, .. } = &outcome.details {
        lines.extend(skipped.iter().map(|reason| OutputLine::Remark(format!("note: {reason}\n"))));
    }
    if let (IntegrationDetails::GitHooks { has_crlf_shebang: true, .. }, true, Some(InstallStep::File(change))) =
        (&outcome.details, is_changed, outcome.steps.first())
    {
        let name = &change.name;
        lines.push(OutputLine::Remark(format!(
            "{name}: the first line ends in CRLF, so Unix does not find the shell and git cannot run the hook\n"
        )));
    }
    lines
}

/// Report of a removal.
pub fn uninstalled(outcome: &InstallOutcome) -> Vec<OutputLine> {
    if outcome.steps.is_empty() {
        return vec![OutputLine::Result(nothing_to_remove(&outcome.details))];
    }
    outcome.steps.iter().map(|step| step_line(step, outcome, InstallAction::Uninstall)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InstallAction {
    Install,
    Uninstall,
}

fn step_line(step: &InstallStep, outcome: &InstallOutcome, action: InstallAction) -> OutputLine {
    match step {
        InstallStep::File(change) => OutputLine::Result(file_line(change, &outcome.details, action)),
        InstallStep::Command(run) => command_line(run),
    }
}

fn file_line(change: &InstallFileChange, details: &IntegrationDetails, action: InstallAction) -> String {
    let name = &change.name;
    if change.is_unchanged() {
        return unchanged(change, details);
    }
    match (change.before.is_some(), change.after.is_some(), details) {
        (_, false, _) => format!("removed   {name}\n"),
        (_, true, IntegrationDetails::Cron { repository, .. }) if action == InstallAction::Install => {
            format!("wrote     {name}: added the entry of {}; everything else is unchanged\n", repository.display())
        }
        (_, true, IntegrationDetails::Cron { repository, .. }) => {
            format!("wrote     {name}: removed the entry of {}; everything else is unchanged\n", repository.display())
        }
        (false, true, _) | (true, true, IntegrationDetails::Ci { .. } | IntegrationDetails::Systemd { .. }) => {
            format!("wrote     {name}\n")
        }
        (true, true, _) if action == InstallAction::Install => {
            format!("wrote     {name}: added canonry's block; everything else is unchanged\n")
        }
        (true, true, _) => format!("wrote     {name}: removed canonry's block; everything else is unchanged\n"),
    }
}

fn unchanged(change: &InstallFileChange, details: &IntegrationDetails) -> String {
    let name = &change.name;
    match details {
        IntegrationDetails::Cron { repository, .. } => {
            format!("unchanged {name}: it contains the entry of {}\n", repository.display())
        }
        IntegrationDetails::GitHooks { .. }
        | IntegrationDetails::MergeDriver
        | IntegrationDetails::Codeowners { .. } => {
            format!("unchanged {name}: it contains canonry's block\n")
        }
        IntegrationDetails::Ci { .. } | IntegrationDetails::Systemd { .. } => format!("unchanged {name}\n"),
    }
}

/// Effect for the user from now on.
fn effect(details: &IntegrationDetails) -> String {
    match details {
        IntegrationDetails::GitHooks { sync, .. } => {
            let sync = if *sync { "`canonry sync --staged` adds the mirrors of staged files to each commit.\n" } else { "" };
            format!(
                "{sync}`canonry check --staged` now checks each commit; `git commit --no-verify` skips the check.\n\
                 To remove it, run `canonry uninstall git-hooks`.\n"
            )
        }
        IntegrationDetails::Cron { log, .. } => format!(
            "`canonry dream` runs and commits every night; its output goes to {}.\n\
             To remove it, run `canonry uninstall cron`.\n",
            log.display()
        ),
        IntegrationDetails::Systemd { .. } => {
            "`canonry dream` runs and commits every night. To remove it, run `canonry uninstall systemd`.\n".to_owned()
        }
        IntegrationDetails::Ci { dream } => {
            let dream = if *dream { "Every night it runs `canonry dream` and pushes its commit to the default branch.\n" } else { "" };
            format!(
                "Commit the file. GitHub then checks pull requests and the main branch.\n\
                 {dream}To remove it, run `canonry uninstall ci`.\n"
            )
        }
        IntegrationDetails::Codeowners { skills, .. } => format!(
            "{} and their mirrors now have owners. Commit the file; run this again after an owner changed.\n\
             To remove the block, run `canonry uninstall codeowners`.\n",
            counted(*skills, "skill")
        ),
        IntegrationDetails::MergeDriver => "This clone now merges the memory with `canonry memory merge-driver`. Commit .gitattributes: clones without the\n\
                                 driver then merge by taking the lines of both sides.\n\
                                 To remove it, run `canonry uninstall merge-driver`.\n"
            .to_owned(),
    }
}

fn nothing_to_remove(details: &IntegrationDetails) -> String {
    match details {
        IntegrationDetails::GitHooks { .. } => {
            "Nothing to remove: the pre-commit hook has no block of canonry.\n".to_owned()
        }
        IntegrationDetails::Cron { repository, .. } => {
            format!("Nothing to remove: the crontab has no entry of {}.\n", repository.display())
        }
        IntegrationDetails::Systemd { repository } => {
            format!("Nothing to remove: there is no systemd unit for {}.\n", repository.display())
        }
        IntegrationDetails::Ci { .. } => {
            "Nothing to remove: .github/workflows/canonry.yml does not exist.\n".to_owned()
        }
        IntegrationDetails::Codeowners { .. } => {
            "Nothing to remove: no CODEOWNERS has a block of canonry.\n".to_owned()
        }
        IntegrationDetails::MergeDriver => {
            "Nothing to remove: git's config and attributes do not name the driver.\n".to_owned()
        }
    }
}

fn command_line(run: &CommandRun) -> OutputLine {
    let line = &run.line;
    match &run.result {
        InstallCommandResult::Succeeded => OutputLine::Result(format!("ran       {line}\n")),
        InstallCommandResult::Failed(message) => {
            OutputLine::Remark(format!("`{line}` failed: {message}; run it yourself\n"))
        }
        InstallCommandResult::NotInstalled => {
            OutputLine::Remark(format!("`systemctl` is not installed; on a system with systemd, run: {line}\n"))
        }
        InstallCommandResult::NotStarted(error) => OutputLine::Remark(format!("`{line}` could not be run: {error}\n")),
    }
}
