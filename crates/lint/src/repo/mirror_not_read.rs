//! See `mirror_not_read.md`.

use crate::repo_facts::{CanonContext, RepoFacts};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::config::{MirrorMode, Target};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "mirror-not-read",
    summary: "mirror that its tool does not read",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("mirror_not_read.md"),
    check: Check::Each(&[Check::Repo(check), Check::Repo(check_links)]),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(canon) = repo.canon.as_ref().filter(|_| !repo.skills.is_empty()) else { return };
    let read = [Target::ANTIGRAVITY, Target::AGENTS].into_iter().find(|target| canon.targets.contains(target));
    let Some(target) = read.filter(|_| canon.config.files.git.ignore) else { return };
    let message = format!("Antigravity skips git-ignored directories, so it does not read {}", target.skills_root());
    let help = "commit the mirrors (`ignore: false`), or turn this rule off if nobody uses Antigravity";
    findings.push(RULE.at(canon.locate_key(&["files", "git", "ignore"]), message).help(help));
}

/// `mode: symlink` for a tool that does not follow links.
fn check_links(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(canon) = repo.canon.as_ref().filter(|_| !repo.skills.is_empty()) else { return };
    for target in &canon.targets {
        if canon.config.mirrors.get(*target).mode == MirrorMode::Symlink {
            report_links(canon, &["mirrors", target.name(), "mode"], &[*target], findings);
        }
    }
    for (skill, setting) in &canon.config.skills {
        if setting.mode == Some(MirrorMode::Symlink) {
            let admitted = canon.targets.iter().copied().filter(|target| canon.config.admits(skill, *target));
            report_links(canon, &["skills", skill, "mode"], &admitted.collect::<Vec<_>>(), findings);
        }
    }
}

/// One finding per config key, which names all tools concerned.
fn report_links(canon: &CanonContext, keys: &[&str], targets: &[Target], findings: &mut Vec<Finding>) {
    let mut tools: Vec<&str> = Vec::new();
    for tool in targets.iter().flat_map(|target| tools_ignoring_links(*target)) {
        if !tools.contains(tool) {
            tools.push(tool);
        }
    }
    let named = match tools.split_last() {
        None => return,
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    };
    let verb = if tools.len() == 1 { "does" } else { "do" };
    let message = format!("{named} {verb} not follow links and may not find these skills");
    let help = "use `mode: copy`, or use links only for tools that follow them: Claude Code and Codex";
    findings.push(RULE.at(canon.locate_key(keys), message).help(help));
}

/// The tools that read a target and do not follow links. Unknown for a row of the config.
fn tools_ignoring_links(target: Target) -> &'static [&'static str] {
    target.row().map_or(&[], |row| row.skills.ignores_links)
}
