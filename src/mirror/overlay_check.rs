//! Overlays that cannot be used, for `check`.

use super::file::CanonFile;
use super::overlay::{OverlaySlot, SkillNames, document_fault, is_document, parse_overlay_path, unused_reason};
use super::target_override::{OverrideFile, TargetOverride};
use crate::canon::inventory::{Inventory, SkillFolder};
use crate::canon::{FileMode, FileState, TreeEntry};
use crate::config::Target;
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::hash::Kind;
use std::collections::BTreeMap;

/// What is looked at.
pub struct OverlayContext<'a> {
    /// The folder of all overlays.
    pub root: &'a RepoPath,
    /// The files below it.
    pub entries: &'a [TreeEntry],
    /// The targets that are configured.
    pub targets: &'a [Target],
    /// The canon's skills.
    pub inventory: &'a Inventory,
    /// The content at a path.
    pub read: &'a dyn Fn(&RepoPath) -> Option<Vec<u8>>,
    /// The text of the link at a path.
    pub link: &'a dyn Fn(&RepoPath) -> Option<BString>,
}

impl OverlayContext<'_> {
    /// The names of the skills.
    pub fn names(&self) -> SkillNames {
        let folders = self.outermost().map(|skill| skill.path.file_name().to_owned());
        let links = self.inventory.linked_skills.iter().map(|link| link.path.file_name().to_owned());
        SkillNames { folders: folders.collect(), links: links.collect() }
    }

    /// Files of overlays that cannot be used, and why.
    pub fn unusable(&self) -> Vec<(RepoPath, String)> {
        let names = self.names();
        let mut by_skill: BTreeMap<(Target, BString), Vec<(OverlaySlot, &TreeEntry)>> = BTreeMap::new();
        for entry in self.entries {
            let Ok(slot) = parse_overlay_path(&entry.path, self.root) else { continue };
            if unused_reason(&slot, self.targets, &names).is_none() {
                by_skill.entry((slot.target, slot.skill.clone())).or_default().push((slot, entry));
            }
        }
        let mut found = Vec::new();
        for ((target, name), files) in by_skill {
            let Some(skill) = self.outermost().find(|skill| skill.path.file_name() == name) else { continue };
            found.extend(self.misfit(skill, &files));
            found.extend(files.iter().filter_map(|(slot, entry)| self.fault(skill, target, (slot, entry))));
        }
        found
    }

    fn outermost(&self) -> impl Iterator<Item = &SkillFolder> {
        self.inventory.skills.iter().filter(|skill| skill.nested_in.is_none())
    }

    fn fault(
        &self,
        skill: &SkillFolder,
        target: Target,
        (slot, entry): (&OverlaySlot, &TreeEntry),
    ) -> Option<(RepoPath, String)> {
        if !entry.mode.is_file() || !is_document(slot.below.as_bstr()) {
            return None;
        }
        let overlay = (self.read)(&entry.path)?;
        let own = skill
            .files
            .iter()
            .find(|file| file.mode.is_file() && file.path.below(&skill.path) == Some(slot.below.as_bstr()));
        let document = own.and_then(|own| (self.read)(&own.path));
        let fault = document_fault(&overlay, document.as_deref(), target)?;
        Some((entry.path.clone(), fault))
    }

    fn misfit(&self, skill: &SkillFolder, files: &[(OverlaySlot, &TreeEntry)]) -> Option<(RepoPath, String)> {
        // What they hold is of no matter here.
        let file = |entry: &TreeEntry| CanonFile {
            path: entry.path.clone(),
            state: FileState { id: ObjectId::null(Kind::Sha1), mode: entry.mode },
            link: (entry.mode == FileMode::Link).then(|| (self.link)(&entry.path)).flatten(),
        };
        let own: Vec<CanonFile> = skill.files.iter().map(file).collect();
        let shaped = |(slot, entry): &(OverlaySlot, &TreeEntry)| OverrideFile {
            below: slot.below.clone(),
            file: file(entry),
            base: skill.path.clone(),
            made: None,
        };
        match TargetOverride::from_files(&skill.path, &own, files.iter().map(shaped).collect()) {
            TargetOverride::Invalid { file, message: words } => Some((file, words)),
            TargetOverride::Files(_) | TargetOverride::Excluded => None,
        }
    }
}
