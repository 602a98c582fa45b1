//! Overlays: files that replace or extend a skill's files for one target.

use super::SurveyRequest;
use crate::view::{IgnoreMode, ListedFile, View, ViewError};
use canonry_mirror::CanonFile;
use canonry_mirror::overlay::{SkillNames, parse_overlay_path, unused_overlays, unused_reason};
use canonry_model::canon::FileMode;
use canonry_model::canon::inventory::Inventory;
use canonry_model::config::Target;
use canonry_text::RepoPath;
use gix::bstr::{BStr, BString};
use std::collections::BTreeMap;

/// The overlays of a canon, for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlaySummary {
    /// Files with an effect.
    pub used: Vec<RepoPath>,
    /// Folders without an effect, and why.
    pub unused: Vec<(RepoPath, String)>,
}

/// A file of an overlay.
pub(super) struct OverlayFile {
    /// Its path below the skill's folder.
    pub below: BString,
    /// The file; `None` if it cannot be read.
    pub file: Option<CanonFile>,
    pub path: RepoPath,
}

/// Overlays by target and by the name of the skill's folder.
#[derive(Default)]
pub(super) struct Overlays {
    /// The folder of all overlays.
    pub root: RepoPath,
    files: BTreeMap<(Target, BString), Vec<OverlayFile>>,
    unused: Vec<(RepoPath, String)>,
    /// Folders that cannot be listed.
    pub unreadable: Vec<RepoPath>,
}

impl Overlays {
    /// Loads the overlays of the requested targets for existing skills.
    pub fn load(view: &View, inventory: &Inventory, request: &SurveyRequest<'_>) -> Result<Self, ViewError> {
        let root = request.layout.overlays();
        let listing = view.list(&root, IgnoreMode::Exclude)?;
        if listing.files.is_empty() && listing.unreadable.is_empty() {
            return Ok(Self { root, ..Self::default() });
        }
        let names = skill_names(inventory);
        let paths = listing.files.iter().map(|file| &file.entry.path);
        let unused = unused_overlays(paths, &root, request.targets, &names).into_iter();
        let mut overlays = Self {
            unreadable: listing.unreadable.into_iter().map(|(path, _)| path).collect(),
            unused: unused.map(|(path, reason)| (path, reason.to_string())).collect(),
            ..Self::default()
        };
        let used_path = |file: &ListedFile| {
            let parsed = parse_overlay_path(&file.entry.path, &root, request.targets).ok()?;
            unused_reason(&parsed, request.targets, &names).is_none().then_some(parsed)
        };
        let states = view.states(&listing.files);
        for (file, state) in listing.files.into_iter().zip(states) {
            let Some(parsed) = used_path(&file) else { continue };
            let path = file.entry.path;
            let file = state.map(|state| CanonFile {
                link: (state.mode == FileMode::Link).then(|| view.link_text(&path)).flatten(),
                path: path.clone(),
                state,
            });
            let files = overlays.files.entry((parsed.target, parsed.skill)).or_default();
            files.push(OverlayFile { below: parsed.below, file, path });
        }
        Ok(Self { root, ..overlays })
    }

    /// The overlay files of a target for a skill.
    pub fn files(&self, target: Target, skill: &BStr) -> &[OverlayFile] {
        if self.files.is_empty() {
            return &[];
        }
        self.files.get(&(target, skill.to_owned())).map_or(&[], Vec::as_slice)
    }

    pub fn summary(&self) -> OverlaySummary {
        let used = self.files.values().flatten().map(|file| file.path.clone()).collect();
        OverlaySummary { used, unused: self.unused.clone() }
    }
}

/// The folder names of the mirrored skills.
fn skill_names(inventory: &Inventory) -> SkillNames {
    let folders = inventory.skills.iter().filter(|skill| skill.nested_in.is_none());
    SkillNames {
        folders: folders.map(|skill| skill.path.file_name().to_owned()).collect(),
        links: inventory.linked_skills.iter().map(|link| link.path.file_name().to_owned()).collect(),
    }
}
