//! Skills in the manifest of their plugin.

use canonry_model::canon::skill::Skill;
use canonry_model::canon::tool_file::PLUGIN_MANIFEST;
use canonry_repo::view::View;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::RepoPath;

/// Whether the manifest of the nearest plugin gives the folder of a skill itself as a path in `skills`.
pub(super) fn is_listed_in_manifest(view: &View, skill: &Skill) -> bool {
    let folder = &skill.folder.path;
    let mut plugins = std::iter::successors(Some(folder.clone()), RepoPath::parent);
    let manifest = plugins.find_map(|plugin| {
        let bytes = view.read_kept(&plugin.join(PLUGIN_MANIFEST), DOCUMENT_LIMIT).into_bytes()?;
        Some((plugin, serde_json::from_slice::<serde_json::Value>(&bytes).ok()?))
    });
    let Some((plugin, manifest)) = manifest else { return false };
    let paths = match &manifest["skills"] {
        serde_json::Value::Array(paths) => paths.as_slice(),
        path => std::slice::from_ref(path),
    };
    let paths = paths.iter().filter_map(serde_json::Value::as_str);
    paths.filter_map(|path| plugin.join("x").resolve_beside(path.as_bytes())).any(|path| path == *folder)
}
