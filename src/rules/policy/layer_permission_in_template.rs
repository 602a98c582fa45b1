//! See `layer_permission_in_template.md`.

use crate::canon::page::{Page, PageKind, plain_title};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::sections::Section;

pub(super) static RULE: Rule = Rule {
    id: "layer-permission-in-template",
    summary: "a template of a workflow that says what is allowed, which is for the permissions to say",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("layer_permission_in_template.md"),
    check: Check::Page(check),
};

/// Headings that leave no doubt; a template may well speak of permissions in its text.
const TITLES: [&str; 9] = [
    "permissions",
    "always allowed",
    "allowed actions",
    "requires approval",
    "never allowed",
    "forbidden actions",
    "prohibited actions",
    "approved domains",
    "approved external domains",
];

fn check(page: &Page, findings: &mut RawFindings) {
    let Some(document) = page.read_as(PageKind::Template) else { return };
    for section in document.sections.iter().filter(|section| is_of_permissions(section)) {
        let message = format!("\"{}\" is for the permissions to say, not for a template", section.title);
        let help = "move it to `protocols/permissions.md`, which holds for every workflow, and name that file here";
        findings.push(RawFinding::new(Location::at(&document.source, section.span), message).help(help));
    }
}

/// A section that only says where the permissions are is as it should be.
fn is_of_permissions(section: &Section) -> bool {
    TITLES.contains(&plain_title(&section.title).as_str())
        && section.items.iter().any(|item| !item.text.contains("permissions.md"))
}
