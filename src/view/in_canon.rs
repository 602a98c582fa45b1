//! The skills of the canon, as far as their mirrors go.

use super::git_source::Unmerged;
use super::overlays::Overlays;
use super::scope::{Asked, Looks, Scope};
use super::shapes::Shaper;
use super::variants::Variants;
use super::{ListedFile, View};
use crate::canon::FileMode;
use crate::canon::inventory::{Inventory, SkillFolder, is_skill_document};
use crate::config::Target;
use crate::mirror::{CanonFile, CanonSkill, Delivery, Lock, SkillDefect, TargetOverride};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::BString;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What is said of a file of an overlay in which git has left a conflict.
const UNMERGED: &str = "it holds the conflict of a merge; resolve it, then run `canonry sync` again";

/// Looks at the skills.
pub(super) struct Look<'a> {
    pub view: &'a View,
    pub scope: &'a Scope<'a>,
    pub variants: &'a Variants<'a>,
    pub overlays: &'a Overlays,
    pub ours: &'a Lock,
    pub unmerged: &'a Unmerged,
}

/// What the lock says of a skill's mirrors.
#[derive(Clone, Copy)]
struct Known {
    /// Every mirror has had it before.
    everywhere: bool,
    /// Every mirror that gets a copy was given the very documents that the canon holds. What was written for a tool is
    /// what it gets of it again, so that nothing needs to be read.
    given: bool,
}

