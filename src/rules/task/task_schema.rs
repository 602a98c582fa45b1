//! See `task_schema.md`.

use crate::canon::task::TaskFile;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::violations::describe;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "task-schema",
    summary: "task is not valid",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("task_schema.md"),
    check: Check::Task(check),
};

fn check(file: &TaskFile, findings: &mut RawFindings) {
    let Ok(document) = &file.document else { return };
    let source = &document.source;
    match &document.yaml {
        Err(error) => {
            let message = format!("invalid YAML: {}", error.message);
            findings.push(RawFinding::new(Location::at(source, error.span), message));
        }
        Ok(yaml) => findings.extend(yaml.duplicates.iter().map(|duplicate| {
            RawFinding::new(Location::at(source, duplicate.span), format!("duplicate key `{}`", duplicate.key))
                .related(Location::at(source, duplicate.first), "first defined here; canonry uses this value")
                .help("keep one of the two")
        })),
    }
    let violations = document.violations.iter().filter(|violation| violation.team.is_none());
    findings.extend(violations.map(|violation| {
        RawFinding::new(Location::at(source, violation.span), describe(violation))
            .help("see docs/reference/tasks.md for the keys of a task")
    }));
}
