//! See `skill_name_clash.md`.

use crate::repo_facts::{RepoFacts, SkillSummary};
use crate::{Check, Defaults, Finding, Rule};
use bstr::ByteSlice;
use canonry_mirror::fold_name;
use canonry_model::finding::Severity;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

pub(super) static RULE: Rule = Rule {
    id: "skill-name-clash",
    summary: "skills with the same name, ignoring case",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("skill_name_clash.md"),
    check: Check::Repo(check),
};

/// Folders at the top of a project in which Codex also finds skills in subfolders.
const DEEP_FOLDERS: [&str; 2] = [".agents/skills", ".codex/skills"];

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    findings.extend(clashes(&repo.skills.iter().collect::<Vec<_>>()).into_iter().flatten());
    // Folders of different plugins and tools may have skills with the same name.
    let mut by_parent: BTreeMap<RepoPath, Vec<&SkillSummary>> = BTreeMap::new();
    for skill in repo.other_skills {
        let parent = skill.folder.parent().unwrap_or_default();
        let deep = DEEP_FOLDERS.map(RepoPath::from).into_iter().find(|folder| skill.folder.is_within(folder));
        by_parent.entry(deep.unwrap_or(parent)).or_default().push(skill);
    }
    // Once for each name: the directory of all but one differs from the name, which another rule reports.
    let groups = by_parent.values().flat_map(|skills| clashes(skills));
    findings.extend(groups.filter_map(|group| group.into_iter().next()));
}

/// The skills with the same name, one list for each name.
fn clashes(skills: &[&SkillSummary]) -> Vec<Vec<Finding>> {
    let mut by_name: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (at, skill) in skills.iter().enumerate() {
        let names = [Some(skill.folder.file_name().as_bytes()), skill.name.as_deref().map(str::as_bytes)];
        for name in names.into_iter().flatten() {
            by_name.entry(fold_name(name)).or_default().insert(at);
        }
    }
    let mut reported = BTreeSet::new();
    let mut groups = Vec::new();
    for same in by_name.values().filter(|same| same.len() > 1) {
        let new = same.iter().filter(|at| reported.insert(**at));
        groups.push(new.map(|at| finding(skills, *at, same)).collect());
    }
    groups
}

fn finding(skills: &[&SkillSummary], at: usize, same: &BTreeSet<usize>) -> Finding {
    let skill = skills[at];
    let name = skill.name.clone().unwrap_or_else(|| skill.folder.file_name_lossy());
    let others = same.iter().filter(|other| **other != at).map(|other| skills[*other]);
    let message = format!("the skill `{name}` has the same name as {}", counted(same.len() - 1));
    let finding = RULE.at(skill.location.clone(), message)
        .help("rename one of them: tools show one skill, or both without a difference, and sync skips skills whose directories have the same name");
    others.fold(finding, |finding, other| finding.related(other.location.clone(), "same name, ignoring case"))
}

fn counted(others: usize) -> String {
    if others == 1 { "another skill".to_owned() } else { format!("{others} other skills") }
}
