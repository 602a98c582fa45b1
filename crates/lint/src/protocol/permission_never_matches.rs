//! See `permission_never_matches.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::permissions::{PermissionItem, PermissionSection, PermissionSubject, items};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "permission-never-matches",
    summary: "permission that matches no file, tool or host",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("permission_never_matches.md"),
    check: Check::Page(check),
};

const HELP: &str = "write a path from the top of the repository, such as `src/**`; a name such as `.env*`, which applies in every \
                    folder; `server/tool`; or a host";

fn check(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Permissions) else { return };
    for item in items(document.source.text()) {
        let messages = item.entries.iter().filter_map(|entry| match &entry.subject {
            PermissionSubject::Edit(pattern) | PermissionSubject::Read(pattern) => pattern_defect(pattern),
            _ => None,
        });
        // What restricts nothing is reported as unbound.
        let unread =
            unread(&item).map(|code| format!("{code} is not a file pattern, MCP tool or host, so it allows nothing"));
        for message in messages.chain(unread) {
            findings.push(RULE.at(Location::at(&document.source, item.span), message).help(HELP));
        }
    }
}

fn unread(item: &PermissionItem) -> impl Iterator<Item = &String> {
    let is_allowed = matches!(item.section, PermissionSection::Always);
    item.unbound.iter().filter(move |_| is_allowed)
}

/// Why a pattern can match no path that an agent uses; `None` if it can.
fn pattern_defect(pattern: &str) -> Option<String> {
    let path = pattern.strip_prefix("./").unwrap_or(pattern);
    let mut parts = path.trim_end_matches('/').split('/').skip(usize::from(path.starts_with('/')));
    let reason = if path.split('/').any(|part| part == "..") {
        "a path never contains `..`, which is resolved first"
    } else if parts.any(|part| part.is_empty() || part == ".") {
        "a path never contains an empty part or `.`"
    } else if path.starts_with('~') && path != "~" && !path.starts_with("~/") {
        "only `~/` is a home folder"
    } else {
        return None;
    };
    Some(format!("`{pattern}` never matches: {reason}"))
}
