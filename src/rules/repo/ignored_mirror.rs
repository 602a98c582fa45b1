//! See `ignored_mirror.md`.

use crate::config::Target;
use crate::finding::{Draft, Severity};
use crate::rules::facts::Facts;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "ignored-mirror",
    summary: "mirrors in `.gitignore` for a tool that loads no folder that git ignores",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("ignored_mirror.md"),
    check: Check::Repo(check),
};

fn check(facts: &Facts, drafts: &mut Drafts) {
    let Some(canon) = facts.canon.as_ref().filter(|_| !facts.skills.is_empty()) else { return };
    let read = [Target::Antigravity, Target::Agents].into_iter().find(|target| canon.targets.contains(target));
    let Some(target) = read.filter(|_| canon.config.files.git.ignore) else { return };
    let message =
        format!("Antigravity loads no folder that git ignores, and so sees nothing of {}", target.skills_root());
    let help = "commit the mirrors (`ignore: false`), or switch this rule off where nobody uses Antigravity";
    drafts.push(Draft::new(canon.configured_at(&["files", "git", "ignore"]), message).help(help));
}
