//! Part of `permission-unbound`: a page without an enforceable permission.

use super::permission_unbound::RULE;
use crate::Finding;
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::permissions::binds_nothing;
use canonry_model::finding::Location;

pub(super) fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    if !binds_nothing(document.source.text()) {
        return;
    }
    let message = "no entry of this page can be enforced: no hook and no tool reads any of it";
    let help = "use the headings \"Always allowed\", \"Requires approval\" and \"Never allowed\", and name commands in \
                backticks below them; `canonry protocol list` shows what each entry becomes";
    findings.push(RULE.at(Location::file(&page.path), message).help(help));
}