impl Look<'_> {
    /// The skills that are mirrored: outermost folders and links that stand for one.
    pub fn skills(
        &self,
        canon: &[ListedFile],
        (inventory, in_step): (&Inventory, &BTreeSet<RepoPath>),
    ) -> Vec<CanonSkill> {
        let states = self.view.states(canon);
        let file = |path: &RepoPath| {
            let at = canon.binary_search_by(|l| l.entry.path.cmp(path)).ok()?;
            let state = states[at]?;
            let link = (state.mode == FileMode::Link).then(|| self.view.link_text(path)).flatten();
            Some(CanonFile { path: path.clone(), state, link })
        };
        let folders: Vec<&SkillFolder> = inventory.skills.iter().filter(|s| s.nested_in.is_none()).collect();
        let shaper = || Shaper::new(self.view, self.overlays);
        let skills = folders.par_iter().map_init(shaper, |shaper, folder| {
            let skill = self.begun(folder, &file);
            let name = skill.path.file_name();
            let settled = self.variants.targets.iter().all(|target| in_step.contains(&target.skills_root().join(name)));
            // Nothing is decided about it, whatever its documents say.
            if settled { skill } else { self.skill(folder, skill, shaper) }
        });
        let mut skills: Vec<CanonSkill> = skills.collect();
        let links = inventory.linked_skills.iter().filter_map(|link| file(&link.path));
        skills.extend(links.map(|link| CanonSkill {
            path: link.path.clone(),
            unreadable: Vec::new(),
            defect: self.view.dead_link(&link.path).map(SkillDefect::BrokenLink),
            deliveries: self.variants.of(link.path.file_name()),
            overrides: BTreeMap::new(),
            files: vec![link],
        }));
        skills
    }

    fn begun(&self, folder: &SkillFolder, file: &dyn Fn(&RepoPath) -> Option<CanonFile>) -> CanonSkill {
        let variants = self.variants.of(folder.path.file_name());
        let mut skill = CanonSkill {
            path: folder.path.clone(),
            files: Vec::with_capacity(folder.files.len()),
            unreadable: Vec::new(),
            defect: None,
            deliveries: variants,
            overrides: BTreeMap::new(),
        };
        for entry in &folder.files {
            match file(&entry.path) {
                Some(file) => skill.files.push(file),
                None => skill.unreadable.push(entry.path.clone()),
            }
        }
        skill
    }

    fn skill(&self, folder: &SkillFolder, mut skill: CanonSkill, shaper: &mut Shaper<'_>) -> CanonSkill {
        let is_unmerged = |path: &RepoPath| self.unmerged.contains_key(path) && self.view.has_conflict(path);
        if let Some(file) = folder.files.iter().find(|file| is_unmerged(&file.path)) {
            skill.defect = Some(SkillDefect::UnresolvedConflict(file.path.clone()));
            return skill;
        }
        let known = self.known(&skill);
        let looks = match (known.everywhere, known.given) {
            (true, true) => Looks::default(),
            (true, false) => (self.scope.looks)(folder, Asked::Marks),
            (false, _) => (self.scope.looks)(folder, Asked::All),
        };
        skill.defect = (!known.everywhere && looks.broken).then_some(SkillDefect::InvalidFrontmatter);
        let is_let_in = |target: &&Target| !matches!(skill.deliveries.get(target), Some(Delivery::Withheld(_)));
        for target in self.variants.targets.iter().filter(is_let_in) {
            let overlays = self.overlays.of(*target, skill.path.file_name());
            if looks.marked || !overlays.is_empty() {
                let unmerged = overlays.iter().find(|overlay| is_unmerged(&overlay.path));
                let shape = match unmerged {
                    Some(overlay) => {
                        Some(TargetOverride::Invalid { file: overlay.path.clone(), message: UNMERGED.to_owned() })
                    }
                    None => shaper.shape(&skill, *target, looks),
                };
                skill.overrides.extend(shape.map(|shape| (*target, shape)));
            }
        }
        skill
    }

    fn known(&self, skill: &CanonSkill) -> Known {
        let mut known = Known { everywhere: true, given: true };
        let documents = || skill.files.iter().filter(|file| file.state.mode.is_file() && is_skill_document(&file.path));
        for target in self.variants.targets {
            let folder = target.skills_root().join(skill.path.file_name());
            let ours = self.ours.below(&folder);
            known.everywhere &= !ours.is_empty() || self.ours.owns(&folder);
            let was_given = |file: &CanonFile| {
                let below = file.path.below(&skill.path);
                ours.iter().any(|(own, state)| state.id == file.state.id && own.below(&folder) == below)
            };
            known.given &= match skill.deliveries.get(target) {
                Some(Delivery::Withheld(_)) => true,
                // Of a link nothing tells what the document was when it was made.
                Some(Delivery::Link | Delivery::LinkUnsupported) => false,
                None => documents().all(was_given),
            };
        }
        known
    }

    /// Whether the lock says that a mirror was given the very documents that the canon holds.
    fn was_given(&self, listed: &[ListedFile], skill: &SkillFolder, folder: &RepoPath) -> bool {
        skill.files.iter().filter(|entry| is_skill_document(&entry.path)).all(|entry| {
            let at = listed.binary_search_by(|file| file.entry.path.cmp(&entry.path));
            let id = at.ok().and_then(|at| listed[at].id());
            let mirror = entry.path.below(&skill.path).map(|below| folder.join(below));
            mirror.is_some_and(|mirror| self.ours.states(&mirror).any(|state| Some(state.id) == id))
        })
    }

    /// The skills' folders in the mirrors of a commit, or of the index, whose tree is the canon's tree: git's ids say so, and
    /// nothing in them needs to be read. A skill with links is left to a closer look, since a link may need another text in
    /// a mirror.
    pub fn in_step(&self, listed: &[ListedFile], inventory: &Inventory) -> BTreeSet<RepoPath> {
        let Self { view, variants, .. } = *self;
        let mut canon: BTreeMap<RepoPath, Option<BTreeMap<BString, ObjectId>>> = BTreeMap::new();
        let mirrors: Vec<(Target, BTreeMap<BString, ObjectId>)> = variants
            .targets
            .iter()
            .filter_map(|target| Some((*target, view.subfolder_ids(&target.skills_root())?)))
            .collect();
        if mirrors.is_empty() {
            return BTreeSet::new();
        }
        let mut found = BTreeSet::new();
        let plain = |skill: &&SkillFolder| skill.nested_in.is_none() && skill.files.iter().all(|e| e.mode.is_file());
        for skill in inventory.skills.iter().filter(plain) {
            let Some(parent) = skill.path.parent() else { continue };
            let siblings = canon.entry(parent).or_insert_with_key(|parent| view.subfolder_ids(parent));
            let name = skill.path.file_name();
            let Some(id) = siblings.as_ref().and_then(|folders| folders.get(name)) else { continue };
            let others = variants.of(name);
            let is_same = |(target, folders): &&(Target, BTreeMap<BString, ObjectId>)| {
                folders.get(name) == Some(id) && !others.contains_key(target) && !self.overlays.have(*target, name)
            };
            let same = mirrors.iter().filter(is_same).map(|(target, _)| target.skills_root().join(name));
            let same: Vec<RepoPath> = same.collect();
            // A document that tools get different parts of is looked at more closely.
            let given = same.iter().all(|folder| self.was_given(listed, skill, folder));
            if given || !(self.scope.looks)(skill, Asked::Marks).marked {
                found.extend(same);
            }
        }
        found
    }
}
