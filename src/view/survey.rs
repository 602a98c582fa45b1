//! What the mirrors should hold and what they hold, seen through a view.

use super::tools::{self, Shared, Sight};
use super::variants::Variants;
use super::{Listed, View, ViewError};
use crate::canon::blob::Missing;
use crate::canon::inventory::{Inventory, SkillFolder, is_skill_document};
use crate::canon::trouble::Trouble;
use crate::canon::{Blob, Entry, Layout, Mode, State};
use crate::config::{Config, Target};
use crate::mirror::align::is_ours;
use crate::mirror::lock::LockProblem;
use crate::mirror::merge::has_conflict;
use crate::mirror::{Actual, CanonFile, CanonSkill, Desired, Flaw, Lock, Root, Standing, desired};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::BString;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// All that deciding about mirrors needs.
#[derive(Debug)]
pub struct Survey {
    /// What the mirrors should hold.
    pub desired: Desired,
    /// What they hold.
    pub actual: Actual,
    /// What is ours; `None` where nothing was ever synced.
    pub lock: Option<Lock>,
    /// Whether the lock's file holds the conflict of a merge.
    pub lock_conflict: bool,
    /// The tools' files that people write too.
    pub shared: Shared,
}

/// What is made of a lock in which git has left the conflict of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnConflict {
    /// It cannot be read.
    Refuse,
    /// What either side says is ours.
    Unite,
}

/// Why there is no survey.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The view failed.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Something stands in the place of the lock that has no content.
    #[error("{path}: {missing}")]
    NoLock {
        /// Where the lock lies.
        path: RepoPath,
        /// Why there is none.
        missing: Missing,
    },
    /// The lock holds the conflict of a merge.
    #[error("{path}: {problem}")]
    Conflict {
        /// Where the lock lies.
        path: RepoPath,
        /// Where it begins.
        problem: LockProblem,
    },
    /// The lock cannot be read.
    #[error("{path}: {problem}")]
    Lock {
        /// Where the lock lies.
        path: RepoPath,
        /// What is wrong.
        problem: LockProblem,
    },
}

/// What a survey looks at.
pub struct Scope<'a> {
    /// Where the canon is.
    pub layout: &'a Layout,
    /// Which mirrors.
    pub targets: &'a [Target],
    /// Folders of the canon that could not be listed: nobody knows what they hold, so no mirror is removed.
    pub unreadable: &'a [(RepoPath, Trouble)],
    /// States beyond the lock's that are ours too: those of an unfinished run.
    pub pending: Vec<(RepoPath, State)>,
    /// What is made of a conflict in the lock.
    pub on_conflict: OnConflict,
    /// What is configured of mirrors and skills.
    pub config: &'a Config,
    /// Whether no tool could read a skill; asked only of skills that some mirror does not have yet.
    pub is_broken: &'a (dyn Fn(&SkillFolder) -> bool + Sync),
}

/// What of a canon's files is mirrored: the skills below `skills/`. A SKILL.md in `skills/` itself is none of them: it
/// would make one skill of all the others. `all` is what the whole of `entries` holds.
pub fn mirrored(entries: &[Entry], all: Inventory, layout: &Layout) -> Inventory {
    let skills = layout.skills();
    // As in nearly every canon: then nothing is to be sorted out once more.
    if all.skills.iter().all(|skill| skill.path != skills && skill.path.is_within(&skills)) {
        return all;
    }
    let is_one = |entry: &&Entry| {
        let beside = entry.path.parent().as_ref() == Some(&skills) && is_skill_document(&entry.path);
        entry.path.is_within(&skills) && !beside
    };
    Inventory::of(&entries.iter().filter(is_one).cloned().collect::<Vec<_>>(), layout)
}

