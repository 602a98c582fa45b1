//! See `lesson_episode_missing.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "lesson-episode-missing",
    summary: "lesson cites an episode that does not exist",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("lesson_episode_missing.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for (location, id) in repo.missing_episodes.iter() {
        let message = format!("the episode `{id}` is in neither the log nor a snapshot");
        let help = "restore the row from the git history, or remove the id, together with the lesson if nothing else supports it";
        findings.push(RULE.at(location.clone(), message).help(help));
    }
}
