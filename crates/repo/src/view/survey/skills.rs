//! Surveys the canon's skills, as far as their mirrors depend on them.

use super::overlays::Overlays;
use super::overrides::OverrideBuilder;
use super::{InspectedSkill, Inspection, SurveyRequest};
use crate::view::git_source::Unmerged;
use crate::view::{GitSource, ListedFile, View};
use canonry_mirror::skipped::SkipReason;
use canonry_mirror::{CanonFile, CanonSkill, Delivery, TargetOverride};
use canonry_model::canon::inventory::{Inventory, SkillFolder, is_skill_document};
use canonry_model::canon::{FileMode, FileState, TreeEntry};
use canonry_model::config::{Config, MirrorMode, Target};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const UNRESOLVED_CONFLICT: &str = "it has an unresolved merge conflict; resolve it, then run `canonry sync` again";

/// Delivery of skills to each target: as a copy, as a link, or not at all.
pub(super) struct Deliveries<'a> {
    /// The configured targets.
    pub targets: &'a [Target],
    config: &'a Config,
    link: Delivery,
}

impl<'a> Deliveries<'a> {
    pub fn new(view: &View, targets: &'a [Target], config: &'a Config) -> Self {
        let supports_links = view.git().is_none_or(GitSource::supports_links);
        let link = if supports_links { Delivery::Link } else { Delivery::LinkUnsupported };
        Self { targets, config, link }
    }

    /// The targets that do not get a copy of the skill with this folder name.
    pub fn for_skill(&self, skill: &BStr) -> BTreeMap<Target, Delivery> {
        let is_plain = self.config.mirrors.is_plain() && self.config.skills.is_empty();
        if is_plain {
            return BTreeMap::new();
        }
        let name = skill.to_str_lossy();
        let delivery = |target: &Target| match (self.config.exclusion(&name, *target), self.config.mode(&name, *target))
        {
            (Some(reason), _) => Some((*target, Delivery::Withheld(reason))),
            (None, MirrorMode::Copy) => None,
            (None, MirrorMode::Symlink) => Some((*target, self.link.clone())),
        };
        self.targets.iter().filter_map(delivery).collect()
    }
}

pub(super) struct SkillSurvey<'a> {
    pub view: &'a View,
    pub request: &'a SurveyRequest<'a>,
    pub deliveries: &'a Deliveries<'a>,
    pub overlays: &'a Overlays,
    /// The entries of the lock below each mirror.
    pub lines: BTreeMap<Target, FolderLines<'a>>,
    pub unmerged: &'a Unmerged,
}

/// Entries of the lock by the name of a folder in a mirror.
pub(super) type FolderLines<'a> = HashMap<&'a BStr, &'a [(RepoPath, FileState)]>;

/// Entries of the lock about a skill's mirrors.
#[derive(Clone, Copy)]
struct LockedSkill {
    /// Every mirror has had the skill before.
    is_everywhere: bool,
    /// Every copy was made from the current documents. Then the texts for the targets are those in the lock, and no
    /// document needs to be read.
    is_current: bool,
}

