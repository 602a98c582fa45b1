//! How violations of schemas are told; several families do.

use crate::canon::schema::Violation;

/// What a violation says and of what, such as "`steps[0].id` must be a string".
pub fn in_words(violation: &Violation) -> String {
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

/// What a violation of a team's own schema says, and the help; both name the schema.
pub(in crate::rules) fn of_team(violation: &Violation) -> (String, String) {
    let schema = violation.team.as_ref().map_or_else(String::new, ToString::to_string);
    (format!("{} (says {schema})", in_words(violation)), format!("follow the team's schema, or change {schema}"))
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
