//! See `permissions_section_missing.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::permissions::PermissionSection;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "permissions-section-missing",
    summary: "permissions without a required section",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("permissions_section_missing.md"),
    check: Check::Page(check),
};

fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    let sections = document.sections.iter().filter(|section| !section.items.is_empty()).count();
    let present: Vec<PermissionSection> =
        document.sections.iter().filter_map(PermissionSection::from_section).collect();
    // The team probably writes its headings in another language.
    if present.is_empty() && sections >= PermissionSection::ALL.len() - 1 {
        return;
    }
    // Without a section for hosts, every host may be read; an empty one denies them all.
    let required = PermissionSection::ALL.into_iter().filter(|part| *part != PermissionSection::Domains);
    let missing = required.filter(|part| !present.contains(part));
    let missing: Vec<String> = missing.map(|part| format!("\"{}\"", part.name())).collect();
    let Some((last, others)) = missing.split_last() else { return };
    let list = if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) };
    let message = format!("the permissions have no section {list}");
    let help = "add the heading, and write `None.` under it if it is intentionally empty";
    findings.push(RULE.at(Location::file(&page.path), message).help(help));
}
