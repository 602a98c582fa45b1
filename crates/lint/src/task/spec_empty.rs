//! See `spec_empty.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::rule_scope::split_policy;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "spec-empty",
    summary: "page of the spec has no text",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("spec_empty.md"),
    check: Check::Page(check),
};

fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Spec) else { return };
    let body = split_policy(document.source.text()).body;
    if body.lines().all(|line| line.trim().is_empty() || line.starts_with('#')) {
        let message = "the page has no text besides headings";
        findings.push(RULE.at(Location::file(&page.path), message).help("write the page, or remove it"));
    }
}