/// Looks at the canon in `listing` and at the mirrors.
///
/// # Errors
/// See [`SurveyError`].
pub fn survey(view: &View, canon: &[Listed], inventory: &Inventory, scope: Scope<'_>) -> Result<Survey, SurveyError> {
    let unmerged = view.unmerged();
    let path = scope.layout.lock();
    let (lock, lock_conflict) = read_lock(view, &path, scope.on_conflict)?;
    let sides = unmerged.get(&path).filter(|_| scope.on_conflict == OnConflict::Unite);
    let lock = match (lock, sides) {
        (Some(lock), Some(sides)) => Some(lock.with(entries_of(view, sides))),
        (lock, _) => lock,
    };
    let variants = Variants::new(view, scope.targets, scope.config);
    let pending = !scope.pending.is_empty();
    let known = lock.is_some();
    let ours = lock.unwrap_or_default();
    let ours = if pending { ours.with(scope.pending.iter().cloned()) } else { ours };
    let before = |folder: &RepoPath| ours.owns_below(folder) || ours.owns(folder);
    let in_step = in_step(view, inventory, &variants);
    let mut skills = canon_skills(view, canon, inventory, &|folder| {
        let in_all = scope.targets.iter().all(|t| before(&t.skills_root().join(folder.path.file_name())));
        match folder.files.iter().find(|file| unmerged.contains_key(&file.path) && view.has_conflict(&file.path)) {
            Some(file) => Some(Flaw::Unmerged(file.path.clone())),
            None => (!in_all && (scope.is_broken)(folder)).then_some(Flaw::Broken),
        }
    });
    skills.iter_mut().for_each(|skill| skill.variants = variants.of(skill.path.file_name()));
    let mut actual = actual(view, &Mirrors { targets: scope.targets, ours: &ours, in_step: &in_step })?;
    let both_ours = |path: &RepoPath, sides: &[State]| {
        let written: Vec<(RepoPath, State)> = ours.states(path).map(|state| (path.clone(), state)).collect();
        !sides.is_empty() && sides.iter().all(|side| is_ours(&written, *side))
    };
    actual.unmerged = unmerged
        .iter()
        .filter(|(path, sides)| actual.state(path).is_some() && both_ours(path, sides) && view.has_conflict(path))
        .map(|(path, _)| path.clone())
        .collect();
    let mut desired = desired(&skills, scope.targets, view.object_hash(), |folder| match () {
        () if in_step.contains(folder) => Standing::InStep,
        () if before(folder) => Standing::Before,
        () => Standing::New,
    });
    if !scope.unreadable.is_empty() {
        desired.frozen = Target::ALL.iter().map(|target| target.skills_root()).collect();
        desired.frozen.sort();
    }
    // A pointer to a mirror in which nothing is would lead nowhere.
    let none = inventory.skills.is_empty() && inventory.linked_skills.is_empty() && scope.unreadable.is_empty();
    let targets = if none { &[] } else { scope.targets };
    let sight = Sight { layout: scope.layout, files: &scope.config.files, targets, skills: &inventory.skills };
    let shared = tools::look(view, &sight, &ours, (&mut desired, &mut actual))?;
    let ours = view.look_closer(&desired, &mut actual, ours, scope.layout);
    let lock = (known || pending).then_some(ours);
    Ok(Survey { desired, actual, lock, lock_conflict, shared })
}

/// The lock, and whether it holds a conflict.
fn read_lock(view: &View, path: &RepoPath, on_conflict: OnConflict) -> Result<(Option<Lock>, bool), SurveyError> {
    match view.read(path, u64::MAX) {
        Blob::Missing(Missing::Absent) => Ok((None, false)),
        Blob::Missing(missing) => Err(SurveyError::NoLock { path: view.full(path), missing }),
        Blob::Bytes(bytes) => {
            let unites = on_conflict == OnConflict::Unite && has_conflict(&bytes);
            let lock = if unites { Lock::of_conflict(&bytes) } else { Lock::parse(&bytes) };
            let error = |problem| match !unites && has_conflict(&bytes) {
                true => SurveyError::Conflict { path: view.full(path), problem },
                false => SurveyError::Lock { path: view.full(path), problem },
            };
            lock.map(|lock| (Some(lock), unites)).map_err(error)
        }
    }
}

/// What the sides of a lock that is not merged yet say is ours, also where its file in the work tree is that of one side.
fn entries_of(view: &View, sides: &[State]) -> Vec<(RepoPath, State)> {
    let locks = sides.iter().filter_map(|side| Lock::parse(&view.blob(side.id)?).ok());
    locks.flat_map(|lock| lock.entries().to_vec()).collect()
}

