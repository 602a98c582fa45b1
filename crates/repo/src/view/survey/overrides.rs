//! Builds the files that a target gets instead of copies of the canon's files.

use super::InspectedSkill;
use super::overlays::{OverlayFile, Overlays};
use crate::view::load::DOCUMENT_LIMIT;
use crate::view::{Hasher, View};
use canonry_agents::managed_part::text_id;
use canonry_mirror::document::{Rendered, render};
use canonry_mirror::overlay::{OverlayUse, is_document, overlay_use};
use canonry_mirror::target_override::RenderedText;
use canonry_mirror::{CanonFile, CanonSkill, OverrideFile, TargetOverride};
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::{Blob, FileState};
use canonry_model::config::Target;
use canonry_text::RepoPath;
use gix::bstr::{BStr, ByteSlice};

/// Builds overrides. Each thread has its own.
pub(super) struct OverrideBuilder<'v> {
    view: &'v View,
    overlays: &'v Overlays,
    /// The targets of the config.
    configured: &'v [Target],
    hasher: Option<Hasher<'v>>,
}

/// A document for a target, and what it is rendered from.
struct DocumentSource<'a> {
    /// The file with the text.
    file: &'a CanonFile,
    /// Its path below the skill's folder.
    below: &'a BStr,
    /// The folder of the skill or of its overlay.
    link_base: &'a RepoPath,
    /// An overlay document whose frontmatter keys are merged into the text.
    keys: Option<&'a CanonFile>,
}

impl<'v> OverrideBuilder<'v> {
    pub fn new(view: &'v View, overlays: &'v Overlays, configured: &'v [Target]) -> Self {
        Self { view, overlays, configured, hasher: None }
    }

    /// The override of a skill for a target; `None` if the target gets a copy.
    pub fn build(&mut self, skill: &CanonSkill, target: Target, inspected: InspectedSkill) -> Option<TargetOverride> {
        match self.files(skill, target, inspected) {
            Err(invalid) => Some(invalid),
            Ok(files) if files.is_empty() => None,
            Ok(files) => Some(TargetOverride::from_files(&skill.path, &skill.files, files)),
        }
    }

    fn files(
        &mut self,
        skill: &CanonSkill,
        target: Target,
        inspected: InspectedSkill,
    ) -> Result<Vec<OverrideFile>, TargetOverride> {
        let name = skill.path.file_name();
        let overlays = self.overlays;
        let base = overlays.root.join(target.name()).join("skills").join(name);
        let mut files = Vec::new();
        for overlay in overlays.files(target, name) {
            let file = overlay.file.as_ref().ok_or_else(|| invalid(&overlay.path, "it cannot be read"))?;
            let built = if is_document(overlay.below.as_bstr()) && file.state.mode.is_file() {
                self.overlay_document(skill, target, overlay, file, &base)?
            } else {
                Some(unchanged(overlay, file, &base))
            };
            files.extend(built);
        }
        if inspected.may_differ {
            let documents = skill.files.iter().filter(|f| f.state.mode.is_file() && is_skill_document(&f.path));
            for file in documents {
                let below = file.path.below(&skill.path).unwrap_or_default();
                if overlays.files(target, name).iter().all(|overlay| overlay.below != below) {
                    let source = DocumentSource { file, below, link_base: &skill.path, keys: None };
                    files.extend(self.rendered(skill, target, &source)?);
                }
            }
        }
        Ok(files)
    }

    fn overlay_document(
        &mut self,
        skill: &CanonSkill,
        target: Target,
        overlay: &OverlayFile,
        file: &CanonFile,
        base: &RepoPath,
    ) -> Result<Option<OverrideFile>, TargetOverride> {
        let bytes = self.stored(&file.path)?;
        let below = overlay.below.as_bstr();
        let is_same = |own: &&CanonFile| own.state.mode.is_file() && own.path.below(&skill.path) == Some(below);
        let own = skill.files.iter().find(is_same);
        let document = own.map(|own| self.stored(&own.path)).transpose()?;
        let found =
            overlay_use(&bytes, document.as_deref()).map_err(|error| invalid(&file.path, &error.to_string()))?;
        match (found, own) {
            (OverlayUse::Keys { .. }, Some(own)) => {
                let source = DocumentSource { file: own, below, link_base: &skill.path, keys: Some(file) };
                self.rendered(skill, target, &source)
            }
            _ => {
                let source = DocumentSource { file, below, link_base: base, keys: None };
                let rendered = self.rendered(skill, target, &source)?;
                Ok(Some(rendered.unwrap_or_else(|| unchanged(overlay, file, base))))
            }
        }
    }

    /// `None` if the target gets the document as it is.
    fn rendered(
        &mut self,
        skill: &CanonSkill,
        target: Target,
        source: &DocumentSource<'_>,
    ) -> Result<Option<OverrideFile>, TargetOverride> {
        let DocumentSource { file, below, link_base, keys } = *source;
        let document = self.stored(&file.path)?;
        let overlay = keys.map(|keys| self.stored(&keys.path)).transpose()?;
        let text = match render(&document, overlay.as_deref(), target, self.configured) {
            Ok(Rendered::Unchanged) => return Ok(None),
            Ok(Rendered::Text(text)) => text,
            Ok(Rendered::Excluded) if !below.contains(&b'/') => return Err(TargetOverride::Excluded),
            Ok(Rendered::Excluded) => {
                let message = "a nested skill has the targets of the outer skill; remove its `canonry-targets`";
                return Err(invalid(&file.path, message));
            }
            Err(error) => return Err(invalid(keys.map_or(&file.path, |keys| &keys.path), &error.to_string())),
        };
        let path = target.skills_root().join(skill.path.file_name()).join(below);
        let (bytes, id) =
            self.checked_out(&path, text).ok_or_else(|| invalid(&file.path, "git's filters failed for it"))?;
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
            Blob::Missing(error) => return Err(invalid(path, &error.to_string())),
        };
        match self.work_tree_hasher() {
            Some(hasher) => hasher.clean(path, path).ok_or_else(|| invalid(path, &BlobError::Absent.to_string())),
            None => Ok(bytes),
        }
    }

    /// A stored text as git checks it out at a path, and its id.
    fn checked_out(&mut self, path: &RepoPath, text: String) -> Option<(Vec<u8>, gix::ObjectId)> {
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

fn unchanged(overlay: &OverlayFile, file: &CanonFile, base: &RepoPath) -> OverrideFile {
    OverrideFile { below: overlay.below.clone(), file: file.clone(), link_base: base.clone(), rendered: None }
}

fn invalid(file: &RepoPath, message: &str) -> TargetOverride {
    TargetOverride::Invalid { file: file.clone(), message: message.to_owned() }
}
