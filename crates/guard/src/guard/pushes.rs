//! `force-push`: published history is rewritten.

use super::GuardInput;
use crate::matching::push::Push;
use crate::verdict::{Verdict, VerdictReason};
use canonry_model::canon::permissions::PermissionSubject;

const RULE: &str = "canonry's guard `force-push`";
/// Branches that everyone builds on.
const SHARED: [&str; 3] = ["main", "master", "trunk"];

pub(super) fn check(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let Some(push) = Push::parse(input.simple) else { return Vec::new() };
    if input.simple.words.iter().any(|word| word.text == "--dry-run") {
        return Vec::new();
    }
    let checked_out = input.context.branch.as_deref();
    let mut found = listed(input, &push, checked_out);
    let deletes = push.targets.iter().any(|target| target.deletes);
    if push.is_forced || deletes {
        let what = if push.is_forced { "it rewrites" } else { "it deletes" };
        let reached: Vec<Option<bool>> = SHARED.iter().map(|branch| push.reaches(branch, checked_out)).collect();
        let (verdict, which) = if reached.contains(&Some(true)) {
            (Verdict::Deny, "a branch that everyone builds on")
        } else if reached.contains(&None) {
            (Verdict::Deny, "an unknown branch; name the branch")
        } else {
            (Verdict::Ask, "a published branch")
        };
        found.push(VerdictReason::guard(verdict, RULE, format!("{what} {which}")));
    }
    found
}

/// Checks the branches that the policy names.
fn listed(input: &GuardInput<'_>, push: &Push, checked_out: Option<&str>) -> Vec<VerdictReason> {
    let mut found = Vec::new();
    for listed in &input.policy.entries {
        let PermissionSubject::Push(branch) = &listed.entry.subject else { continue };
        let (verdict, message) = match push.reaches(branch, checked_out) {
            Some(false) => continue,
            Some(true) => (listed.entry.decision, format!("it pushes to `{branch}`")),
            None => (Verdict::Ask, format!("it may push to `{branch}`; name the branch")),
        };
        let rule = listed.entry.section.name().to_owned();
        found.push(VerdictReason { verdict, rule, location: Some(listed.location.clone()), message });
    }
    found
}
