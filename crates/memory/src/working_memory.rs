//! The working memory: when a file of it is in use, and when it is stale.

use super::policy::MemoryPolicy;
use canonry_model::canon::memory_file::EARLIER_TEMPLATES;
use canonry_model::canon::timestamp::Timestamp;

/// Whether a working file has content besides its template, ignoring white space.
pub fn is_used(text: &str, template: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let text_words = words(text);
    let is_template = |template: &str| text_words == words(template);
    !text_words.is_empty() && !is_template(template) && !EARLIER_TEMPLATES.into_iter().any(is_template)
}

/// Whether a working file that last changed at `changed` is stale.
pub fn is_stale(changed: Timestamp, now: Timestamp, policy: &MemoryPolicy) -> bool {
    changed.days_before(now) >= policy.stale_after_days
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::memory_file::WORKSPACE;

    #[test]
    fn a_template_is_not_in_use() {
        let earlier = "# Workspace\n\nNothing is in progress.\n";
        for (text, used) in [
            ("", false),
            (earlier, false),
            (WORKSPACE, false),
            ("\n \n", false),
            ("# mine\n", true),
            ("# Workspace\n\nBusy.\n", true),
        ] {
            assert_eq!(is_used(text, WORKSPACE), used, "{text:?}");
        }
        assert!(!is_used("# Workspace\n\nNothing is in progress.\n", WORKSPACE));
        assert!(!is_used(&WORKSPACE.replace('\n', "\r\n"), WORKSPACE));
    }

    #[test]
    fn stale_after_two_whole_days() {
        let stale = |then: &str| {
            let at = |text| Timestamp::parse(text).unwrap();
            is_stale(at(then), at("2026-05-03T00:00:00Z"), &MemoryPolicy::default())
        };
        assert!(stale("2026-05-01T00:00:00Z"));
        assert!(!stale("2026-05-01T00:00:00.000001Z"));
        assert!(!stale("2027-01-01T00:00:00Z"));
    }
}