/// The skills that are mirrored: outermost folders and links that stand for one.
fn canon_skills(
    view: &View,
    canon: &[Listed],
    inventory: &Inventory,
    flaw: &(dyn Fn(&SkillFolder) -> Option<Flaw> + Sync),
) -> Vec<CanonSkill> {
    let states = view.states(canon);
    let file = |path: &RepoPath| {
        let at = canon.binary_search_by(|l| l.entry.path.cmp(path)).ok()?;
        let state = states[at]?;
        let link = (state.mode == Mode::Link).then(|| view.link_text(path)).flatten();
        Some(CanonFile { path: path.clone(), state, link })
    };
    let folders: Vec<&SkillFolder> = inventory.skills.iter().filter(|s| s.nested_in.is_none()).collect();
    let mut skills: Vec<CanonSkill> = folders
        .par_iter()
        .map(|folder| {
            let mut skill = CanonSkill {
                path: folder.path.clone(),
                files: Vec::with_capacity(folder.files.len()),
                unreadable: Vec::new(),
                flaw: flaw(folder),
                variants: BTreeMap::new(),
            };
            for entry in &folder.files {
                match file(&entry.path) {
                    Some(file) => skill.files.push(file),
                    None => skill.unreadable.push(entry.path.clone()),
                }
            }
            skill
        })
        .collect();
    let links = inventory.linked_skills.iter().filter_map(|link| file(&link.path));
    skills.extend(links.map(|link| CanonSkill {
        path: link.path.clone(),
        unreadable: Vec::new(),
        flaw: view.dead_link(&link.path).map(Flaw::DeadLink),
        variants: BTreeMap::new(),
        files: vec![link],
    }));
    skills
}

/// The skills' folders in the mirrors of a commit whose tree is the canon's tree: git's ids say so, and nothing in them
/// needs to be read. A skill with links is left to a closer look, since a link may need another text in a mirror.
fn in_step(view: &View, inventory: &Inventory, variants: &Variants<'_>) -> BTreeSet<RepoPath> {
    let mut canon: BTreeMap<RepoPath, Option<BTreeMap<BString, ObjectId>>> = BTreeMap::new();
    let mirrors: Vec<(Target, BTreeMap<BString, ObjectId>)> =
        variants.targets.iter().filter_map(|target| Some((*target, view.subfolders(&target.skills_root())?))).collect();
    if mirrors.is_empty() {
        return BTreeSet::new();
    }
    let mut found = BTreeSet::new();
    let plain = |skill: &&SkillFolder| skill.nested_in.is_none() && skill.files.iter().all(|e| e.mode.is_file());
    for skill in inventory.skills.iter().filter(plain) {
        let Some(parent) = skill.path.parent() else { continue };
        let siblings = canon.entry(parent).or_insert_with_key(|parent| view.subfolders(parent));
        let name = skill.path.file_name();
        let Some(id) = siblings.as_ref().and_then(|folders| folders.get(name)) else { continue };
        let others = variants.of(name);
        let is_same = |(target, folders): &&(Target, BTreeMap<BString, ObjectId>)| {
            folders.get(name) == Some(id) && !others.contains_key(target)
        };
        found.extend(mirrors.iter().filter(is_same).map(|(target, _)| target.skills_root().join(name)));
    }
    found
}

/// Which mirrors are looked at, and what is known of them.
struct Mirrors<'a> {
    targets: &'a [Target],
    ours: &'a Lock,
    in_step: &'a BTreeSet<RepoPath>,
}

/// Mirrors that are not configured are looked at where something in them is ours.
fn actual(view: &View, mirrors: &Mirrors<'_>) -> Result<Actual, ViewError> {
    let looked_at = |t: &Target| mirrors.targets.contains(t) || mirrors.ours.owns_below(&t.skills_root());
    let mut roots = BTreeMap::new();
    let mut listed: Vec<Listed> = Vec::new();
    for target in Target::ALL.into_iter().filter(looked_at) {
        let root = view.root(&target.skills_root());
        if root == Root::Folder {
            listed.extend(view.list_but(&target.skills_root(), mirrors.in_step)?);
        }
        roots.insert(target, root);
    }
    listed.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    let states = view.states(&listed);
    let mut actual = Actual { roots, ..Actual::default() };
    for (file, state) in listed.into_iter().zip(states) {
        // What cannot be read is nobody's that we know: an id that nothing has keeps it from being touched.
        let unknown = State { id: ObjectId::null(view.object_hash()), mode: file.entry.mode };
        let path = file.entry.path;
        let text = (file.entry.mode == Mode::Link).then(|| view.link_text(&path)).flatten();
        if let Some(to) = text.and_then(|text| path.resolve_beside(&text)) {
            actual.links.insert(path.clone(), to);
        }
        actual.files.push((path, state.unwrap_or(unknown)));
    }
    Ok(actual)
}
