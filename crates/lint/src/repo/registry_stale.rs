//! See `registry_stale.md`.

use crate::repo_facts::{RepoFacts, StaleRegistry};
use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::registry::seal;
use canonry_model::finding::{Fix, Location, Severity, TextEdit};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "registry-stale",
    summary: "generated list of skills is out of date",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("registry_stale.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    findings.extend(repo.stale_registries.iter().map(finding));
}

fn finding(list: &StaleRegistry) -> Finding {
    let Some(source) = &list.source else {
        let message = "this list of skills is missing, but the other one exists";
        return RULE.at(Location::file(&list.path), message).help("run `canonry skills index` or `canonry sync`");
    };
    let text = source.text();
    let first = Span::new(0, text.lines().next().map_or(0, str::len));
    // A fix must not remove manual edits.
    if !seal::is_unedited(text) {
        let message = "this list of skills was written or edited by hand";
        let help = "edit the skills instead, and run `canonry skills index --force` (keeps a copy), or set `skills_index: false`";
        return RULE.at(Location::at(source, first), message).help(help);
    }
    let whole = TextEdit::new(Span::new(0, text.len()), list.wanted.as_str());
    RULE.at(Location::at(source, first), "the list of skills is out of date")
        .help("run `canonry skills index`, `canonry sync` or `canonry check --fix`")
        .fix(Fix::safe("update the list of skills", vec![whole]))
}
