//! The reason that an entry gives for a verdict.

use super::policy::PolicyEntry;
use super::verdict::{Verdict, VerdictReason};

/// Whether the condition of an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Applies {
    Yes,
    No,
    /// The call does not show it.
    Unknown,
}

/// The reason of an entry, if it applies.
pub(super) fn reason(listed: &PolicyEntry, what: &str, applies: Applies) -> Option<VerdictReason> {
    let entry = &listed.entry;
    let (verdict, may) = match applies {
        Applies::Yes => (entry.decision, ""),
        Applies::Unknown if entry.decision != Verdict::Allow => (Verdict::Ask, "may be "),
        Applies::Unknown | Applies::No => return None,
    };
    let scope = if entry.scope.is_empty() { String::new() } else { format!(" {}", entry.scope) };
    let unchecked = match &entry.unchecked {
        Some(words) => format!("; the hook cannot check \"{words}\""),
        None => String::new(),
    };
    let verb = match entry.section.name() {
        "never allowed" => "is never allowed",
        "always allowed" => "is always allowed",
        _ => "requires approval",
    };
    Some(VerdictReason {
        verdict,
        rule: match &listed.skill {
            Some(skill) => format!("constraint of the skill {skill}"),
            None => entry.section.name().to_owned(),
        },
        location: Some(listed.location.clone()),
        message: match may {
            "" => format!("{what}{scope} {verb}{unchecked}"),
            may => format!("this {may}{what}{scope}, which {verb}{unchecked}"),
        },
    })
}
