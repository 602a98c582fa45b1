//! What the rules on plans share.

use crate::canon::plan::{Plan, PlanDocument};
use crate::canon::schema::Violation;

/// The plan's text, where it could be read.
pub(super) fn document(plan: &Plan) -> Option<&PlanDocument> {
    plan.document.as_ref().ok()
}

/// The built-in schema's violations whose keyword `is_wanted`. The rules share them out by keyword, so that each is
/// reported once: `additionalProperties`, `enum` and `pattern` have a rule of their own, `plan-schema` has the rest.
pub(super) fn built_in(document: &PlanDocument, is_wanted: fn(&str) -> bool) -> impl Iterator<Item = &Violation> {
    document.violations.iter().filter(move |v| v.team.is_none() && is_wanted(&v.keyword))
}

/// What a violation says and of what, such as "`steps[0].id` must be a string".
pub(in crate::rules) fn in_words(violation: &Violation) -> String {
    match dotted(&violation.pointer) {
        at if at.is_empty() => violation.message.clone(),
        at if violation.key.is_some() => format!("`{at}`: {}", violation.message),
        at if violation.message.starts_with("must ") => format!("`{at}` {}", violation.message),
        at => format!("`{at}`: {}", violation.message),
    }
}

/// A JSON pointer as people write it: `/steps/0/id` is `steps[0].id`.
pub(in crate::rules) fn dotted(pointer: &str) -> String {
    let mut out = String::new();
    for part in pointer.split('/').skip(1) {
        let is_index = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        match (is_index, out.is_empty()) {
            (true, _) => out.push_str(&format!("[{part}]")),
            (false, true) => out.push_str(part),
            (false, false) => out.push_str(&format!(".{part}")),
        }
    }
    out.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    #[test]
    fn pointers_read_well() {
        for (pointer, want) in [("", ""), ("/steps/0/id", "steps[0].id"), ("/a~1b/~0", "a/b.~")] {
            assert_eq!(super::dotted(pointer), want);
        }
    }
}
