//! What the mirror rules share: one finding for a skill's folder in a mirror, however many files it concerns.

use crate::canon::FileState;
use crate::config::Target;
use crate::edit::Edit;
use crate::finding::{Location, RawFinding};
use crate::mirror::{RefusalReason, SyncPlan};
use crate::rules::RawFindings;
use crate::rules::repo_context::{MirrorStatus, RepoContext};
use crate::syntax::RepoPath;
use gix::bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// Files named in a message; the rest is counted.
const NAMED: usize = 3;

/// The mirrors of a repository that has been synced before: without a lock nothing is drift.
pub(super) fn synced(repo: &RepoContext) -> Option<&SyncPlan> {
    match repo.mirrors.as_ref()? {
        MirrorStatus::Synced(decision) => Some(decision),
        MirrorStatus::NeverSynced => None,
    }
}

/// Paths of the edits that `wanted` picks, by what stands before and after.
pub(super) fn edits(
    decision: &SyncPlan,
    wanted: impl Fn(Option<FileState>, Option<FileState>) -> bool,
) -> Vec<RepoPath> {
    let picked = decision.edits.iter().filter(|edit| wanted(edit.was(), edit.now()));
    picked.map(Edit::path).cloned().collect()
}

/// Paths of the refusals that `wanted` picks.
pub(super) fn refusals(decision: &SyncPlan, wanted: impl Fn(&RefusalReason) -> bool) -> Vec<RepoPath> {
    decision.refused.iter().filter(|refusal| wanted(&refusal.reason)).map(|refusal| refusal.path.clone()).collect()
}

/// Paths in mirrors of skills, and all others.
pub(super) fn by_kind(paths: &[RepoPath]) -> (Vec<RepoPath>, Vec<RepoPath>) {
    paths.iter().cloned().partition(|path| Target::holding(path).is_some())
}

/// One finding for each refusal of a part of a shared file that `say` has words and help for.
pub(super) fn parts<'d>(
    decision: &'d SyncPlan,
    findings: &mut RawFindings,
    say: impl Fn(&'d RefusalReason) -> Option<(&'d str, &'static str)>,
) {
    for refusal in &decision.refused {
        if let Some((words, help)) = say(&refusal.reason) {
            findings.push(RawFinding::new(Location::file(&refusal.path), words).help(help));
        }
    }
}

/// One finding for each skill's folder among `paths`, pointing at the first of its files. `say` is given the files in
/// words, such as `SKILL.md and 2 more files`.
pub(super) fn by_folder(
    paths: &[RepoPath],
    findings: &mut RawFindings,
    say: impl Fn(&RepoPath, &str) -> (String, String),
) {
    let mut folders: BTreeMap<RepoPath, Vec<&RepoPath>> = BTreeMap::new();
    for path in paths {
        folders.entry(folder_of(path)).or_default().push(path);
    }
    for (folder, files) in &folders {
        let (message, help) = say(folder, &in_words(folder, files));
        findings.push(RawFinding::new(Location::file(files[0]), message).help(help));
    }
}

/// One finding for each skill among `paths`, whatever the number of mirrors, pointing at the first file. `say` is given the
/// files and the mirrors in words.
pub(super) fn by_skill(paths: &[RepoPath], findings: &mut RawFindings, say: impl Fn(&str, &str) -> String) {
    let mut skills: BTreeMap<BString, Vec<&RepoPath>> = BTreeMap::new();
    let (paths, files) = by_kind(paths);
    for file in &files {
        let message = say(&file.to_display(), "the tools' files");
        findings.push(RawFinding::new(Location::file(file), message).help("run `canonry sync`"));
    }
    for path in &paths {
        skills.entry(folder_of(path).file_name().to_owned()).or_default().push(path);
    }
    for files in skills.values() {
        let folder = folder_of(files[0]);
        let first: Vec<&RepoPath> = files.iter().copied().filter(|path| path.is_within(&folder)).collect();
        let folders: BTreeSet<RepoPath> = files.iter().map(|path| folder_of(path)).collect();
        let mirrors = match folders.len() {
            1 => format!("{folder}"),
            2 => format!("{folder} and 1 more mirror"),
            more => format!("{folder} and {} more mirrors", more - 1),
        };
        let message = say(&in_words(&folder, &first), &mirrors);
        findings.push(RawFinding::new(Location::file(files[0]), message).help("run `canonry sync`"));
    }
}

/// `.claude/skills/<name>`: the first three components.
pub(super) fn folder_of(path: &RepoPath) -> RepoPath {
    path.components().take(3).fold(RepoPath::default(), |folder, part| folder.join(part))
}

fn in_words(folder: &RepoPath, files: &[&RepoPath]) -> String {
    let name = |path: &&RepoPath| {
        let below = path.below(folder).unwrap_or_default().to_string();
        if below.is_empty() { path.file_name_lossy() } else { RepoPath::new(below).to_display() }
    };
    let named: Vec<String> = files.iter().take(NAMED).map(name).collect();
    match files.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        1 => format!("{} and 1 more file", named.join(", ")),
        more => format!("{} and {more} more files", named.join(", ")),
    }
}
