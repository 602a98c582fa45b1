//! Copies of one skill in the directories of several tools. Copies that differ only by extra files are one skill; what
//! really differs becomes an overlay for the tool.

use super::plan::{ImportPlan, PlannedFile, PlannedItem};
use canonry_model::config::Target;
use canonry_text::RepoPath;
use std::collections::BTreeMap;

/// A copy and the target of its directory.
struct SkillCopy {
    target: Target,
    item: PlannedItem,
}

/// Merges the copies of each skill. `.agents/skills` takes precedence, then the order of the targets.
pub(super) fn merge(plan: &mut ImportPlan<'_>) {
    let target_of = |item: &PlannedItem| Target::holding(&item.from).filter(|_| item.is_skill);
    let mut skills: BTreeMap<RepoPath, Vec<SkillCopy>> = BTreeMap::new();
    for item in std::mem::take(&mut plan.items) {
        match target_of(&item) {
            Some(target) => skills.entry(item.to.clone()).or_default().push(SkillCopy { target, item }),
            None => plan.items.push(item),
        }
    }
    for mut copies in skills.into_values() {
        copies.sort_by_key(|copy| (copy.target != Target::AGENTS, copy.target));
        merge_copies(plan, copies);
    }
}

fn merge_copies(plan: &mut ImportPlan<'_>, copies: Vec<SkillCopy>) {
    let mut copies = copies.into_iter();
    let Some(SkillCopy { item: mut merged, .. }) = copies.next() else { return };
    let mut differing = Vec::new();
    for SkillCopy { target, item } in copies {
        if has_conflict(&merged, &item) {
            differing.push(SkillCopy { target, item });
            continue;
        }
        let from = item.from.clone();
        let extra = missing_files(&merged, item);
        if !extra.is_empty() {
            let names = names(&extra, &merged.to);
            merged.changes.push(format!("added {names} from {from}, which equals it otherwise"));
        }
        merged.files.extend(extra);
        merged.also_from.push(from);
    }
    let overlays: Vec<PlannedItem> = differing.into_iter().map(|copy| overlay(plan, &merged, copy)).collect();
    merged.files.sort_by(|a, b| a.path.cmp(&b.path));
    plan.items.push(merged);
    plan.items.extend(overlays);
}

/// Whether both have a file with different content or mode.
fn has_conflict(merged: &PlannedItem, item: &PlannedItem) -> bool {
    let differs =
        |file: &PlannedFile| merged.files.iter().any(|other| other.path == file.path && other.state != file.state);
    item.files.iter().any(differs)
}

/// The files that only `item` has.
fn missing_files(merged: &PlannedItem, item: PlannedItem) -> Vec<PlannedFile> {
    let is_known = |file: &PlannedFile| merged.files.iter().any(|other| other.path == file.path);
    item.files.into_iter().filter(|file| !is_known(file)).collect()
}

/// The files of a copy that differ from the skill, as an overlay for its tool.
fn overlay(plan: &mut ImportPlan<'_>, merged: &PlannedItem, copy: SkillCopy) -> PlannedItem {
    let SkillCopy { target, item } = copy;
    let is_equal =
        |file: &PlannedFile| merged.files.iter().any(|other| other.path == file.path && other.state == file.state);
    let differing: Vec<PlannedFile> = item.files.into_iter().filter(|file| !is_equal(file)).collect();
    let names = names(&differing, &item.to);
    let to = plan.source.layout.overlays().join(target.name()).join("skills").join(item.to.file_name());
    let moved = |file: PlannedFile| {
        let path = file.path.below(&item.to).map_or_else(|| to.clone(), |below| to.join(below));
        PlannedFile { path, ..file }
    };
    let files = differing.into_iter().map(moved).collect();
    plan.tools.overlays.insert(target);
    let change = format!("an overlay for {}: {names} differs from {}", target.name(), merged.from);
    PlannedItem { files, changes: vec![change], ..PlannedItem::new(item.from, to) }
}

fn names(files: &[PlannedFile], folder: &RepoPath) -> String {
    let names = files.iter().filter_map(|file| file.path.below(folder)).map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}
