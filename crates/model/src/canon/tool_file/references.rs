//! The paths in a tool file.

use super::kind::{Role, ToolFileReader};
use super::local_plugins::local_plugins;
use super::path_reference::{PathReference, PathRole, reference};
use super::scripts::scripts;
use super::{MARKETPLACE, ToolFile};
use canonry_text::RepoPath;
use canonry_text::node::Node;

/// Keys of a manifest whose values are paths.
const COMPONENT_KEYS: [&str; 9] =
    ["agents", "commands", "skills", "hooks", "mcpServers", "lspServers", "outputStyles", "rules", "contextFileName"];

/// Folders that a build or an installation creates.
const GENERATED: [&str; 9] = ["node_modules", "dist", "build", "target", "out", "bin", ".venv", "venv", "vendor"];

/// The paths in `file` for which `exists` is false.
pub(super) fn missing(file: &ToolFile, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<PathReference> {
    let found = paths(file, exists).into_iter().filter(|reference| !is_generated(&reference.path));
    // A script without an extension may be the output of a build.
    let is_script = |role: &PathRole| matches!(role, PathRole::Hook | PathRole::Server(_));
    let found = found.filter(|reference| !is_script(&reference.role) || reference.text.contains('.'));
    let missing = found.filter(|reference| !exists(&reference.path) && !is_of_build(file, reference, exists));
    missing.map(|path| PathReference { beside_manifest: beside_manifest(file, &path, exists), ..path }).collect()
}

/// Target of a component's path from the folder of the manifest, such as `.claude-plugin`, instead of the folder of
/// the plugin.
fn beside_manifest(file: &ToolFile, component: &PathReference, exists: &dyn Fn(&RepoPath) -> bool) -> Option<RepoPath> {
    let is_component = file.kind.role == Role::Manifest && matches!(component.role, PathRole::Component(_));
    let path = file.path.resolve_beside(component.text.as_bytes()).filter(|_| is_component)?;
    exists(&path).then_some(path)
}

/// Whether a build probably copies a component into the plugin: the top of the repository has it at the same path, and no
/// marketplace there offers the plugin as it is.
fn is_of_build(file: &ToolFile, reference: &PathReference, exists: &dyn Fn(&RepoPath) -> bool) -> bool {
    let is_component = matches!(reference.role, PathRole::Component(_)) && !file.base.is_empty();
    let at_top = || reference.path.below(&file.base).map(RepoPath::new);
    is_component && !exists(&RepoPath::from(MARKETPLACE)) && at_top().is_some_and(|path| exists(&path))
}

/// The scripts that the tool starts itself, each once.
pub(super) fn started(file: &ToolFile, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<PathReference> {
    // A command of the file may make the scripts executable. A permission such as `Bash(chmod 777 *)` does not.
    let runs_chmod = |line: &str| line.contains("chmod") && !line.contains("Bash(");
    if file.document.as_ref().is_ok_and(|source| source.text().lines().any(runs_chmod)) {
        return Vec::new();
    }
    let mut found: Vec<PathReference> = Vec::new();
    for reference in scripts(file, exists).into_iter().filter(|reference| reference.is_started) {
        if found.iter().all(|known| known.path != reference.path) {
            found.push(reference);
        }
    }
    found
}

fn paths(file: &ToolFile, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<PathReference> {
    let Some(root) = file.root() else { return Vec::new() };
    let mut found = match file.kind.role {
        // Other tools have been seen to ignore a missing folder, which generators of manifests name as a matter of course.
        Role::Manifest if matches!(file.kind.reader, ToolFileReader::CODEX | ToolFileReader::CURSOR) => {
            let found = components(root, &file.base).into_iter();
            found.filter(|reference| reference.path.file_name().contains(&b'.')).collect()
        }
        Role::Manifest => components(root, &file.base),
        Role::Marketplace => plugins(root, &file.base, exists),
        _ => Vec::new(),
    };
    found.extend(scripts(file, exists));
    found
}

fn components(root: &Node, base: &RepoPath) -> Vec<PathReference> {
    let values = COMPONENT_KEYS.iter().filter_map(|key| Some((*key, root.get(key)?)));
    let paths = values.flat_map(|(key, node)| path_nodes(node).into_iter().map(move |node| (key, node)));
    let component = |(key, node): (&str, &Node)| reference(node, base, PathRole::Component(key.to_owned()));
    paths.filter_map(component).collect()
}

/// A path, or a list of paths. Other values define the component in place.
pub(super) fn path_nodes(node: &Node) -> Vec<&Node> {
    match node.as_sequence() {
        Some(items) => items.iter().filter(|item| item.as_str().is_some()).collect(),
        None => node.as_str().map(|_| node).into_iter().collect(),
    }
}

/// The plugins of a marketplace in the same repository, and the parts that their entries name.
fn plugins(root: &Node, base: &RepoPath, exists: &dyn Fn(&RepoPath) -> bool) -> Vec<PathReference> {
    let mut found = Vec::new();
    for (entry, plugin) in local_plugins(root, base, exists) {
        if exists(&plugin.path) {
            found.extend(components(entry, &plugin.path));
        } else {
            found.push(plugin);
        }
    }
    found
}

fn is_generated(path: &RepoPath) -> bool {
    path.components().any(|part| GENERATED.iter().any(|name| *part == *name.as_bytes()))
}
