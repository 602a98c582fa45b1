//! See `layer_permission_in_template.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind, plain_title};
use canonry_model::finding::{Location, Severity};
use canonry_text::sections::MarkdownSection;

pub(super) static RULE: Rule = Rule {
    id: "layer-permission-in-template",
    summary: "workflow template grants or denies permissions",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("layer_permission_in_template.md"),
    check: Check::Page(check),
};

/// Unambiguous headings. The text of a template may mention permissions.
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

fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Template) else { return };
    for section in document.sections.iter().filter(|section| states_permissions(section)) {
        let message = format!("\"{}\" belongs in the permissions, not in a template", section.title);
        let help =
            "move it to `protocols/permissions.md`, which applies to every workflow, and refer to that file here";
        findings.push(RULE.at(Location::at(&document.source, section.span), message).help(help));
    }
}

/// Ignores sections that only refer to the permissions.
fn states_permissions(section: &MarkdownSection) -> bool {
    TITLES.contains(&plain_title(&section.title).as_str())
        && section.items.iter().any(|item| !item.text.contains("permissions.md"))
}
