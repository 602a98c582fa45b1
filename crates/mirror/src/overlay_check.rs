//! Overlay files that cannot be used, for `check`.

use super::canon_file::CanonFile;
use super::overlay::{OverlaySlot, SkillNames, check_overlay_document, is_document, parse_overlay_path, unused_reason};
use super::target_override::{OverrideFile, TargetOverride};
use bstr::{BString, ByteSlice};
use canonry_model::canon::inventory::{Inventory, SkillFolder};
use canonry_model::canon::{FileMode, FileState, TreeEntry};
use canonry_model::config::Target;
use canonry_text::RepoPath;
use gix_hash::Kind;
use gix_hash::ObjectId;
use std::collections::BTreeMap;

/// The overlays of a canon.
pub struct OverlayContext<'a> {
    /// The folder of all overlays.
    pub root: &'a RepoPath,
    /// The files below it.
    pub entries: &'a [TreeEntry],
    /// The configured targets.
    pub targets: &'a [Target],
    pub inventory: &'a Inventory,
    /// Returns the content at a path.
    pub read: &'a dyn Fn(&RepoPath) -> Option<Vec<u8>>,
    /// Returns the text of the link at a path.
    pub link: &'a dyn Fn(&RepoPath) -> Option<BString>,
}

/// A file of an overlay.
struct OverlayEntry<'a> {
    slot: OverlaySlot,
    entry: &'a TreeEntry,
}

impl OverlayContext<'_> {
    pub fn names(&self) -> SkillNames {
        let folders = self.outermost().map(|skill| skill.path.file_name().to_owned());
        let links = self.inventory.linked_skills.iter().map(|link| link.path.file_name().to_owned());
        SkillNames { folders: folders.collect(), links: links.collect() }
    }

    /// Lists the overlay files that cannot be used, each with the problem.
    pub fn invalid_files(&self) -> Vec<(RepoPath, String)> {
        let names = self.names();
        let mut by_skill: BTreeMap<(Target, BString), Vec<OverlayEntry<'_>>> = BTreeMap::new();
        for entry in self.entries {
            let Ok(slot) = parse_overlay_path(&entry.path, self.root, self.targets) else { continue };
            if unused_reason(&slot, self.targets, &names).is_none() {
                let key = (slot.target, slot.skill.clone());
                by_skill.entry(key).or_default().push(OverlayEntry { slot, entry });
            }
        }
        let mut found = Vec::new();
        for ((target, name), files) in by_skill {
            let Some(skill) = self.outermost().find(|skill| skill.path.file_name() == name) else { continue };
            found.extend(self.placement_problem(skill, &files));
            found.extend(files.iter().filter_map(|file| self.document_problem(skill, target, file)));
        }
        found
    }

    fn outermost(&self) -> impl Iterator<Item = &SkillFolder> {
        self.inventory.skills.iter().filter(|skill| skill.nested_in.is_none())
    }

    fn document_problem(
        &self,
        skill: &SkillFolder,
        target: Target,
        file: &OverlayEntry<'_>,
    ) -> Option<(RepoPath, String)> {
        let OverlayEntry { slot, entry } = file;
        if !entry.mode.is_file() || !is_document(slot.below.as_bstr()) {
            return None;
        }
        let overlay = (self.read)(&entry.path)?;
        let own = skill
            .files
            .iter()
            .find(|file| file.mode.is_file() && file.path.below(&skill.path) == Some(slot.below.as_bstr()));
        let document = own.and_then(|own| (self.read)(&own.path));
        let error = check_overlay_document(&overlay, document.as_deref(), target, self.targets).err()?;
        Some((entry.path.clone(), error.to_string()))
    }

    fn placement_problem(&self, skill: &SkillFolder, files: &[OverlayEntry<'_>]) -> Option<(RepoPath, String)> {
        // The check does not depend on the content, so the id is null.
        let canon_file = |entry: &TreeEntry| CanonFile {
            path: entry.path.clone(),
            state: FileState { id: ObjectId::null(Kind::Sha1), mode: entry.mode },
            link: (entry.mode == FileMode::Link).then(|| (self.link)(&entry.path)).flatten(),
        };
        let own: Vec<CanonFile> = skill.files.iter().map(canon_file).collect();
        let override_file = |file: &OverlayEntry<'_>| OverrideFile {
            below: file.slot.below.clone(),
            file: canon_file(file.entry),
            link_base: skill.path.clone(),
            rendered: None,
        };
        match TargetOverride::from_files(&skill.path, &own, files.iter().map(override_file).collect()) {
            TargetOverride::Invalid { file, message } => Some((file, message)),
            TargetOverride::Files(_) | TargetOverride::Excluded => None,
        }
    }
}
