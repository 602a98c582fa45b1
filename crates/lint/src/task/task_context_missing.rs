//! See `task_context_missing.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::task::TaskFile;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "task-context-missing",
    summary: "task names a context file that does not exist",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("task_context_missing.md"),
    check: Check::Task(check),
};

fn check(file: &TaskFile, findings: &mut Vec<Finding>) {
    let Ok(document) = &file.document else { return };
    // The files of a finished task may be gone.
    if document.task.status == canonry_model::canon::task::TaskStatus::Done {
        return;
    }
    findings.extend(file.missing.iter().map(|entry| {
        RULE.at(Location::at(&document.source, entry.span), format!("there is no file `{}`", entry.text))
            .help("write the path from the top of the repository, or remove the entry")
    }));
}
