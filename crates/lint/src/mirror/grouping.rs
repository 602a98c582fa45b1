//! Groups the files of a sync plan, so that a skill gets one finding however many files are concerned.

use crate::repo_facts::RepoFacts;
use crate::{Finding, Rule};
use bstr::BString;
use canonry_mirror::{RefusalReason, SyncPlan};
use canonry_model::canon::FileState;
use canonry_model::config::Target;
use canonry_model::edit::Edit;
use canonry_model::finding::Location;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of files named in a message.
const MAX_NAMED: usize = 3;

/// The plan of the next sync, if the repository has been synced before, or if the first sync would leave files alone.
pub(super) fn synced<'r>(repo: &'r RepoFacts<'_>) -> Option<&'r SyncPlan> {
    let plan = &repo.survey.as_ref()?.plan;
    (!plan.never_synced || !plan.refused.is_empty()).then_some(plan)
}

/// The paths of the edits that `wanted` selects by the state before and after.
pub(super) fn edits(plan: &SyncPlan, wanted: impl Fn(Option<FileState>, Option<FileState>) -> bool) -> Vec<RepoPath> {
    let picked = plan.edits.iter().filter(|edit| wanted(edit.was(), edit.now()));
    picked.map(Edit::path).cloned().collect()
}

/// The paths of the refusals that `wanted` selects.
pub(super) fn refusals(plan: &SyncPlan, wanted: impl Fn(&RefusalReason) -> bool) -> Vec<RepoPath> {
    plan.refused.iter().filter(|refusal| wanted(&refusal.reason)).map(|refusal| refusal.path.clone()).collect()
}

/// Splits paths into those in skill mirrors and those of other tool files.
pub(super) fn split_by_kind(paths: &[RepoPath]) -> (Vec<RepoPath>, Vec<RepoPath>) {
    paths.iter().cloned().partition(|path| Target::holding(path).is_some())
}

/// One finding per refused part of a shared file. `describe` returns the message and the help.
pub(super) fn report_parts<'d>(
    rule: &'static Rule,
    plan: &'d SyncPlan,
    findings: &mut Vec<Finding>,
    describe: impl Fn(&'d RefusalReason) -> Option<(&'d str, &'static str)>,
) {
    for refusal in &plan.refused {
        if let Some((message, help)) = describe(&refusal.reason) {
            findings.push(rule.at(Location::file(&refusal.path), message).help(help));
        }
    }
}

/// One finding per skill directory, at its first file. `describe` gets the directory and a list of the files, such as
/// `SKILL.md and 2 more files`, and returns the message and the help.
pub(super) fn report_by_folder(
    rule: &'static Rule,
    paths: &[RepoPath],
    findings: &mut Vec<Finding>,
    describe: impl Fn(&RepoPath, &str) -> (String, String),
) {
    let mut folders: BTreeMap<RepoPath, Vec<&RepoPath>> = BTreeMap::new();
    for path in paths {
        folders.entry(skill_folder(path)).or_default().push(path);
    }
    for (folder, files) in &folders {
        let (message, help) = describe(folder, &list_files(folder, files));
        findings.push(rule.at(Location::file(files[0]), message).help(help));
    }
}

/// One finding per skill for all of its mirrors, at its first file. `describe` gets a list of the files and a list of the
/// mirrors.
pub(super) fn report_by_skill(
    rule: &'static Rule,
    paths: &[RepoPath],
    findings: &mut Vec<Finding>,
    describe: impl Fn(&str, &str) -> String,
) {
    let help = "run `canonry sync`";
    let mut skills: BTreeMap<BString, Vec<&RepoPath>> = BTreeMap::new();
    let (paths, files) = split_by_kind(paths);
    for file in &files {
        let message = describe(&file.to_display(), "the tool files");
        findings.push(rule.at(Location::file(file), message).help(help));
    }
    for path in &paths {
        skills.entry(skill_folder(path).file_name().to_owned()).or_default().push(path);
    }
    for files in skills.values() {
        let folder = skill_folder(files[0]);
        let first: Vec<&RepoPath> = files.iter().copied().filter(|path| path.is_within(&folder)).collect();
        let folders: BTreeSet<RepoPath> = files.iter().map(|path| skill_folder(path)).collect();
        let mirrors = match folders.len() {
            1 => format!("{folder}"),
            2 => format!("{folder} and 1 more mirror"),
            more => format!("{folder} and {} more mirrors", more - 1),
        };
        let message = describe(&list_files(&folder, &first), &mirrors);
        findings.push(rule.at(Location::file(files[0]), message).help(help));
    }
}

/// The directory of a skill in a mirror, `.claude/skills/<name>`: the first three components.
pub(super) fn skill_folder(path: &RepoPath) -> RepoPath {
    path.components().take(3).fold(RepoPath::default(), |folder, part| folder.join(part))
}

fn list_files(folder: &RepoPath, files: &[&RepoPath]) -> String {
    let name = |path: &&RepoPath| {
        let below = path.below(folder).unwrap_or_default().to_string();
        if below.is_empty() { path.file_name_lossy() } else { RepoPath::new(below).to_display() }
    };
    let named: Vec<String> = files.iter().take(MAX_NAMED).map(name).collect();
    match files.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        1 => format!("{} and 1 more file", named.join(", ")),
        more => format!("{} and {more} more files", named.join(", ")),
    }
}
