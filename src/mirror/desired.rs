//! What the mirrors should hold.

use super::clash::{clashes, files_clash};
use super::delivery::{Delivery, WithheldSkill};
use super::file::unfit;
use super::skill::{CanonSkill, SkillDefect};
pub use super::skipped::{SkipReason, Skipped};
use super::target_override::{RenderSource, TargetOverride};
pub use super::want::DesiredFile;
use super::want::{Source, link_to, may_be_linked};
use crate::config::{ExclusionReason, Target};
use crate::syntax::RepoPath;
use gix::hash::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// All that the mirrors should hold, and what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DesiredMirrors {
    /// The mirrors of this run.
    pub targets: Vec<Target>,
    /// Sorted by path.
    pub files: Vec<DesiredFile>,
    /// What cannot be mirrored, and why.
    pub skipped: Vec<Skipped>,
    /// Folders in mirrors in whose place a link to the skill in the canon is wanted.
    pub links: BTreeSet<RepoPath>,
    /// What copies would hold where such a link is wanted, sorted by path.
    pub linked_files: Vec<DesiredFile>,
    /// Skills that are kept from a target.
    pub withheld: Vec<WithheldSkill>,
    /// Paths in mirrors of which the canon cannot say what they should hold: they, and what lies below, stay as it is.
    pub frozen: Vec<RepoPath>,
    /// Skills' folders in mirrors that hold something of an overlay, or made for the tool, each with the skill.
    pub overridden: BTreeMap<RepoPath, RepoPath>,
    /// How the documents among the wants were made that are no copies.
    pub rendered: BTreeMap<RepoPath, RenderSource>,
}

/// A skill's folder in a mirror.
struct Place<'a> {
    target: Target,
    folder: RepoPath,
    /// How it gets there.
    variant: Option<&'a Delivery>,
    /// What it holds that is not simply the canon's.
    shape: Option<&'a TargetOverride>,
}

/// How a skill's folder in a mirror stands before anything is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderStatus {
    /// Nothing in it is ours.
    New,
    /// Sync owns a part of it.
    PartlyOwned,
    /// It is known to hold what the canon holds: there is nothing to decide about it.
    InSync,
}

/// What `targets` should hold of `skills`, given how each folder in a mirror stands.
pub fn desired_mirrors(
    skills: &[CanonSkill],
    targets: &[Target],
    hash: Kind,
    standing: impl Fn(&RepoPath) -> FolderStatus,
) -> DesiredMirrors {
    let mut desired = DesiredMirrors { targets: targets.to_vec(), ..DesiredMirrors::default() };
    let clashes = clashes(skills);
    for skill in skills {
        let places = desired.admitted(skill);
        if let Some(why) = left_out(skill, &clashes) {
            desired.leave_out(&skill.path, why);
            desired.frozen.extend(places.into_iter().map(|place| place.folder));
            continue;
        }
        let standings = places.into_iter().map(|place| (standing(&place.folder), place));
        let mut standings = standings.filter(|(standing, _)| *standing != FolderStatus::InSync).collect::<Vec<_>>();
        if skill.defect.is_some() && standings.iter().any(|(standing, _)| *standing == FolderStatus::New) {
            desired.leave_out(&skill.path, SkipReason::InvalidFrontmatter);
            standings.retain(|(standing, _)| *standing == FolderStatus::PartlyOwned);
        }
        let may_be_linked = may_be_linked(skill);
        let is_link = |place: &Place<'_>| may_be_linked && place.variant.is_some() && place.shape.is_none();
        let places = standings.into_iter().map(|(_, place)| place);
        let (links, copies): (Vec<Place<'_>>, Vec<Place<'_>>) = places.partition(is_link);
        desired.link(skill, &links, hash);
        desired.add(skill, &copies, hash);
    }
    for wants in [&mut desired.files, &mut desired.linked_files] {
        wants.sort_by(|a, b| a.path.cmp(&b.path));
    }
    desired.frozen.sort();
    desired.frozen.dedup();
    desired
}

/// Why nobody can say what the mirrors of a skill should hold.
fn left_out(skill: &CanonSkill, clashes: &BTreeMap<RepoPath, RepoPath>) -> Option<SkipReason> {
    match (clashes.get(&skill.path), &skill.defect) {
        (Some(other), _) => Some(SkipReason::NameClash { other: other.clone() }),
        (None, Some(SkillDefect::BrokenLink(missing))) => Some(SkipReason::BrokenLink(missing.clone())),
        (None, Some(SkillDefect::UnresolvedConflict(file))) => {
            Some(SkipReason::UnresolvedConflict { file: file.clone() })
        }
        (None, None | Some(SkillDefect::InvalidFrontmatter)) => files_clash(skill)
            .map(|(file, other)| SkipReason::FileNameClash { file: file.clone(), other: other.clone() }),
    }
}

