//! The lists of the skills, seen through a view: what they should say, and whether they do.

use super::git_source::Unmerged;
use super::load::DOCUMENT_LIMIT;
use super::{ListedFile, PathKind, View};
use crate::canon::inventory::{Inventory, SkillFolder};
use crate::canon::tree::tree_id;
use crate::canon::{Blob, FileState, Layout};
use crate::config::Config;
use crate::mirror::{Lock, MirrorState};
use crate::registry::entry::SkillLocation;
use crate::registry::{ManifestEntry, parse_manifest, render_index, render_manifest, seal};
use crate::syntax::RepoPath;
use crate::toolfiles::GeneratedFile;
use gix::bstr::BStr;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The canon's skills, as far as they were listed.
#[derive(Clone, Copy)]
pub struct Skills<'a> {
    /// Where the canon is.
    pub layout: &'a Layout,
    /// Its files.
    pub listed: &'a [ListedFile],
    /// Which of them are skills.
    pub inventory: &'a Inventory,
}

/// Whether the lists are kept: where the config says so, else where one of them is there that canonry made. What a person
/// wrote under such a name is left alone.
pub fn is_kept(view: &View, layout: &Layout, config: &Config, ours: &Lock) -> bool {
    let is_ours = |path: &RepoPath| ours.owns(path) || text(view, path).is_some_and(|text| seal::is_whole(&text));
    let stands = |path: &RepoPath| view.kind(path) == PathKind::File && is_ours(path);
    config.skills_index.unwrap_or_else(|| layout.registry().iter().any(stands))
}

/// What is listed of the skills, sorted by name. What no tool could read is left out, and what is part of another skill.
pub fn cards(view: &View, skills: Skills<'_>) -> Vec<ManifestEntry> {
    let root = skills.layout.skills();
    let listed: Vec<ListedFile> =
        skills.listed.iter().filter(|listed| listed.entry.path.is_within(&root)).cloned().collect();
    let states = view.states(&listed);
    let state = |path: &RepoPath| {
        let at = listed.binary_search_by(|listed| listed.entry.path.cmp(path)).ok()?;
        states[at]
    };
    let known = known(view, skills.layout);
    let card = |skill: &&SkillFolder| {
        let below = |path| RepoPath::below(path, &skill.path).unwrap_or_default();
        let files: Vec<(&BStr, FileState)> =
            skill.files.iter().filter_map(|file| Some((below(&file.path), state(&file.path)?))).collect();
        let id = tree_id(&files, view.object_hash()).to_string();
        let document = &skill.document.path;
        // The same files say the same.
        if let Some(card) = known.get(&document.to_display()).filter(|card| card.id == id) {
            return Some(card.clone());
        }
        let Blob::Bytes(bytes) = view.read(document, DOCUMENT_LIMIT) else { return None };
        ManifestEntry::from_document(SkillLocation { document, folder: &skill.path, skills: &root, id }, &bytes)
    };
    let outermost = |skill: &&SkillFolder| skill.nested_in.is_none() && skill.path.is_within(&root);
    let folders: Vec<&SkillFolder> = skills.inventory.skills.iter().filter(outermost).collect();
    let mut cards: Vec<ManifestEntry> = folders.par_iter().filter_map(card).collect();
    cards.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    cards
}

/// The cards of a manifest that nobody has touched.
fn known(view: &View, layout: &Layout) -> BTreeMap<String, ManifestEntry> {
    let text = text(view, &layout.skills_manifest()).unwrap_or_default();
    parse_manifest(&text).into_iter().map(|card| (card.path.clone(), card)).collect()
}

fn text(view: &View, path: &RepoPath) -> Option<String> {
    match view.read(path, DOCUMENT_LIMIT) {
        Blob::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Blob::Missing(_) => None,
    }
}

/// The two files as they should be.
pub fn texts(layout: &Layout, cards: &[ManifestEntry]) -> [(RepoPath, String); 2] {
    [(layout.skills_index(), render_index(cards)), (layout.skills_manifest(), render_manifest(cards))]
}

/// The same, for a sync.
pub(super) fn wholes(layout: &Layout, cards: &[ManifestEntry]) -> Vec<GeneratedFile> {
    let whole = |(path, text): (RepoPath, String)| GeneratedFile { canon: path.clone(), path, text: Some(text) };
    texts(layout, cards).into_iter().map(whole).collect()
}

/// What stands at the two paths and is ours by its own first line, whatever a lock says; where git has left a conflict, by
/// those of both sides.
pub(super) fn sealed(
    view: &View,
    layout: &Layout,
    unmerged: &Unmerged,
    actual: &MirrorState,
) -> Vec<(RepoPath, FileState)> {
    let is_whole = |bytes: Vec<u8>| seal::is_whole(&String::from_utf8_lossy(&bytes));
    let is_ours = |path: &RepoPath| match unmerged.get(path) {
        Some(sides) if !sides.is_empty() && view.has_conflict(path) => {
            sides.iter().all(|side| view.blob(side.id).is_some_and(is_whole))
        }
        _ => text(view, path).is_some_and(|text| seal::is_whole(&text)),
    };
    let ours = layout.registry().into_iter().filter(is_ours);
    ours.filter_map(|path| actual.state(&path).map(|state| (path, state))).collect()
}

fn lock(view: &View, layout: &Layout) -> Lock {
    match view.read(&layout.lock(), u64::MAX) {
        Blob::Bytes(bytes) => Lock::parse(&bytes).or_else(|_| Lock::parse_conflicted(&bytes)).unwrap_or_default(),
        Blob::Missing(_) => Lock::default(),
    }
}

/// One of the two files that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Where.
    pub path: RepoPath,
    /// What stands there; `None` where nothing does.
    pub text: Option<String>,
    /// What should.
    pub wanted: String,
}

/// Those that are not as they should be; none where neither is there, or the config keeps none.
pub fn stale(view: &View, skills: Skills<'_>, config: &Config) -> Vec<Stale> {
    let layout = skills.layout;
    let none = layout.registry().iter().all(|path| view.kind(path) != PathKind::File);
    if none || !is_kept(view, layout, config, &lock(view, layout)) {
        return Vec::new();
    }
    let stale = |(path, wanted): (RepoPath, String)| {
        let text = text(view, &path);
        let same = text.as_ref().is_some_and(|text| text.replace("\r\n", "\n") == wanted);
        (!same).then_some(Stale { path, text, wanted })
    };
    texts(layout, &cards(view, skills)).into_iter().filter_map(stale).collect()
}