impl SkillSurvey<'_> {
    /// The mirrored skills: outermost folders, and links to skills.
    pub fn skills(&self, canon: &[ListedFile], inventory: &Inventory, in_sync: &BTreeSet<RepoPath>) -> Vec<CanonSkill> {
        let states = self.view.states(canon);
        let file = |path: &RepoPath| {
            let at = canon.binary_search_by(|listed| listed.entry.path.cmp(path)).ok()?;
            let state = states[at]?;
            let link = (state.mode == FileMode::Link).then(|| self.view.link_text(path)).flatten();
            Some(CanonFile { path: path.clone(), state, link })
        };
        let folders: Vec<&SkillFolder> = inventory.skills.iter().filter(|skill| skill.nested_in.is_none()).collect();
        let builder = || OverrideBuilder::new(self.view, self.overlays, self.request.targets);
        let skills = folders.par_iter().map_init(builder, |builder, folder| {
            let skill = self.with_files(folder, &file);
            let name = skill.path.file_name();
            let is_in_sync = |target: &Target| in_sync.contains(&target.skills_root().join(name));
            // Nothing depends on the documents of a skill that is in sync everywhere.
            if self.deliveries.targets.iter().all(is_in_sync) {
                skill
            } else {
                self.with_documents(folder, skill, builder)
            }
        });
        let mut skills: Vec<CanonSkill> = skills.collect();
        let links = inventory.linked_skills.iter().filter_map(|link| file(&link.path));
        skills.extend(links.map(|link| CanonSkill {
            path: link.path.clone(),
            unreadable: Vec::new(),
            defect: self.view.dead_link(&link.path).map(SkipReason::BrokenLink),
            deliveries: self.deliveries.for_skill(link.path.file_name()),
            overrides: BTreeMap::new(),
            files: vec![link],
        }));
        skills
    }

    fn with_files(&self, folder: &SkillFolder, file: &dyn Fn(&RepoPath) -> Option<CanonFile>) -> CanonSkill {
        let mut skill = CanonSkill {
            path: folder.path.clone(),
            files: Vec::with_capacity(folder.files.len()),
            unreadable: Vec::new(),
            defect: None,
            deliveries: self.deliveries.for_skill(folder.path.file_name()),
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

    fn with_documents(
        &self,
        folder: &SkillFolder,
        mut skill: CanonSkill,
        builder: &mut OverrideBuilder<'_>,
    ) -> CanonSkill {
        let is_unmerged = |path: &RepoPath| self.unmerged.contains_key(path) && self.view.has_conflict(path);
        if let Some(file) = folder.files.iter().find(|file| is_unmerged(&file.path)) {
            skill.defect = Some(SkipReason::UnresolvedConflict { file: file.path.clone() });
            return skill;
        }
        let locked = self.locked(&skill);
        let inspected = match (locked.is_everywhere, locked.is_current) {
            (true, true) => InspectedSkill::default(),
            (true, false) => (self.request.inspect)(folder, Inspection::Markers),
            (false, _) => (self.request.inspect)(folder, Inspection::Full),
        };
        skill.defect = (!locked.is_everywhere && inspected.is_broken).then_some(SkipReason::InvalidFrontmatter);
        let is_delivered = |target: &&Target| !matches!(skill.deliveries.get(target), Some(Delivery::Withheld(_)));
        for target in self.deliveries.targets.iter().filter(is_delivered) {
            let overlays = self.overlays.files(*target, skill.path.file_name());
            if inspected.may_differ || !overlays.is_empty() {
                let found = match overlays.iter().find(|overlay| is_unmerged(&overlay.path)) {
                    Some(overlay) => {
                        let file = overlay.path.clone();
                        let message = UNRESOLVED_CONFLICT.to_owned();
                        Some(TargetOverride::Invalid { file, message })
                    }
                    None => builder.build(&skill, *target, inspected),
                };
                skill.overrides.extend(found.map(|found| (*target, found)));
            }
        }
        skill
    }

    fn locked(&self, skill: &CanonSkill) -> LockedSkill {
        let mut locked = LockedSkill { is_everywhere: true, is_current: true };
        let documents = || skill.files.iter().filter(|file| file.state.mode.is_file() && is_skill_document(&file.path));
        let parent = skill.path.parent().unwrap_or_default();
        for target in self.deliveries.targets {
            let lines = self.lines(*target, skill.path.file_name());
            locked.is_everywhere &= !lines.is_empty();
            let root = target.skills_root();
            let is_current = |file: &CanonFile| {
                let below = file.path.below(&parent);
                lines.iter().any(|(path, state)| state.id == file.state.id && path.below(&root) == below)
            };
            locked.is_current &= match skill.deliveries.get(target) {
                Some(Delivery::Withheld(_)) => true,
                // A link does not tell which document it was made for.
                Some(Delivery::Link | Delivery::LinkUnsupported) => false,
                None => documents().all(is_current),
            };
        }
        locked
    }

    fn lines(&self, target: Target, folder: &BStr) -> &[(RepoPath, FileState)] {
        self.lines.get(&target).and_then(|folders| folders.get(folder)).copied().unwrap_or_default()
    }

    /// Whether the lock has exactly the files of a skill in `parent`, which have these ids, for a mirror.
    fn has_lines(&self, target: Target, skill: &SkillFolder, ids: &[Option<ObjectId>], parent: &RepoPath) -> bool {
        let lines = self.lines(target, skill.path.file_name());
        let root = target.skills_root();
        let is_same = |((entry, id), (path, state)): ((&TreeEntry, &Option<ObjectId>), &(RepoPath, FileState))| {
            *id == Some(state.id) && entry.mode == state.mode && path.below(&root) == entry.path.below(parent)
        };
        lines.len() == skill.files.len() && skill.files.iter().zip(ids).zip(lines).all(is_same)
    }

    /// The object ids of a skill's files in a commit or in the index.
    fn ids(listed: &[ListedFile], skill: &SkillFolder) -> Vec<Option<ObjectId>> {
        let at = |entry: &TreeEntry| listed.binary_search_by(|file| file.entry.path.cmp(&entry.path)).ok();
        skill.files.iter().map(|entry| listed[at(entry)?].id()).collect()
    }

    /// The folders in the mirrors of a commit, or of the index, that have the same tree id as the canon's skill, and exactly its
    /// files in the lock. They need not be read. Skills with links are left out, because a link may need another target in a
    /// mirror.
    pub fn folders_in_sync(&self, listed: &[ListedFile], inventory: &Inventory) -> BTreeSet<RepoPath> {
        let Self { view, deliveries, .. } = *self;
        let mut canon: BTreeMap<RepoPath, Option<BTreeMap<BString, ObjectId>>> = BTreeMap::new();
        let mirrors: Vec<(Target, BTreeMap<BString, ObjectId>)> = deliveries
            .targets
            .iter()
            .filter_map(|target| Some((*target, view.subfolder_ids(&target.skills_root())?)))
            .collect();
        let mut found = BTreeSet::new();
        if mirrors.is_empty() {
            return found;
        }
        let is_plain = |skill: &&SkillFolder| skill.nested_in.is_none() && skill.files.iter().all(|e| e.mode.is_file());
        for skill in inventory.skills.iter().filter(is_plain) {
            let Some(parent) = skill.path.parent() else { continue };
            let siblings = canon.entry(parent.clone()).or_insert_with_key(|parent| view.subfolder_ids(parent));
            let name = skill.path.file_name();
            let Some(id) = siblings.as_ref().and_then(|folders| folders.get(name)) else { continue };
            let not_copied = deliveries.for_skill(name);
            let ids = Self::ids(listed, skill);
            let is_same = |(target, folders): &&(Target, BTreeMap<BString, ObjectId>)| {
                let has_overlay = !self.overlays.files(*target, name).is_empty();
                let is_copy = folders.get(name) == Some(id) && !not_copied.contains_key(target) && !has_overlay;
                is_copy && self.has_lines(*target, skill, &ids, &parent)
            };
            found.extend(mirrors.iter().filter(is_same).map(|(target, _)| target.skills_root().join(name)));
        }
        found
    }
}
