//! Entries about files and MCP tools: which calls they apply to.

use super::entry_reason::{Applies, reason};
use super::matching::path::{PathScope, covers};
use super::policy::{Policy, PolicyEntry};
use super::tool_name::OperationName;
use super::verdict::VerdictReason;
use canonry_model::canon::permissions::{PermissionSubject, Verdict};

fn shown(place: &PathScope) -> String {
    place.text().replace('\0', "…")
}

/// The pattern of an entry about edits.
fn edited(listed: &PolicyEntry) -> Option<&str> {
    match &listed.entry.subject {
        PermissionSubject::Edit(pattern) => Some(pattern),
        _ => None,
    }
}

/// Whether an entry restricts the files that may change.
pub(super) fn restrict_edits(policy: &Policy) -> bool {
    policy.entries.iter().any(|listed| edited(listed).is_some() && listed.entry.decision != Verdict::Allow)
}

/// Lists the entries that ask about or deny a change of a file.
pub(super) fn edit_restrictions(place: &PathScope, policy: &Policy) -> Vec<VerdictReason> {
    let restricts = policy.entries.iter().filter(|listed| listed.entry.decision != Verdict::Allow);
    let found = restricts.filter(|listed| edited(listed).is_some_and(|pattern| covers(pattern, place)));
    found.filter_map(|listed| reason(listed, &format!("editing `{}`", shown(place)), Applies::Yes)).collect()
}

/// The entry that allows changing a file of the repository.
pub(super) fn edit_allowance(place: &PathScope, policy: &Policy) -> Option<VerdictReason> {
    allowance(place, policy, "editing", edited)
}

/// The entry that allows reading a file of the repository.
pub(super) fn read_allowance(place: &PathScope, policy: &Policy) -> Option<VerdictReason> {
    allowance(place, policy, "reading", |listed| match &listed.entry.subject {
        PermissionSubject::Read(pattern) => Some(pattern),
        _ => None,
    })
}

fn allowance(
    place: &PathScope,
    policy: &Policy,
    verb: &str,
    pattern: impl Fn(&PolicyEntry) -> Option<&str>,
) -> Option<VerdictReason> {
    let PathScope::Inside(_) = place else { return None };
    let mut allowed = policy.entries.iter().filter(|listed| listed.entry.decision == Verdict::Allow);
    let listed = allowed.find(|listed| pattern(listed).is_some_and(|pattern| covers(pattern, place)))?;
    reason(listed, &format!("{verb} `{}`", shown(place)), Applies::Yes)
}

/// Lists the entries about an MCP tool. A name may not say its server; then a prohibition asks.
pub(super) fn mcp_reasons(name: &str, policy: &Policy) -> Vec<VerdictReason> {
    let start = name.get(..4).unwrap_or_default().to_lowercase();
    if !matches!(start.as_str(), "mcp_" | "mcp:") && !name.contains(['/', '.']) {
        return Vec::new();
    }
    let called = OperationName::parse(name);
    let found = policy.entries.iter().filter_map(|listed| {
        let PermissionSubject::Mcp { server, tool } = &listed.entry.subject else { return None };
        let applies = match called.belongs_to(server, tool.as_deref()) {
            Some(true) => Applies::Yes,
            Some(false) => return None,
            None => Applies::Unknown,
        };
        let tool = tool.as_deref().unwrap_or("*");
        reason(listed, &format!("the MCP tool `{server}/{tool}`"), applies)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;
    use canonry_model::canon::Layout;
    use canonry_model::config::HooksConfig;

    const PAGE: &str = "## Always allowed\n\n- Edit: `src/**`\n- Read: `docs/**`\n- MCP: `docs`\n\n\
        ## Requires approval\n\n- Edit: `Cargo.lock`\n- MCP: `github/create_issue`\n\n\
        ## Never allowed\n\n- Edit: `src/generated/`\n- MCP: `github/delete_repo`\n";

    fn policy() -> Policy {
        let mut policy = Policy::new(Layout::default(), HooksConfig::default());
        policy.add_permissions(PAGE.to_owned());
        policy
    }

    #[test]
    fn patterns_decide_about_edits() {
        let policy = policy();
        for (path, restriction, is_allowed) in [
            ("src/a.rs", None, true),
            ("src/generated/a.rs", Some(Verdict::Deny), true),
            ("web/Cargo.lock", Some(Verdict::Ask), false),
            ("docs/a.md", None, false),
        ] {
            let place = PathScope::Inside(path.to_owned());
            let found = edit_restrictions(&place, &policy);
            assert_eq!(found.first().map(|reason| reason.verdict), restriction, "{path}");
            assert_eq!(edit_allowance(&place, &policy).is_some(), is_allowed, "{path}");
        }
        assert!(read_allowance(&PathScope::Inside("docs/a.md".to_owned()), &policy).is_some());
        assert!(edit_allowance(&PathScope::Outside("/src/a.rs".to_owned()), &policy).is_none());
    }

    #[test]
    fn names_of_tools_differ_between_agents() {
        let policy = policy();
        let verdicts = |name: &str| mcp_reasons(name, &policy).iter().map(|r| r.verdict).collect::<Vec<_>>();
        for (name, want) in [
            ("mcp__github__delete_repo", &[Verdict::Deny][..]),
            ("mcp_github_delete_repo", &[Verdict::Deny]),
            ("MCP:delete_repo", &[Verdict::Ask]),
            ("github/delete_repo", &[Verdict::Deny]),
            ("mcp__other__delete_repo", &[]),
            ("mcp__github__create_issue", &[Verdict::Ask]),
            ("mcp__docs__search", &[Verdict::Allow]),
            ("delete_repo", &[]),
        ] {
            assert_eq!(verdicts(name), want, "{name}");
        }
    }
}
