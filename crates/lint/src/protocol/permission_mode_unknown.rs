//! See `permission_mode_unknown.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::permissions::{DefaultMode, default_mode};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "permission-mode-unknown",
    summary: "unknown default mode of the permissions",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("permission_mode_unknown.md"),
    check: Check::Page(check),
};

fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    let Some(setting) = default_mode(document.source.text()) else { return };
    let Err(name) = setting.mode else { return };
    let known = DefaultMode::ALL.map(|mode| format!("`{}`", mode.name())).join(", ");
    let message = format!("unknown `defaultMode`: `{name}`");
    findings.push(RULE.at(Location::at(&document.source, setting.span), message).help(format!("use one of {known}")));
}
