//! Plans: their shape, and the order of their steps.

mod plan_command_form;
mod plan_cycle;
mod plan_duplicate_id;
mod plan_no_proof;
mod plan_order;
mod plan_parallel_overlap;
mod plan_path_escape;
mod plan_schema;
mod plan_status;
mod plan_team_schema;
mod plan_unknown_dep;
mod plan_unknown_key;
mod plan_unreadable;
mod plan_yaml;

use super::Rule;
use crate::canon::plan::{Plan, PlanDocument};
use crate::canon::schema::Violation;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &plan_unreadable::RULE,
    &plan_yaml::RULE,
    &plan_schema::RULE,
    &plan_unknown_key::RULE,
    &plan_status::RULE,
    &plan_duplicate_id::RULE,
    &plan_unknown_dep::RULE,
    &plan_cycle::RULE,
    &plan_order::RULE,
    &plan_parallel_overlap::RULE,
    &plan_path_escape::RULE,
    &plan_command_form::RULE,
    &plan_no_proof::RULE,
    &plan_team_schema::RULE,
];

fn document(plan: &Plan) -> Option<&PlanDocument> {
    plan.document.as_ref().ok()
}

/// The built-in schema's violations whose keyword `is_wanted`. The rules share them out by keyword, so that each is
/// reported once: `additionalProperties`, `enum` and `pattern` have a rule of their own, `plan-schema` has the rest.
fn built_in(document: &PlanDocument, is_wanted: fn(&str) -> bool) -> impl Iterator<Item = &Violation> {
    document.violations.iter().filter(move |v| v.team.is_none() && is_wanted(&v.keyword))
}

/// What a violation says and of what, such as "`steps[0].id` must be a string".
fn in_words(violation: &Violation) -> String {
    match dotted(&violation.pointer) {
        at if at.is_empty() => violation.message.clone(),
        at if violation.key.is_some() => format!("`{at}`: {}", violation.message),
        at if violation.message.starts_with("must ") => format!("`{at}` {}", violation.message),
        at => format!("`{at}`: {}", violation.message),
    }
}

/// A JSON pointer as people write it: `/steps/0/id` is `steps[0].id`.
fn dotted(pointer: &str) -> String {
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
