//! See `layer_steps_in_policy.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind, plain_title};
use canonry_model::finding::{Location, Severity};
use canonry_text::sections::MarkdownSection;

pub(super) static RULE: Rule = Rule {
    id: "layer-steps-in-policy",
    summary: "policy lists the steps of a task",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("layer_steps_in_policy.md"),
    check: Check::Page(check),
};

/// Unambiguous headings.
const TITLES: [&str; 5] = ["steps", "the steps", "step by step", "steps to follow", "procedure"];

fn check(page: &Page, findings: &mut Vec<Finding>) {
    // The phases of all work are a policy, whatever their form.
    if page.path.file_name().eq_ignore_ascii_case(b"WORKFLOW.md") {
        return;
    }
    let Some(document) = page.read_as(PageKind::Policy) else { return };
    for section in document.sections.iter().filter(|section| lists_steps(section)) {
        let message = format!("\"{}\" lists the steps of a task, but a policy applies to every task", section.title);
        let help = "move the steps to a skill or a workflow, and keep the requirements here";
        findings.push(RULE.at(Location::at(&document.source, section.span), message).help(help));
    }
}

fn lists_steps(section: &MarkdownSection) -> bool {
    TITLES.contains(&plain_title(&section.title).as_str())
        && section.items.iter().filter(|item| item.numbered).count() >= 2
}
