//! See `context_import_outside.md`.

use crate::canon::context_file::ContextFile;
use crate::canon::imports::ImportError;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::PathEscape;

pub(super) static RULE: Rule = Rule {
    id: "context-import-outside",
    summary: "import of a file outside the repository",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("context_import_outside.md"),
    check: Check::Context(check),
};

fn check(file: &ContextFile, findings: &mut RawFindings) {
    for import in &file.imports {
        let ImportError::Outside(outside) = &import.error else { continue };
        let place = match outside {
            PathEscape::Home => "is in a home directory",
            PathEscape::Absolute => "is an absolute path",
            PathEscape::Climbs => "is outside the repository",
        };
        let message = format!("`@{}` {place}, which other clones do not have", import.path);
        let help = "move shared instructions into the repository, and personal ones into a git-ignored file";
        findings.push(RawFinding::new(Location::at(&import.source, import.span), message).help(help));
    }
}
