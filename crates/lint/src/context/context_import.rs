//! See `context_import.md`.

use super::context_import_circle;
use super::context_import_depth;
use super::context_import_outside;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::imports::ImportError;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "context-import",
    summary: "import of a context file that the tool does not follow",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("context_import.md"),
    check: Check::Each(&[
        Check::Context(check),
        Check::Context(context_import_circle::check),
        Check::Context(context_import_depth::check),
        Check::At(Defaults::both(Severity::Info), &Check::Context(context_import_outside::check)),
    ]),
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
