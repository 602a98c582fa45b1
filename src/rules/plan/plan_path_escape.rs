//! See `plan_path_escape.md`.

use super::shared::document;
use crate::canon::plan::Plan;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};
use crate::syntax::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "plan-path-escape",
    summary: "a file of a step that lies outside the repository",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_path_escape.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, drafts: &mut Drafts) {
    let Some(document) = document(plan) else { return };
    for file in document.steps.iter().flat_map(|step| &step.files) {
        if let Some(why) = escapes(&file.text) {
            let place = Place::at(&document.source, file.span);
            let message = format!("`{}` {why}", file.text);
            drafts.push(Draft::new(place, message).help("name files relative to the top of the repository"));
        }
    }
}

/// Both separators count, whatever system the plan is read on.
fn escapes(text: &str) -> Option<&'static str> {
    let path = text.replace('\\', "/");
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if path.starts_with('/') || has_drive {
        return Some("is an absolute path");
    }
    if path.starts_with('~') {
        return Some("leads into a home directory");
    }
    let climbs = RepoPath::from("plan.yaml").resolve_beside(path.as_bytes()).is_none();
    climbs.then_some("climbs above the top of the repository")
}

#[cfg(test)]
mod tests {
    use super::escapes;

    #[test]
    fn judges_by_text_alone() {
        for text in ["/etc/hosts", "../x", "a/../../x", "~/x", "~root/x", "C:/x", "c:\\x", "..\\x", "\\\\host\\x"] {
            assert!(escapes(text).is_some(), "{text}");
        }
        for text in ["src/lib.rs", "a/../b", "./x", "a~", "src:y", "..x/y", "src/..."] {
            assert_eq!(escapes(text), None, "{text}");
        }
    }
}