impl DesiredMirrors {
    /// A skill's folders in the mirrors that it is let into, each with how it gets there; those that it is kept from are
    /// noted.
    fn admitted<'a>(&mut self, skill: &'a CanonSkill) -> Vec<Place<'a>> {
        let mut places = Vec::with_capacity(self.targets.len());
        let mut no_links = false;
        for target in self.targets.clone() {
            let folder = target.skills_root().join(skill.path.file_name());
            let gate = |why: &ExclusionReason| WithheldSkill { skill: skill.path.clone(), target, reason: why.clone() };
            match (skill.deliveries.get(&target), skill.overrides.get(&target)) {
                (Some(Delivery::Withheld(why)), _) => self.withheld.push(gate(why)),
                (_, Some(TargetOverride::Excluded)) => self.withheld.push(gate(&ExclusionReason::Document)),
                (_, Some(TargetOverride::Invalid { file, message: words })) => {
                    let why = SkipReason::InvalidOverride { file: file.clone(), message: words.clone() };
                    // What holds for all tools is told once.
                    if self.skipped.last().is_none_or(|last| last.path != skill.path || last.reason != why) {
                        self.leave_out(&skill.path, why);
                    }
                    self.frozen.push(folder);
                }
                (Some(Delivery::LinkUnsupported), None) if may_be_linked(skill) => {
                    no_links = true;
                    self.frozen.push(folder);
                }
                (variant, shape) => places.push(Place { target, folder, variant, shape }),
            }
        }
        if no_links {
            self.leave_out(&skill.path, SkipReason::LinksUnsupported);
        }
        places
    }

    /// Links in some folders' places, and what copies would hold there.
    fn link(&mut self, skill: &CanonSkill, places: &[Place<'_>], hash: Kind) {
        for folder in places.iter().map(|place| &place.folder) {
            let Some((content, state)) = link_to(&skill.path, folder, hash) else { continue };
            let (path, canon) = (folder.clone(), skill.path.clone());
            self.files.push(DesiredFile { path, state, content, canon, folder: folder.clone() });
            self.links.insert(folder.clone());
            self.linked_files.extend(skill.files.iter().map(|file| Source::own(file, skill).want(folder, hash)));
        }
    }

    /// Every file of the canon that some mirror shows, as a copy or through a link, or that something is made from.
    pub fn sources(&self) -> impl Iterator<Item = &RepoPath> {
        let copies = self.files.iter().filter(|want| !self.links.contains(&want.path));
        let keys = self.rendered.values().filter_map(|recipe| recipe.keys.as_ref());
        copies.chain(&self.linked_files).map(|want| &want.canon).chain(keys)
    }

    /// What is wanted at a path, or would be if a copy were.
    pub fn copy_at(&self, path: &RepoPath) -> Option<&DesiredFile> {
        let find = |wants: &'_ [DesiredFile]| wants.binary_search_by(|want| want.path.cmp(path)).ok();
        find(&self.files)
            .map(|at| &self.files[at])
            .or_else(|| find(&self.linked_files).map(|at| &self.linked_files[at]))
    }

    fn leave_out(&mut self, path: &RepoPath, why: SkipReason) {
        self.skipped.push(Skipped { path: path.clone(), reason: why });
    }

    fn add(&mut self, skill: &CanonSkill, places: &[Place<'_>], hash: Kind) {
        let shows = |place: &&Place<'_>, file: &RepoPath| !place.shape.is_some_and(|s| s.replaces(file, &skill.path));
        for path in &skill.unreadable {
            self.leave_out(path, SkipReason::Unreadable);
            let below = path.below(&skill.path).unwrap_or_default();
            let shown = places.iter().filter(|place| shows(place, path));
            self.frozen.extend(shown.map(|place| place.folder.join(below)));
        }
        for file in &skill.files {
            if let Some(why) = unfit(file) {
                self.leave_out(&file.path, why);
                continue;
            }
            let source = Source::own(file, skill);
            let shown = places.iter().filter(|place| shows(place, &file.path));
            self.files.extend(shown.map(|place| source.want(&place.folder, hash)));
        }
        places.iter().for_each(|place| self.add_shape(skill, place, hash));
    }

    fn add_shape(&mut self, skill: &CanonSkill, place: &Place<'_>, hash: Kind) {
        let files = place.shape.map(TargetOverride::files).unwrap_or_default();
        if !files.is_empty() {
            self.overridden.insert(place.folder.clone(), skill.path.clone());
        }
        for shaped in files {
            let want = Source::shaped(shaped).want(&place.folder, hash);
            if let Some(made) = &shaped.made {
                let recipe = RenderSource { target: place.target, document: made.document, keys: made.keys.clone() };
                self.rendered.insert(want.path.clone(), recipe);
            }
            self.files.push(want);
        }
    }
}
