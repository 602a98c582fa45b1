//! See `spec_empty.md`.

use crate::canon::page::{Page, PageKind};
use crate::canon::rule_scope::split_policy;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "spec-empty",
    summary: "page of the spec has no text",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("spec_empty.md"),
    check: Check::Page(check),
};

fn check(page: &Page, findings: &mut RawFindings) {
    let Some(document) = page.read_as(PageKind::Spec) else { return };
    let body = split_policy(document.source.text()).body;
    if body.lines().all(|line| line.trim().is_empty() || line.starts_with('#')) {
        let message = "the page has no text besides headings";
        findings.push(RawFinding::new(Location::file(&page.path), message).help("write the page, or remove it"));
    }
}
