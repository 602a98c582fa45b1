//! See `layer_steps_in_policy.md`.

use crate::canon::page::{Page, PageKind, plain_title};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::sections::Section;

pub(super) static RULE: Rule = Rule {
    id: "layer-steps-in-policy",
    summary: "a policy that lists the steps of a piece of work, which is for a skill or a workflow to do",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("layer_steps_in_policy.md"),
    check: Check::Page(check),
};

/// Headings that leave no doubt.
const TITLES: [&str; 5] = ["steps", "the steps", "step by step", "steps to follow", "procedure"];

fn check(page: &Page, findings: &mut RawFindings) {
    // The phases that all work goes through are a policy, in whatever form they are told.
    if page.path.file_name().eq_ignore_ascii_case(b"WORKFLOW.md") {
        return;
    }
    let Some(document) = page.read_as(PageKind::Policy) else { return };
    for section in document.sections.iter().filter(|section| is_of_steps(section)) {
        let message =
            format!("\"{}\" lists steps, and a policy says what holds whichever steps are taken", section.title);
        let help = "move the steps to a skill or to a workflow, and keep here what must be true of each";
        findings.push(RawFinding::new(Location::at(&document.source, section.span), message).help(help));
    }
}

fn is_of_steps(section: &Section) -> bool {
    TITLES.contains(&plain_title(&section.title).as_str())
        && section.items.iter().filter(|item| item.numbered).count() >= 2
}
