//! The mirrors of files in memory, as a sync would see them.

use super::memory::Files;
use canonry::canon::blob::BlobError;
use canonry::canon::inventory::{Inventory, SkillFolder};
use canonry::canon::tree::tree_id;
use canonry::canon::{FileMode, FileState, Layout, TreeEntry};
use canonry::config::Target;
use canonry::edit::OverwriteMode;
use canonry::finding::Location;
use canonry::memory::lessons::{citations, retain_unresolved};
use canonry::memory::{Chunk, Ruleset, scan};
use canonry::mirror::overlay::{UnusedOverlay, unused_overlays};
use canonry::mirror::overlay_check::OverlayContext;
use canonry::mirror::{
    CanonFile, CanonSkill, FolderStatus, Lock, MirrorRoot, MirrorState, SyncPlan, desired_mirrors, plan,
};
use canonry::registry::entry::SkillLocation;
use canonry::registry::{ManifestEntry, render_index, render_manifest, seal};
use canonry::rules::repo_context::{CanonContext, MirrorStatus, RepoContext, SkillSummary, StaleRegistry};
use canonry::syntax::{RepoPath, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn state(mode: FileMode, bytes: &[u8]) -> FileState {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes).unwrap();
    FileState { id, mode }
}

pub fn of(files: &Files, cards: &[(SkillSummary, SkillFolder)]) -> RepoContext {
    let lock = files.0.get(&RepoPath::from("agent/mirrors.lock"));
    let mirrors =
        lock.map_or(MirrorStatus::NeverSynced, |(_, text)| MirrorStatus::Synced(decision(files, cards, text)));
    let (unused_overlays, unusable_overlays) = overlays(files);
    RepoContext {
        unused_overlays,
        unusable_overlays,
        skills: cards.iter().map(|(card, _)| card.clone()).collect(),
        canon: Some(canon(files)),
        mirrors: Some(mirrors),
        dead_skill_links: dead_links(files),
        missing_episodes: lost_episodes(files),
        stale_registries: stale_lists(files, cards),
        ..RepoContext::default()
    }
}

fn canon(files: &Files) -> CanonContext {
    let path = RepoPath::from("agent/canonry.yaml");
    let text = |(_, bytes): &(FileMode, Vec<u8>)| String::from_utf8(bytes.clone()).unwrap();
    let config = files.0.get(&path).map(|file| Arc::new(Source::new(path.clone(), text(file))));
    CanonContext::new(RepoPath::from("agent/skills"), files.config(), config)
}

fn dead_links(files: &Files) -> Vec<(RepoPath, BlobError)> {
    let entries: Vec<TreeEntry> =
        files.0.iter().map(|(path, (mode, _))| TreeEntry { path: path.clone(), mode: *mode }).collect();
    let links = Inventory::from_entries(&entries, &Layout::default()).linked_skills.into_iter();
    let dead = |link: TreeEntry| {
        let text = &files.0[&link.path].1;
        let target = String::from_utf8_lossy(text).into_owned();
        match link.path.resolve_beside(text) {
            None => Some((link.path, BlobError::Outside { target })),
            Some(to) if files.0.keys().any(|path| path.is_within(&to)) => None,
            Some(_) => Some((link.path, BlobError::Dangling { target })),
        }
    };
    links.filter_map(dead).collect()
}

type Overlays = (Vec<(RepoPath, UnusedOverlay)>, Vec<(RepoPath, String)>);

fn overlays(files: &Files) -> Overlays {
    let layout = Layout::default();
    let all: Vec<TreeEntry> =
        files.0.iter().map(|(path, (mode, _))| TreeEntry { path: path.clone(), mode: *mode }).collect();
    let (root, targets) = (layout.overlays(), files.config().targets);
    let entries: Vec<TreeEntry> = all.iter().filter(|entry| entry.path.is_within(&root)).cloned().collect();
    let bytes = |path: &RepoPath| files.0.get(path).map(|(_, bytes)| bytes.clone());
    let sight = OverlayContext {
        root: &root,
        entries: &entries,
        targets: &targets,
        inventory: &Inventory::from_entries(&all, &layout),
        read: &bytes,
        link: &|path| bytes(path).map(Into::into),
    };
    let unused = unused_overlays(entries.iter().map(|entry| &entry.path), &root, &targets, &sight.names());
    (unused.into_iter().collect(), sight.unusable())
}

