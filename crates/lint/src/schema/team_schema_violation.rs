//! See `team_schema_violation.md`.

use crate::memory::log_rows;
use crate::violations::describe;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::log::{EpisodeLog, RowViolation};
use canonry_model::canon::plan::Plan;
use canonry_model::canon::report::Report;
use canonry_model::canon::review_log::ReviewLog;
use canonry_model::canon::schema::Violation;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_text::Source;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "team-schema-violation",
    summary: "violation of the team's own schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("team_schema_violation.md"),
    check: Check::Each(&[
        Check::Skill(skill),
        Check::Plan(plan),
        Check::Workflow(workflow),
        Check::Report(report),
        Check::Log(episodes),
        Check::Review(review),
    ]),
};

/// The severity in a skill: the specification does not know the team's schema.
const IN_SKILL: Defaults = Defaults { team: Severity::Error, spec: Severity::Warning };

fn skill(skill: &Skill, findings: &mut Vec<Finding>) {
    if let Some(source) = skill.source() {
        let mut found = Vec::new();
        report_team(source, skill.violations(), &mut found);
        findings.extend(found.into_iter().map(|finding| finding.severity(IN_SKILL)));
    }
}

fn plan(plan: &Plan, findings: &mut Vec<Finding>) {
    if let Ok(document) = &plan.document {
        report_team(&document.source, &document.violations, findings);
    }
}

fn workflow(workflow: &Workflow, findings: &mut Vec<Finding>) {
    if let Ok(document) = &workflow.document {
        report_team(&document.source, &document.violations, findings);
    }
}

fn report(report: &Report, findings: &mut Vec<Finding>) {
    if let Ok(document) = &report.document {
        report_team(&document.source, &document.violations, findings);
    }
}

fn review(log: &ReviewLog, findings: &mut Vec<Finding>) {
    if let Ok(document) = &log.document {
        report_team(&document.source, &document.violations, findings);
    }
}

fn episodes(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |breach: &RowViolation| finding(log_rows::breach_location(&log.path, breach), &breach.violation);
    log_rows::report(log, |document| &document.team, finding, findings);
}

fn report_team(source: &Arc<Source>, violations: &[Violation], findings: &mut Vec<Finding>) {
    let of_team = violations.iter().filter(|violation| violation.team.is_some());
    findings.extend(of_team.map(|violation| finding(Location::at(source, violation.span), violation)));
}

fn finding(location: Location, violation: &Violation) -> Finding {
    let schema = violation.team.as_ref().map_or_else(String::new, ToString::to_string);
    RULE.at(location, format!("{} (required by {schema})", describe(violation)))
        .help(format!("follow the team's schema, or change {schema}"))
}
