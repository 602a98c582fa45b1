//! See `plan_unreadable.md`.

use crate::canon::plan::Plan;
use crate::canon::skill::Unreadable;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "plan-unreadable",
    summary: "a plan that gives no text: no bytes, or bytes that are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_unreadable.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, drafts: &mut Drafts) {
    match &plan.document {
        Ok(_) => {}
        Err(Unreadable::Missing(why)) => {
            let message = format!("there is no plan to read: {why}");
            drafts.push(Draft::new(Place::file(&plan.path), message).help(missing::help(why)));
        }
        Err(Unreadable::NotUtf8(bad)) => {
            let at = Place::byte(&plan.path, bad.offset, bad.line);
            drafts.push(Draft::new(at, missing::not_utf8_message(bad)).help(missing::not_utf8_help(bad)));
        }
    }
}
