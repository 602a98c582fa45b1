//! See `task_schema.md`.

use crate::violations::describe;
use crate::{Check, Defaults, Finding, Rule, yaml_problems};
use canonry_model::canon::task::TaskFile;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "task-schema",
    summary: "task is not valid",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("task_schema.md"),
    check: Check::Task(check),
};

fn check(file: &TaskFile, findings: &mut Vec<Finding>) {
    let Ok(document) = &file.document else { return };
    let source = &document.source;
    findings.extend(yaml_problems::findings(&RULE, source, &document.yaml));
    let violations = document.violations.iter().filter(|violation| violation.team.is_none());
    findings.extend(violations.map(|violation| {
        RULE.at(Location::at(source, violation.span), describe(violation))
            .help("run `canonry schema task` for the valid keys and values")
    }));
}
