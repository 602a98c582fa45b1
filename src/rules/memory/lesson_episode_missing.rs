//! See `lesson_episode_missing.md`.

use crate::finding::{RawFinding, Severity};
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "lesson-episode-missing",
    summary: "a lesson that names an episode which is neither in the log nor in a snapshot",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("lesson_episode_missing.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    for (place, id) in &repo.missing_episodes {
        let message = format!("the episode `{id}` is neither in the log nor in a snapshot");
        let help = "restore the row from git's history; or take the id out, and the lesson with it where nothing else bears it out";
        findings.push(RawFinding::new(place.clone(), message).help(help));
    }
}
