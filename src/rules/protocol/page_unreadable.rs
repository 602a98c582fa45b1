//! See `page_unreadable.md`.

use crate::canon::page::Page;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "page-unreadable",
    summary: "a policy, protocol or template that gives no text: no bytes, or bytes that are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("page_unreadable.md"),
    check: Check::Page(check),
};

fn check(page: &Page, drafts: &mut RawFindings) {
    drafts.extend(page.document.as_ref().err().map(|why| missing::draft(&page.path, "page", why)));
}
