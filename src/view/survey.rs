//! What the mirrors should hold and what they hold, seen through a view.

use super::in_canon::Look;
use super::locks::{self, Locks, SurveyError, lock_of_mirrors};
use super::overlays::Overlays;
pub use super::overlays::Told;
use super::registry;
pub use super::scope::{Asked, Looks, Purpose, Scope};
use super::tools::{self, Shared, Sight};
use super::variants::Variants;
use super::{ListedFile, PathKind, View, ViewError};
use crate::canon::inventory::{Inventory, is_skill_document};
use crate::canon::{FileMode, FileState, Layout, TreeEntry};
use crate::config::Target;
use crate::mirror::desired::{SkipReason, Skipped};
use crate::mirror::state::is_owned;
use crate::mirror::{DesiredMirrors, FolderStatus, Lock, MirrorRoot, MirrorState};
use crate::syntax::RepoPath;
use gix::ObjectId;
use std::collections::{BTreeMap, BTreeSet};

/// All that deciding about mirrors needs.
#[derive(Debug)]
pub struct Survey {
    /// What the mirrors should hold.
    pub desired: DesiredMirrors,
    /// What they hold.
    pub actual: MirrorState,
    /// What is ours.
    pub lock: Lock,
    /// Whether nothing was ever mirrored.
    pub never_synced: bool,
    /// Whether the lock's file holds the conflict of a merge.
    pub lock_conflict: bool,
    /// The tools' files that people write too.
    pub shared: Shared,
    /// Where the lists of the skills lie.
    pub registry: [RepoPath; 2],
    /// The files in which some tool has something of its own, and those that do nothing.
    pub overlays: Told,
}

/// What of a canon's files is mirrored: the skills below `skills/`. A SKILL.md in `skills/` itself is none of them: it
/// would make one skill of all the others. `all` is what the whole of `entries` holds.
pub fn mirrored(entries: &[TreeEntry], all: Inventory, layout: &Layout) -> Inventory {
    let skills = layout.skills();
    // As in nearly every canon: then nothing is to be sorted out once more.
    if all.skills.iter().all(|skill| skill.path != skills && skill.path.is_within(&skills)) {
        return all;
    }
    let is_one = |entry: &&TreeEntry| {
        let beside = entry.path.parent().as_ref() == Some(&skills) && is_skill_document(&entry.path);
        entry.path.is_within(&skills) && !beside
    };
    Inventory::from_entries(&entries.iter().filter(is_one).cloned().collect::<Vec<_>>(), layout)
}

