//! The working memory: when it is stale.

use super::policy::Policy;
use crate::canon::timestamp::Timestamp;

/// Whether a working file has something in it: it is not as its template is, and not empty.
pub fn is_used(text: &str, template: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    !text.trim().is_empty() && words(text) != words(template)
}

/// S7: whether one that was last changed then is stale.
pub fn is_stale(changed: Timestamp, now: Timestamp, policy: &Policy) -> bool {
    changed.days_before(now) >= policy.stale_after_days
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::memory_file::WORKSPACE;

    #[test]
    fn an_empty_workspace_is_not_used() {
        for (text, used) in [("", false), ("\n \n", false), ("# mine\n", true), ("# Workspace\n\nBusy.\n", true)] {
            assert_eq!(is_used(text, WORKSPACE), used, "{text:?}");
        }
        assert!(!is_used(&WORKSPACE.replace('\n', "\r\n"), WORKSPACE));
    }

    #[test]
    fn two_whole_days() {
        let stale = |then: &str| {
            let at = |text| Timestamp::parse(text).unwrap();
            is_stale(at(then), at("2026-05-03T00:00:00Z"), &Policy::default())
        };
        assert!(stale("2026-05-01T00:00:00Z"));
        assert!(!stale("2026-05-01T00:00:00.000001Z"));
        assert!(!stale("2027-01-01T00:00:00Z"));
    }
}
