//! Makes what a tool gets of a skill where that is not simply a copy.

use super::Hasher;
use super::View;
use super::load::DOCUMENT_LIMIT;
use super::overlays::{OverlayFile, Overlays};
use super::scope::Looks;
use crate::canon::blob::BlobError;
use crate::canon::inventory::is_skill_document;
use crate::canon::{Blob, FileState};
use crate::config::Target;
use crate::mirror::document::{Rendered, render};
use crate::mirror::overlay::{OverlayUse, is_document, overlay_use};
use crate::mirror::target_override::RenderedText;
use crate::mirror::{CanonFile, CanonSkill, OverrideFile, TargetOverride};
use crate::syntax::RepoPath;
use crate::toolfiles::managed_part::text_id;
use gix::bstr::{BStr, ByteSlice};

/// Makes shapes; a thread's own.
pub(super) struct Shaper<'v> {
    view: &'v View,
    overlays: &'v Overlays,
    hasher: Option<Hasher<'v>>,
}

/// A document and what it is made from.
struct Recipe<'a> {
    /// The file that gives the text.
    file: &'a CanonFile,
    /// Its path below the skill's folder.
    below: &'a BStr,
    /// The folder that is its skill's, or its overlay's.
    link_base: &'a RepoPath,
    /// An overlay's document whose keys are merged into it.
    keys: Option<&'a CanonFile>,
}

impl<'v> Shaper<'v> {
    pub fn new(view: &'v View, overlays: &'v Overlays) -> Self {
        Self { view, overlays, hasher: None }
    }

    /// What a target gets of a skill; `None` where it gets a copy.
    pub fn shape(&mut self, skill: &CanonSkill, target: Target, looks: Looks) -> Option<TargetOverride> {
        match self.files(skill, target, looks) {
            Err(shape) => Some(shape),
            Ok(files) if files.is_empty() => None,
            Ok(files) => Some(TargetOverride::from_files(&skill.path, &skill.files, files)),
        }
    }

    fn files(&mut self, skill: &CanonSkill, target: Target, looks: Looks) -> Result<Vec<OverrideFile>, TargetOverride> {
        let name = skill.path.file_name();
        let overlays = self.overlays;
        let base = overlays.root.join(target.name()).join("skills").join(name);
        let mut files = Vec::new();
        for overlay in overlays.of(target, name) {
            let file = overlay.file.as_ref();
            let file = file.ok_or_else(|| unclear(&overlay.path, "it cannot be read"))?;
            let shaped = match is_document(overlay.below.as_bstr()) && file.state.mode.is_file() {
                true => self.of_overlay(skill, target, (overlay, file, &base))?,
                false => Some(as_it_is(overlay, file, &base)),
            };
            files.extend(shaped);
        }
        if looks.marked {
            let documents = skill.files.iter().filter(|f| f.state.mode.is_file() && is_skill_document(&f.path));
            for file in documents {
                let below = file.path.below(&skill.path).unwrap_or_default();
                if overlays.of(target, name).iter().all(|overlay| overlay.below != below) {
                    let recipe = Recipe { file, below, link_base: &skill.path, keys: None };
                    files.extend(self.made(skill, target, &recipe)?);
                }
            }
        }
        Ok(files)
    }

    fn of_overlay(
        &mut self,
        skill: &CanonSkill,
        target: Target,
        (overlay, file, base): (&OverlayFile, &CanonFile, &RepoPath),
    ) -> Result<Option<OverrideFile>, TargetOverride> {
        let bytes = self.stored(&file.path)?;
        let below = overlay.below.as_bstr();
        let is_it = |own: &&CanonFile| own.state.mode.is_file() && own.path.below(&skill.path) == Some(below);
        let own = skill.files.iter().find(is_it);
        let document = own.map(|own| self.stored(&own.path)).transpose()?;
        let found =
            overlay_use(&bytes, document.as_deref()).map_err(|error| unclear(&file.path, &error.to_string()))?;
        match (found, own) {
            (OverlayUse::Keys { .. }, Some(own)) => {
                let recipe = Recipe { file: own, below, link_base: &skill.path, keys: Some(file) };
                self.made(skill, target, &recipe)
            }
            _ => {
                let recipe = Recipe { file, below, link_base: base, keys: None };
                Ok(Some(self.made(skill, target, &recipe)?.unwrap_or_else(|| as_it_is(overlay, file, base))))
            }
        }
    }

    /// `None` where the document is what the target gets.
    fn made(
        &mut self,
        skill: &CanonSkill,
        target: Target,
        recipe: &Recipe<'_>,
    ) -> Result<Option<OverrideFile>, TargetOverride> {
        let Recipe { file, below, link_base, keys } = *recipe;
        let document = self.stored(&file.path)?;
        let overlay = keys.map(|keys| self.stored(&keys.path)).transpose()?;
        let blamed = keys.map_or(&file.path, |keys| &keys.path);
        let text = match render(&document, overlay.as_deref(), target) {
            Ok(Rendered::Unchanged) => return Ok(None),
            Ok(Rendered::Text(text)) => text,
            Ok(Rendered::Excluded) if !below.contains(&b'/') => return Err(TargetOverride::Excluded),
            Ok(Rendered::Excluded) => {
                return Err(unclear(
                    &file.path,
                    "a skill inside another one goes where that one goes; take its `canonry-targets` out",
                ));
            }
            Err(fault) => return Err(unclear(blamed, &fault.to_string())),
        };
        let path = target.skills_root().join(skill.path.file_name()).join(below);
        let (bytes, id) = self.written(&path, text).ok_or_else(|| unclear(&file.path, "it cannot be made"))?;
        let state = FileState { id, mode: file.state.mode };
        Ok(Some(OverrideFile {
            below: below.to_owned(),
            file: CanonFile { path: file.path.clone(), state, link: None },
            link_base: link_base.clone(),
            rendered: Some(RenderedText { bytes, document: file.state, keys: keys.map(|keys| keys.path.clone()) }),
        }))
    }

    /// A text as git stores it.
    fn stored(&mut self, path: &RepoPath) -> Result<Vec<u8>, TargetOverride> {
        let bytes = match self.view.read(path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => bytes,
            Blob::Missing(missing) => return Err(unclear(path, &missing.to_string())),
        };
        match self.work_tree_hasher() {
            Some(hasher) => hasher.clean(path, path).ok_or_else(|| unclear(path, &BlobError::Absent.to_string())),
            None => Ok(bytes),
        }
    }

    /// A stored text as it is written at a path, and its id.
    fn written(&mut self, path: &RepoPath, text: String) -> Option<(Vec<u8>, gix::ObjectId)> {
        let id = text_id(&text, self.view.object_hash());
        let bytes = match self.work_tree_hasher() {
            Some(hasher) => hasher.smudge(path, text.as_bytes())?,
            None => text.into_bytes(),
        };
        Some((bytes, id))
    }

    /// `None` if git's filters do not apply: only a work tree has them.
    fn work_tree_hasher(&mut self) -> Option<&mut Hasher<'v>> {
        let git = self.view.git().filter(|git| git.is_work_tree())?;
        Some(self.hasher.get_or_insert_with(|| Hasher::new(git)))
    }
}

fn as_it_is(overlay: &OverlayFile, file: &CanonFile, base: &RepoPath) -> OverrideFile {
    OverrideFile { below: overlay.below.clone(), file: file.clone(), link_base: base.clone(), rendered: None }
}

fn unclear(file: &RepoPath, words: &str) -> TargetOverride {
    TargetOverride::Invalid { file: file.clone(), message: words.to_owned() }
}
