//! Settings by which a tool sees its skills.

use super::desired::DesiredToolFiles;
use super::request::ToolFileRequest;
use crate::config::Target;
use serde_json::json;

/// Adds what is switched on.
pub(super) fn add(wish: &ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) {
    if wish.files.gemini.skills {
        wanted.key(".gemini/settings.json", &["skills", "enabled"], json!(true), &wish.layout.config());
    }
    // The folder that is mirrored into is not one that Antigravity scans by itself.
    if wish.files.antigravity.pointer && wish.targets.contains(&Target::Antigravity) {
        let folder = Target::Antigravity.skills_root().to_string();
        wanted.item(".agents/skills.json", &["entries"], json!({"path": folder}), &wish.layout.skills());
    }
}
