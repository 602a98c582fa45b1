//! The files that tools have in the place of the canon's, or beside them.

use super::scope::Scope;
use super::{IgnoreMode, ListedFile, View, ViewError};
use crate::canon::FileMode;
use crate::canon::inventory::Inventory;
use crate::config::Target;
use crate::mirror::CanonFile;
use crate::mirror::overlay::{SkillNames, parse_overlay_path, unused_overlays, unused_reason};
use crate::syntax::RepoPath;
use gix::bstr::{BStr, BString};
use std::collections::BTreeMap;

/// What is told of overlays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Files that are used.
    pub used: Vec<RepoPath>,
    /// Folders of those that do nothing, and why.
    pub unused: Vec<(RepoPath, String)>,
}

/// A file of an overlay.
pub(super) struct OverlayFile {
    /// Its path below the skill's folder.
    pub below: BString,
    /// What it is; `None` where it cannot be read.
    pub file: Option<CanonFile>,
    pub path: RepoPath,
}

/// Overlays by target and by the name of the skill's folder.
#[derive(Default)]
pub(super) struct Overlays {
    /// The folder of all of them.
    pub root: RepoPath,
    files: BTreeMap<(Target, BString), Vec<OverlayFile>>,
    unused: Vec<(RepoPath, String)>,
    /// Folders that could not be listed.
    pub unreadable: Vec<RepoPath>,
}

impl Overlays {
    /// Looks for those that the scope's targets have of skills that there are.
    pub fn look(view: &View, inventory: &Inventory, scope: &Scope<'_>) -> Result<Self, ViewError> {
        let root = scope.layout.overlays();
        let listing = view.list(&root, IgnoreMode::Exclude)?;
        if listing.files.is_empty() && listing.unreadable.is_empty() {
            return Ok(Self { root, ..Self::default() });
        }
        let names = names(inventory);
        let mut found = Self {
            unreadable: listing.unreadable.into_iter().map(|(path, _)| path).collect(),
            unused: unused_overlays(listing.files.iter().map(|file| &file.entry.path), &root, scope.targets, &names)
                .into_iter()
                .map(|(path, why)| (path, why.to_string()))
                .collect(),
            ..Self::default()
        };
        let is_used = |file: &ListedFile| {
            let slot = parse_overlay_path(&file.entry.path, &root).ok()?;
            unused_reason(&slot, scope.targets, &names).is_none().then_some(slot)
        };
        let states = view.states(&listing.files);
        for (file, state) in listing.files.into_iter().zip(states) {
            let Some(slot) = is_used(&file) else { continue };
            let path = file.entry.path;
            let file = state.map(|state| CanonFile {
                link: (state.mode == FileMode::Link).then(|| view.link_text(&path)).flatten(),
                path: path.clone(),
                state,
            });
            let of_skill = found.files.entry((slot.target, slot.skill)).or_default();
            of_skill.push(OverlayFile { below: slot.below, file, path });
        }
        Ok(Self { root, ..found })
    }

    /// Those of a target for a skill.
    pub fn of(&self, target: Target, skill: &BStr) -> &[OverlayFile] {
        if self.files.is_empty() {
            return &[];
        }
        self.files.get(&(target, skill.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Whether a target has any for a skill.
    pub fn have(&self, target: Target, skill: &BStr) -> bool {
        !self.of(target, skill).is_empty()
    }

    /// What is told of them.
    pub fn told(&self) -> Told {
        let used = self.files.values().flatten().map(|file| file.path.clone()).collect();
        Told { used, unused: self.unused.clone() }
    }
}

/// The names of the skills that are mirrored.
pub fn names(inventory: &Inventory) -> SkillNames {
    let folders = inventory.skills.iter().filter(|skill| skill.nested_in.is_none());
    SkillNames {
        folders: folders.map(|skill| skill.path.file_name().to_owned()).collect(),
        links: inventory.linked_skills.iter().map(|link| link.path.file_name().to_owned()).collect(),
    }
}
