//! See `mdc_extension.md`.

use crate::canon::context_file::{ContextFile, ContextKind};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mdc-extension",
    summary: "Cursor ignores `.md` files in its rules folder",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("mdc_extension.md"),
    check: Check::Context(check),
};

fn check(file: &ContextFile, findings: &mut RawFindings) {
    // A page for people who read the folder is no rule, and `<name>/RULE.md` is one in a form of its own.
    let name = file.path.file_name_lossy().to_lowercase();
    if file.kind != ContextKind::CursorOther || name.starts_with("readme") || name == "rule.md" {
        return;
    }
    let message = "Cursor reads `.mdc` files in this folder, and passes this one over";
    findings.push(
        RawFinding::new(Location::file(&file.path), message)
            .help("rename it to `.mdc`, and say in a frontmatter when it applies"),
    );
}
