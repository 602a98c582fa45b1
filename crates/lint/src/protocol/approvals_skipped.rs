//! See `approvals_skipped.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::permissions::{DefaultMode, default_mode};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "approvals-skipped",
    summary: "default mode is unknown, or asks nobody",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("approvals_skipped.md"),
    check: Check::Each(&[Check::Page(check), Check::At(Defaults::both(Severity::Error), &Check::Page(check_name))]),
};

fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    let Some(setting) = default_mode(document.source.text()) else { return };
    let Some(mode) = setting.mode.ok().filter(|mode| mode.skips_approvals()) else { return };
    let effect = match mode {
        DefaultMode::AcceptEdits => "changes files without asking",
        _ => "does everything without asking",
    };
    let message = format!("`defaultMode: {}`: every agent of the team {effect}", mode.name());
    findings.push(RULE.at(Location::at(&document.source, setting.span), message).help(
        "remove the key, or use `plan`; whoever wants this mode can set it in their own settings, and single commands and \
         files can be listed under \"Always allowed\"",
    ));
}

/// Unknown default mode of the permissions.
fn check_name(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    let Some(setting) = default_mode(document.source.text()) else { return };
    let Err(name) = setting.mode else { return };
    let known = DefaultMode::ALL.map(|mode| format!("`{}`", mode.name())).join(", ");
    let message = format!("unknown `defaultMode`: `{name}`");
    findings.push(RULE.at(Location::at(&document.source, setting.span), message).help(format!("use one of {known}")));
}
