//! See `context_import_outside.md`.

use crate::canon::context_file::ContextFile;
use crate::canon::imports::ImportError;
use crate::syntax::PathEscape;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

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
        let whither = match outside {
            PathEscape::Home => "into a home folder",
            PathEscape::Absolute => "to a place on one machine",
            PathEscape::Climbs => "out of the repository",
        };
        let message = format!("`@{}` leads {whither}, which a clone elsewhere does not have", import.path);
        let help =
            "what the team needs belongs into the repository; what is one person's, into a file that git ignores";
        findings.push(RawFinding::new(Location::at(&import.source, import.span), message).help(help));
    }
}
