//! See `team_schema_violation.md`.

use crate::canon::log::{EpisodeLog, RowViolation};
use crate::canon::plan::Plan;
use crate::canon::report::Report;
use crate::canon::review_log::ReviewLog;
use crate::canon::schema::Violation;
use crate::canon::skill::Skill;
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::memory::log_rows;
use crate::rules::violations::describe;
use crate::rules::{Check, Defaults, FormerRule, RawFindings, Rule};
use crate::syntax::Source;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "team-schema-violation",
    summary: "violation of the team's own schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("team_schema_violation.md"),
    check: Check::Merged(&[
        FormerRule {
            id: "team-schema",
            // The specification does not know the team's schema.
            severity: Defaults { team: Severity::Error, spec: Severity::Warning },
            check: Check::Skill(skill),
        },
        part("plan-team-schema", Check::Plan(plan)),
        part("workflow-team-schema", Check::Workflow(workflow)),
        part("report-team-schema", Check::Report(report)),
        part("episode-team-schema", Check::Log(episodes)),
        part("review-team-schema", Check::Review(review)),
    ]),
};

const fn part(id: &'static str, check: Check) -> FormerRule {
    FormerRule { id, severity: Defaults::both(Severity::Error), check }
}

fn skill(skill: &Skill, findings: &mut RawFindings) {
    if let Some(source) = skill.source() {
        report_team(source, skill.violations(), findings);
    }
}

fn plan(plan: &Plan, findings: &mut RawFindings) {
    if let Ok(document) = &plan.document {
        report_team(&document.source, &document.violations, findings);
    }
}

fn workflow(workflow: &Workflow, findings: &mut RawFindings) {
    if let Ok(document) = &workflow.document {
        report_team(&document.source, &document.violations, findings);
    }
}

fn report(report: &Report, findings: &mut RawFindings) {
    if let Ok(document) = &report.document {
        report_team(&document.source, &document.violations, findings);
    }
}

fn review(log: &ReviewLog, findings: &mut RawFindings) {
    if let Ok(document) = &log.document {
        report_team(&document.source, &document.violations, findings);
    }
}

fn episodes(log: &EpisodeLog, findings: &mut RawFindings) {
    let finding = |breach: &RowViolation| finding(log_rows::breach_location(&log.path, breach), &breach.violation);
    log_rows::report(log, |document| &document.team, finding, findings);
}

fn report_team(source: &Arc<Source>, violations: &[Violation], findings: &mut RawFindings) {
    let of_team = violations.iter().filter(|violation| violation.team.is_some());
    findings.extend(of_team.map(|violation| finding(Location::at(source, violation.span), violation)));
}

fn finding(location: Location, violation: &Violation) -> RawFinding {
    let schema = violation.team.as_ref().map_or_else(String::new, ToString::to_string);
    RawFinding::new(location, format!("{} (required by {schema})", describe(violation)))
        .help(format!("follow the team's schema, or change {schema}"))
}
