//! See `schema_invalid.md`.

use super::schema_unbound;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::schema::SchemaFile;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "schema-invalid",
    summary: "schema file is not a valid JSON Schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("schema_invalid.md"),
    check: Check::Each(&[
        Check::SchemaFile(check),
        Check::At(Defaults::both(Severity::Info), &Check::SchemaFile(schema_unbound::check)),
    ]),
};

fn check(file: &SchemaFile, findings: &mut Vec<Finding>) {
    let Err(problem) = &file.schema else { return };
    let location = Location::at(&file.source, problem.span);
    findings.push(
        RULE.at(location, problem.message.clone())
            .help("correct the schema; until it is valid, no document is checked against it"),
    );
}
