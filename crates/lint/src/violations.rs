//! Descriptions of schema violations.

use canonry_model::canon::schema::Violation;

/// The message of a violation together with its path, such as "`steps[0].id` must be a string".
pub fn describe(violation: &Violation) -> String {
    match dotted(&violation.pointer) {
        at if at.is_empty() && is_predicate(violation) => format!("the document {}", violation.message),
        at if at.is_empty() => violation.message.clone(),
        at if is_predicate(violation) => format!("`{at}` {}", violation.message),
        at => format!("`{at}`: {}", violation.message),
    }
}

/// Whether the message needs a subject.
fn is_predicate(violation: &Violation) -> bool {
    violation.key.is_none() && ["must ", "needs "].iter().any(|verb| violation.message.starts_with(verb))
}

/// A JSON pointer in dotted notation: `/steps/0/id` is `steps[0].id`.
pub(crate) fn dotted(pointer: &str) -> String {
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
    fn pointers_become_dotted_paths() {
        for (pointer, want) in [("", ""), ("/steps/0/id", "steps[0].id"), ("/a~1b/~0", "a/b.~")] {
            assert_eq!(super::dotted(pointer), want);
        }
    }
}