fn lost_episodes(files: &Files) -> Vec<(Location, String)> {
    let layout = Layout::default();
    let (Some((_, text)), true) = (files.0.get(&layout.lessons()), files.0.contains_key(&layout.log())) else {
        return Vec::new();
    };
    let source = Arc::new(Source::new(layout.lessons(), String::from_utf8(text.clone()).unwrap()));
    let mut left = citations(source.text());
    let is_log = |path: &RepoPath| *path == layout.log() || path.is_within(&layout.snapshots());
    for (_, (_, bytes)) in files.0.iter().filter(|(path, _)| is_log(path)) {
        let rows = scan(Chunk { bytes, offset: 0, lines: 0 }, Ruleset::Current);
        retain_unresolved(&mut left, &rows.into_iter().flatten().collect::<Vec<_>>());
    }
    left.into_iter().map(|citation| (Location::at(&source, citation.span), citation.id)).collect()
}

fn stale_lists(files: &Files, cards: &[(SkillSummary, SkillFolder)]) -> Vec<StaleRegistry> {
    let layout = Layout::default();
    let is_ours = |path: &RepoPath| {
        files.0.get(path).is_some_and(|(_, bytes)| seal::is_whole(std::str::from_utf8(bytes).unwrap()))
    };
    if !files.config().skills_index.unwrap_or_else(|| layout.registry().iter().any(is_ours)) {
        return Vec::new();
    }
    let card = |folder: &SkillFolder| {
        let below = |path: &RepoPath| path.below(&folder.path).unwrap().to_owned();
        let states: Vec<_> =
            folder.files.iter().map(|e| (below(&e.path), state(e.mode, &files.0[&e.path].1))).collect();
        let states: Vec<_> = states.iter().map(|(path, state)| (path.as_ref(), *state)).collect();
        let id = tree_id(&states, gix::hash::Kind::Sha1).to_string();
        let document = &folder.document.path;
        let spot = SkillLocation { document, folder: &folder.path, skills: &layout.skills(), id };
        ManifestEntry::from_document(spot, &files.0[document].1)
    };
    let mut listed: Vec<ManifestEntry> = cards.iter().filter_map(|(_, folder)| card(folder)).collect();
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    let [index_at, manifest_at] = layout.registry();
    let stale = |(path, wanted): (RepoPath, String)| {
        let text = files.0.get(&path).map(|(_, bytes)| String::from_utf8(bytes.clone()).unwrap());
        let source = text.as_ref().map(|text| Arc::new(Source::new(path.clone(), text.clone())));
        (text.as_ref() != Some(&wanted)).then_some(StaleRegistry { path, source, wanted })
    };
    [(index_at, render_index(&listed)), (manifest_at, render_manifest(&listed))].into_iter().filter_map(stale).collect()
}

fn decision(files: &Files, cards: &[(SkillSummary, SkillFolder)], lock: &[u8]) -> SyncPlan {
    let skills: Vec<CanonSkill> = cards.iter().map(|(_, folder)| canon_skill(files, folder)).collect();
    let lock = Lock::parse(lock).unwrap();
    let desired = desired_mirrors(&skills, &[Target::Claude], gix::hash::Kind::Sha1, |folder| {
        if lock.owns_below(folder) { FolderStatus::PartlyOwned } else { FolderStatus::New }
    });
    plan(&desired, &actual(files), &lock, OverwriteMode::OwnedOnly)
}

fn canon_skill(files: &Files, folder: &SkillFolder) -> CanonSkill {
    let file = |path: &RepoPath| {
        let (mode, bytes) = &files.0[path];
        let link = (*mode == FileMode::Link).then(|| bytes.clone().into());
        CanonFile { path: path.clone(), state: state(*mode, bytes), link }
    };
    CanonSkill {
        path: folder.path.clone(),
        files: folder.files.iter().map(|e| file(&e.path)).collect(),
        unreadable: Vec::new(),
        defect: None,
        deliveries: Default::default(),
        overrides: Default::default(),
    }
}

fn actual(files: &Files) -> MirrorState {
    let root = RepoPath::from(".claude/skills");
    let link = files.0.get(&root).filter(|(mode, _)| *mode == FileMode::Link);
    let roots = link.map(|(_, target)| {
        let to = root.resolve_beside(target);
        let outside = || MirrorRoot::LinkOutside(String::from_utf8_lossy(target).into_owned());
        (Target::Claude, to.map_or_else(outside, MirrorRoot::LinkInside))
    });
    let inside = files.0.iter().filter(|(path, _)| path.is_within(&root) && **path != root);
    MirrorState {
        unmerged: BTreeSet::new(),
        files: inside.map(|(path, (mode, bytes))| (path.clone(), state(*mode, bytes))).collect(),
        links: BTreeMap::new(),
        roots: roots.into_iter().collect(),
    }
}
