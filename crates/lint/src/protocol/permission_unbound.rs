//! See `permission_unbound.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::permissions::{Binding, PermissionItem, PermissionSection, binds_nothing, items};
use canonry_model::finding::{Location, Severity};
use canonry_text::shortened;

pub(super) static RULE: Rule = Rule {
    id: "permission-unbound",
    summary: "permission that no hook enforces",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("permission_unbound.md"),
    check: Check::Each(&[Check::Page(check), Check::At(Defaults::both(Severity::Error), &Check::Page(check_page))]),
};

const HELP: &str = "name the command in backticks, as in \"`make release`\"; or move what only agents can judge to a section of \
                    its own, such as \"## Judgement\"; `canonry protocol list` shows what each entry becomes";

/// Characters of a quoted permission.
const MAX_QUOTE: usize = 80;

fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    let restricts =
        |item: &PermissionItem| matches!(item.section, PermissionSection::Approval | PermissionSection::Never);
    for item in items(document.source.text()).iter().filter(|item| restricts(item)) {
        let message = match item.binding() {
            Binding::Empty | Binding::Whole => continue,
            Binding::Nothing => format!("nothing enforces \"{}\"", shortened(&item.text, MAX_QUOTE)),
            Binding::Part => partly(item),
        };
        findings.push(RULE.at(Location::at(&document.source, item.span), message).help(HELP));
    }
}

fn partly(item: &PermissionItem) -> String {
    let conditions = item.entries.iter().filter_map(|entry| entry.unchecked.as_deref());
    let mut parts: Vec<String> =
        item.unbound.iter().map(|part| format!("nothing enforces \"{}\"", shortened(part, MAX_QUOTE))).collect();
    if item.section == PermissionSection::Never {
        let asks = "so it asks a person instead of denying";
        parts.extend(
            conditions.map(|words| format!("the hook cannot check \"{}\", {asks}", shortened(words, MAX_QUOTE))),
        );
    }
    parts.dedup();
    format!("only a part of this entry is enforced: {}", parts.join("; "))
}

/// A page without an enforceable permission.
fn check_page(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    if !binds_nothing(document.source.text()) {
        return;
    }
    let message = "no entry of this page can be enforced: no hook and no tool reads any of it";
    let help = "use the headings \"Always allowed\", \"Requires approval\" and \"Never allowed\", and name commands in \
                backticks below them; `canonry protocol list` shows what each entry becomes";
    findings.push(RULE.at(Location::file(&page.path), message).help(help));
}
