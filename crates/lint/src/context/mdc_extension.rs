//! See `mdc_extension.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::context_file::{ContextFile, ContextKind};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "mdc-extension",
    summary: "Cursor ignores `.md` files in its rules folder",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("mdc_extension.md"),
    check: Check::Context(check),
};

/// Folders of what rules link to: `[questions](mdc:.cursor/rules/templates/questions.md)`.
const ATTACHMENTS: [&str; 5] = ["assets", "examples", "references", "snippets", "templates"];

fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    // A README is not a rule, and `<name>/RULE.md` is another format for rules.
    let name = file.path.file_name_lossy().to_lowercase();
    if file.kind != ContextKind::CursorOther || name.starts_with("readme") || name == "rule.md" {
        return;
    }
    if file.path.components().any(|part| ATTACHMENTS.iter().any(|name| part.eq_ignore_ascii_case(name.as_bytes()))) {
        return;
    }
    let message = "Cursor only reads `.mdc` files in this directory and ignores this one";
    findings.push(
        RULE.at(Location::file(&file.path), message)
            .help("rename it to `.mdc`, and add frontmatter that says when it applies"),
    );
}
