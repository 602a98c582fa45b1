//! What files beside a skill say about how it is installed: the manifest of its plugin, and the README of its repository.

use crate::canon::Blob;
use crate::canon::skill::Skill;
use crate::canon::tool_file::PLUGIN_MANIFEST;
use crate::syntax::RepoPath;
use crate::view::View;
use crate::view::load::DOCUMENT_LIMIT;

/// Whether the manifest of the nearest plugin gives the folder of a skill itself as a path in `skills`.
pub(super) fn is_listed_in_manifest(view: &View, skill: &Skill) -> bool {
    let folder = &skill.folder.path;
    let mut plugins = std::iter::successors(Some(folder.clone()), RepoPath::parent);
    let manifest = plugins.find_map(|plugin| match view.read_kept(&plugin.join(PLUGIN_MANIFEST), DOCUMENT_LIMIT) {
        Blob::Bytes(bytes) => Some((plugin, serde_json::from_slice::<serde_json::Value>(&bytes).ok()?)),
        Blob::Missing(_) => None,
    });
    let Some((plugin, manifest)) = manifest else { return false };
    let paths = match &manifest["skills"] {
        serde_json::Value::Array(paths) => paths.as_slice(),
        path => std::slice::from_ref(path),
    };
    let paths = paths.iter().filter_map(serde_json::Value::as_str);
    paths.filter_map(|path| plugin.join("x").resolve_beside(path.as_bytes())).any(|path| path == *folder)
}

/// Whether the README at the top says that the repository is cloned as a tool's folder with skills:
/// `git clone https://example.com/notes.git ~/.claude/skills`.
pub(super) fn is_cloned_as_skills_folder(view: &View) -> bool {
    let Blob::Bytes(bytes) = view.read_kept(&RepoPath::from("README.md"), DOCUMENT_LIMIT) else { return false };
    String::from_utf8_lossy(&bytes).lines().any(clones_into_skills_folder)
}

fn clones_into_skills_folder(line: &str) -> bool {
    let Some((_, arguments)) = line.split_once("git clone ") else { return false };
    // What follows `&&` is another command.
    let command = arguments.split(['&', ';', '|']).next().unwrap_or_default();
    command.split_whitespace().any(|word| {
        let path = word.trim_matches(['"', '\'', '`', '.', ',', ')']).trim_end_matches('/');
        let mut parts = path.rsplit('/');
        let is_folder = parts.next() == Some("skills") && !path.contains("://");
        is_folder && parts.next().is_some_and(|tool| tool.starts_with('.') && tool.len() > 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_into_the_skills_folder_of_a_tool_are_recognised() {
        for (line, want) in [
            ("git clone https://example.com/notes.git ~/.claude/skills", true),
            ("- Run `git clone git@example.com:notes.git \"$HOME/.codex/skills/\"`.", true),
            ("git clone https://example.com/notes.git ~/.claude/skills/notes", false),
            ("git clone https://example.com/notes.git && cp -r notes ~/.claude/skills", false),
            ("git clone https://example.com/.notes/skills", false),
            ("git clone https://example.com/notes.git my/skills", false),
            ("cp -r notes ~/.claude/skills", false),
        ] {
            assert_eq!(clones_into_skills_folder(line), want, "{line}");
        }
    }
}
