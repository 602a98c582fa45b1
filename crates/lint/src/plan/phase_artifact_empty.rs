//! See `phase_artifact_empty.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::phase_artifact::{MissingContent, PhaseArtifact};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "phase-artifact-empty",
    summary: "intake, verification or report of a plan without content",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("phase_artifact_empty.md"),
    check: Check::PhaseArtifact(check),
};

fn check(file: &PhaseArtifact, findings: &mut Vec<Finding>) {
    let name = file.path.file_name_lossy();
    let message = match file.missing_content() {
        None => return,
        Some(MissingContent::Empty) => format!("`{name}` is empty"),
        Some(MissingContent::Placeholders) => format!("`{name}` holds only headings and placeholders"),
    };
    let help = match name.split('.').next() {
        Some("intake") => "write what is wanted and for whom, or remove the file until it is known",
        Some("verification") => "write what was run and what it showed, or remove the file until the plan is verified",
        _ => "write what was done and what is left, or remove the file until the plan is finished",
    };
    findings.push(RULE.at(Location::file(&file.path), message).help(help));
}
