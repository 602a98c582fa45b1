//! See `registry_stale.md`.

use crate::finding::{Fix, Location, RawFinding, Severity, TextEdit};
use crate::registry::seal;
use crate::rules::repo_context::{RepoContext, StaleRegistry};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Span;

pub(super) static RULE: Rule = Rule {
    id: "registry-stale",
    summary: "generated list of skills is out of date",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("registry_stale.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    findings.extend(repo.stale_registries.iter().map(finding));
}

fn finding(list: &StaleRegistry) -> RawFinding {
    let Some(source) = &list.source else {
        let message = "the skills are listed for people or for programs, and not for both";
        return RawFinding::new(Location::file(&list.path), message)
            .help("run `canonry skills index`, or `canonry sync`");
    };
    let text = source.text();
    let first = Span::new(0, text.lines().next().map_or(0, str::len));
    // What someone wrote into it is not for a fix to take away.
    if !seal::is_whole(text) {
        let message = "this is not what canonry lists of the skills: someone wrote it, or edited it";
        let help = "edit the skills instead, then `canonry skills index --force` (a copy is kept); or say `skills_index: false`";
        return RawFinding::new(Location::at(source, first), message).help(help);
    }
    let whole = TextEdit::new(Span::new(0, text.len()), list.wanted.as_str());
    RawFinding::new(Location::at(source, first), "the list of the skills is older than the skills")
        .help("run `canonry skills index`, `canonry sync` or `canonry check --fix`")
        .fix(Fix::safe("list the skills anew", vec![whole]))
}
