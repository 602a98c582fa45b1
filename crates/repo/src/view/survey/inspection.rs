//! Inspects the documents of a skill, as far as its mirrors depend on them.

use crate::view::View;
use crate::view::load::DOCUMENT_LIMIT;
use canonry_mirror::document::may_render_differently;
use canonry_model::canon::Blob;
use canonry_model::canon::inventory::{SkillFolder, is_skill_document};
use canonry_model::canon::skill::has_fields;

/// Facts to read from a skill's documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inspection {
    /// Everything.
    Full,
    /// Only [`InspectedSkill::may_differ`], which needs no parsing.
    Markers,
}

/// Facts about a skill's mirrors in its documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InspectedSkill {
    /// No tool can read the skill.
    pub is_broken: bool,
    /// The text for a target may differ from the canon's document.
    pub may_differ: bool,
}

/// Inspects a skill's documents without loading the rest of it.
pub fn inspect_skill(view: &View, folder: &SkillFolder, inspection: Inspection) -> InspectedSkill {
    let documents = folder.files.iter().filter(|entry| is_skill_document(&entry.path));
    let mut inspected = InspectedSkill { is_broken: inspection == Inspection::Full, may_differ: false };
    for entry in documents {
        let Blob::Bytes(bytes) = view.read(&entry.path, DOCUMENT_LIMIT) else { continue };
        inspected.may_differ |= may_render_differently(&bytes);
        if inspection == Inspection::Full && entry.path == folder.document.path {
            inspected.is_broken = !has_fields(&bytes);
        }
    }
    inspected
}
