//! The generated lists of skills: their desired content, and whether they are up to date.

use super::git_source::Unmerged;
use super::load::DOCUMENT_LIMIT;
use super::{ListedFile, PathKind, View, locks};
use canonry_agents::GeneratedFile;
use canonry_mirror::document::TARGETS_KEY;
use canonry_mirror::registry::entry::SkillLocation;
use canonry_mirror::registry::{ManifestEntry, parse_manifest, render_index, render_manifest, render_xml_within, seal};
use canonry_mirror::{Lock, MirrorState};
use canonry_model::canon::inventory::{Inventory, SkillFolder};
use canonry_model::canon::tree::tree_id;
use canonry_model::canon::{FileState, Layout};
use canonry_model::config::{Config, Target};
use canonry_text::RepoPath;
use gix::bstr::BStr;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The listed skills of a canon.
#[derive(Clone, Copy)]
pub struct ListedSkills<'a> {
    /// Where the canon is.
    pub layout: &'a Layout,
    /// The files of the canon.
    pub listed: &'a [ListedFile],
    /// The skills among them.
    pub inventory: &'a Inventory,
}

/// Whether the lists are generated: as configured or, by default, if canonry has generated one before. A file that a user
/// wrote under that name is left alone.
pub fn is_enabled(view: &View, layout: &Layout, config: &Config, owned: &Lock) -> bool {
    let is_generated =
        |path: &RepoPath| owned.owns(path) || read_text(view, path).is_some_and(|text| seal::is_unedited(&text));
    let exists = |path: &RepoPath| view.kind(path) == PathKind::File && is_generated(path);
    config.skills_index.unwrap_or_else(|| layout.registry().iter().any(exists))
}

/// The entries of the lists, sorted by name. Nested skills and skills that no tool can read are left out.
pub fn entries(view: &View, skills: ListedSkills<'_>) -> Vec<ManifestEntry> {
    let root = skills.layout.skills();
    let listed = skills.listed.iter().filter(|listed| listed.entry.path.is_within(&root));
    let listed: Vec<ListedFile> = listed.cloned().collect();
    let states = view.states(&listed);
    let state = |path: &RepoPath| {
        let at = listed.binary_search_by(|listed| listed.entry.path.cmp(path)).ok()?;
        states[at]
    };
    let known = recorded_entries(view, skills.layout);
    let entry = |skill: &&SkillFolder| {
        let below = |path| RepoPath::below(path, &skill.path).unwrap_or_default();
        let files: Vec<(&BStr, FileState)> =
            skill.files.iter().filter_map(|file| Some((below(&file.path), state(&file.path)?))).collect();
        let id = tree_id(&files, view.object_hash()).to_string();
        let document = &skill.document.path;
        // Unchanged files give the same entry.
        if let Some(entry) = known.get(&document.to_display()).filter(|entry| entry.id == id) {
            return Some(entry.clone());
        }
        let bytes = view.read(document, DOCUMENT_LIMIT).into_bytes()?;
        ManifestEntry::from_document(SkillLocation { document, folder: &skill.path, skills: &root, id }, &bytes)
    };
    let is_outermost = |skill: &&SkillFolder| skill.nested_in.is_none() && skill.path.is_within(&root);
    let folders: Vec<&SkillFolder> = skills.inventory.skills.iter().filter(is_outermost).collect();
    let mut entries: Vec<ManifestEntry> = folders.par_iter().filter_map(entry).collect();
    entries.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    entries
}

/// The largest list of skills in a context file, in bytes. Codex reads 32 KiB of `AGENTS.md`.
const AVAILABLE_SKILLS_LIMIT: usize = 16 << 10;

/// The `<available_skills>` list for tools without skill support. Which tool reads it is unknown, so it has only the skills
/// that every target gets.
pub(super) fn available_skills(view: &View, skills: ListedSkills<'_>, config: &Config, targets: &[Target]) -> String {
    let mut entries = entries(view, skills);
    entries.retain(|entry| {
        let document = RepoPath::from(entry.path.as_str());
        let folder = document.parent().unwrap_or_default().file_name_lossy();
        let is_restricted = || read_text(view, &document).is_some_and(|text| text.contains(TARGETS_KEY));
        targets.iter().all(|target| config.admits(&folder, *target)) && !is_restricted()
    });
    render_xml_within(&entries, AVAILABLE_SKILLS_LIMIT)
}

/// The entries of the existing manifest, by document, if nobody has edited it.
fn recorded_entries(view: &View, layout: &Layout) -> BTreeMap<String, ManifestEntry> {
    // Without it, every entry is read from its document again.
    let text = read_text(view, &layout.skills_manifest()).unwrap_or_default();
    parse_manifest(&text).into_iter().map(|entry| (entry.path.clone(), entry)).collect()
}

fn read_text(view: &View, path: &RepoPath) -> Option<String> {
    Some(String::from_utf8_lossy(&view.read(path, DOCUMENT_LIMIT).into_bytes()?).into_owned())
}

/// The desired content of the index and of the manifest.
pub fn desired_texts(layout: &Layout, entries: &[ManifestEntry]) -> [(RepoPath, String); 2] {
    [(layout.skills_index(), render_index(entries)), (layout.skills_manifest(), render_manifest(entries))]
}

/// The same as generated files of a sync.
pub(super) fn generated_files(layout: &Layout, entries: &[ManifestEntry]) -> Vec<GeneratedFile> {
    let file = |(path, text): (RepoPath, String)| GeneratedFile { canon: path.clone(), path, text: Some(text) };
    desired_texts(layout, entries).into_iter().map(file).collect()
}

/// The states of lists whose seal proves that canonry generated them, whatever the lock says. In a merge conflict, both
/// sides need a seal.
pub(super) fn sealed(
    view: &View,
    layout: &Layout,
    unmerged: &Unmerged,
    actual: &MirrorState,
) -> Vec<(RepoPath, FileState)> {
    let has_seal = |bytes: Vec<u8>| seal::is_unedited(&String::from_utf8_lossy(&bytes));
    let is_generated = |path: &RepoPath| match unmerged.get(path) {
        Some(sides) if !sides.is_empty() && view.has_conflict(path) => {
            sides.iter().all(|side| view.blob(side.id).is_some_and(has_seal))
        }
        _ => read_text(view, path).is_some_and(|text| seal::is_unedited(&text)),
    };
    let generated = layout.registry().into_iter().filter(is_generated);
    generated.filter_map(|path| actual.state(&path).map(|state| (path, state))).collect()
}

/// A list that is not up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleList {
    /// Its path.
    pub path: RepoPath,
    /// Its content; `None` if it does not exist.
    pub text: Option<String>,
    /// Its desired content.
    pub desired: String,
}

/// The lists that are not up to date; none if no list exists or the lists are disabled.
pub fn stale_lists(view: &View, skills: ListedSkills<'_>, config: &Config) -> Vec<StaleList> {
    let layout = skills.layout;
    let is_missing = layout.registry().iter().all(|path| view.kind(path) != PathKind::File);
    if is_missing || !is_enabled(view, layout, config, &locks::owned(view, layout)) {
        return Vec::new();
    }
    let stale = |(path, desired): (RepoPath, String)| {
        let text = read_text(view, &path);
        let is_current = text.as_ref().is_some_and(|text| text.replace("\r\n", "\n") == desired);
        (!is_current).then_some(StaleList { path, text, desired })
    };
    desired_texts(layout, &entries(view, skills)).into_iter().filter_map(stale).collect()
}
