//! See `output_collision.md` (WF404).

use super::helpers::definition;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::outputs::{OutputCollision, collisions};

pub(super) static RULE: Rule = Rule {
    id: "output-collision",
    summary: "steps that write the same output file",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("output_collision.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for collision in collisions(definition) {
        findings.push(match collision {
            OutputCollision::Two { first, second } => {
                let message = format!(
                    "`{}` writes `{}`, which `{}` writes too",
                    second.step.name.text, second.file.text, first.step.name.text
                );
                RULE.at(Location::at(&document.source, second.file.span), message)
                    .related(
                        Location::at(&document.source, first.file.span),
                        format!("`{}` writes it here", first.step.name.text),
                    )
                    .help("give each step its own file")
            }
            OutputCollision::Candidates(writer) => {
                let message = format!(
                    "all {} candidates of `{}` write `{}`",
                    writer.copies, writer.step.name.text, writer.file.text
                );
                RULE.at(Location::at(&document.source, writer.file.span), message)
                    .help("include `{{candidate}}` in the name, such as `draft/{{candidate}}.json`")
            }
        });
    }
}
