//! See `seen_twice.md`.

use crate::repo_facts::{CanonContext, RepoFacts};
use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::repeated::repeated_readers;
use canonry_model::config::Target;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "seen-twice",
    summary: "tool reads the same skill from two mirrors",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("seen_twice.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    // Nobody chose the default targets unless the config lists them; `init`, `sync` and `doctor` say what they mean.
    let is_chosen = |canon: &&CanonContext| canon.targets != Target::DEFAULT || canon.targets_at.path != canon.skills;
    let Some(canon) = repo.canon.as_ref().filter(is_chosen).filter(|_| !repo.skills.is_empty()) else { return };
    for reader in repeated_readers(&canon.targets) {
        let message = format!("{}: it reads {}", reader.effect(), reader.folders());
        findings.push(RULE.at(canon.targets_at.clone(), message).help(reader.remedy()));
    }
}
