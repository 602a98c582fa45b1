//! Part of `report-file-outside-step`: attempt that changes more lines than its step allows.

use super::report_file_outside_step::RULE;
use crate::Finding;
use canonry_model::canon::report::Report;
use canonry_model::finding::Location;

pub(super) fn check(report: &Report, findings: &mut Vec<Finding>) {
    let (Ok(document), Some(plan)) = (&report.document, &report.plan) else { return };
    for entry in &document.entries {
        let Some(id) = &entry.step else { continue };
        let Some((step, limit)) = plan.step(&id.text).and_then(|step| Some((step, step.max_diff_lines?))) else {
            continue;
        };
        let lines = entry.evidence.changes.as_ref().and_then(|changes| changes.lines);
        let Some(lines) = lines.filter(|lines| *lines > limit) else { continue };
        let span = entry.commit.as_ref().map_or(id.span, |commit| commit.span);
        let message = format!("the attempt changes {lines} lines, but step `{}` allows {limit}", step.id_text());
        let finding = RULE.at(Location::at(&document.source, span), message);
        let step = Location::at(&plan.document.source, step.head());
        findings.push(
            finding
                .related(step, "`max_diff_lines` of this step")
                .help("split the step, or raise its `max_diff_lines` if reviewers agree"),
        );
    }
}