/// Looks at the canon in `listing` and at the mirrors.
///
/// # Errors
/// See [`SurveyError`].
pub fn survey(
    view: &View,
    canon: &[ListedFile],
    inventory: &Inventory,
    scope: Scope<'_>,
) -> Result<Survey, SurveyError> {
    let unmerged = view.unmerged();
    let Locks { ours, conflict } = locks::read(view, scope.layout, scope.purpose, unmerged.get(&scope.layout.lock()))?;
    let lock = lock_of_mirrors(view, scope.layout, &scope.config.files);
    let never_synced = scope.pending.is_empty() && view.kind(&lock) == PathKind::Nothing;
    let ours = if scope.pending.is_empty() { ours } else { ours.with(scope.pending.iter().cloned()) };
    // What git ignores is in no index and in no commit.
    let mirrored = if scope.config.files.git.ignore && !view.is_work_tree() { &[] } else { scope.targets };
    let variants = Variants::new(view, mirrored, scope.config);
    let overlays = Overlays::look(view, inventory, &scope)?;
    let look = Look { view, scope: &scope, variants: &variants, overlays: &overlays, ours: &ours, unmerged: &unmerged };
    let in_step = if scope.purpose == Purpose::Judge { look.in_step(canon, inventory) } else { BTreeSet::new() };
    let skills = look.skills(canon, (inventory, &in_step));
    let mut actual = actual(view, &Mirrors { targets: mirrored, ours: &ours, in_step: &in_step })?;
    let both_ours = |path: &RepoPath, sides: &[FileState]| {
        let written: Vec<(RepoPath, FileState)> = ours.states(path).map(|state| (path.clone(), state)).collect();
        !sides.is_empty() && sides.iter().all(|side| is_owned(&written, *side))
    };
    actual.unmerged = unmerged
        .iter()
        .filter(|(path, sides)| actual.state(path).is_some() && both_ours(path, sides) && view.has_conflict(path))
        .map(|(path, _)| path.clone())
        .collect();
    let mut desired = DesiredMirrors::build(&skills, mirrored, view.object_hash(), |folder| match () {
        () if in_step.contains(folder) => FolderStatus::InSync,
        () if ours.owns_below(folder) || ours.owns(folder) => FolderStatus::PartlyOwned,
        () => FolderStatus::New,
    });
    desired
        .skipped
        .extend(overlays.unreadable.iter().map(|path| Skipped { path: path.clone(), reason: SkipReason::Unreadable }));
    if !scope.unreadable.is_empty() || !overlays.unreadable.is_empty() {
        desired.frozen = Target::ALL.iter().map(|target| target.skills_root()).collect();
        desired.frozen.sort();
    }
    // A pointer to a mirror in which nothing is would lead nowhere.
    let none = inventory.skills.is_empty() && inventory.linked_skills.is_empty() && scope.unreadable.is_empty();
    let targets = if none { &[] } else { scope.targets };
    // Of folders that cannot be listed nobody knows which skills they hold.
    let is_listed = scope.unreadable.is_empty() && registry::is_kept(view, scope.layout, scope.config, &ours);
    let canon = registry::Skills { layout: scope.layout, listed: canon, inventory };
    let lists = if is_listed { registry::wholes(scope.layout, &registry::cards(view, canon)) } else { Vec::new() };
    if !scope.unreadable.is_empty() {
        desired.frozen.extend(scope.layout.registry());
    }
    let sight = Sight {
        registry: lists,
        layout: scope.layout,
        files: &scope.config.files,
        mirrors: (scope.targets, mirrored),
        targets,
        skills: &inventory.skills,
    };
    let shared = tools::look(view, &sight, &ours, (&mut desired, &mut actual))?;
    let sealed = registry::sealed(view, scope.layout, &unmerged, &actual);
    let ours = if sealed.is_empty() { ours } else { ours.with(sealed) };
    let registry = scope.layout.registry();
    let ours = view.look_closer(&desired, &mut actual, ours, scope.layout);
    Ok(Survey {
        desired,
        actual,
        lock: ours,
        never_synced,
        lock_conflict: conflict,
        shared,
        overlays: overlays.told(),
        registry,
    })
}

/// Which mirrors are looked at, and what is known of them.
struct Mirrors<'a> {
    targets: &'a [Target],
    ours: &'a Lock,
    in_step: &'a BTreeSet<RepoPath>,
}

/// Mirrors that are not configured are looked at where something in them is ours.
fn actual(view: &View, mirrors: &Mirrors<'_>) -> Result<MirrorState, ViewError> {
    let looked_at = |t: &Target| mirrors.targets.contains(t) || mirrors.ours.owns_below(&t.skills_root());
    let mut roots = BTreeMap::new();
    let mut listed: Vec<ListedFile> = Vec::new();
    for target in Target::ALL.into_iter().filter(looked_at) {
        let root = view.root(&target.skills_root());
        if root == MirrorRoot::Folder {
            listed.extend(view.list_except(&target.skills_root(), mirrors.in_step)?);
        }
        roots.insert(target, root);
    }
    listed.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    let states = view.states(&listed);
    let mut actual = MirrorState { roots, ..MirrorState::default() };
    for (file, state) in listed.into_iter().zip(states) {
        // What cannot be read is nobody's that we know: an id that nothing has keeps it from being touched.
        let unknown = FileState { id: ObjectId::null(view.object_hash()), mode: file.entry.mode };
        let path = file.entry.path;
        let text = (file.entry.mode == FileMode::Link).then(|| view.link_text(&path)).flatten();
        if let Some(to) = text.and_then(|text| path.resolve_beside(&text)) {
            actual.links.insert(path.clone(), to);
        }
        actual.files.push((path, state.unwrap_or(unknown)));
    }
    Ok(actual)
}
