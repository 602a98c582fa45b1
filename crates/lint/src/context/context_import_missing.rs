//! See `context_import_missing.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::imports::ImportError;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "context-import-missing",
    summary: "imported file does not exist",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("context_import_missing.md"),
    check: Check::Context(check),
};

fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    for import in &file.imports {
        let ImportError::Missing { at_top } = import.error else { continue };
        let message = format!("imported file `@{}` does not exist", import.path);
        findings.push(RULE.at(Location::at(&import.source, import.span), message).help(if at_top {
            "the path is relative to the directory of this file, not to the repository root"
        } else {
            "add the file or correct the path; write it in backticks if it is not an import"
        }));
    }
}
