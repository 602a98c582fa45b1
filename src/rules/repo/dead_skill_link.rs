//! See `dead_skill_link.md`.

use crate::finding::{Location, RawFinding, Severity};
use crate::rules::facts::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "dead-skill-link",
    summary: "a link in the place of a skill that leads to nothing in the repository",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("dead_skill_link.md"),
    check: Check::Repo(check),
};

fn check(facts: &RepoContext, drafts: &mut RawFindings) {
    for (path, why) in &facts.dead_links {
        let message = format!("there is no skill here: {why}");
        drafts.push(RawFinding::new(Location::file(path), message).help(missing::help_for_folder(why)));
    }
}
