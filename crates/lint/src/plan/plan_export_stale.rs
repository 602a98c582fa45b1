//! See `plan_export_stale.md`.

use crate::repo_facts::{ExportProblem, RepoFacts, StaleExport};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "plan-export-stale",
    summary: "exported plan is out of date or edited",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("plan_export_stale.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    findings.extend(repo.stale_exports.iter().map(finding));
}

fn finding(stale: &StaleExport) -> Finding {
    let text = stale.source.text();
    let first = Span::new(0, text.lines().next().map_or(0, str::len));
    let plan = &stale.plan;
    let path = stale.source.path();
    let again = format!("canonry run export {plan} --to {} --output {path}", stale.to.as_str());
    let (message, help) = match &stale.problem {
        ExportProblem::Outdated => {
            (format!("this export of the plan `{plan}` is out of date"), format!("run `{again}`"))
        }
        ExportProblem::Edited => (
            format!("this export of the plan `{plan}` was edited"),
            format!(
                "move the file away and run `{again}` with the options you need, or remove its header to keep it as your own"
            ),
        ),
        ExportProblem::NoPlan(plan) => (
            format!("this file is an export of {plan}, which does not exist"),
            "remove the file, or remove its header to keep it as your own".to_owned(),
        ),
        ExportProblem::Impossible(why) => (
            format!("the plan `{plan}` can no longer be exported: {why}"),
            "change the plan, or remove the file".to_owned(),
        ),
    };
    RULE.at(Location::at(&stale.source, first), message).help(help)
}
