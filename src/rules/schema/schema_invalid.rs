//! See `schema_invalid.md`.

use crate::canon::schema_file::SchemaFile;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "schema-invalid",
    summary: "a schema file that is no JSON or no valid JSON Schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("schema_invalid.md"),
    check: Check::SchemaFile(check),
};

fn check(file: &SchemaFile, findings: &mut RawFindings) {
    let Err(problem) = &file.schema else { return };
    let place = Location::at(&file.source, problem.span);
    findings
        .push(RawFinding::new(place, problem.message.clone()).help("until it is valid, nothing is checked against it"));
}
