//! What the rules on Cursor's rules share.

use crate::config::closest_match;

/// The keys of a Cursor rule that Cursor reads.
pub(super) const MDC_KEYS: [&str; 3] = ["description", "globs", "alwaysApply"];

/// What a key that Cursor does not read was meant to be.
pub(super) fn meant(key: &str) -> Option<&'static str> {
    closest_match(key, MDC_KEYS)
}
