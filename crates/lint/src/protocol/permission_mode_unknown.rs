//! Part of `approvals-skipped`: unknown default mode of the permissions.

use super::approvals_skipped::RULE;
use crate::Finding;
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::permissions::{DefaultMode, default_mode};
use canonry_model::finding::Location;

pub(super) fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    let Some(setting) = default_mode(document.source.text()) else { return };
    let Err(name) = setting.mode else { return };
    let known = DefaultMode::ALL.map(|mode| format!("`{}`", mode.name())).join(", ");
    let message = format!("unknown `defaultMode`: `{name}`");
    findings.push(RULE.at(Location::at(&document.source, setting.span), message).help(format!("use one of {known}")));
}
